"""Drawings of a puzzle: pictures, its clues and grid as SVG, PNG and GIF."""

"""Drawings of a puzzle with its clues: SVG, PNG, animated GIF, and PDF to print."""

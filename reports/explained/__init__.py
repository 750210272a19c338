"""Explanations for people: steps in words, as states of the grid, as JSON and as a page."""

"""Sudokus as text: a line each, or grids with or without frames, as programs and archives write them."""

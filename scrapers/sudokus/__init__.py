"""Sudoku file formats: one puzzle per line, grids with or without frames, and JSON lines."""

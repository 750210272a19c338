"""Sudoku, the second family of puzzles: its table, its hashes, its ladder, a bit-parallel solver for 9x9, techniques."""

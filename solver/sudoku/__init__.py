"""Sudoku, the second family of puzzles: its records and hashes, its ladder, a bit-parallel search for 9x9.

`api.classify` takes a batch of the table SUDOKUS (solver.model.tables) and gives one of the results table.
"""

"""Sudoku, the second family of puzzles: its records and hashes, its ladder, a bit-parallel search for 9x9.

`sudoku_api.classify` maps a batch of the table SUDOKUS (solver.model.tables) to one of the results table.
"""

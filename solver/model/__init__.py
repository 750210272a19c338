"""Puzzles, the Arrow schemas of all tables, hashes, input checks, and the puzzle families."""

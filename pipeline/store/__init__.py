"""Puzzles on disk: a folder of Parquet parts, and what fills it."""

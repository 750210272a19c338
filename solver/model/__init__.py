"""Puzzles, the Arrow schemas of all tables, hashes, and input checks."""

"""Puzzles from a site into a store: the ledger of replies, and the table that follows from it."""

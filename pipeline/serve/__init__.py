"""Puzzles served to browsers and programs: a page, an HTTP API, and processes that do the work."""

"""The puzzle model, the tables' schemas and the compiled solver. No files, no network, no Ray."""

__version__ = "0.2.0"
"""Version of the whole program, written into every row of results; defined only here."""

"""The puzzle model, the tables in memory and the jitted solver. Knows no files, no network and no Ray."""

__version__ = "0.1.0"
"""Of the whole program. It stands here and nowhere else, since every row of results carries it."""

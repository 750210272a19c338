"""The puzzle model, the tables in memory and the jitted solver. Knows no files, no network and no Ray."""

from importlib.metadata import version

__version__ = version("nonocensus")

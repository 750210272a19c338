"""The census of the world's nonogram archives: download, classify at scale, report."""

__version__ = "0.1.0"

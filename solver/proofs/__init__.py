"""Certificates: derivations that prove a verdict again, what records them and what checks them.

Of these files only `checker`, `formula` and `follow` are trusted, and they import nothing else of this project.
"""

PROVED, FAILED, TIMEOUT = "proved", "failed", "timeout"
"""What becomes of a verdict that is to be proved: FAILED if the verdict or the proof is wrong."""

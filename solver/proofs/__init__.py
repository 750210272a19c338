"""Certificates: derivations that prove a verdict, their recorder and their checker.

Only `checker`, `formula` and `follow` are trusted; they import nothing else of this project.
"""

PROVED, FAILED, TIMEOUT = "proved", "failed", "timeout"
"""Results of proving a verdict: FAILED if the verdict or the proof is wrong."""

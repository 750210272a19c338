"""`python -m pipeline` is `nonocensus`."""

from pipeline.cli import run

run()

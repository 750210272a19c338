"""`python -m pipeline` is `nonocensus`."""

from pipeline.commands.app import run

run()

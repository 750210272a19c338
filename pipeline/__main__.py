"""`python -m pipeline` is `nonocensus`."""

from pipeline.cli import main

main()

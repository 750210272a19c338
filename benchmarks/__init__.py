"""How the figures of docs/BENCHMARKS.md are made: `make bench`, or `python -m benchmarks NAME`.

Each benchmark writes one table to benchmarks/results/. Timings are CPU seconds of the thread, best of several runs in
one process, unless a table says otherwise.
"""

from importlib.util import find_spec

if find_spec("psutil") is None:
    raise SystemExit("benchmarks need what tests need: pip install -e '.[dev]'")

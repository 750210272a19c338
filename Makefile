# make demo    sets up .venv and runs the whole job on the embedded archive
# make test    sets up .venv and runs the tests
# make lint    ruff and mypy
# make bench   the figures of README.md, into benchmarks/results/

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# One cache of compiled kernels for all test processes.
export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba

.PHONY: demo test test-jit test-bounds test-python lint format bench clean

demo: $(READY)
	$(BIN)/nonocensus demo --out demo

test: test-jit test-bounds test-python

test-jit: $(READY)
	$(BIN)/pytest -n 2

# The kernels once more with every array index checked, compiled apart.
test-bounds: $(READY)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-bounds $(BIN)/pytest -n 2 tests/solver -m "not slow"

# ... and as plain Python: a subset that ends in a minute.
test-python: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 tests/solver -m "plain_python"

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(READY)
	$(BIN)/python -m benchmarks

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) .cache demo

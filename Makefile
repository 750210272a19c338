# make demo    sets up .venv and runs the whole job on the embedded archive
# make test    sets up .venv and runs what ends in four to six minutes; the others are those of
#              make test-checked (kernels that check each index and step), test-python (kernels as plain Python),
#              test-slow (seconds each; machines and workers lost), test-kills (at random moments),
#              test-cluster (two machines as namespaces of this one) and test-explore (random examples for SECONDS)
# make test-pythons   the tests of `make test` with each of PYTHONS that there is, in an environment of its own
# make test-adapters  those of nonocensus.adapters, with the libraries (some 700 MB)
# make lint    ruff, mypy and import-linter; oxlint for the page's JavaScript
# make docs    docs/COMMANDS.md, FORMATS.md, METRICS.md and TECHNIQUES.md, which follow from the program, and census.ipynb's outputs
# make gallery the pictures of docs/GALLERY.md
# make measures ARCHIVES="FILE ..."  imports, classifies and grades the puzzles of archives; measures/dataset has their measures
# make site    the documentation as a site, with a sample report, into site/; its links are checked
# make wheel   a wheel that brings compiled kernels, into dist/, tried with each Python that there is
# make dist    wheel and source archive into dist/, each tried in an environment of its own
# make release the same once version, changelog and tags are in order; says what is left to do by hand
# make image   the image of configs/Dockerfile, tried
# make bench   the figures of docs/BENCHMARKS.md, into benchmarks/results/

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready

# Modules are compiled when they are first imported, not all at once by pip: so that has to be kept.
export PYTHONDONTWRITEBYTECODE :=

# One cache of compiled kernels for all test processes.
export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba

.PHONY: demo wheel dist release image test test-pythons test-adapters test-explore test-slow test-kills test-cluster test-checked test-python lint format docs site measures gallery bench clean

demo: $(INSTALLED)
	$(BIN)/nonocensus demo --out demo

# Kernels of mono and of coloured puzzles, by a process each: the test processes would compile all of them, each for itself.
compile = $(BIN)/python tests/kernels.py 1 & $(BIN)/python tests/kernels.py 2 $(1) & wait

# Four processes for two cores: some tests mostly wait. Before they start, tests are compiled to bytecode, by one of them.
test: $(READY)
	$(BIN)/pytest --collect-only -q > /dev/null & $(compile)
	$(BIN)/pytest -n 4 --dist worksteal -m "not kills and not cluster and not slow and not wide"

# The same with other Pythons. They share the compiled kernels.
PYTHONS ?= python3.12 python3.13 python3.14
test-pythons:
	@for python in $(PYTHONS); do \
	  if $$python --version > /dev/null 2>&1; then $(MAKE) test PYTHON=$$python VENV=.venv-$$python || exit 1; \
	  else echo "$$python is not here: left out"; fi; \
	done

# Where a library is not installed these tests are skipped by `make test`.
test-adapters: $(READY)
	$(BIN)/pip install --quiet --no-compile --constraint constraints.txt --editable ".[gymnasium,reasoning-gym,verifiers]"
	$(BIN)/pytest tests/test_adapters.py

# Property tests with random examples: each round prints its seed, and SEED=... repeats it. Hypothesis keeps what fails in
# .hypothesis, and tries that first.
SECONDS ?= 600
test-explore: $(READY)
	$(compile)
	@end=$$(($$(date +%s) + $(SECONDS))); seed=$(SEED); \
	while left=$$((end - $$(date +%s))); [ $$left -gt 0 ]; do \
	  seed=$${seed:-$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; echo "seed $$seed, $$left s left"; \
	  timeout --foreground -s INT $$left $(BIN)/pytest -n 2 -q --hypothesis-profile explore --hypothesis-seed $$seed \
	    -m "hypothesis and not kills and not slow"; \
	  status=$$?; [ $$status -eq 0 ] || [ $$status -eq 124 ] || { echo "make test-explore SEED=$$seed repeats it"; exit 1; }; \
	  seed=; \
	done

# Twenty processes killed at random moments, and pairs of commands at once; not part of `make test`, since it takes minutes.
test-kills: $(READY)
	$(BIN)/pytest -s -m kills

# Machines lost, paused, cut off, slow, full or with another clock (docs/decisions/cluster-faults.md); by root, with
# iproute2 and, for clocks, a C compiler.
test-cluster: $(READY)
	$(compile)
	$(BIN)/pytest -s -m cluster

# The kernels once more with every array index checked and every step held against known solutions, compiled apart and
# optimised less, in four fifths of the time.
checked := export NUMBA_BOUNDSCHECK=1 NONOCENSUS_CHECKED=1 NUMBA_OPT=1;
test-checked: $(READY)
	$(checked) $(compile)
	$(checked) $(BIN)/pytest -n 2 --dist worksteal tests/solver -m "not slow and not wide and not unchecked"

# ... and as plain Python: a subset that ends in a minute.
test-python: $(READY)
	NUMBA_DISABLE_JIT=1 NONOCENSUS_CHECKED=1 $(BIN)/pytest -n 2 tests/solver -m "plain_python"

# What takes seconds or minutes each: pages and servers from end to end, the widest puzzles, every small picture, engine
# constants drawn at random, steps of wide puzzles; machines, workers and Ray itself lost in the middle of a run.
test-slow: $(READY)
	$(call compile,wide)
	$(BIN)/pytest -n 4 --dist worksteal -m "(slow or wide) and not kills"
	$(checked) $(BIN)/pytest -n 2 --dist worksteal tests/solver -m "(slow or wide) and not unchecked"

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/oxlint --deny-warnings reports/templates tests/javascript

format: $(READY)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: $(READY)
	$(BIN)/python -m tools.documents
	$(BIN)/python -m tools.census_notebook

site: $(VENV)/.site
	$(BIN)/python -m tools.docs_site

# What nonocensus says of each puzzle, by id: no clues, nothing that sites say. Each step resumes.
measures: $(INSTALLED)
	$(BIN)/nonocensus import $(ARCHIVES) --out measures/store
	$(BIN)/nonocensus classify measures/store --out measures/run --cpu-limit 2
	$(BIN)/nonocensus grade measures/run
	$(BIN)/nonocensus dataset measures/run --measures --out measures/dataset

gallery: $(READY)
	$(BIN)/python -m tools.gallery

# Kernels for any processor of this machine's family (solver/jit/kernel_cache.py); where they don't fit they are left alone.
wheel: $(READY)
	rm -rf solver/compiled
	NONOCENSUS_PORTABLE=1 $(BIN)/nonocensus warm
	rm -f dist/nonocensus-*.whl
	$(BIN)/pip wheel --no-deps --wheel-dir dist .
	rm -rf solver/compiled
	$(BIN)/python -m tools.release wheel

# Any machine's: kernels are compiled where it is installed.
dist: $(READY)
	$(BIN)/python -m tools.release dist

release: $(READY)
	$(BIN)/python -m tools.release release

image: VERSION = $(shell $(BIN)/python -c "from nonocensus.solver import __version__; print(__version__)")
image: $(INSTALLED)
	docker build -f configs/Dockerfile -t nonocensus:$(VERSION) .
	docker run --rm nonocensus:$(VERSION) demo --serial --out /tmp/demo

# DATA: puzzles that are not ours to give away. What is not there is left out.
DATA ?= ../shared/data
RESULTS := benchmarks/results

bench: $(READY)
	$(BIN)/python -m benchmarks
	$(BIN)/nonocensus bench random --size 30x30 --count 2000 --markdown $(RESULTS)/random.md
	$(BIN)/nonocensus bench exhaustive --size 5x5 --markdown $(RESULTS)/exhaustive.md
	-$(BIN)/nonocensus bench survey $(DATA)/survey-mono --markdown $(RESULTS)/survey.md
	-$(BIN)/nonocensus bench color-survey $(DATA)/color --markdown $(RESULTS)/color-survey.md
	-$(BIN)/nonocensus bench puzzles $(DATA)/webpbn-2014-mono.tar.xz --markdown $(RESULTS)/archive.md
	-$(BIN)/nonocensus bench lines $(DATA)/webpbn-2014-mono.tar.xz --markdown $(RESULTS)/lines.md
	-$(BIN)/nonocensus bench puzzles $(DATA)/hard-mono --cpu-limit 1200 --markdown $(RESULTS)/hard.md
	-$(BIN)/nonocensus bench tournament $(DATA)/tournaments/taai2011.txt --markdown $(RESULTS)/taai2011.md
	-$(BIN)/nonocensus bench tournament $(DATA)/tournaments/icga2023.txt --markdown $(RESULTS)/icga2023.md

# The program for `make demo`; with what tests and checks need for the rest.
$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-compile --constraint constraints.txt --editable .
	touch $@

$(READY): $(INSTALLED)
	$(BIN)/pip install --quiet --no-compile --constraint constraints.txt --editable ".[dev]"
	touch $@

$(VENV)/.site: $(INSTALLED)
	$(BIN)/pip install --quiet --no-compile --constraint constraints.txt --editable ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-* .cache demo site

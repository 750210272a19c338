"""Fixtures of the pipeline's tests: stores, runs, commands."""

import logging
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import typer.main
from runs import run_of, run_serially
from stores import SMALL_GROUPS, Nonocensus, Refused, Result, random_store

from nonocensus.pipeline.commands.app import LOG_HANDLER, main
from nonocensus.pipeline.commands.output import global_options, out
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.store.parts import Store, append, create_store, open_store
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.pictures.recipe import Recipe
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzle_batch

get_command = cache(typer.main.get_command)
"""Made once: Typer makes all commands for each call, in 10 ms."""


@pytest.fixture(scope="session")
def made_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The original of `store`: copying sixty row groups is a hundred times faster than writing them."""
    rng = np.random.default_rng(4)
    puzzles = [
        from_picture((rng.random((8, 9)) < 0.6).astype(np.uint8), puzzle_id=f"test/{k}", source="test")
        for k in range(300)
    ]
    folder = tmp_path_factory.mktemp("made") / "store"
    append(create_store(str(folder)), [puzzle_batch(puzzles)], SMALL_GROUPS)
    return folder


@pytest.fixture
def store(made_store: Path, tmp_path: Path) -> Store:
    """A store of 300 random puzzles in 60 row groups of 6 parts."""
    shutil.copytree(made_store, tmp_path / "store")
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def hard(tmp_path: Path) -> Store:
    """A store of 80 random puzzles of milliseconds each, most beyond line logic."""
    return random_store(tmp_path, Recipe("random", 22, 22, 0.45, 5, 80), SMALL_GROUPS)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A read-only run of 80 random puzzles: some unique, three of them depth-2."""
    place = tmp_path_factory.mktemp("census")
    return run_serially(random_store(place, Recipe("random", 12, 12, 0.55, 5, 80), SMALL_GROUPS), place / "run")


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A read-only run of puzzles with titles and authors, in one colour and in several, most with one solution."""
    return run_of(tmp_path_factory.mktemp("gallery"), demo_puzzles()[:40])


@pytest.fixture
def own(run: Run, tmp_path: Path) -> Run:
    """A copy of the run."""
    shutil.copytree(run.folder.path, tmp_path / "run")
    return open_run(str(tmp_path / "run"))


@pytest.fixture
def nonocensus(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Nonocensus]:
    """A function that runs a command in an empty folder; returns exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(typer.main, "get_command", get_command)
    for name in vars(global_options):  # which `main` sets; restored for tests that call no command
        monkeypatch.setattr(global_options, name, False)

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["nonocensus", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Result(int(ended.value.code or 0), printed.out, printed.err)

    yield run
    logger = logging.getLogger("nonocensus")  # else a test's --log-level would hold for the next one
    logger.removeHandler(LOG_HANDLER)
    logger.setLevel(logging.NOTSET)


@pytest.fixture
def refused(nonocensus: Nonocensus) -> Refused:
    """A function that runs a command which ends with one line and no output; returns the line."""

    def run(*arguments: str, code: int = 2) -> str:
        result = nonocensus(*arguments)
        assert (result.code, result.err.count("\n"), result.out) == (code, 1, ""), (arguments, result.err)
        assert "Traceback" not in result.err
        return result.err

    return run


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make standard output a terminal of 80 columns without colours."""
    monkeypatch.setattr(out, "_force_terminal", True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "vt100")

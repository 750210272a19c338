"""Servers for the tests of a file."""

from collections.abc import Iterator

import pytest
from runs import run_serially
from serving import Server, running
from stores import random_store

import nonocensus as nc
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.scrapers.pictures.recipe import Recipe


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server with the file's OPTIONS of the command `serve`."""
    with running(*request.module.OPTIONS) as server:
        yield server


@pytest.fixture(scope="module")
def browsing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with an archive: a graded run of 60 random puzzles, random/8x8-0.5-3-0 and so on."""
    folder = tmp_path_factory.mktemp("archive")
    run = run_serially(random_store(folder, Recipe("random", 8, 8, 0.5, 3, 60)), folder / "run")
    nc.grade_run(run.folder.uri, resources=Resources(serial=True))
    with running(run.folder.uri, "--cpus", "2") as server:
        yield server

"""The command bench: figures, files, and the comparison of engines."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nonocensus.pipeline.commands.bench import Engine
from nonocensus.pipeline.findings.benchmark import differing, engine_figures
from nonocensus.scrapers.formats import webpbn_xml
from nonocensus.solver.engines.searches import COMPILED, ENGINES
from nonocensus.solver.model.puzzle import BLOT, Block, Puzzle, from_picture


def test_exhaustive_set_matches_published_counts(nonocensus: Any) -> None:
    """3x3 here; 4x4 is in tests/solver, 5x5 in benchmarks/results."""
    done = nonocensus("bench", "exhaustive", "--size", "3x3", "--json")
    figures = json.loads(done.out)
    assert done.code == 0
    assert (figures["pictures"], figures["line"]) == (512, 384)
    assert figures["distinct"] == figures["unique"] + figures["multiple"]


def test_random_set_writes_csv_and_markdown(nonocensus: Any, tmp_path: Path) -> None:
    options = ("--size", "8x6", "--count", "30", "--seed", "4", "--csv", "new/a.csv", "--markdown", "new/a.md")
    done = nonocensus("bench", "random", *options)
    assert done.code == 0
    assert "undecided" in done.out
    with (tmp_path / "new/a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30
    assert {row["status"] for row in rows} == {"ok"}
    seconds = [float(row["cpu_seconds"]) for row in rows]
    assert min(seconds) >= 0 < sum(seconds)  # a puzzle of microseconds can be 0: solver.jit.clock.cpu_after
    text = (tmp_path / "new/a.md").read_text()
    assert "`nonocensus bench random --size 8x6 --density 0.5 --seed 4 --count 30 --cpu-limit 60`" in text
    assert text.count("| random/8x6-0.5-4-") == 10


def test_survey_set_selects_puzzles_by_number(nonocensus: Any, tmp_path: Path) -> None:
    for number in ("21", "22"):
        puzzle = from_picture(
            np.eye(4, dtype=np.uint8), puzzle_id=f"webpbn/{number}", source="webpbn", source_id=number
        )
        (tmp_path / f"{number}.xml").write_bytes(webpbn_xml.write(puzzle))
    done = nonocensus("bench", "survey", ".", "--json")
    figures = json.loads(done.out)
    assert figures["puzzles"] == 1
    assert [row["slowest"] for row in figures["slowest"]] == ["webpbn/21"]
    assert "missing: 1, 6, 16" in done.err


def test_lines_set_measures_throughput(nonocensus: Any) -> None:
    figures = json.loads(nonocensus("bench", "lines", "--size", "10x10", "--count", "100", "--json").out)
    assert figures["puzzles"] == 100
    assert figures["us_a_puzzle"] > 0


@pytest.fixture
def files(tmp_path: Path) -> None:
    """Two puzzles in the current folder: with one solution, and with two."""
    one = from_picture(np.triu(np.ones((4, 4), np.uint8)), puzzle_id="webpbn/1", source="webpbn", source_id="1")
    two = from_picture(np.eye(2, dtype=np.uint8), puzzle_id="webpbn/2", source="webpbn", source_id="2")
    for name, puzzle in (("one", one), ("two", two)):
        (tmp_path / f"{name}.xml").write_bytes(webpbn_xml.write(puzzle))


def test_engine_option_lists_all_engines() -> None:
    assert [*Engine] == [*ENGINES]
    assert set(COMPILED) <= set(ENGINES)


@pytest.mark.usefixtures("files")
def test_engines_set_compares_all_engines(nonocensus: Any) -> None:
    done = nonocensus("bench", "engines", "one.xml", "two.xml", "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert (found["puzzles"], found["answers"], found["undecided"], found["differing"]) == (2, 2 * len(ENGINES), 0, 0)
    verdicts = {(row["puzzle"], row["engine"]): row["verdict"] for row in found["engines"]}
    expected = {"webpbn/1": "unique", "webpbn/2": "multiple"}
    assert verdicts == {(puzzle, engine): said for puzzle, said in expected.items() for engine in ENGINES}


@pytest.mark.usefixtures("files")
def test_engines_set_writes_markdown(nonocensus: Any) -> None:
    options = ("--engine", "bfs", "--engine", "dfs", "--engine", "bfs", "--markdown", "a.md")
    done = nonocensus("bench", "engines", "one.xml", *options)
    assert done.code == 0
    text = Path("a.md").read_text()
    assert text.count("| webpbn/1 |") == 2
    assert (
        "`nonocensus bench engines one.xml --engine bfs --engine dfs --visits 1000000 --memory 512 --cpu-limit 60`"
        in text
    )


@pytest.mark.usefixtures("files")
def test_engine_that_hits_a_limit_is_reported(nonocensus: Any) -> None:
    done = nonocensus("bench", "engines", "one.xml", "--engine", "dfs", "--visits", "3")
    assert done.code == 0
    assert "not done after 3 visits" in done.out
    assert done.err.count("\n") == 1
    assert "--visits" in done.err


def test_plain_engines_refuse_blots(nonocensus: Any) -> None:
    puzzle = Puzzle(((Block(BLOT),),), ((Block(1),),), puzzle_id="webpbn/3", source="webpbn", source_id="3")
    Path("a.xml").write_bytes(webpbn_xml.write(puzzle))
    rows = json.loads(nonocensus("bench", "engines", "a.xml", "--engine", "dfs", "--engine", "sat", "--json").out)
    dfs, sat = rows["engines"]
    assert (dfs["verdict"], dfs["stopped"]) == ("unknown", "its clues have blots, which this engine does not know")
    assert (sat["verdict"], sat["stopped"]) == ("unique", "")


def test_differing_verdicts_are_found() -> None:
    rows = [
        {"puzzle": puzzle, "verdict": verdict, "seconds": 1.0}
        for puzzle, verdict in [("a", "unique"), ("a", "unknown"), ("b", "unique"), ("b", "none"), ("c", "none")]
    ]
    found = engine_figures(rows)
    assert differing(rows) == ["b"]
    assert (found["differing"], found["undecided"], found["puzzles"]) == (1, 1, 3)


@pytest.mark.usefixtures("files")
def test_differing_verdicts_exit_with_status_1(nonocensus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ENGINES["dfs"]
    monkeypatch.setitem(ENGINES, "dfs", lambda puzzle, limits: wrong(puzzle, limits)._replace(verdict="none"))
    done = nonocensus("bench", "engines", "one.xml", "--engine", "dfs", "--engine", "bfs")
    assert done.code == 1
    assert "verdicts differ: webpbn/1" in done.err

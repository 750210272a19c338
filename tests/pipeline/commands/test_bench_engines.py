"""bench engines: engines beside each other on puzzles of files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.commands.bench import Engine
from pipeline.findings.engine_comparison import differing, figures
from scrapers.formats import webpbn_xml
from solver.engines.engines import COMPILED, ENGINES
from solver.model.puzzle import BLOT, Block, Puzzle, from_picture


@pytest.fixture
def files(tmp_path: Path) -> None:
    """In the folder where commands run two puzzles: one solution, and two of them."""
    one = from_picture(np.triu(np.ones((4, 4), np.uint8)), puzzle_id="webpbn/1", source="webpbn", source_id="1")
    two = from_picture(np.eye(2, dtype=np.uint8), puzzle_id="webpbn/2", source="webpbn", source_id="2")
    for name, puzzle in (("one", one), ("two", two)):
        (tmp_path / f"{name}.xml").write_bytes(webpbn_xml.write(puzzle))


def test_names() -> None:
    assert [engine.value for engine in Engine] == [*ENGINES]
    assert set(COMPILED) <= set(ENGINES)


@pytest.mark.usefixtures("files")
def test_all_engines(nonocensus: Any) -> None:
    done = nonocensus("bench", "engines", "one.xml", "two.xml", "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert (found["puzzles"], found["answers"], found["undecided"], found["differing"]) == (2, 2 * len(ENGINES), 0, 0)
    verdicts = {(row["puzzle"], row["engine"]): row["verdict"] for row in found["engines"]}
    expected = {"webpbn/1": "unique", "webpbn/2": "multiple"}
    assert verdicts == {(puzzle, engine): said for puzzle, said in expected.items() for engine in ENGINES}


@pytest.mark.usefixtures("files")
def test_a_table_in_markdown(nonocensus: Any) -> None:
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
def test_a_limit_is_said(nonocensus: Any) -> None:
    done = nonocensus("bench", "engines", "one.xml", "--engine", "dfs", "--visits", "3")
    assert done.code == 0
    assert "not done after 3 visits" in done.out
    assert done.err.count("\n") == 1
    assert "--visits" in done.err


def test_blots_are_refused_by_plain_engines(nonocensus: Any) -> None:
    puzzle = Puzzle(((Block(BLOT),),), ((Block(1),),), puzzle_id="webpbn/3", source="webpbn", source_id="3")
    Path("a.xml").write_bytes(webpbn_xml.write(puzzle))
    rows = json.loads(nonocensus("bench", "engines", "a.xml", "--engine", "dfs", "--engine", "sat", "--json").out)
    dfs, sat = rows["engines"]
    assert (dfs["verdict"], dfs["stopped"]) == ("unknown", "its clues have blots, which this engine does not know")
    assert (sat["verdict"], sat["stopped"]) == ("unique", "")


def test_verdicts_that_differ_are_found() -> None:
    rows = [
        {"puzzle": puzzle, "verdict": verdict, "seconds": 1.0}
        for puzzle, verdict in [("a", "unique"), ("a", "unknown"), ("b", "unique"), ("b", "none"), ("c", "none")]
    ]
    found = figures(rows)
    assert differing(rows) == ["b"]
    assert (found["differing"], found["undecided"], found["puzzles"]) == (1, 1, 3)


@pytest.mark.usefixtures("files")
def test_an_engine_that_is_wrong_ends_with_status_1(nonocensus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ENGINES["dfs"]
    monkeypatch.setitem(ENGINES, "dfs", lambda puzzle, limits: wrong(puzzle, limits)._replace(verdict="none"))
    done = nonocensus("bench", "engines", "one.xml", "--engine", "dfs", "--engine", "bfs")
    assert done.code == 1
    assert "verdicts differ: webpbn/1" in done.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("engines",), "engines needs files"),
        (("engines", "--csv", "x.csv"), "--csv"),
        (("random", "--engine", "dfs"), "--engine"),
    ],
)
def test_wrong_use(nonocensus: Any, arguments: tuple[str, ...], reason: str) -> None:
    done = nonocensus("bench", *arguments)
    assert done.code == 2
    assert reason in done.err
    assert done.err.count("\n") == 1

"""The bench command: what it counts, what it writes, what it refuses."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sudokus import full, opened

from pipeline.errors import UserError
from pipeline.findings.benchmark import exhaust
from scrapers.formats import webpbn_xml
from solver.model.puzzle import from_picture


def test_every_small_picture_is_counted(nonocensus: Any) -> None:
    """Counts as published for 3x3; the 4x4 ones are in tests/solver, the 5x5 ones in benchmarks/results."""
    done = nonocensus("bench", "exhaustive", "--size", "3x3", "--json")
    figures = json.loads(done.out)
    assert done.code == 0
    assert (figures["pictures"], figures["line"]) == (512, 384)
    assert figures["distinct"] == figures["unique"] + figures["multiple"]


def test_too_many_pictures() -> None:
    with pytest.raises(UserError, match="most cells"):
        exhaust(9, 9, lambda _: None)


def test_random_puzzles_to_csv_and_markdown(nonocensus: Any, tmp_path: Path) -> None:
    options = ("--size", "8x6", "--count", "30", "--seed", "4", "--csv", "a.csv", "--markdown", "a.md")
    done = nonocensus("bench", "random", *options)
    assert done.code == 0
    assert "undecided" in done.out
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30
    assert {row["status"] for row in rows} == {"ok"}
    assert all(float(row["cpu_seconds"]) > 0 for row in rows)
    text = (tmp_path / "a.md").read_text()
    assert "`nonocensus bench random --size 8x6 --density 0.5 --seed 4 --count 30 --cpu-limit 60`" in text
    assert text.count("| random/8x6-0.5-4-") == 10


def test_survey_puzzles_are_found_by_number(nonocensus: Any, tmp_path: Path) -> None:
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


def test_sudokus(nonocensus: Any, tmp_path: Path) -> None:
    lines = ["".join(map(str, opened(full(9), *digits).ravel())) for digits in ((1,), (1, 2))]
    (tmp_path / "two.sdm").write_text("\n".join(lines))
    figures = json.loads(nonocensus("bench", "puzzles", "two.sdm", "--json").out)
    assert (figures["puzzles"], figures["unique"], figures["multiple"], figures["undecided"]) == (2, 1, 1, 0)
    (tmp_path / "eye.xml").write_bytes(webpbn_xml.write(from_picture(np.eye(4, dtype=np.uint8), puzzle_id="webpbn/1")))
    refused = nonocensus("bench", "puzzles", "two.sdm", "eye.xml")
    assert (refused.code, "measure each family by a command of its own" in refused.err) == (2, True)
    refused = nonocensus("bench", "puzzles", "two.sdm", "--cpus", "2")
    assert (refused.code, "--cpus is for nonograms" in refused.err) == (2, True)


@pytest.mark.slow
def test_a_puzzle_over_processes(nonocensus: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that clause learning has no time for alone; with the same verdicts, and what all processes have taken."""
    monkeypatch.setattr("solver.ladder.climb.ALONE", 0.0)
    options = ("--size", "30x30", "--density", "0.45", "--count", "3", "--seed", "8", "--cpu-limit", "30", "--json")
    alone = json.loads(nonocensus("bench", "random", *options).out)
    done = json.loads(nonocensus("bench", "random", *options, "--cpus", "2", "--csv", "a.csv").out)
    verdicts = ("puzzles", "unique", "multiple", "none", "undecided")
    assert [done[name] for name in verdicts] == [alone[name] for name in verdicts]
    assert "with_overhead" in alone.keys() - done.keys()
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert any(row["cpu_sat"] for row in rows), "one of them needs clause learning"
    for name in ("cpu_seconds", "wall_seconds"):
        assert done[name] == pytest.approx(sum(float(row[name]) for row in rows))
        assert done["slowest"][0][name] > 0


def test_line_throughput(nonocensus: Any) -> None:
    figures = json.loads(nonocensus("bench", "lines", "--size", "10x10", "--count", "100", "--json").out)
    assert figures["puzzles"] == 100
    assert figures["us_a_puzzle"] > 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("random", "--size", "10"), "width x height"),
        (("random", "--size", "0x5"), "width x height"),
        (("puzzles",), "needs files"),
        (("survey", "nowhere"), "nowhere does not exist"),
        (("lines", "--csv", "x.csv"), "--csv"),
        (("lines", "--cpus", "2"), "--cpus"),
        (("exhaustive", "--size", "3x3", "--cpus", "2"), "--cpus"),
        (("engines", "--cpus", "2"), "--cpus"),
        (("exhaustive", "--size", "30x30"), "most cells"),
    ],
)
def test_wrong_use(nonocensus: Any, arguments: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    done = nonocensus("bench", *arguments)
    assert done.code == 2
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.iterdir())

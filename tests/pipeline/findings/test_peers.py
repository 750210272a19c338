"""Other programs' times next to ours, and the chart of all."""

import sys
from pathlib import Path

import pytest
from stores import Nonocensus

import nonocensus as nc
from benchmarks.peers_measured import measured, program
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.findings.benchmark import read_peers
from nonocensus.reports.charts.cpu_times import SolverTimes, curves

L = nc.from_picture([[1, 0], [1, 1]], puzzle_id="made/l")


@pytest.fixture
def peers(tmp_path: Path) -> Path:
    path = tmp_path / "peers.csv"
    path.write_text("solver,puzzle,cpu_seconds\nold,a,0.5\nslow,a,\nold,b,0.25\nslow,b,7\nold,other,1\n")
    return path


def test_times_of_the_puzzles_that_were_measured(peers: Path) -> None:
    assert read_peers(peers, {"a", "b", "c"}) == [SolverTimes("old", [0.5, 0.25], 2), SolverTimes("slow", [7.0], 2)]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("solver,puzzle\nold,a\n", InputError, "its columns are not solver, puzzle, cpu_seconds"),
        ("solver,puzzle,cpu_seconds\nold,a,soon\n", InputError, "line 2: 'soon' is not a number of seconds"),
        ("solver,puzzle,cpu_seconds\nold,a,-1\n", InputError, "line 2: '-1' is not a number of seconds"),
        ("solver,puzzle,cpu_seconds\nold,a\n", InputError, "line 2: None is not a number of seconds"),
        ("solver,puzzle,cpu_seconds\nold,a,1\nold,a,2\n", InputError, "a program's time on a puzzle twice"),
        ("solver,puzzle,cpu_seconds\nold,z,1\n", UserError, "has none of the puzzles that were measured"),
    ],
)
def test_files_that_say_nothing(peers: Path, text: str, error: type[Exception], said: str) -> None:
    peers.write_text(text)
    with pytest.raises(error, match=said):
        read_peers(peers, {"a"})


def test_a_curve_for_each_solver_its_times_in_order() -> None:
    chart = curves([SolverTimes("ours", [0.5, 0.0, 0.25], 3), SolverTimes("theirs", [], 3)], "all")
    values = chart.spec["datasets"] if "datasets" in chart.spec else chart.spec["data"]
    rows = values["values"] if "values" in values else next(iter(values.values()))
    assert [(row["solver"], row["puzzles"], row["seconds"]) for row in rows] == [
        ("ours (3 of 3)", 1, 1e-6),
        ("ours (3 of 3)", 2, 0.25),
        ("ours (3 of 3)", 3, 0.5),
    ]
    assert "theirs (0 of 3)" in chart.svg


def test_bench_draws_them(tmp_path: Path, nonocensus: Nonocensus) -> None:
    nc.write([L], tmp_path / "l.jsonl")
    times = tmp_path / "peers.csv"
    times.write_text("solver,puzzle,cpu_seconds\nold,made/l,0.5\n")
    options = ("--chart", str(tmp_path / "new/chart.svg"), "--peers", str(times))
    done = nonocensus("bench", "puzzles", str(tmp_path / "l.jsonl"), *options)
    assert done.code == 0
    drawn = (tmp_path / "new/chart.svg").read_text()
    assert "nonocensus (1 of 1)" in drawn
    assert "old (1 of 1)" in drawn
    done = nonocensus("bench", "puzzles", str(tmp_path / "l.jsonl"), "--peers", str(times))
    assert (done.code, done.err) == (2, "nonocensus: --peers is for the chart; name its file with --chart\n")


@pytest.mark.parametrize(
    ("code", "decided"),
    [
        ("import sys; assert open(sys.argv[1]).read() == sys.stdin.read() != ''", True),
        ("raise SystemExit(1)", False),
        ("while True: pass", False),
    ],
    ids=["decides it", "fails", "takes too long"],
)
def test_programs_are_measured(tmp_path: Path, code: str, decided: bool) -> None:
    text = f'its:non={sys.executable} -c "{code}" {{file}}'
    seconds = measured(L, program(text), tmp_path, 1)
    assert (seconds is not None) is decided

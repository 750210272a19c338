"""The command sudoku: solutions, the table of engines, exit statuses, unreadable puzzles."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from nonocensus.pipeline.commands import sudoku_command
from nonocensus.solver.exact_cover.cover_search import LAYOUTS
from nonocensus.solver.exact_cover.solve import Layout
from nonocensus.solver.exact_cover.sudoku import line_of, read_sudokus

UNIQUE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
HARD = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
SEVERAL = "." * 81
NONE = "55" + UNIQUE[2:]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "puzzles.txt"
    path.write_text("\n".join(["# four puzzles", UNIQUE, SEVERAL, NONE, "1...\n..3.\n.4..\n...2\n"]))
    return path


@pytest.mark.parametrize("engine", [None, *LAYOUTS])
def test_solutions(nonocensus: Any, file: Path, engine: str | None) -> None:
    options = ("--engine", engine) if engine else ()
    done = nonocensus("sudoku", str(file), *options, "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert [(row["number"], row["line"], row["size"], row["box"], row["verdict"]) for row in rows] == [
        (1, 2, "9x9", "3x3", "unique"),
        (2, 3, "9x9", "3x3", "multiple"),
        (3, 4, "9x9", "3x3", "none"),
        (4, 5, "4x4", "2x2", "unique"),
    ]
    assert [len(row["solutions"]) for row in rows] == [1, 2, 0, 1]
    assert (rows[0]["puzzle"], rows[0]["solutions"]) == (UNIQUE, [SOLVED])
    assert {row["engine"] for row in rows} == {engine or "links16"}
    assert all(row["nodes"] > 0 and row["cpu_seconds"] > 0 for row in rows)
    drawn = nonocensus("sudoku", str(file), *options).out
    assert [line_of(each.cells) for each in read_sudokus(drawn)] == [grid for row in rows for grid in row["solutions"]]
    assert "1 (line 2, 9x9): unique, " in drawn
    assert "2 (line 3, 9x9): several solutions, " in drawn
    assert "3 (line 4, 9x9): no solution, " in drawn


def test_comparison(nonocensus: Any, file: Path) -> None:
    found = json.loads(nonocensus("sudoku", str(file), "--compare", "--json").out)
    engines = found.pop("engines")
    assert found == {"puzzles": 4, "unique": 2, "multiple": 1, "none": 1}
    assert [row["engine"] for row in engines] == [*LAYOUTS] == [*get_args(Layout)]
    assert len({row["nodes"] for row in engines[:3]}) == 1
    for row in engines:
        assert (row["solved"], row["undecided"]) == (4, 0)
        assert row["ms_a_puzzle"] == pytest.approx(250 * row["cpu_seconds"])
        assert row["puzzles_a_second"] == pytest.approx(4 / row["cpu_seconds"])
    printed = nonocensus("sudoku", str(file), "--compare").out
    assert printed.startswith("4 puzzles: 2 unique, 1 several solutions, 1 no solution\n")
    assert [line.split()[0] for line in printed.splitlines()[1:]] == ["engine", *LAYOUTS]
    assert max(map(len, printed.splitlines())) <= 80


def test_brute_force_is_undecided_at_the_limit(nonocensus: Any, tmp_path: Path) -> None:
    (tmp_path / "hard.txt").write_text(HARD)
    done = nonocensus("sudoku", "hard.txt", "--engine", "brute", "--cpu-limit", "0.001")
    assert done.code == 1
    assert "undecided" in done.out
    assert "undecided: raise --cpu-limit" in done.err
    compared = nonocensus("sudoku", "hard.txt", "--compare", "--cpu-limit", "0.25", "--json")
    engines = json.loads(compared.out)["engines"]
    assert [row["undecided"] for row in engines] == [0, 0, 0, 1]
    assert compared.code == 0


def test_layout_too_narrow(nonocensus: Any, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_text("." * 625)
    done = nonocensus("sudoku", "large.txt", "--engine", "links16")
    assert (done.code, done.out) == (1, "")
    assert "line 1: it is too large for links of 16 bits; use --engine links32" in done.err
    assert json.loads(nonocensus("sudoku", "large.txt", "--json").out)["engine"] == "links32"
    engines = json.loads(nonocensus("sudoku", "large.txt", "--compare", "--json").out)["engines"]
    assert [row["solved"] for row in engines[:3]] == [0, 1, 1]


def test_unreadable_puzzles_are_named_and_the_others_solved(nonocensus: Any, tmp_path: Path) -> None:
    """At most twenty of them are listed."""
    (tmp_path / "some.txt").write_text(f"{UNIQUE}\n{UNIQUE[:80]}\n{UNIQUE.replace('6', 'x')}\n" + f"{'.' * 80}\n" * 30)
    done = nonocensus("sudoku", "some.txt", "--json")
    assert done.code == 1
    assert [json.loads(line)["solutions"] for line in done.out.splitlines()] == [[SOLVED]]
    lines = done.err.splitlines()
    assert lines[:2] == [
        "nonocensus: not read: some.txt, line 2: 80 characters are not a grid; one of 9x9 has 81",
        "nonocensus: not read: some.txt, line 3: 'x' in row 2, column 1 is not a digit of 9x9",
    ]
    assert (len(lines), lines[-1]) == (21, "... and 12 more unreadable puzzles")


@pytest.mark.parametrize("pointers", ["none", "fails"])
def test_wrong_engine_is_an_internal_error(
    pointers: str, nonocensus: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A different verdict, or another error than that the puzzle is too large for the engine."""
    solve = sudoku_command.solve_sudoku

    def wrong(puzzle: Any, **options: Any) -> Any:
        if options["layout"] == "pointers" and pointers == "fails":
            raise ValueError("a defect")
        answer = solve(puzzle, **options)
        return answer._replace(verdict="none") if options["layout"] == "pointers" else answer

    monkeypatch.setattr(sudoku_command, "solve_sudoku", wrong)
    done = nonocensus("sudoku", str(file), "--compare")
    assert done.code == 70
    assert ("engines differ in the Sudoku in line 2" if pointers == "none" else "a defect") in done.err

"""The command solve with --explain, --save and --hint."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stores import Nonocensus
from strategies import dominoes

from nonocensus.scrapers.formats import named
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Puzzle, from_picture
from tools import documents


@pytest.fixture
def files(tmp_path: Path) -> None:
    (tmp_path / "a.non").write_bytes(named("non").write(dominoes(7)))
    (tmp_path / "two.jsonl").write_bytes(named("jsonl").write(dominoes(7)) * 2)


@pytest.mark.usefixtures("files")
def test_explanation_as_text_and_json(nonocensus: Nonocensus) -> None:
    words = nonocensus("solve", "a.non", "-m")
    assert words.code == 0
    assert max(map(len, words.out.splitlines())) <= 80
    assert not re.search(r"[ \t]$", words.out, re.MULTILINE)
    assert "CPU" not in words.out
    assert "CPU" in nonocensus("solve", "a.non", "-m", "--stats").out
    assert "   1. " in words.out
    assert "Assume row" in words.out
    steps = re.findall(r"(?m)^ *\d+\. (.*(?:\n      .*)*)", words.out)
    assert all(re.search(r"[sS]o\s[^.]+\.\s+(\w+)\s*$", step) for step in steps), "each has its reason and technique"
    heading = "dominoes/7x7-0 7x7: unique depth-2\nRow 1: 3\nRow 2: 1\n"
    assert words.out.startswith(heading), "to follow without the file"
    assert "\nColumn 7: 3\n   1. " in words.out
    assert "of grade 6 of 9.\n....XXX\n......X\n" in words.out, "the picture comes last"
    told = json.loads(nonocensus("solve", "a.non", "-m", "--json").out)["explanation"]
    assert (told["state"], told["hardest"], told["grade"], told["open"]) == ("solved", "edge", 6, 0)
    assert {"technique", "grade", "words", "assume", "then", "contradiction"} in [set(step) for step in told["steps"]]
    assert "explanation" not in json.loads(nonocensus("solve", "a.non", "--json").out)


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_save_writes_each_format(nonocensus: Nonocensus, tmp_path: Path) -> None:
    made = nonocensus(
        "solve", "a.non", "--save", "a.png", "--save", "a.svg", "--save", "a.pdf", "--save", "a.html",
        "--save", "a.GIF", "--save", "steps/",
    )  # fmt: skip
    assert made.code == 0
    assert [line.split(" written")[0] for line in made.err.splitlines()] == [
        "a.png", "a.svg", "a.pdf", "a.html", "a.GIF", "steps/",
    ]  # fmt: skip
    assert Image.open(tmp_path / "a.png").size[0] > 100
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert "</html>" in (tmp_path / "a.html").read_text()
    frames = Image.open(tmp_path / "a.GIF").n_frames
    assert len(list((tmp_path / "steps").iterdir())) == frames > 10


@pytest.mark.usefixtures("files")
def test_watch_shows_nothing_without_terminal(nonocensus: Nonocensus) -> None:
    assert nonocensus("solve", "a.non", "--watch").out.startswith("dominoes/7x7-0 7x7: unique depth-2")


def saved(cells: np.ndarray, begun: np.ndarray, known: np.ndarray) -> Puzzle:
    """Return a puzzle of a picture whose saved grid has the known cells of another."""
    grid = (begun[:, :, None] == np.arange(2)) | ~known[:, :, None]
    return replace(from_picture(cells, BLACK_ON_WHITE, puzzle_id="local/a"), goal=None, saved=(grid,))


def test_hint_shows_next_step_or_wrong_cells(nonocensus: Nonocensus, tmp_path: Path) -> None:
    cells = np.array([[1, 1, 1], [0, 1, 0], [1, 1, 1]], np.uint8)
    known = np.zeros((3, 3), bool)
    known[0] = True
    for name, grid in {"right": cells, "wrong": np.where(known, 1 - cells, cells)}.items():
        (tmp_path / f"{name}.xml").write_bytes(named("webpbn-xml").write(saved(cells, grid, known)))
    step = nonocensus("solve", "right.xml", "--hint", "--from-saved", "1")
    assert step.code == 0
    assert "   1. " in step.out
    told = json.loads(nonocensus("solve", "right.xml", "--hint", "--json").out)
    assert told["hint"] == "step"
    assert told["step"]["technique"]
    wrong = nonocensus("solve", "wrong.xml", "--hint")
    assert wrong.code == 1
    assert "3 cells are wrong: row 1, column 1; row 1, column 2; row 1, column 3" in " ".join(wrong.out.split())
    assert json.loads(nonocensus("solve", "wrong.xml", "--hint", "--json").out)["wrong"] == [[1, 1], [1, 2], [1, 3]]
    few = nonocensus("solve", "right.xml", "--hint", "--from-saved", "2")
    assert (few.code, few.err) == (2, "nonocensus: --from-saved 2: local/right has 1 saved grid(s)\n")


@pytest.mark.usefixtures("files")
def test_hint_needs_no_saved_grid(nonocensus: Nonocensus) -> None:
    assert nonocensus("solve", "a.non", "--hint").code == 0
    assert nonocensus("solve", "two.jsonl", "--hint", "-n", "2").code == 0


@pytest.mark.usefixtures("files", "terminal")
def test_terminal_breaks_explanations_between_words(nonocensus: Nonocensus) -> None:
    lines = nonocensus("solve", "a.non", "-m").out.splitlines()
    assert max(map(len, lines)) <= 80
    first = next(k for k, line in enumerate(lines) if line.startswith("   1. "))
    last = next(k for k, line in enumerate(lines) if line.startswith("Every cell is known"))
    assert {line[:6].strip(" .0123456789") for line in lines[first:last]} == {""}
    assert "Assume row" in " ".join(" ".join(line[6:].strip() for line in lines[first:]).split())


@pytest.mark.parametrize(("page", "options"), [("README.md", []), ("docs/EXPLAINING.md", ["--explain"])])
def test_examples_of_solving_are_as_printed(nonocensus: Nonocensus, page: str, options: list[str]) -> None:
    Path("heart.txt").write_text("5x5:2/4/4/4/2/1.1/5/5/3/1\n")
    printed = nonocensus("solve", "heart.txt", *options).out
    _, example = re.split(r"nonocensus solve heart\.txt.*", (documents.ROOT / page).read_text())
    shown = [line for line in re.split(r"\n\n(?=\S)", example)[0].splitlines() if not re.search(r"\.{3}|seconds", line)]
    assert len(shown) > 5
    assert all(line.strip() in printed for line in shown)

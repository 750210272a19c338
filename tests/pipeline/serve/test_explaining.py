"""Hints, explanations, grades and pictures of a running server."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader
from serving import ASSUMED, COLORED, DIAGONAL, NONE, PLUS, Server, record
from stores import Nonocensus

from nonocensus.pipeline.serve.task_budget import TaskBudget
from nonocensus.pipeline.serve.tasks import explain_puzzle
from nonocensus.scrapers.formats import FormatError
from nonocensus.solver.model.techniques import SEARCH, TECHNIQUES

Cells = list[set[int]]


pytestmark = pytest.mark.slow


OPTIONS = ("--cpus", "2", "--cpu-limit", "10")


def result(server: Server, task: str, **asked: Any) -> Any:
    """Return the result of a job."""
    job = server.job(task, **asked)
    assert job["state"] == "done", job
    return job["result"]


def cells_of(begun: str, colors: int) -> Cells:
    return [set(range(colors + 1)) if cell == "?" else {int(cell)} for cell in begun]


def follow(steps: list[dict[str, Any]], cells: Cells) -> None:
    """Take out what the steps rule out: each colour once, and never the last one."""
    for step in steps:
        for place, color in step["ruled"]:
            cells[place].remove(color)
            assert cells[place]


def grid(cells: Cells) -> str:
    return "".join(str(*cell) if len(cell) == 1 else "?" for cell in cells)


@pytest.mark.parametrize("picture", [ASSUMED, COLORED])
def test_hints_lead_to_the_solution(server: Server, picture: list[list[int]]) -> None:
    """Each decides a cell that was open, and nothing is filled in but what they say."""
    puzzle = record(picture)
    colors = max(map(max, picture))
    begun = "?" * (len(picture) ** 2)
    techniques = set()
    while (hint := result(server, "hint", puzzle=puzzle, begun=begun))["kind"] != "solved":
        assert hint["kind"] == "step"
        techniques |= {step["technique"] for step in hint["steps"]}
        cells = cells_of(begun, colors)
        follow(hint["steps"], cells)
        assert grid(cells).count("?") < begun.count("?")
        begun = grid(cells)
    assert begun.replace("?", "0") == "".join(str(cell) for row in picture for cell in row)
    assert ("edge" in techniques) == (picture == ASSUMED)
    assert hint == {"kind": "solved", "wrong": [], "steps": []}


def test_hint_names_wrong_cells_and_dead_ends(server: Server) -> None:
    assert result(server, "hint", puzzle=PLUS, begun="11??????1") == {"kind": "wrong", "wrong": [0, 8], "steps": []}
    assert result(server, "hint", puzzle=NONE, begun="????")["kind"] == "none"
    assert result(server, "hint", puzzle=DIAGONAL, begun="????")["kind"] == "multiple"
    assert result(server, "hint", puzzle=DIAGONAL, begun="1???")["kind"] == "step"


def test_hint_describes_a_line_in_words(server: Server) -> None:
    (step,) = result(server, "hint", puzzle=PLUS, begun="?" * 9)["steps"]
    assert (step["technique"], step["grade"], step["lines"], step["where"]) == ("clue", 1, [1], "Row 2 (3)")
    assert step["ruled"] == [[3, 0], [4, 0], [5, 0]]


def test_explanation_leads_to_the_solution(server: Server) -> None:
    told = result(server, "explain", puzzle=record(ASSUMED))
    assert (told["state"], told["hardest"], told["grade"], told["left_out"]) == ("solved", "edge", 6, 0)
    cells = cells_of(told["start"], 1)
    follow(told["steps"], cells)
    assert grid(cells) == "".join(str(cell) for row in ASSUMED for cell in row)
    assumptions = [step for step in told["steps"] if step["assumption"]]
    assert len(assumptions) == 2
    for assumed in assumptions:
        assert assumed["lines"] == []
        assert assumed["ruled"] == [[assumed["assumption"]["place"], assumed["assumption"]["color"]]]
        assert assumed["assumption"]["then"]


def test_explanation_ends_early_at_a_contradiction_or_open_grid(server: Server) -> None:
    told = result(server, "explain", puzzle=NONE)
    assert (told["state"], told["end"] is not None) == ("contradiction", True)
    told = result(server, "explain", puzzle=DIAGONAL)
    assert (told["state"], told["grade"], told["steps"]) == ("multiple", None, [])


def test_explanation_starts_from_a_begun_grid(server: Server) -> None:
    told = result(server, "explain", puzzle=PLUS, begun="0101110??")
    assert (told["start"], told["state"]) == ("0101110??", "solved")
    assert {place for step in told["steps"] for place, _ in step["ruled"]} == {7, 8}


@pytest.mark.parametrize(
    ("path", "begun"), [("hint", "??"), ("explain", "?" * 10), ("solve", "?"), ("hint", "2" * 9), ("solve", "2" * 9)]
)
def test_grid_that_does_not_fit_the_puzzle_is_refused(server: Server, path: str, begun: str) -> None:
    job = server.job(path, puzzle=PLUS, begun=begun)
    assert job["state"] == "refused"
    assert "begun grid" in job["error"]


def test_too_large_puzzle_is_not_explained(server: Server) -> None:
    job = server.job("explain", puzzle={"rows": [[]] * 201, "columns": [[]] * 200})
    assert job["error"] == "the puzzle is 200x201; this server explains puzzles of up to 40,000 cells"


def test_steps_beyond_the_byte_limit_are_counted() -> None:
    puzzle = str(record(ASSUMED)).replace("'", '"').replace("None", "null").encode()
    asked = {"puzzle": puzzle, "begun": None, "page": False}
    told = explain_puzzle(asked, TaskBudget(10.0), max_bytes=600)
    assert 0 < len(told["steps"]) < 5
    assert len(told["steps"]) + told["left_out"] == 12
    with pytest.raises(FormatError, match="a page of more than"):
        explain_puzzle({**asked, "page": True}, TaskBudget(10.0), max_page=600)


def test_explanation_is_saved_as_the_page_of_the_command(
    server: Server, nonocensus: Nonocensus, tmp_path: Path
) -> None:
    puzzle = {**record(ASSUMED), "puzzle_id": "a/assumed"}
    file = result(server, "explain", puzzle=puzzle, page=True)
    assert (file["name"], file["left_out"]) == ("assumed.html", [])
    source, saved = tmp_path / "a.jsonl", tmp_path / "a.html"
    source.write_text(json.dumps(puzzle))
    nonocensus("solve", str(source), "--save", str(saved))
    assert base64.b64decode(file["data"]) == saved.read_bytes()


def test_grade_is_returned_on_request(server: Server) -> None:
    graded = result(server, "solve", puzzle=record(ASSUMED), grade=True)["grading"]
    assert (graded["grade"], graded["hardest"], graded["status"], graded["steps_edge"]) == (6, "edge", "ok", 1)
    assert {f"steps_{each.name.replace('-', '_')}" for each in TECHNIQUES[:SEARCH]} < graded.keys()
    assert "grading" not in result(server, "solve", puzzle=record(ASSUMED))
    assert "grading" not in result(server, "solve", puzzle=DIAGONAL, grade=True)


def drawn(server: Server, **asked: Any) -> tuple[str, bytes]:
    reply = server.post("/api/draw", json=asked)
    assert reply.status_code == 200, reply.text
    return reply.json()["name"], base64.b64decode(reply.json()["data"])


def test_puzzles_are_drawn_as_files(server: Server) -> None:
    puzzle = {**PLUS, "puzzle_id": "a/plus", "goal": "010111010"}
    name, svg = drawn(server, puzzle=puzzle, kind="svg")
    assert name == "plus.svg"
    assert svg.startswith(b"<svg")
    assert b'class="crosses"' not in svg
    assert b'class="crosses"' in drawn(server, puzzle=puzzle, kind="svg", begun="0????????")[1]
    empty, begun = (
        Image.open(io.BytesIO(drawn(server, puzzle=puzzle, kind="png", begun=grid)[1])) for grid in (None, "?1???????")
    )
    assert empty.size == begun.size
    assert np.asarray(begun.convert("L")).sum() < np.asarray(empty.convert("L")).sum()
    assert len(PdfReader(io.BytesIO(drawn(server, puzzle=puzzle, kind="pdf")[1])).pages) == 2
    assert len(PdfReader(io.BytesIO(drawn(server, puzzle=PLUS, kind="pdf")[1])).pages) == 1
    assert server.post("/api/draw", json={"puzzle": puzzle, "kind": "exe"}).status_code == 422
    assert server.post("/api/draw", json={"puzzle": puzzle, "kind": "svg", "begun": "?"}).status_code == 422
    wide = {"rows": [[[1, 1]]], "columns": [[[1, 1]]] * 1000}
    assert server.post("/api/draw", json={"puzzle": wide, "kind": "pdf"}).status_code == 422

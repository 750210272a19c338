"""Grades: the hardest technique goes with the weakest rung; minutes and stars by a plain twin of their formula."""

import json
import math
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from typing import Any

import numpy as np
import oracle
import pyarrow as pa
import pytest
from hypothesis import given, settings
from strategies import PALETTE, images, pictures, puzzles, shuffled_puzzles

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.api import classify
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture, normalize_palette
from nonocensus.solver.model.tables import GRADES, puzzle_batch
from nonocensus.solver.model.techniques import CHAIN, EDGE, LINE, LONG_CHAIN, SEARCH, TECHNIQUES
from nonocensus.solver.people import features as features_module
from nonocensus.solver.people.features import FEATURES, STEPS
from nonocensus.solver.people.minutes import ParameterError, checksum, estimate, parameters, parse
from nonocensus.solver.people.puzzle_grade import ESTIMATES, grades

RUNG = {EDGE: "depth-2", CHAIN: "probe", LONG_CHAIN: "probe", SEARCH: "search"} | dict.fromkeys(range(LINE + 1), "line")
"""The weakest rung that goes with each technique, where that is the hardest."""

BY_NAME = {technique.name: number for number, technique in enumerate(TECHNIQUES)}


def random_puzzles(count: int, side: int, seed: int) -> list[Puzzle]:
    pictures = np.random.default_rng(seed).random((count, side, side)) < 0.5
    return [from_picture(picture.astype(np.uint8), puzzle_id=f"test/{k}") for k, picture in enumerate(pictures)]


def test_grades_go_with_the_rungs() -> None:
    dominoes = [recipe_batch(Recipe("dominoes", side, side, None, None, 1), 0, 1) for side in range(4, 13)]
    drawn = puzzle_batch([*random_puzzles(100, 7, 1), *random_puzzles(40, 12, 2)])
    batch = pa.Table.from_batches([drawn, *dominoes]).combine_chunks().to_batches()[0]
    results = classify(batch)
    unique = np.array(results["solutions"].to_pylist()) == "unique"
    rows = grades(batch, unique).to_pylist()
    seen = set()
    for row, rung, one in zip(rows, results["technique"].to_pylist(), unique, strict=True):
        assert row["status"] == "ok"
        assert (row["grade"] is not None) == one
        if one:
            hardest = BY_NAME[row["hardest"]]
            assert RUNG[hardest] == rung, row
            assert row["grade"] == TECHNIQUES[hardest].grade
            assert (row["open"] == 0) == (rung != "search")
            seen.add(rung)
    assert seen == {"line", "depth-2", "probe", "search"}


@given(puzzles(most=7))
@settings(max_examples=80, deadline=None)
def test_open_cells_are_those_of_the_rungs(puzzle: Puzzle) -> None:
    batch = puzzle_batch([puzzle])
    row = classify(batch, rung="probe").to_pylist()[0]
    (graded,) = grades(batch, np.ones(1, bool)).to_pylist()
    left = row["cells"] - (row["cells_after_probe"] or row["cells_after_depth2"] or row["cells_after_line"])
    assert graded["open"] == left
    assert (graded["hardest"] == "search") == (left > 0)


@given(shuffled_puzzles(most=6))
@settings(max_examples=150, deadline=None)
def test_puzzles_without_solution(puzzle: Puzzle) -> None:
    (row,) = grades(puzzle_batch([puzzle]), np.ones(1, bool)).to_pylist()
    solutions = len(list(islice(oracle.solutions(puzzle), 2)))
    assert row["status"] == "ok" or solutions == 0
    assert row["open"] > 0 or row["status"] != "ok" or solutions == 1


def test_assumptions_show_that_there_is_no_solution() -> None:
    """Line logic alone finds no contradiction."""
    one, two = (Block(1), Block(1)), (Block(2),)
    puzzle = Puzzle((two, one, two, one), (one, one, two, two), puzzle_id="test/none")
    (row,) = grades(puzzle_batch([puzzle]), np.ones(1, bool)).to_pylist()
    assert (row["status"], row["grade"]) == ("none", None)
    assert row["open"] > 0


def test_what_has_no_grade() -> None:
    switch = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2, puzzle_id="test/several")
    none = Puzzle(((Block(2),),), ((Block(1),), (), (Block(1),)), puzzle_id="test/none")
    invalid = Puzzle(((Block(3),),), ((Block(1),),), puzzle_id="test/invalid")
    empty = Puzzle(((),), ((),), puzzle_id="test/empty")
    rows = grades(puzzle_batch([switch, none, invalid, empty]), np.array([False, False, False, True])).to_pylist()
    assert [row["status"] for row in rows] == ["ok", "none", "invalid", "ok"]
    assert [row["grade"] for row in rows] == [None, None, None, 1]
    assert rows[0]["open"] == 4
    assert rows[2]["steps_clue"] is None
    assert [row["puzzle_id"] for row in rows] == ["test/several", "test/none", "test/invalid", "test/empty"]


def test_nothing_to_grade() -> None:
    invalid = puzzle_batch([Puzzle(((Block(3),),), ((Block(1),),), puzzle_id="test/invalid")])
    assert [row["status"] for row in grades(invalid, np.zeros(1, bool)).to_pylist()] == ["invalid"]
    assert grades(invalid.slice(1), np.zeros(0, bool)).num_rows == 0


def test_out_of_time() -> None:
    (puzzle,) = random_puzzles(1, 30, 4)
    (row,) = grades(puzzle_batch([puzzle]), np.ones(1, bool), cpu_limit=0.0).to_pylist()
    assert (row["status"], row["grade"], row["hardest"]) == ("timeout", None, None)


def test_a_batch_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="not a batch of the puzzles table"):
        grades(pa.RecordBatch.from_pylist([], GRADES), np.ones(0, bool))


FILE = (files("nonocensus.solver.people") / "minutes.json").read_bytes()


def test_indices_are_in_the_order_of_the_features() -> None:
    indices = {name[3:].lower(): index for name, index in vars(features_module).items() if name.startswith("AT_")}
    assert indices == {name: index for index, name in enumerate(FEATURES) if index >= len(STEPS)}


def twin(features: dict[str, float], fields: dict[str, Any]) -> tuple[float, float, float, float]:
    """Return minutes, interval and stars by the formula of solver.people.minutes."""
    seconds, stars, linear = fields["seconds"], fields["stars"], {}
    total = seconds["constant"] + seconds["assumptions"] * math.log(1 + features["log_open"])
    for name, weights in fields["features"].items():
        z = (math.log(1 + features[name]) - weights["mean"]) / weights["scale"]
        linear[name] = z = max(-4.0, min(4.0, z))
        total += weights["seconds"][0] * z + weights["seconds"][1] * z * z
    m = (total - stars["mean"]) / stars["scale"]
    rating = stars["constant"] + stars["length"] * m + stars["square"] * m * m
    for name, z in linear.items():
        rating += (fields["features"][name]["stars"][0] + fields["features"][name]["stars"][1] * m) * z
    rows = fields["interval"]
    places = [math.log(row["seconds"]) for row in rows]
    widening = fields["widening"] if features["log_open"] else 1
    low, high = (
        widening * float(np.interp(total, places, [math.log(row[side]) for row in rows])) for side in ("low", "high")
    )
    return *(math.exp(total + shift) / 60 for shift in (0, low, high)), max(1.0, min(5.0, rating))


@pytest.mark.parametrize("kind", ["mono", "color"])
def test_estimates_are_those_of_the_twin(kind: str) -> None:
    rng = np.random.default_rng(3)
    model = parameters().models[kind]
    counts = np.exp(model.mean + rng.normal(size=(50, len(FEATURES))) * 2 * model.scale)
    counts[:, [*FEATURES].index("cells")] = rng.integers(1, model.cells, 50)
    counts[::2, [*FEATURES].index("log_open")] = 0
    fields = json.loads(FILE)["kinds"][kind]
    expected = [twin(dict(zip(FEATURES, row, strict=True)), fields) for row in counts.tolist()]
    np.testing.assert_allclose(np.array(estimate(counts, model)).T, expected, atol=0.00051)


def test_puzzles_larger_than_any_with_known_times_have_no_estimate() -> None:
    model = parameters().models["mono"]
    counts = np.zeros((2, len(FEATURES)))
    counts[:, [*FEATURES].index("cells")] = model.cells, model.cells + 1
    assert [np.isnan(values).tolist() for values in estimate(counts, model)] == [[False, True]] * 4


def graded(puzzles: list[Puzzle], unique: bool = True) -> pa.RecordBatch:
    return grades(puzzle_batch(puzzles), np.full(len(puzzles), unique))


@given(pictures(colors=2, most=8))
@settings(max_examples=30, deadline=None)
def test_symmetric_puzzles_have_equal_estimates(picture: np.ndarray) -> None:
    each = enumerate(images(picture))
    rows = graded([normalize_palette(from_picture(one, PALETTE, puzzle_id=f"test/{k}")) for k, one in each])
    for name in ("grade", *ESTIMATES):
        assert len(set(rows[name].to_pylist())) == 1


def test_only_unique_puzzles_without_blots_that_techniques_solve_have_estimates() -> None:
    cells = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1]], np.uint8)
    plain = from_picture(cells, PALETTE[:2], puzzle_id="test/plain")
    blotted = replace(plain, rows=((Block(0, 1),), *plain.rows[1:]), goal=None)
    rows = graded([plain, blotted]).to_pylist()
    assert [row["minutes"] is not None for row in rows] == [True, False]
    row = rows[0]
    assert 0 < row["minutes_low"] < row["minutes"] < row["minutes_high"] < 1
    assert 1 <= row["stars"] < 1.5
    assert [graded([plain], unique=False).to_pylist()[0][name] for name in ESTIMATES] == [None] * 4


def changed(**fields: Any) -> bytes:
    """Return the parameter file with other fields and a matching checksum."""
    whole = json.loads(FILE) | fields
    del whole["checksum"]
    return json.dumps(whole | {"checksum": checksum(whole)}).encode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "is damaged"),
        (b"[]", "is damaged"),
        (FILE[:-200], "is damaged"),
        (FILE.replace(b'"widening": 1', b'"widening": 2'), "checksum mismatch"),
        (changed(version=2), "has format version 2, not 1"),
        (changed(kinds={}), "is damaged"),
        (changed(kinds={"mono": {"features": {}}, "color": {}}), "is damaged"),
    ],
)
def test_damaged_parameter_files_are_refused(text: bytes, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason) as raised:
        parse(text, "minutes.json")
    assert str(raised.value).endswith("reinstall nonocensus")
    assert "\n" not in str(raised.value)

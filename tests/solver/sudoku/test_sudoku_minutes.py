"""Minutes of Sudokus: counts and formula by plain twins, equal for symmetric puzzles, none where there is no model."""

import json
import math
import random
from importlib.resources import files

import numpy as np
import pyarrow as pa
import pytest
import sudoku_oracle as oracle
from sudoku_desks import hard
from sudoku_technique_examples import EXAMPLES
from sudoku_twins import Twin
from sudokus import full

from nonocensus.solver.model import sudoku_techniques as names
from nonocensus.solver.model.fitted_parameters import ParameterError, checksum, parse
from nonocensus.solver.model.sudoku_techniques import TECHNIQUES
from nonocensus.solver.sudoku.grids import grids
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades
from nonocensus.solver.sudoku.techniques.sudoku_minutes import (
    ESTIMATES,
    build_model,
    estimate,
    features,
    sudoku_minutes,
)
from nonocensus.solver.sudoku.techniques.sudoku_rounds import FEATURES, FEW

FIELDS = json.loads((files("nonocensus.solver.sudoku.techniques") / "sudoku-minutes.json").read_bytes())

SEARCHED = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
"""Inkala's puzzle of 2012, which needs assumptions inside assumptions."""

UNITS = oracle.units(3, 3)
BOXES = UNITS[18:]


def puzzles() -> list[np.ndarray]:
    """Return minimal puzzles, the same with more givens, and one for each technique."""
    made = []
    for seed in range(12):
        givens, rng = hard(seed), np.random.default_rng(seed)
        (solution,) = oracle.solutions(givens, 3, 3)
        made += [givens, np.where((rng.random((9, 9)) < 0.03 * seed) | (givens > 0), solution, 0).astype(np.uint8)]
    return made + [grid_of(text) for text in EXAMPLES.values()]


def grid_of(text: str) -> np.ndarray:
    return np.array([int(digit) for digit in text.replace(".", "0")], np.uint8).reshape(9, 9)


def placed(board: oracle.Board, found: dict[oracle.Cell, int]) -> oracle.Board:
    """Return the board with these digits placed."""
    board = board | {cell: frozenset([digit]) for cell, digit in found.items()}
    struck = {
        (cell, digit) for place, digit in found.items() for unit in UNITS if place in unit for cell in {*unit} - {place}
    }
    return {cell: digits - {digit for other, digit in struck if other == cell} for cell, digits in board.items()}


def twin(givens: np.ndarray) -> dict[str, float]:
    """Count the features by sets."""
    known = {(y, x): int(givens[y, x]) for y, x in np.argwhere(givens).tolist()}
    board = placed({cell: frozenset(range(1, 10)) for row in UNITS[:9] for cell in row}, known)
    counts = dict.fromkeys(FEATURES, 0.0)
    counts["spread"] = float(np.std([[*known.values()].count(digit) for digit in range(1, 10)]))
    while len(known) < 81:
        last, boxes, lines = {}, {}, {}
        for unit in UNITS:
            left = [cell for cell in unit if cell not in known]
            for digit in {*range(1, 10)} - {known[cell] for cell in unit if cell in known}:
                places = [cell for cell in left if digit in board[cell]]
                if len(places) == 1:
                    (last if len(left) == 1 else boxes if unit in BOXES else lines)[places[0]] = digit
        easy, hidden = last | boxes, last | boxes | lines
        naked = {cell: min(digits) for cell, digits in board.items() if cell not in known and len(digits) == 1}
        counts["search"] += (81 - len(known)) ** 2 / (len(hidden) + 1 / 2)
        counts["narrow_rounds"] += len(hidden) <= FEW
        found = easy or hidden or naked
        if found:
            counts["hard_cells"] += 0 if easy else len(found)
            counts["naked_rounds"] += not hidden
            known |= found
            board = placed(board, found)
            continue
        before = board
        while struck := Twin(board, 3, 3).locked():
            board = {cell: digits - {digit for c, digit in struck if c == cell} for cell, digits in board.items()}
        if board == before:
            counts["stuck"] = 81 - len(known)
            counts["hard_cells"] += counts["stuck"]
            break
    return counts


def counted(givens: list[np.ndarray]) -> np.ndarray:
    batch = grids(sudoku_batch([Sudoku(one) for one in givens]))
    return features(batch, np.arange(len(givens)), np.zeros(len(givens)))


def graded(givens: list[np.ndarray], unique: bool = True, cpu_limit: float = 60.0) -> pa.RecordBatch:
    batch = sudoku_batch([Sudoku(one) for one in givens])
    return grades(batch, np.full(len(givens), unique), cpu_limit)


def test_features_are_those_of_the_twin() -> None:
    found = counted(puzzles())
    expected = [[*twin(givens).values()] for givens in puzzles()]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert (found > 0).any(axis=0).all()


def test_estimates_are_those_of_the_formula() -> None:
    rows = []
    for counts, givens in zip(counted(puzzles()).tolist(), puzzles(), strict=True):
        seconds = FIELDS["constant"] * np.count_nonzero(givens == 0)
        for name, value in zip(FEATURES, counts, strict=True):
            seconds *= (1 + value) ** FIELDS["exponents"][name]
        places = [math.log(row["seconds"]) for row in FIELDS["interval"]]
        sides = [
            np.interp(math.log(seconds), places, [math.log(row[side]) for row in FIELDS["interval"]])
            for side in ("low", "high")
        ]
        rows.append([seconds / 60, *(seconds / 60 * math.exp(side) for side in sides)])
    found = graded(puzzles())
    columns = np.array([found[name].to_pylist() for name in ESTIMATES])
    np.testing.assert_allclose(columns.T, rows, atol=0.00051)
    assert (columns[1] < columns[0]).all()
    assert (columns[0] < columns[2]).all()


@pytest.mark.parametrize("seed", range(12))
def test_symmetric_puzzles_have_equal_estimates(seed: int) -> None:
    givens = puzzles()[2 * seed + 1]
    images = [givens, givens.T, givens[::-1], np.rot90(givens)]
    images += [oracle.exchanged(givens, 3, 3, random.Random(k)) for k in range(6)]
    rows = [np.ascontiguousarray(one) for one in images]
    assert len(np.unique(counted(rows), axis=0)) == 1
    found = graded(rows)
    assert [len(set(found[name].to_pylist())) for name in ESTIMATES] == [1] * 3


def test_estimates_do_not_depend_on_other_puzzles() -> None:
    whole = graded(puzzles()).to_pylist()
    for one, row in zip(puzzles(), whole, strict=True):
        (alone,) = graded([one]).to_pylist()
        assert [alone[name] for name in ESTIMATES] == [row[name] for name in ESTIMATES]


def test_only_unique_puzzles_of_nine_that_need_no_search_have_estimates() -> None:
    given, searched, small = hard(0), grid_of(SEARCHED), hard(0, 3, 2)
    invalid = given.copy()
    invalid[0] = 1
    rows = graded([searched, np.zeros((9, 9), np.uint8), invalid, small, hard(0, 4, 2)]).to_pylist()
    assert [row["hardest"] for row in rows[:2]] == ["search"] * 2
    late = graded([grid_of(EXAMPLES[names.FORCING])], cpu_limit=0.0).to_pylist()
    assert late[0]["status"] == "timeout"
    rows += graded([given], unique=False).to_pylist() + late
    assert {row[name] for row in rows for name in ESTIMATES} == {None}
    tall = sudoku_batch([Sudoku(full(9), 9, 1)])
    assert grades(tall, np.ones(1, np.bool_))["minutes"].null_count == 1


def test_a_solved_grid_takes_no_time() -> None:
    assert [graded([full(9)])[name].to_pylist() for name in ESTIMATES] == [[0.0]] * 3


def test_times_are_plausible() -> None:
    """Singles alone take minutes, the hardest techniques a quarter of an hour and more."""
    easy = [givens for givens in puzzles()[1:24:2] if np.count_nonzero(givens) > 35]
    assert all(1 < minutes < 8 for minutes in graded(easy)["minutes"].to_pylist())
    chains = [grid_of(text) for number, text in EXAMPLES.items() if TECHNIQUES[number].grade >= 7]
    assert all(8 < minutes < 60 for minutes in graded(chains)["minutes"].to_pylist())


def test_damaged_parameters_are_refused() -> None:
    for name in ("constant", "exponents", "interval"):
        fields = {key: value for key, value in FIELDS.items() if key not in (name, "checksum")}
        text = json.dumps(fields | {"checksum": checksum(fields)}).encode()
        with pytest.raises(ParameterError, match="is damaged"):
            parse(text, "sudoku-minutes.json", build_model)


def test_estimate_of_no_puzzle() -> None:
    assert estimate(np.zeros((0, len(FEATURES))), np.zeros(0, np.int64), sudoku_minutes()).shape == (3, 0)

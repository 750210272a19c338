"""Duplicates among Sudokus against a twin that tries all symmetries."""

import json
import random
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import sudoku_oracle as oracle
from runs import run_serially
from stores import SMALL_GROUPS, Result
from sudokus import full, opened

from nonocensus.pipeline.findings.deduplication import find_duplicates
from nonocensus.pipeline.store.parts import append, create_store, rewrite
from nonocensus.solver.model.families import SUDOKU
from nonocensus.solver.model.tables import SUDOKUS
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

WAYS = list(oracle.symmetries(2, 2))


def least(givens: np.ndarray) -> tuple[int, ...]:
    """Return the least of all grids of 4x4 that are the same puzzle, its digits named in order of first use."""
    forms = []
    for way in WAYS:
        names = {0: 0}
        forms.append(tuple(names.setdefault(digit, len(names)) for digit in givens.ravel()[way.ravel()].tolist()))
    return min(forms)


def drawn(rng: random.Random, count: int) -> list[Sudoku]:
    """Random puzzles of 4x4, half of them another one, as it is or exchanged; some with a date."""
    grids: list[np.ndarray] = []
    for _ in range(count):
        if grids and rng.random() < 0.5:
            grid = rng.choice(grids)
            grid = oracle.exchanged(grid if rng.random() < 0.5 else grid.T, 2, 2, rng) if rng.random() < 0.7 else grid
        else:
            grid = oracle.full_grid(2, 2, rng) * np.array([[rng.random() < 0.3 for _ in range(4)] for _ in range(4)])
        grids.append(grid.astype(np.uint8))
    return [
        Sudoku(grid, 2, 2, f"a/{k}", "a", str(k), site_date=date(2010, 1, rng.randint(1, 9)) if k % 3 else None)
        for k, grid in enumerate(grids)
    ]


def slowly(puzzles: list[Sudoku]) -> list[tuple[str | None, str | None, str]]:
    """Return each puzzle that is an earlier one, with that and how."""
    ordered = sorted(range(len(puzzles)), key=lambda k: (puzzles[k].site_date or date.max, k))
    firsts: dict[tuple[int, ...], list[Sudoku]] = {}
    for k in ordered:
        firsts.setdefault(least(puzzles[k].givens), []).append(puzzles[k])
    found = []
    for first, *others in firsts.values():
        alike = [np.array_equal(first.givens, other.givens) for other in others]
        for wanted, likeness in ((True, "equal"), (False, "turned")):
            found += [
                (first.puzzle_id, other.puzzle_id, likeness)
                for other, equal in zip(others, alike, strict=True)
                if equal is wanted
            ]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_against_all_symmetries(tmp_path: Path, seed: int, nonocensus: Callable[..., Result]) -> None:
    puzzles = drawn(random.Random(seed), 60)
    store = create_store(str(tmp_path / "store"))._replace(family=SUDOKU)
    append(store, [sudoku_batch(puzzles)], SMALL_GROUPS)
    wanted = slowly(puzzles)
    assert len({likeness for *_, likeness in wanted}) == 2
    said = json.loads(nonocensus("dedup", "store", "--json").out)
    assert [(row["original"], row["puzzle_id"], row["likeness"]) for row in said["found"]] == wanted
    assert (said["puzzles"], said["counts"]["near"], said["faulty"]) == (60, 0, 0)
    assert (
        find_duplicates(run_serially(store, tmp_path / "run")).found.to_pylist()
        == find_duplicates(store).found.to_pylist()
    )


def test_what_is_no_grid_and_hashes_of_strangers(tmp_path: Path, nonocensus: Callable[..., Result]) -> None:
    """Puzzles that can have no solution equal nothing, and hashes that stand in the store are not looked at."""
    twice = full(9)
    twice[0, 0] = twice[0, 1]
    one = opened(full(9), 1)
    grids = [twice, one, twice, one.T, opened(full(9), 1, 2)]
    store = create_store(str(tmp_path / "store"))._replace(family=SUDOKU)
    append(store, [sudoku_batch([Sudoku(grid, puzzle_id=f"a/{k}", source="a") for k, grid in enumerate(grids)])])
    rewrite(
        store,
        lambda batch: batch.set_column(
            SUDOKUS.get_field_index("canonical_hash"), "canonical_hash", batch["puzzle_id"].cast("string")
        ),
    )
    printed = nonocensus("dedup", "store")
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.splitlines()[1].split() == ["a/1", "a/3", "turned"]
    assert printed.out.splitlines()[-2:] == [
        "5 puzzles: 0 equal to an earlier one, 1 turned, mirrored, or with rows, columns or digits exchanged.",
        "2 have givens that no solution can have, and were not compared.",
    ]
    refused = nonocensus("dedup", "store", "--cells", "0.1")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "nonocensus: near pictures are of nonograms, and store holds sudokus; leave --cells out\n"

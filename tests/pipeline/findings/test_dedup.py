"""Duplicates of small archives against a twin that compares all pairs of puzzles."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from runs import run_serially
from stores import SMALL_GROUPS, Nonocensus, Refused, sampled
from strategies import images

import nonocensus as nc
from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.errors import InputError
from nonocensus.pipeline.findings.deduplication import LIKENESSES, SHARE, Duplicates, find_duplicates
from nonocensus.pipeline.findings.near import CHANCE
from nonocensus.pipeline.store.parts import Store, append, create_store, rewrite
from nonocensus.solver.model.puzzle import Block, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import PUZZLES, puzzle_batch

PALETTE = tuple(
    Color(name, name[0], digits) for name, digits in (("white", "ffffff"), ("red", "ff0000"), ("b", "0000ff"))
)
HEART = (
    np.array(
        [
            [0, 1, 1, 0, 1, 1, 0],
            [1, 1, 1, 1, 1, 1, 1],
            [0, 1, 1, 1, 1, 1, 0],
            [0, 0, 1, 1, 1, 0, 0],
            [0, 0, 0, 1, 0, 0, 0],
        ],
        np.uint8,
    )
    .repeat(2, axis=0)
    .repeat(2, axis=1)
)
RARER = 60
"""Cells of HEART that are not painted."""


def rarer(picture: np.ndarray) -> int:
    """Count the cells of the commonest entry or all others, whichever are fewer."""
    commonest = np.unique(picture, return_counts=True)[1].max()
    return int(min(commonest, picture.size - commonest))


def is_near(pictures: tuple[np.ndarray, np.ndarray], differing: int, share: float) -> bool:
    size, few = pictures[0].size, min(map(rarer, pictures))
    return differing <= share * few and comb(size, few) >= 2**CHANCE * comb(size, differing)


def stored(
    path: Path, puzzles: list[Puzzle], change: Callable[[pa.RecordBatch], pa.RecordBatch] = lambda b: b
) -> Store:
    store = create_store(str(path))
    if puzzles:
        append(store, [change(puzzle_batch(puzzles))], SMALL_GROUPS)
    return store


def named(
    picture: np.ndarray, number: object, source: str = "site", palette: tuple[Color, ...] = PALETTE, **facts: Any
) -> Puzzle:
    return from_picture(picture, palette, puzzle_id=f"{source}/{number}", source=source, source_id=str(number), **facts)


def rows(found: Duplicates) -> list[tuple[str, str, str, int | None]]:
    return [(row["original"], row["puzzle_id"], row["likeness"], row["cells"]) for row in found.found.to_pylist()]


def forms(puzzle: Puzzle, colored: bool = False) -> list[Any]:
    """Return the clues as they are and turned, their colours numbered in order of first use, or as they are."""
    found = []
    for rows, columns in ((puzzle.rows, puzzle.columns), (puzzle.columns, puzzle.rows)):
        for down in (1, -1):
            for right in (1, -1):
                names: dict[int, int] = {}
                found.append(
                    tuple(
                        tuple(
                            tuple(
                                (length, puzzle.palette[color] if colored else names.setdefault(color, len(names)))
                                for length, color in clue[::along]
                            )
                            for clue in side[::across]
                        )
                        for side, across, along in ((rows, down, right), (columns, right, down))
                    )
                )
    return found


def slowly(puzzles: list[Puzzle], share: float) -> list[tuple[str, str, str, int | None]]:
    """What is to be found, all pairs compared; goals fit or are missing."""
    sources = [puzzle.source for puzzle in puzzles]

    def age(place: int) -> tuple[Any, ...]:
        puzzle = puzzles[place]
        number = int(puzzle.source_id) if (puzzle.source_id or "").isdigit() else 10**9
        return (puzzle.site_date or date.max, sources.index(puzzle.source), number, place)

    classes: list[list[Puzzle]] = []
    for place in sorted(range(len(puzzles)), key=age):
        puzzle = puzzles[place]
        same = [members for members in classes if forms(members[0])[0] in forms(puzzle)]
        if same:
            same[0].append(puzzle)
        else:
            classes.append([puzzle])
    found = []
    for k, members in enumerate(classes):
        first = members[0]
        looks: list[Puzzle] = []
        for other in members:
            same = [one for one in looks if forms(one, True)[0] in forms(other, True)]
            looks += [] if same else [other]
            if other is not first:
                like = 2 if not same else int(forms(same[0], True)[0] != forms(other, True)[0])
                found.append((same[0] if same else first, like, other, None))
        goals = [[puzzle.goal for puzzle in one if puzzle.goal is not None][:1] for one in (*classes[:k], members)]
        for earlier, goal in enumerate(goals[:-1]):
            pairs = [(a, b) for a in goal for several in goals[-1:] for b in several]
            differing = [int((turn != a).sum()) for a, b in pairs for turn in images(b) if turn.shape == a.shape]
            if differing and is_near(pairs[0], min(differing), share):
                found.append((classes[earlier][0], 3, first, min(differing)))
                break
    order = {puzzle.puzzle_id: place for place, puzzle in enumerate(m for members in classes for m in members)}
    ages = {puzzles[place].puzzle_id: age(place) for place in range(len(puzzles))}
    assert order.keys() == ages.keys()
    words = ("equal", "turned", "recoloured", "near")
    found.sort(key=lambda row: (ages[row[0].puzzle_id], row[1] == 3, words[row[1]], ages[row[2].puzzle_id]))
    return [(first.puzzle_id, puzzle.puzzle_id, words[like], cells) for first, like, puzzle, cells in found]


def drawn(rng: np.random.Generator, count: int) -> list[Puzzle]:
    """Random puzzles of few sizes, half made of another: equal, turned, recoloured, or with some other cells."""
    pictures: list[np.ndarray] = []
    for _ in range(count):
        size = [(8, 9), (9, 8), (9, 9), (6, 12)][rng.integers(4)]
        picture = rng.choice(3, size, p=[0.4, 0.4, 0.2]).astype(np.uint8)
        if pictures and rng.random() < 0.6:
            picture = images(pictures[rng.integers(len(pictures))])[rng.integers(8) * rng.integers(2)].copy()
            for _ in range(rng.integers(4)):
                picture[rng.integers(picture.shape[0]), rng.integers(picture.shape[1])] = rng.integers(3)
        picture[0, 0] = 1  # else the clues say less of a picture's colours than its entries
        pictures.append(picture)
        if rng.random() < 0.15:
            pictures.append(picture)
    puzzles = []
    for number, picture in zip(rng.permutation(count), pictures, strict=False):
        facts = {"site_date": date(2010, 1, int(rng.integers(1, 9)))} if rng.random() < 0.3 else {}
        palette = (PALETTE[0], PALETTE[2], PALETTE[1]) if rng.random() < 0.2 else PALETTE
        name = number if rng.random() < 0.9 else f"x{number}"
        puzzle = named(picture, name, f"site{rng.integers(2)}", palette, **facts)
        puzzles.append(replace(puzzle, goal=None) if rng.random() < 0.2 else puzzle)
    return puzzles


@pytest.mark.parametrize("seed", sampled(range(8), 4))
def test_against_all_pairs(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    puzzles = drawn(rng, 60)
    share = float(rng.choice([0.0, 0.1, 0.2]))
    found = find_duplicates(stored(tmp_path / "store", puzzles), share)
    wanted = slowly(puzzles, share) if share else [row for row in slowly(puzzles, 0.1) if row[2] != "near"]
    assert rows(found) == wanted
    assert len(wanted) >= 5
    assert found.puzzles == 60
    assert [found.missing, found.faulty, found.crowded] == [0, 0, 0]
    assert found.counts == {name: sum(row[2] == name for row in wanted) for name in LIKENESSES}


def test_which_is_first(tmp_path: Path) -> None:
    """By date, then by the source that the store has first, then by its numbers as numbers, then by place."""
    store = stored(
        tmp_path / "store",
        [
            named(HEART, "b", "a"),
            named(HEART, 1, "z"),
            named(HEART, 10, "a"),
            named(HEART, 9, "a"),
            named(HEART, "a", "a"),
            named(HEART, 77, "z", site_date=date(2011, 1, 2)),
            named(HEART, 78, "z", site_date=date(2011, 1, 1)),
        ],
    )
    found = find_duplicates(store)
    order = ["z/78", "z/77", "a/9", "a/10", "a/b", "a/a", "z/1"]
    assert rows(found) == [(order[0], other, "equal", None) for other in order[1:]]
    assert found.found["original_date"].to_pylist() == [date(2011, 1, 1)] * 6
    assert found.found["site_date"].to_pylist() == [date(2011, 1, 2), *[None] * 5]


def changed(picture: np.ndarray, *places: tuple[int, int]) -> np.ndarray:
    """Return the picture with these cells black if they were white, and white if they were not."""
    other = picture.copy()
    for place in places:
        other[place] = 0 if other[place] else 1
    return other


def test_pictures_that_do_not_fit_and_puzzles_without(tmp_path: Path) -> None:
    near = changed(HEART, (4, 2))
    wrong, missing = replace(named(near, 2), goal=HEART), replace(named(near, 2), goal=None)
    for other in (wrong, missing):
        store = stored(tmp_path / str(other.goal is None), [named(HEART, 1), other])
        found = find_duplicates(store, SHARE)
        assert (rows(found), found.pictureless) == ([], 1)
    again = stored(tmp_path / "again", [named(HEART, 1), wrong, named(near[:, ::-1], 3)])
    found = find_duplicates(again, SHARE)
    assert found.pictureless == 0
    assert rows(found) == [("site/1", "site/2", "near", 1), ("site/2", "site/3", "turned", None)], "it has 3's picture"
    blot = replace(named(HEART, 4), rows=((Block(0), Block(4)), *named(HEART, 4).rows[1:]))
    found = find_duplicates(stored(tmp_path / "blot", [named(HEART, 1), blot]), SHARE)
    assert rows(found) == [("site/1", "site/4", "near", 0)]


def test_faulty_clues_equal_nothing(tmp_path: Path) -> None:
    faulty = [replace(named(HEART, k), rows=((Block(9),), *named(HEART, k).rows[1:])) for k in (2, 3)]
    found = find_duplicates(stored(tmp_path / "store", [faulty[0], named(HEART, 4), faulty[1], named(HEART, 1)]))
    assert rows(found) == [("site/1", "site/4", "equal", None)]
    assert (found.puzzles, found.faulty, found.pictureless) == (4, 2, 0)
    found = find_duplicates(stored(tmp_path / "only", faulty))
    assert (rows(found), found.puzzles, found.faulty) == ([], 2, 2)


@pytest.mark.parametrize("value", ["0" * 32, None, ""])
def test_hashes_of_strangers_are_not_looked_at(tmp_path: Path, value: str | None) -> None:
    def damaged(batch: pa.RecordBatch) -> pa.RecordBatch:
        for name in ("clue_hash", "canonical_hash"):
            column = pa.array([value] * len(batch), pa.string())
            batch = batch.set_column(PUZZLES.get_field_index(name), PUZZLES.field(name), column)
        return batch

    puzzles = [
        named(HEART, 1),
        named(HEART, 2),
        named(HEART.T, 3),
        named(changed(HEART, (4, 2)), 4),
        named(HEART[1:], 5),
    ]
    found = find_duplicates(stored(tmp_path / "store", puzzles, damaged), SHARE)
    assert rows(found) == [
        ("site/1", "site/2", "equal", None),
        ("site/1", "site/3", "turned", None),
        ("site/1", "site/4", "near", 1),
    ]


def test_small_and_plain_pictures_are_near_none(tmp_path: Path) -> None:
    """And a share of the rarer cells counts."""
    puzzles = []
    for side in (7, 8):
        picture = np.tri(side, dtype=np.uint8)
        puzzles += [named(picture, side), named(changed(picture, (0, side - 1)), 10 + side)]
    chessboard = np.indices((8, 8)).sum(0).astype(np.uint8) % 2
    frame = np.pad(np.zeros((18, 18), np.uint8), 1, constant_values=1)
    puzzles += [named(chessboard, 1), named(changed(chessboard, (0, 1)), 2), named(chessboard[::-1], 3)]
    puzzles += [named(frame, 4), named(changed(frame, (9, 9)), 5)]
    found = find_duplicates(stored(tmp_path / "store", puzzles))
    assert rows(found) == [("site/1", "site/3", "equal", None), ("site/8", "site/18", "near", 1)]
    assert found.found["share"].to_pylist() == [None, 1 / 27]
    assert (found.found["plain"].to_pylist(), found.plain) == ([True, False], 4)


def test_recoloured_puzzles_are_kept_apart(tmp_path: Path) -> None:
    """Equal clues in other colours, also in the same ones exchanged (webpbn 7217 and 8206), also turned."""
    white, red, blue = PALETTE
    green = Color("green", "g", "00ff00")
    picture = np.repeat(HEART[:, :, None] * [1, 1, 2], 1, axis=2)[:, :, 0]
    picture[6:] *= 2
    halves = np.repeat([[1, 2], [0, 0]], 9, axis=1).repeat(5, axis=0).astype(np.uint8)
    halves[2:4, 3] = halves[2:4, -4] = 0
    puzzles = [
        named(picture, 1),
        named(picture, 2, palette=(white, blue, red)),
        named(picture, 3, palette=(white, red, green)),
        named(picture[:, ::-1].T, 4, palette=(white, blue, red)),
        named(picture, 5, palette=(blue, red, white)),
        named(picture, 6, palette=(white, blue, red)),
        named(picture[::-1], 7, palette=(white, red, blue, green)),
        named(halves, 8),
        named(halves, 9, palette=(white, blue, red)),
    ]
    expected = [
        ("site/1", "site/2", "recoloured", None),
        ("site/1", "site/3", "recoloured", None),
        ("site/1", "site/5", "recoloured", None),
        ("site/1", "site/7", "turned", None),
        ("site/2", "site/6", "equal", None),
        ("site/2", "site/4", "turned", None),
        ("site/8", "site/9", "turned", None),
    ]
    for name, some in (("pictured", puzzles), ("clues", [replace(puzzle, goal=None) for puzzle in puzzles])):
        assert rows(find_duplicates(stored(tmp_path / name, some))) == expected


def test_many_equal_pictures_are_one(tmp_path: Path) -> None:
    """Blank pictures, and pictures of which each is near all others, in several parts and pieces."""
    blank = np.zeros((10, 10), np.uint8)
    square = changed(blank, *((y, x) for y in range(2, 8) for x in range(2, 8)))
    dotted = [changed(square, (k // 10, k % 10)) for k in range(100)]
    puzzles = [named(picture, k) for k, picture in enumerate([*[blank] * 300, *dotted])]
    found = find_duplicates(stored(tmp_path / "store", puzzles))
    assert found.counts == {"equal": 299, "turned": 85, "recoloured": 0, "near": 14}, "15 are no other turned"
    assert {row[0] for row in rows(found) if row[2] == "near"} == {"site/300"}
    assert found.crowded == 0
    assert found.plain == 300


@pytest.mark.parametrize("puzzles", [0, 1])
def test_hardly_anything(tmp_path: Path, puzzles: int, nonocensus: Nonocensus) -> None:
    store = stored(tmp_path / "store", [named(HEART, 1)])
    if not puzzles:
        rewrite(store, lambda batch: batch.slice(0, 0))
    found = find_duplicates(store)
    assert (rows(found), found.puzzles, found.counts) == ([], puzzles, dict.fromkeys(LIKENESSES, 0))
    assert nonocensus("dedup", "store").out.startswith(f"{puzzles} puzzle{'s' * (not puzzles)}: 0 equal")


def test_a_run_knows_pictures(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """Those of unique puzzles; and it is refused once its store has changed."""
    ambiguous = HEART.copy()
    ambiguous[8:, :2] = np.eye(2)
    pictures = [HEART, changed(HEART, (4, 2)), ambiguous, changed(ambiguous, (4, 2))]
    store = stored(tmp_path / "store", [replace(named(picture, k), goal=None) for k, picture in enumerate(pictures)])
    assert (rows(find_duplicates(store)), find_duplicates(store).pictureless) == ([], 4)
    run = run_serially(store, tmp_path / "run")
    solutions = dict(zip(*(run.table()[name].to_pylist() for name in ("puzzle_id", "solutions")), strict=True))
    assert solutions == {"site/0": "unique", "site/1": "unique", "site/2": "multiple", "site/3": "multiple"}
    found = find_duplicates(run, SHARE)
    assert (rows(found), found.pictureless, found.missing) == ([("site/0", "site/1", "near", 1)], 2, 0)
    append(store, [puzzle_batch([named(HEART, 9)])])
    assert find_duplicates(run).puzzles == 4, "the new part is not the run's"
    rewrite(store, lambda batch: batch.slice(1))
    refused = nonocensus("dedup", "run")
    assert (refused.code, refused.out) == (3, "")
    assert "has changed since" in refused.err
    with pytest.raises(InputError, match="has changed since"):
        find_duplicates(run)


def test_a_run_that_is_not_done(tmp_path: Path, nonocensus: Nonocensus) -> None:
    stored(tmp_path / "store", [named(HEART, k) for k in range(5)])
    assert nonocensus("classify", "store", "--out", "run", "--serial", "--limit", "3").code == 0
    printed = nonocensus("dedup", "run")
    assert "3 puzzles: 2 equal" in printed.out
    assert "2 have no result yet" in printed.out


def test_the_command(tmp_path: Path, nonocensus: Nonocensus) -> None:
    puzzles = [named(HEART, k, site_date=date(2020, 1, k) if k < 3 else None) for k in range(1, 30)]
    store = stored(tmp_path / "store", [*puzzles, named(changed(HEART, (4, 2)), "[red]x")])
    printed = nonocensus("dedup", "store", "--cells", "0.1")
    assert (printed.code, printed.err) == (0, "")
    lines = printed.out.splitlines()
    assert lines[1].split() == ["site/1", "(2020-01-01)", "site/2", "(2020-01-02)", "equal"]
    assert lines[2].split() == ["site/3", "equal"]
    assert lines[-2:] == [
        "... and 9 more (--csv FILE or --json gives all)",
        "30 puzzles: 28 equal to an earlier one, 0 turned or mirrored, 0 recoloured, 1 with a near picture.",
    ]
    said = json.loads(nonocensus("dedup", "store", "--cells", "0.1", "--json").out)
    assert said["counts"] == {"equal": 28, "turned": 0, "recoloured": 0, "near": 1}
    last = {"original": "site/1", "original_date": "2020-01-01", "puzzle_id": "site/[red]x", "site_date": None}
    assert said["found"][-1] == last | {"likeness": "near", "cells": 1, "share": 1 / RARER, "plain": False}
    written = nonocensus("dedup", "store", "--cells", "0.1", "--csv", "all.csv")
    assert "29 duplicates written to all.csv" in written.out
    table = find_duplicates(store, SHARE).found
    assert csv.read_csv(tmp_path / "all.csv").to_pylist() == table.to_pylist()
    assert nonocensus("dedup", "store", "--cells", "0.1", "--csv", "-").out == (tmp_path / "all.csv").read_text()
    assert json.loads(nonocensus("dedup", "store", "--cells", "0", "--json").out)["counts"]["near"] == 0
    likenesses = nc.find_duplicates(tmp_path / "store", SHARE).found["likeness"].to_pylist()
    assert likenesses == ["equal"] * 28 + ["near"]


@pytest.mark.parametrize("column", ["source", "site_date", "rows", "goal"])
def test_a_table_of_a_stranger(tmp_path: Path, column: str, refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a column, or with another type of it."""
    store = stored(tmp_path / "store", [named(HEART, k) for k in range(3)])
    batch = next(store.batches())
    place = batch.schema.get_field_index(column)
    for other in (batch.remove_column(place), batch.set_column(place, column, pa.array([["x"]] * 3))):
        monkeypatch.setattr(Store, "batches", lambda *_, other=other: iter([other]))
        line = refused("dedup", "store", code=3)
        assert "store can't be read: " in line
        assert column in line or "list" in line


def test_progress_names_stages_and_adds_up(tmp_path: Path) -> None:
    told: list[list[Any]] = []
    progress = ProgressCallbacks(
        lambda *words: told.append([*words]), lambda steps, _: told[-1].__setitem__(-1, told[-1][-1] + steps)
    )
    find_duplicates(stored(tmp_path / "store", drawn(np.random.default_rng(2), 90)), progress=progress)
    assert [name for name, *_ in told] == ["reading", "sorting", "comparing pictures"]
    assert all(total in (None, steps) for _, total, steps in told)

"""Rounds: the same counts by a plain twin, where line logic ends, and for every symmetry and naming of colours."""

import math
from collections import Counter
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import PALETTE, images, pictures, puzzles, shuffled_puzzles

from nonocensus.solver.lines.bits import load, store
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT, OUT_OF_TIME
from nonocensus.solver.model.puzzle import Puzzle, from_picture, normalize_palette
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.techniques import LINE_TECHNIQUES
from nonocensus.solver.model.views import views
from nonocensus.solver.people.assumptions import assumptions_for
from nonocensus.solver.people.features import FEATURES, runs_for, write_features
from nonocensus.solver.people.person import (
    SolvingState,
    apply_technique,
    grid_of,
    load_board_line,
    puzzle_state_for,
    solve_lines,
    solve_loaded_line,
)
from nonocensus.solver.people.rounds import (
    BACKGROUND_STROKES,
    DECIDED,
    DECIDED_ROUNDS,
    OPEN_LINES,
    ROUNDS,
    STROKES,
    Rounds,
    rounds_for,
    solve_in_rounds,
    solve_lines_in_rounds,
)


def state_of(puzzle: Puzzle) -> SolvingState:
    return puzzle_state_for(views(puzzle_batch([puzzle])))


def worked(state: SolvingState, deadline: float = math.inf) -> tuple[int, Rounds]:
    rounds = rounds_for(state)
    return solve_lines_in_rounds(state, rounds, deadline), rounds


def finds(state: SolvingState, grid: np.ndarray, number: int, technique: int) -> list[int] | None:
    """Return a line's cells after a technique, None if it is decided already; the techniques have their own tests."""
    width, height, palette = state.board.size.tolist()
    line = grid.reshape(height, width)[number] if number < height else grid.reshape(height, width)[:, number - height]
    for c in range(palette):
        store(
            state.board.can,
            number * palette + c,
            sum(1 << x for x, colors in enumerate(line.tolist()) if colors >> c & 1),
        )
    if not load_board_line(state, number, True):
        return None
    apply_technique(state.line, state.workspace, technique, solve_loaded_line(state, number))
    left = [load(state.line.new, c, 0) for c in range(palette)]
    return [sum((left[c] >> x & 1) << c for c in range(palette)) for x in range(len(line))]


def twin(state: SolvingState) -> tuple[Counter[str], list[int], np.ndarray]:
    """Return counts, steps and the final grid by trying every technique on every line in every round."""
    width, height, _ = state.board.size.tolist()
    lines = [slice(y * width, (y + 1) * width) for y in range(height)] + [slice(x, None, width) for x in range(width)]
    counts, steps = Counter[str](), [0] * LINE_TECHNIQUES
    grid = grid_of(state)
    changed = set(range(width + height))
    while True:
        after, looked, found = grid.copy(), changed, set()
        is_open = [bool((grid[line] & (grid[line] - 1)).any()) for line in lines]
        for number in looked:
            if not is_open[number]:
                continue
            before = grid[lines[number]].tolist()
            tried = ((t, finds(state, grid, number, t)) for t in range(LINE_TECHNIQUES))
            technique, cells = next(((t, cells) for t, cells in tried if cells != before), (None, None))
            if technique is None or cells is None:
                continue
            found.add(number)
            steps[technique] += 1
            new = [one if one != old and one & (one - 1) == 0 else 0 for one, old in zip(cells, before, strict=True)]
            for color, _ in groupby(new):
                counts["strokes"] += color > 0
                counts["background strokes"] += color == 1
            after[lines[number]] &= cells
        if not found:
            return counts, steps, grid
        counts["rounds"] += 1
        counts["open lines"] += sum(is_open)
        decided = ((after & (after - 1) == 0) & (grid & (grid - 1) != 0)).sum()
        counts["decided"] += decided
        counts["their rounds"] += decided * counts["rounds"]
        changed = found | {k for k, line in enumerate(lines) if (after[line] != grid[line]).any()}
        grid = after


@pytest.mark.plain_python
@given(puzzles(most=8))
@settings(max_examples=30, deadline=None)
def test_counts_are_those_of_the_twin(puzzle: Puzzle) -> None:
    state = state_of(puzzle)
    expected, steps, grid = twin(state_of(puzzle))
    status, rounds = worked(state)
    assert status == FIXPOINT
    counts = rounds.counts
    assert [counts[ROUNDS], counts[OPEN_LINES]] == [expected["rounds"], expected["open lines"]]
    assert [counts[STROKES], counts[BACKGROUND_STROKES]] == [expected["strokes"], expected["background strokes"]]
    assert (rounds.steps.tolist(), grid_of(state).tolist()) == (steps, grid.tolist())
    assert [counts[DECIDED], counts[DECIDED_ROUNDS]] == [expected["decided"], expected["their rounds"]]


@given(puzzles(most=12))
@settings(max_examples=50, deadline=None)
def test_rounds_end_where_the_person_ends(puzzle: Puzzle) -> None:
    state, other = state_of(puzzle), state_of(puzzle)
    assert worked(state)[0] == solve_lines(other, LINE_TECHNIQUES, math.inf) == FIXPOINT
    assert grid_of(state).tolist() == grid_of(other).tolist()


@given(shuffled_puzzles(most=5))
@settings(max_examples=50, deadline=None)
def test_contradictions_are_found_as_by_the_person(puzzle: Puzzle) -> None:
    other = state_of(puzzle)
    expected = solve_lines(other, LINE_TECHNIQUES, math.inf)
    status, _ = worked(state_of(puzzle))
    assert (status == CONTRADICTION) == (expected == CONTRADICTION)


def draw(state: SolvingState, picture: np.ndarray) -> None:
    """Decide all cells of a state's board."""
    palette = int(state.board.size[2])
    for k, line in enumerate([*picture, *picture.T]):
        for c in range(palette):
            store(state.board.can, k * palette + c, sum(1 << x for x in np.flatnonzero(line == c).tolist()))
    assert grid_of(state).tolist() == (1 << picture.ravel()).tolist()


def features(picture: np.ndarray) -> list[float]:
    """Return the features of a picture's puzzle, solved with assumptions where needed."""
    puzzle = normalize_palette(from_picture(picture, PALETTE, puzzle_id="test/1"))
    state = state_of(puzzle)
    rounds = rounds_for(state)
    assert solve_in_rounds(state, rounds, assumptions_for(state), math.inf) == FIXPOINT
    draw(state, np.array([puzzle.palette.index(color) if color in puzzle.palette else 0 for color in PALETTE])[picture])
    values = np.zeros(len(FEATURES))
    write_features(state, rounds, runs_for(state), values)
    return values.tolist()


@given(pictures(colors=3, most=9))
@settings(max_examples=40, deadline=None)
def test_symmetric_and_recoloured_puzzles_have_equal_features(picture: np.ndarray) -> None:
    expected = features(picture)
    swapped = np.array([0, 3, 1, 2], np.uint8)[picture]
    for image in [*images(picture), swapped]:
        assert features(image) == expected


def areas(cells: dict[tuple[int, int], int], corners: bool) -> list[tuple[int, int]]:
    """Return colour and size of each connected area."""
    found, left = [], dict(cells)
    while left:
        place, color = left.popitem()
        area = [place]
        for y, x in area:
            for near in [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if corners or not (dy and dx)]:
                if left.get(near) == color:
                    del left[near]
                    area.append(near)
        found.append((color, len(area)))
    return found


@given(pictures(colors=2, most=9))
@settings(max_examples=50, deadline=None)
def test_features_of_clues_and_picture_are_those_of_the_twin(picture: np.ndarray) -> None:
    named = dict(zip(FEATURES, features(picture), strict=True))
    puzzle = normalize_palette(from_picture(picture, PALETTE, puzzle_id="test/1"))
    lines = [*puzzle.rows, *puzzle.columns]
    blocks = [block for line in lines for block in line]
    assert named["blocks"] == len(blocks)
    assert named["log_lengths"] == pytest.approx(sum(math.log(1 + block.length) for block in blocks))
    sides = (puzzle.rows, puzzle.columns)
    assert named["repeated_clues"] == sum(a == b for side in sides for a, b in pairwise(side))
    assert named["edges"] == (picture[:, 1:] != picture[:, :-1]).sum() + (picture[1:] != picture[:-1]).sum()
    cells = {(int(y), int(x)): int(color) for (y, x), color in np.ndenumerate(picture)}
    plain = areas(cells, corners=False)
    assert named["areas"] == sum(color > 0 for color, _ in plain)
    assert named["single_gaps"] == sum(one == (0, 1) for one in plain)
    assert named["joined_areas"] == sum(color > 0 for color, _ in areas(cells, corners=True))
    assert named["axis"] == pytest.approx(max(best_axis(picture), best_axis(picture.T)))
    assert named["painted"] == (picture > 0).sum()


def best_axis(picture: np.ndarray) -> float:
    """Return the largest share of foreground that a vertical axis maps to equal cells."""
    width, best = picture.shape[1], 0.0
    for axis in range(width // 2, 2 * width - 1 - width // 2):
        pairs = [(k, axis - k) for k in range(width) if k < axis - k < width]
        one = np.concatenate([picture[:, k] for k, _ in pairs] or [np.zeros(0)])
        other = np.concatenate([picture[:, k] for _, k in pairs] or [np.zeros(0)])
        covered = ((one > 0) | (other > 0)).sum()
        if covered > 0.15 * (picture > 0).sum():
            best = max(best, ((one == other) & (one > 0)).sum() / covered)
    return best


def test_deadline_is_honoured() -> None:
    picture = np.random.default_rng(1).integers(0, 2, (60, 60)).astype(np.uint8)
    assert worked(state_of(from_picture(picture, PALETTE[:2], puzzle_id="test/1")), deadline=0.0)[0] == OUT_OF_TIME

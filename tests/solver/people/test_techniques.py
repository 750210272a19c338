"""Each technique on one line: what it finds in examples, that it is never wrong, and that the strongest finds all."""

from functools import cache
from itertools import product

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import known_lines

from nonocensus.reports.page.technique_examples import COLORS, EXAMPLES, PUZZLES, clue_of
from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.ladder.memory import KernelGroup
from nonocensus.solver.lines.bits import load, store, words_for
from nonocensus.solver.model import techniques
from nonocensus.solver.model.puzzle import Block, Clue, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.techniques import LINE_TECHNIQUES, TECHNIQUES
from nonocensus.solver.model.views import views
from nonocensus.solver.people.explanation import explain
from nonocensus.solver.people.line_state import PALETTE
from nonocensus.solver.people.person import (
    SolvingState,
    apply_technique,
    begin_puzzle,
    count_clues,
    load_board_line,
    solve_loaded_line,
    state_for,
)


def signs(known: oracle.Knowledge) -> str:
    return "".join(next(sign for sign, colors in COLORS.items() if colors == cell) for cell in known)


@cache
def line_state(cells: int, palette: int) -> SolvingState:
    """Return a state with one row, whose blocks and cells are to be set."""
    batch = views(puzzle_batch([Puzzle(((Block(cells),),), ((Block(1),),) * cells)]))
    state = state_for(batch, KernelGroup(words_for(cells), palette - 1, np.arange(1)))
    begin_puzzle(state, batch, 0)
    state.board.size[2] = state.line.scalars[PALETTE] = palette
    return state


@kernel
def apply_each(state: SolvingState, left: np.ndarray) -> None:
    """Write the cells that may have each colour after each technique to `left`, row technique x palette + colour."""
    for technique in range(LINE_TECHNIQUES):
        load_board_line(state, 0, True)
        apply_technique(state.line, state.workspace, technique, solve_loaded_line(state, 0))
        for c in range(state.board.size[2]):
            here = load(state.line.now, c, state.line.bit_width) & load(state.line.new, c, state.line.bit_width)
            store(left, technique * int(state.board.size[2]) + c, here)


def found(clue: Clue, known: oracle.Knowledge) -> list[oracle.Knowledge]:
    """Return what each technique leaves of a line's cells."""
    palette = 1 + max([1, *(block.color for block in clue), *(color for possible in known for color in possible)])
    state = line_state(len(known), palette)
    state.board.first[1] = len(clue)
    state.board.length[: len(clue)] = [block.length for block in clue]
    state.color[: len(clue)] = [block.color for block in clue]
    for color in range(palette):
        store(state.board.can, color, sum(1 << x for x, possible in enumerate(known) if color in possible))
    count_clues(state)
    left = np.zeros((LINE_TECHNIQUES * palette, state.board.can.shape[1]), np.uint64)
    apply_each(state, left)
    masks = [load(left, row, 0) for row in range(len(left))]
    return [
        [{color for color in range(palette) if masks[technique * palette + color] >> x & 1} for x in range(len(known))]
        for technique in range(LINE_TECHNIQUES)
    ]


@pytest.mark.plain_python
@pytest.mark.parametrize(("technique", "clue", "before", "after"), EXAMPLES)
def test_examples(technique: int, clue: str, before: str, after: str) -> None:
    known = [COLORS[sign] for sign in before]
    assert signs(found(clue_of(clue), known)[technique]) == after
    assert signs(found(clue_of(clue)[::-1], known[::-1])[technique]) == after[::-1]


def assert_sound(clue: Clue, known: oracle.Knowledge) -> None:
    """No technique finds what complete line logic does not; the last finds all; some are what their twins say."""
    everything = oracle.solve_line(clue, known)
    left = found(clue, known)
    if everything is None:
        assert set() in left[techniques.LINE]
        assert set() in left[techniques.REACH]
        return
    for technique, cells in enumerate(left):
        wrong = [x for x, (here, true) in enumerate(zip(cells, everything, strict=True)) if not true <= here]
        assert not wrong, (TECHNIQUES[technique].name, clue, known)
    assert left[techniques.LINE] == everything, (clue, known)
    assert left[techniques.REACH] == oracle.by_reach(clue, known), (clue, known)
    assert left[techniques.COUNTING] == oracle.by_counting(clue, known), (clue, known)
    if all(len(possible) > 1 for possible in (known[0], known[-1])):
        assert left[techniques.OVERLAP] == oracle.by_overlap(clue, known), (clue, known)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "colors", "blots"),
    [
        *(pytest.param(*kind, marks=pytest.mark.unchecked) for kind in ((1, 1, True), (4, 1, True), (5, 1, False))),
        pytest.param(3, 2, False, marks=pytest.mark.unchecked),
        *((7, 1, False), (5, 1, True), (4, 2, False), (3, 2, True)),
    ],
)
def test_every_line_with_every_knowledge(cells: int, colors: int, blots: bool) -> None:
    sets = [{c for c in range(colors + 1) if mask >> c & 1} for mask in range(1, 2 ** (colors + 1))]
    for clue in oracle.all_clues(cells, colors, blots):
        for known in product(sets, repeat=cells):
            assert_sound(clue, list(known))


@given(known_lines(most=14))
@settings(max_examples=150, deadline=None)
def test_random_lines(line: tuple[Clue, oracle.Knowledge]) -> None:
    assert_sound(*line)


def closure(count: int, clue: Clue, known: oracle.Knowledge) -> oracle.Knowledge:
    """Return what the first `count` techniques find together."""
    technique = 0
    while technique < count:
        left = found(clue, known)[technique]
        technique, known = (technique + 1, known) if left == known else (0, left)
    return known


@pytest.mark.slow
@pytest.mark.unchecked
@given(known_lines(most=14))
@settings(max_examples=200, deadline=None)
def test_with_more_known_no_less_is_found(line: tuple[Clue, oracle.Knowledge]) -> None:
    """So the hardest technique that a puzzle needs does not depend on the order of the lines."""
    clue, known = line
    everything = oracle.solve_line(clue, known)
    if everything is None:
        return
    more = [here & true if x % 2 else here for x, (here, true) in enumerate(zip(known, everything, strict=True))]
    for count in range(1, LINE_TECHNIQUES + 1):
        before, after = closure(count, clue, known), closure(count, clue, more)
        assert all(a <= b for a, b in zip(after, before, strict=True)), (count, clue, known, more)


@pytest.mark.parametrize("cells", [64, *(pytest.param(cells, marks=pytest.mark.slow) for cells in (200, 1023))])
def test_long_lines(cells: int) -> None:
    open_ = {0, 1}
    half = (cells - 1) // 2
    clue = (Block(half), Block(cells - 1 - half))
    full = [{1}] * half + [{0}] + [{1}] * (cells - 1 - half)
    for technique in (techniques.CLUE, techniques.LINE):
        assert found(clue, [open_] * cells)[technique] == full
    almost = found((Block(cells - 1),), [open_] * cells)[techniques.OVERLAP]
    assert almost == [open_] + [{1}] * (cells - 2) + [open_]


def test_the_ladder_goes_up() -> None:
    names = [technique.name for technique in TECHNIQUES]
    assert len(set(names)) == len(names) == techniques.SEARCH + 1
    listed = [technique.grade for technique in TECHNIQUES]
    assert listed == sorted(listed)
    assert set(listed) == set(range(1, 10))


@pytest.mark.parametrize("technique", range(techniques.EDGE, techniques.SEARCH))
def test_puzzles_of_assumptions_need_just_these(technique: int) -> None:
    explanation = explain(from_picture([[int(cell == "#") for cell in row] for row in PUZZLES[technique]]))
    assert explanation.state == "solved"
    assert explanation.hardest == TECHNIQUES[technique]

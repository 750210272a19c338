"""The line solver against brute force: all short lines with all partial knowledge, longer ones at random."""

from collections.abc import Iterable
from itertools import product

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import known_lines

from nonocensus.solver.lines.board import Board
from nonocensus.solver.lines.lanes import ROOM
from nonocensus.solver.lines.line_solver import solve_line
from nonocensus.solver.lines.workspace import make_workspace
from nonocensus.solver.model.puzzle import Block, Clue


class LineSolver:
    """The kernel, with memory for one line of given length, number of colours and words."""

    def __init__(self, cells: int, colors: int, words: int = 1) -> None:
        self.cells, self.colors, self.words = cells, colors, words
        self.board = Board(
            size=np.array([cells, 1, colors + 1]),
            first=np.zeros(2, np.int32),
            length=np.zeros(cells + 1 + ROOM, np.uint16),
            can=np.zeros((colors + 1, words), np.uint64),
            known=np.zeros(0, np.uint8),
        )
        self.color = np.zeros(cells + 1, np.uint8) if colors > 1 else None
        self.workspace = make_workspace(cells, colors + 1, words)

    def __call__(self, clue: Clue, known: oracle.Knowledge) -> oracle.Knowledge | None:
        self.board.first[1] = len(clue)
        for j, block in enumerate(clue):
            self.board.length[j] = block.length
            if self.color is not None:
                self.color[j] = block.color
        for c in range(self.colors + 1):
            mask = sum(1 << x for x, possible in enumerate(known) if c in possible)
            for k in range(self.words):
                self.board.can[c, k] = mask >> (64 * k) & (2**64 - 1)
        if not solve_line(self.cells, 0, self.board, self.color, self.workspace):
            return None
        masks = [sum(int(word) << (64 * k) for k, word in enumerate(row)) for row in self.workspace.new]
        return [{c for c, mask in enumerate(masks) if mask >> x & 1} for x in range(self.cells)]


def assert_agree(solver: LineSolver, clue: Clue, knowledge: Iterable[oracle.Knowledge]) -> None:
    for known in knowledge:
        assert solver(clue, known) == oracle.solve_line(clue, known), (clue, known)


@pytest.mark.plain_python
@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize("cells", range(1, 11))
def test_mono_lines_without_knowledge_agree_with_brute_force(cells: int, words: int) -> None:
    solver = LineSolver(cells, 1, words)
    for clue in oracle.all_clues(cells, 1, blots=cells <= 8):
        assert_agree(solver, clue, [[{0, 1} for _ in range(cells)]])


@pytest.mark.parametrize(
    ("cells", "colors", "blots"),
    [
        *((cells, 1, True) for cells in range(1, 6)),
        (6, 1, False),
        pytest.param(7, 1, False, marks=pytest.mark.slow),
        *((cells, 2, True) for cells in range(1, 4)),
        pytest.param(4, 2, False, marks=pytest.mark.slow),
    ],
)
def test_lines_with_any_knowledge_agree_with_brute_force(cells: int, colors: int, blots: bool) -> None:
    solver = LineSolver(cells, colors)
    sets = [{c for c in range(colors + 1) if mask >> c & 1} for mask in range(1, 2 ** (colors + 1))]
    for clue in oracle.all_clues(cells, colors, blots=blots):
        assert_agree(solver, clue, (list(known) for known in product(sets, repeat=cells)))


@pytest.mark.plain_python
@given(known_lines())
@settings(max_examples=200, deadline=None)
def test_random_lines_agree_with_brute_force(line: tuple[Clue, oracle.Knowledge]) -> None:
    clue, known = line
    colors = max((block.color for block in clue), default=1)
    known = [possible & set(range(colors + 1)) or {0} for possible in known]
    for words in (1, 2):
        assert_agree(LineSolver(len(known), colors, words), clue, [known])


@pytest.mark.plain_python
@pytest.mark.parametrize(("cells", "words"), [(63, 1), (64, 2), (127, 2), (128, 4), (255, 4), (512, 16), (1023, 16)])
def test_carry_crosses_all_words_of_long_lines(cells: int, words: int) -> None:
    """The carry crosses every word: one block as long as the line, one short of it, and two at the ends."""
    solver = LineSolver(cells, 1, words)
    black, white, open_ = {1}, {0}, {0, 1}
    unknown = [open_] * cells
    assert solver((Block(cells),), unknown) == [black] * cells
    assert solver((Block(cells - 1),), unknown) == [open_] + [black] * (cells - 2) + [open_]
    assert solver((), unknown) == [white] * cells
    half = (cells - 1) // 2
    ends = solver((Block(half), Block(cells - 1 - half)), unknown)
    assert ends == [black] * half + [white] + [black] * (cells - 1 - half)
    assert solver((Block(1), Block(1)), [black] + [open_] * (cells - 2) + [black]) == [black] + [white] * (
        cells - 2
    ) + [black]
    assert solver((Block(cells),), [open_] * (cells - 1) + [white]) is None


@pytest.mark.parametrize("cells", [70, 200])
def test_long_lines_agree_with_their_halves(cells: int) -> None:
    """Two halves separated by a known gap are solved like each half alone, in another word width."""
    rng = np.random.default_rng(cells)
    half = cells // 2
    for _ in range(30):
        picture = (rng.random(cells) < 0.6).astype(int)
        picture[half] = 0
        show = rng.random(cells) < 0.3
        show[half] = True
        known = [{int(color)} if shown else {0, 1} for color, shown in zip(picture, show, strict=True)]
        left, right = oracle.clue_of(picture[:half]), oracle.clue_of(picture[half:])
        whole = LineSolver(cells, 1, 4)(left + right, known)
        assert whole is not None
        # If the left part is known, the right part is solved as if alone.
        fixed_left = [{int(c)} for c in picture[: half + 1]] + known[half + 1 :]
        both = LineSolver(cells, 1, 4)(left + right, fixed_left)
        alone = LineSolver(cells - half, 1, 4)(right, known[half:])
        assert both is not None
        assert alone is not None
        assert both[half:] == alone
        assert all(b <= w for b, w in zip(both, whole, strict=True))

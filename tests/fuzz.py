"""Puzzles that follow from a seed alone, of the kinds in which solvers go wrong. For tests and benchmarks.

A seed identifies a puzzle with a wrong verdict.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from nonocensus.solver.model.puzzle import (
    BLACK_ON_WHITE,
    BLOT,
    Block,
    Clue,
    Color,
    Puzzle,
    clue_of,
    clues_of,
    from_picture,
    normalize_palette,
)

KINDS = ("random", "smooth", "composed", "mutated")
"""Seeds take turns: seed s gives a puzzle of kind KINDS[s % 4].

random     each cell for itself, at any density
smooth     blobs
composed   cycles (`cycle`) side by side, stacked or diagonal, mostly with a part that takes search: what the
           solutions differ in is then far from where search branches
mutated    the clues of one of these, changed a bit: mostly there is no solution
"""

PALETTE = (
    *BLACK_ON_WHITE,
    Color("red", "r", "ff0000"),
    Color("green", "g", "00ff00"),
    Color("blue", "b", "0000ff"),
    Color("yellow", "y", "ffff00"),
    Color("cyan", "c", "00ffff"),
)

SIZES = 2.0
"""Exponent of how sides are drawn: the higher, the more of them are small."""

LONGEST_CYCLE, MOST_DOMINOES = 8, 7


class Part(NamedTuple):
    """A picture, uint8[height, width], and the colours that its cells may have, bool[height, width, colours + 1]."""

    picture: np.ndarray
    start: np.ndarray


Maker = Callable[[np.random.Generator, int, int, int], Part]
Lines = list[list[Block]]
T = TypeVar("T")


def drawn(seed: int, least: int = 1, most: int = 30, colors: int | None = None) -> Puzzle:
    """The puzzle of a seed, with sides of `least` to `most` cells, mostly few, and up to `colors` (default: 1 to 6).

    `source` is its kind. `goal` is a picture that fits, where one is known. A composed puzzle has a `saved` grid, which
    leaves each of its cycles two solutions.
    """
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    if colors is None:
        colors = 1 if rng.random() < 0.6 else int(rng.integers(2, len(PALETTE)))
    about = {"puzzle_id": f"{kind}/{seed}", "source": kind, "source_id": str(seed)}
    make = MAKERS[kind] if kind in MAKERS else _pick(rng, tuple(MAKERS.values()))
    picture, start = make(rng, least, most, colors)
    if kind == "mutated":
        rows, columns = mutated_clues(rng, picture, colors)
        puzzle = normalize_palette(Puzzle(rows, columns, PALETTE[: colors + 1], **about))  # type: ignore[arg-type]
    else:
        saved = (start,) if kind == "composed" else ()
        puzzle = from_picture(picture, PALETTE[: colors + 1], saved=saved, **about)
    hidden = _pick(rng, (0.0,) * 7 + (0.1, 0.4, 1.0))  # share of the lengths
    return replace(puzzle, rows=_blotted(rng, puzzle.rows, hidden), columns=_blotted(rng, puzzle.columns, hidden))


def begun(puzzle: Puzzle, seed: int) -> np.ndarray | None:
    """Return a partly solved grid for a drawn puzzle, bool[height, width, colours + 1]; None for half of the seeds.

    In most of them the goal is still a solution, in some it is not.
    """
    rng = np.random.default_rng((seed, 1))
    if rng.random() < 0.5:
        return None
    shape = (puzzle.height, puzzle.width, max(puzzle.colors, 1) + 1)
    start: np.ndarray = np.ones(shape, np.bool_)
    if puzzle.saved and rng.random() < 0.8:
        start = puzzle.saved[0][:, :, : shape[2]]
    start = start & (rng.random(shape) >= _pick(rng, (0.0, 0.0, 0.05, 0.2, 0.4)))
    if puzzle.goal is None:
        return start
    goal = puzzle.goal[:, :, None] == np.arange(shape[2])
    decided = rng.random(shape[:2]) < _pick(rng, (0.0, 0.02, 0.05, 0.2, 0.5))
    start = (start & ~decided[:, :, None]) | goal
    if rng.random() < 0.2:
        y, x = rng.integers(puzzle.height), rng.integers(puzzle.width)
        start[y, x] = ~goal[y, x]
    return start


def text(puzzle: Puzzle, start: np.ndarray | None = None) -> str:
    """Return a puzzle's clues, a line for each side, and a row of a grid for each of its rows.

    Lengths, 0 for a blot, with the number of their colour where there are several; for each cell the colours it may
    have.
    """

    def side(lines: tuple[Clue, ...]) -> str:
        mono = puzzle.colors <= 1
        return " | ".join(
            " ".join(str(block.length) if mono else f"{block.length}:{block.color}" for block in clue) for clue in lines
        )

    text = [f"{puzzle.puzzle_id}, {puzzle.width}x{puzzle.height}"]
    text += [f"rows    {side(puzzle.rows)}", f"columns {side(puzzle.columns)}"]
    if start is not None:
        text += [" ".join("".join(map(str, np.flatnonzero(cell))) or "-" for cell in row) for row in start]
    return "\n".join(text)


def _pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    return choices[int(rng.integers(len(choices)))]


def _sides(rng: np.random.Generator, least: int, most: int) -> tuple[int, int]:
    """Height and width: a third of the pictures are square, the others have any two sides."""
    sides = least + ((most - least + 1) * rng.random(2) ** SIZES).astype(int)
    return (int(sides[0]),) * 2 if rng.random() < 0.3 else (int(sides[0]), int(sides[1]))


def _blotted(rng: np.random.Generator, lines: tuple[Clue, ...], share: float) -> tuple[Clue, ...]:
    """Return the clues with a share of their lengths hidden."""
    if share == 0:
        return lines
    return tuple(
        tuple(Block(BLOT if rng.random() < share else block.length, block.color) for block in clue) for clue in lines
    )


def _anything(picture: np.ndarray, colors: int) -> Part:
    """Return a picture of whose cells nothing is given."""
    return Part(picture, np.ones((*picture.shape, colors + 1), np.bool_))


# Pictures of cells that are filled with a certain density.


def _random(rng: np.random.Generator, least: int, most: int, colors: int) -> Part:
    density = rng.random() if rng.random() < 0.2 else rng.uniform(0.3, 0.7)
    return _anything(noise(rng, *_sides(rng, least, most), density, colors), colors)


def noise(rng: np.random.Generator, height: int, width: int, density: float, colors: int) -> np.ndarray:
    """Return each cell for itself, in any of the colours."""
    filled = rng.random((height, width)) < density
    return (filled * rng.integers(1, colors + 1, (height, width))).astype(np.uint8)


def _smooth(rng: np.random.Generator, least: int, most: int, colors: int) -> Part:
    return _anything(blobs(rng, *_sides(rng, least, most), rng.uniform(0.3, 0.8), colors), colors)


def blobs(rng: np.random.Generator, height: int, width: int, density: float, colors: int) -> np.ndarray:
    """Return the highest of random numbers that are averaged over their neighbourhoods; another such field has the
    colours.
    """
    ranks = []
    for _ in range(min(colors, 2)):
        field = rng.random((height, width))
        for axis in (0, 1):
            for _ in range(rng.integers(1, 3)):
                field = field + np.roll(field, 1, axis) + np.roll(field, -1, axis)
        ranks.append(field.ravel().argsort().argsort().reshape(height, width) / field.size)
    tint = 1 if colors == 1 else 1 + (ranks[1] * colors).astype(int)
    return ((ranks[0] >= 1 - density) * tint).astype(np.uint8)


def dominoes(rng: np.random.Generator, height: int, width: int, _: float, colors: int) -> np.ndarray:
    """Jan Wolter's chain of dominoes in any direction, no larger than height and width, with a few cells changed.

    As it is it has one solution, and search takes a multiple of nodes for each further domino. With a cell or two
    changed it often has one solution too, and takes a few nodes.
    """
    dominoes = max(min(height, width, MOST_DOMINOES * 2 + 1) - 1, 0) // 2
    picture = np.zeros((2 * dominoes + 1, 2 * dominoes + 1), np.uint8)
    for k in range(0, 2 * dominoes, 2):
        picture[k : k + 2, k + 2] = picture[k + 2, k : k + 3] = 1
    for cell in rng.integers(picture.size, size=rng.integers(3)):
        picture.flat[cell] ^= 1
    picture *= rng.integers(1, colors + 1, dtype=np.uint8)
    turned = picture.T if rng.random() < 0.5 else picture
    return turned[:: _pick(rng, (1, -1)), :: _pick(rng, (1, -1))]


# Composed pictures.


def _composed(rng: np.random.Generator, least: int, most: int, colors: int) -> Part:
    """Return a few cycles, mostly with a part that takes search; what there is no room for is left out."""
    room = max(_sides(rng, least, most))
    parts = []
    if rng.random() < 0.8:
        height, width = rng.integers(1 + room // 4, 1 + max(room * 3 // 5, 1), 2)
        make = _pick(rng, (noise, blobs, dominoes))
        parts.append(_anything(make(rng, int(height), int(width), rng.uniform(0.35, 0.6), colors), colors))
    if rng.random() < 0.4:
        parts.append(cycle(rng, max(room - max(parts[0].picture.shape), 2) if parts else room, room, colors))
    else:
        parts += [cycle(rng, LONGEST_CYCLE, room, colors) for _ in range(rng.integers(1, 4))]
    first, *others = (parts[k] for k in rng.permutation(len(parts)))
    whole = first
    for part in others:
        whole = _joined(rng, whole, part, room)
    return _placed([(whole, 0, 0)], least)


def cycle(rng: np.random.Generator, longest: int, room: int, colors: int) -> Part:
    """Return one of two pictures with the same clues, which differ in a cycle of cells. `start` leaves just the two.

    In each row of the cycle one cell goes on to the column where another row's was: a permutation matrix and the next
    one. So without `start` there are more solutions, unless other cells are filled too: all sorts, so long as both
    pictures keep the same clues. Then mostly no four cells can be switched.
    """
    length = int(rng.integers(min(2, room), min(longest, room) + 1))
    filled = rng.random() < 0.5
    side = min(length + int(rng.integers(3)), room) if filled else length
    scattered = rng.random() < 0.5
    rows, columns = (rng.permutation(side)[:length] if scattered or filled else np.arange(length) for _ in range(2))
    pictures = np.zeros((2, side, side), np.uint8)
    pictures[0, rows, columns] = pictures[1, rows, np.roll(columns, 1)] = rng.integers(1, colors + 1)
    if filled:
        _fill(rng, pictures[0], pictures[1], colors)
    start = (pictures[:, :, :, None] == np.arange(colors + 1)).any(axis=0)
    return Part(_pick(rng, tuple(pictures)), start)


def _fill(rng: np.random.Generator, one: np.ndarray, other: np.ndarray, colors: int) -> None:
    """Fill cells of two pictures with the same clues, so that these stay the same."""
    cells = np.argwhere((one == 0) & (other == 0))
    for y, x in rng.permutation(cells)[: int(rng.uniform(0.3, 1.0) * len(cells))].tolist():
        one[y, x] = other[y, x] = rng.integers(1, colors + 1)
        if clue_of(one[y]) != clue_of(other[y]) or clue_of(one[:, x]) != clue_of(other[:, x]):
            one[y, x] = other[y, x] = 0


def _joined(rng: np.random.Generator, one: Part, other: Part, room: int) -> Part:
    """Return the parts side by side, stacked or diagonal, with a blank line between them or not, if there is room."""
    (height, width), gap = one.picture.shape, int(rng.integers(2))
    ways = ((0, width + gap), (height + gap, 0), (height + gap, width + gap))
    for y, x in rng.permutation(ways).tolist():
        whole = _placed([(one, 0, 0), (other, y, x)], 1)
        if max(whole.picture.shape) <= room:
            return whole
    return one


def _placed(parts: list[tuple[Part, int, int]], least: int) -> Part:
    """Parts, each with its first row and column, on a blank ground of at least `least` cells a side."""
    height, width = (
        max(least, *(place[axis + 1] + place[0].picture.shape[axis] for place in parts)) for axis in (0, 1)
    )
    picture = np.zeros((height, width), np.uint8)
    start = np.zeros((height, width, parts[0][0].start.shape[2]), np.bool_)
    start[:, :, 0] = True
    for part, y, x in parts:
        here = slice(y, y + part.picture.shape[0]), slice(x, x + part.picture.shape[1])
        picture[here], start[here] = part
    return Part(picture, start)


MAKERS: dict[str, Maker] = {"random": _random, "smooth": _smooth, "composed": _composed}


# Clues of which no picture is known.


def mutated_clues(
    rng: np.random.Generator, picture: np.ndarray, colors: int
) -> tuple[tuple[Clue, ...], tuple[Clue, ...]]:
    """Return the clues (rows, columns) of a picture after one to three changes, most of which keep the totals."""
    rows, columns = ([list(clue) for clue in side] for side in clues_of(picture))
    for _ in range(rng.integers(1, 4)):
        change = _pick(rng, (_move_block, _exchange_clues, _exchange_blocks, _lengthen_one, _recolor))
        change(rng, _pick(rng, (rows, columns)), colors)
    if rng.random() < 0.3:
        columns = [list(clue) for clue in clues_of(_stirred(rng, picture))[1]]
    return tuple(map(tuple, rows)), tuple(map(tuple, columns))


def _stirred(rng: np.random.Generator, picture: np.ndarray) -> np.ndarray:
    """Another picture with as many cells of each colour: some or all cells have changed places."""
    cells = picture.ravel().copy()
    which = rng.permutation(cells.size)[: int(rng.integers(2, 6)) if rng.random() < 0.7 else cells.size]
    cells[which] = np.roll(cells[which], 1)
    return cells.reshape(picture.shape)


def _some_block(rng: np.random.Generator, lines: Lines) -> tuple[int, int] | None:
    """Return a line and one of its blocks; None if there are no blocks."""
    places = [(i, j) for i, clue in enumerate(lines) for j in range(len(clue))]
    return _pick(rng, places) if places else None


def _move_block(rng: np.random.Generator, lines: Lines, _: int) -> None:
    """To anywhere in any line of the same side."""
    if place := _some_block(rng, lines):
        block = lines[place[0]].pop(place[1])
        clue = _pick(rng, lines)
        clue.insert(int(rng.integers(len(clue) + 1)), block)


def _exchange_clues(rng: np.random.Generator, lines: Lines, _: int) -> None:
    i, j = rng.integers(len(lines), size=2)
    lines[i], lines[j] = lines[j], lines[i]


def _exchange_blocks(rng: np.random.Generator, lines: Lines, _: int) -> None:
    one, other = _some_block(rng, lines), _some_block(rng, lines)
    if one and other:
        (a, b), (c, d) = one, other
        lines[a][b], lines[c][d] = lines[c][d], lines[a][b]


def _lengthen_one(rng: np.random.Generator, lines: Lines, _: int) -> None:
    """A block is a cell longer, and another one a cell shorter, which may be the end of it."""
    one, other = _some_block(rng, lines), _some_block(rng, lines)
    if one and other:
        (a, b), (c, d) = one, other
        lines[a][b] = lines[a][b]._replace(length=lines[a][b].length + 1)
        lines[c][d] = lines[c][d]._replace(length=lines[c][d].length - 1)
        if lines[c][d].length == 0:
            del lines[c][d]


def _recolor(rng: np.random.Generator, lines: Lines, colors: int) -> None:
    if place := _some_block(rng, lines):
        i, j = place
        lines[i][j] = lines[i][j]._replace(color=int(rng.integers(1, colors + 1)))

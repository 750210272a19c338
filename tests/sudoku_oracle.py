"""A slow Sudoku solver on plain sets, to compare kernels with; and generated puzzles."""

import random
from collections.abc import Iterator
from itertools import count, permutations, product

import numpy as np
from hypothesis import reject

Cell = tuple[int, int]
Board = dict[Cell, frozenset[int]]


def units(wide: int, high: int) -> list[list[Cell]]:
    """Return rows, columns and boxes, each a list of cells."""
    size = wide * high
    rows = [[(y, x) for x in range(size)] for y in range(size)]
    columns = [[(y, x) for y in range(size)] for x in range(size)]
    boxes = [
        [(y + j, x + i) for j in range(high) for i in range(wide)]
        for y in range(0, size, high)
        for x in range(0, size, wide)
    ]
    return rows + columns + boxes


def board_of(givens: np.ndarray) -> Board:
    """Return what each cell may have before any thought."""
    size = len(givens)
    return {
        (y, x): frozenset([int(givens[y, x])] if givens[y, x] else range(1, size + 1))
        for y in range(size)
        for x in range(size)
    }


MOST = 100_000
"""Nodes of a search beyond which a test passes over an example."""


def solutions(givens: np.ndarray, wide: int, high: int) -> Iterator[np.ndarray]:
    """Yield all solutions of givens that no unit has twice: each time the open cell with the fewest digits left is
    filled.
    """
    nodes = count()
    size = wide * high
    grid = [int(given) for given in givens.ravel()]
    rows, columns, boxes = ([set(range(1, size + 1)) for _ in range(size)] for _ in range(3))
    of = [(rows[y], columns[x], boxes[y // high * high + x // wide]) for y in range(size) for x in range(size)]
    for given, left in zip(grid, of, strict=True):
        for unit in left if given else ():
            if given not in unit:
                return
            unit.remove(given)

    def filled() -> Iterator[np.ndarray]:
        if next(nodes) >= MOST:
            reject()
        best: set[int] | None = None
        for k in range(size * size):
            if not grid[k] and (best is None or len(best) > 1):
                digits = of[k][0] & of[k][1] & of[k][2]
                if best is None or len(digits) < len(best):
                    best, cell = digits, k
        if best is None:
            yield np.array(grid, np.uint8).reshape(size, size)
            return
        for digit in sorted(best):
            grid[cell] = digit
            for unit in of[cell]:
                unit.remove(digit)
            yield from filled()
            grid[cell] = 0
            for unit in of[cell]:
                unit.add(digit)

    yield from filled()


def is_solution(grid: np.ndarray, wide: int, high: int) -> bool:
    """Return whether every unit has every digit."""
    digits = set(range(1, wide * high + 1))
    return all({int(grid[cell]) for cell in unit} == digits for unit in units(wide, high))


class Refuted(Exception):
    """A cell without a digit, or a digit without a place."""


def looked(board: Board, all_units: list[list[Cell]]) -> Board:
    """Return all units looked at for naked and hidden singles at the same time."""
    found = dict(board)
    for unit in all_units:
        for digit in set().union(*(board[cell] for cell in unit)):
            places = [cell for cell in unit if digit in board[cell]]
            alone = [cell for cell in places if board[cell] == {digit}]
            if len(alone) > 1:
                raise Refuted
            if len(places) == 1:
                found[places[0]] &= {digit}
            if alone:
                for cell in places:
                    if cell != alone[0]:
                        found[cell] -= {digit}
        if len(set().union(*(board[cell] for cell in unit))) < len(unit):
            raise Refuted
    if not all(found.values()):
        raise Refuted
    return found


def singles(board: Board, all_units: list[list[Cell]]) -> Board:
    """Singles to their fixpoint."""
    while True:
        further = looked(board, all_units)
        if further == board:
            return board
        board = further


def refuted(board: Board, all_units: list[list[Cell]], deep: bool) -> Board:
    """Return every assumption that fails taken back, to the fixpoint; followed for three rounds, or to the end."""
    again = True
    while again:
        again = False
        for cell in board:
            for digit in sorted(board[cell]):
                if len(board[cell]) < 2 or digit not in board[cell]:
                    continue
                try:
                    trial = board | {cell: frozenset([digit])}
                    if deep:
                        singles(trial, all_units)
                    else:
                        for _ in range(3):
                            trial = looked(trial, all_units)
                except Refuted:
                    board = singles(board | {cell: board[cell] - {digit}}, all_units)
                    again = True
    return board


def technique(givens: np.ndarray, wide: int, high: int) -> str:
    """Return the weakest rung that solves a Sudoku or shows that it has no solution."""
    all_units = units(wide, high)
    board = board_of(givens)
    rungs = (
        ("line", lambda board: singles(board, all_units)),
        ("depth-2", lambda board: refuted(board, all_units, False)),
        ("probe", lambda board: refuted(board, all_units, True)),
    )
    for name, climb in rungs:
        try:
            board = climb(board)
        except Refuted:
            return name
        if all(len(digits) == 1 for digits in board.values()):
            return name
    return "search"


def full_grid(wide: int, high: int, rng: random.Random) -> np.ndarray:
    """Return a solved grid: a cyclic one with rows, columns and digits exchanged."""
    size = wide * high
    grid = [[(y % high * wide + y // high + x) % size + 1 for x in range(size)] for y in range(size)]
    return exchanged(np.array(grid, np.uint8), wide, high, rng)


def exchanged(givens: np.ndarray, wide: int, high: int, rng: random.Random) -> np.ndarray:
    """Return the same puzzle: bands, stacks, their rows and columns, and the digits exchanged by chance."""
    size = wide * high
    rows = [band * high + row for band in rng.sample(range(wide), wide) for row in rng.sample(range(high), high)]
    columns = [stack * wide + k for stack in rng.sample(range(high), high) for k in rng.sample(range(wide), wide)]
    names = np.array([0, *rng.sample(range(1, size + 1), size)], np.uint8)
    return np.ascontiguousarray(names[givens[rows][:, columns]])


def minimal(wide: int, high: int, rng: random.Random) -> np.ndarray:
    """Return a puzzle with one solution that would have several without any of its givens."""
    givens = mixed_grid(wide, high, rng)
    for cell in rng.sample(range(givens.size), givens.size):
        kept = givens.flat[cell]
        givens.flat[cell] = 0
        found = solutions(givens.copy(), wide, high)
        if next(found, None) is not None and next(found, None) is not None:
            givens.flat[cell] = kept
    return givens


def mixed_grid(wide: int, high: int, rng: random.Random) -> np.ndarray:
    """Return a solved grid that is no cyclic one: a few cells of one, solved again."""
    grid = full_grid(wide, high, rng)
    size = wide * high
    for _ in range(3):
        for digit in rng.sample(range(1, size + 1), min(3, size)):
            grid[grid == digit] = 0
        several = [found for found, _ in zip(solutions(grid, wide, high), range(20), strict=False)]
        grid = rng.choice(several)
    return grid


def symmetries(wide: int, high: int) -> Iterator[np.ndarray]:
    """Yield all ways to exchange cells that keep units, each as where a cell's digit comes from: int[size, size]."""
    size = wide * high
    cells = np.arange(size * size).reshape(size, size)

    def orders(groups: int, lines: int) -> list[list[int]]:
        within = list(permutations(range(lines)))
        return [
            [group * lines + k for group, order in zip(outer, inner, strict=True) for k in order]
            for outer in permutations(range(groups))
            for inner in product(within, repeat=groups)
        ]

    for rows, columns in product(orders(wide, high), orders(high, wide)):
        moved = cells[rows][:, columns]
        yield moved
        if wide == high:
            yield moved.T

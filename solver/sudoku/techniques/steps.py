"""Steps of an explained Sudoku with their reasons, and a checker that shares no code with the kernels.

A find is a pattern or a refutation. Pattern: with the excluded node, N needs would have fewer than N places; singles,
subsets, fish, wings and chains are patterns. Refutation: an assumption, followed by singles until a need has no place.

Uses only the standard library and plain sets.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

Node: TypeAlias = tuple[int, int]
"""A digit from 1 in a cell: (cell, digit). Cells are numbered row by row from 0."""

Board: TypeAlias = list[set[int]]
"""The digits that each cell may have."""

CELL = -1
"""The unit of a need that is a cell."""


class Need(NamedTuple):
    """A constraint that exactly one node satisfies: a cell has one digit, a unit has each digit once.

    unit    the unit's number, rows, columns, boxes; or CELL
    which   the digit in the unit; or the cell
    """

    unit: int
    which: int


class Pattern(NamedTuple):
    """A counting argument: N needs have fewer than N places once the excluded node is assumed.

    needs   no two of which share a node
    left    at most as many needs: each node of `needs` satisfies one of these too, unless all excluded nodes see it.
            If equally many, each excluded node would satisfy one of them itself
    chain   for chains and wings, the nodes in pairs: if the first is false, the second is true, the third false ...
    """

    needs: tuple[Need, ...]
    left: tuple[Need, ...] = ()
    chain: tuple[Node, ...] = ()


class Follows(NamedTuple):
    """A single after an assumption: a node is the last candidate of a need."""

    need: Need
    node: Node


class SudokuRefutation(NamedTuple):
    """An assumption, the singles that follow, and the need left without candidates.

    right   whether the node is assumed true or false
    """

    supposed: Node
    then: tuple[Follows, ...]
    end: Need
    right: bool = True


class SudokuStep(NamedTuple):
    """A step of an explanation.

    technique   its number in solver.model.sudoku_techniques.TECHNIQUES
    ruled       the nodes it excludes
    why         its reason
    placed      the digit it places, if any; the exclusions follow from it
    """

    technique: int
    ruled: tuple[Node, ...]
    why: Pattern | SudokuRefutation
    placed: Node | None = None


class InvalidSudokuStep(Exception):
    """A step fails its check: a bug."""


class ExclusionRules(NamedTuple):
    """Units and peers of grids of one kind.

    units   the cells of each unit: rows, columns, boxes
    of      the units of each cell
    peers   the other cells of each cell's units
    """

    units: list[list[int]]
    of: list[list[int]]
    peers: list[set[int]]

    @property
    def size(self) -> int:
        """Number of digits."""
        return len(self.units) // 3


def rules_of(wide: int, high: int) -> ExclusionRules:
    """Return the rules of grids with boxes of wide x high cells."""
    size = wide * high
    rows = [[y * size + x for x in range(size)] for y in range(size)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    boxes = [
        [cell for row in rows[y : y + high] for cell in row[x : x + wide]]
        for y in range(0, size, high)
        for x in range(0, size, wide)
    ]
    units = rows + columns + boxes
    of: list[list[int]] = [[] for _ in range(size * size)]
    for number, unit in enumerate(units):
        for cell in unit:
            of[cell].append(number)
    peers = [set().union(*(units[unit] for unit in numbers)) - {cell} for cell, numbers in enumerate(of)]
    return ExclusionRules(units, of, peers)


def board_of(rules: ExclusionRules, givens: Sequence[int]) -> Board:
    """Return the candidates of each cell for the givens alone."""
    every = range(1, rules.size + 1)
    return [
        ({given} if given else set(every)) - {givens[peer] for peer in peers}
        for given, peers in zip(givens, rules.peers, strict=True)
    ]


def candidates(rules: ExclusionRules, board: Board, need: Need) -> set[Node]:
    """Return the nodes that can satisfy a need."""
    if need.unit == CELL:
        return {(need.which, digit) for digit in board[need.which]}
    return {(cell, need.which) for cell in rules.units[need.unit] if need.which in board[cell]}


def sees(rules: ExclusionRules, one: Node, other: Node) -> bool:
    """Return whether two different nodes exclude each other."""
    return (one[0] == other[0]) != (one[1] == other[1]) and (one[0] == other[0] or other[0] in rules.peers[one[0]])


def rules_out(rules: ExclusionRules, board: Board, pattern: Pattern, node: Node) -> bool:
    """Return whether a pattern excludes a node: with it there would be fewer places than needs."""
    left = [could for need in pattern.left if node not in (could := candidates(rules, board, need))]
    still = [
        {other for other in candidates(rules, board, need) if not sees(rules, node, other)} for need in pattern.needs
    ]
    all_ = set().union(*still)
    return len(left) < len(still) and len(all_) == sum(map(len, still)) and all_ <= set().union(*left)


def closes(rules: ExclusionRules, board: Board, refuted: SudokuRefutation) -> bool:
    """Return whether a refutation is valid."""
    right = [refuted.supposed] if refuted.right else []
    wrong = set() if refuted.right else {refuted.supposed}

    def possible(need: Need) -> set[Node]:
        could = candidates(rules, board, need) - wrong
        return {node for node in could if not any(sees(rules, node, other) for other in right)}

    for need, node in refuted.then:
        if possible(need) != {node}:
            return False
        right.append(node)
    return not possible(refuted.end)


def holds(rules: ExclusionRules, board: Board, step: SudokuStep) -> bool:
    """Return whether a step's reason justifies all its exclusions."""
    why = step.why
    if isinstance(why, Pattern):
        return all(rules_out(rules, board, why, node) for node in step.ruled)
    if why.right:
        return step.ruled == (why.supposed,) and closes(rules, board, why)
    return all(sees(rules, why.supposed, node) for node in step.ruled) and closes(rules, board, why)


def check(rules: ExclusionRules, givens: Sequence[int], steps: Iterable[SudokuStep], end: Need | None) -> Board:
    """Check the steps in order; return the final board. Raises InvalidSudokuStep.

    end   a need without candidates after the last step: no solution
    """
    board = board_of(rules, givens)
    for number, step in enumerate(steps, 1):
        if not all(digit in board[cell] for cell, digit in step.ruled):
            raise InvalidSudokuStep(f"step {number} rules out what is ruled out already")
        if not holds(rules, board, step):
            raise InvalidSudokuStep(f"step {number} does not hold")
        for cell, digit in step.ruled:
            board[cell].discard(digit)
        if step.placed is not None and not board[step.placed[0]] <= {step.placed[1]}:
            raise InvalidSudokuStep(f"step {number} leaves other digits than the one that it writes down")
    if end is not None and candidates(rules, board, end):
        raise InvalidSudokuStep("the contradiction is none")
    return board

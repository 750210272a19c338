"""The steps of an explained Sudoku, each with why it holds, and a check of them that shares nothing with the kernels.

A technique's find is of one of two kinds. A pattern: N things that need a digit have, without what is
ruled out, fewer places left. Singles, subsets, fish, wings and chains are patterns. Or an assumption, followed by
singles until something that needs a digit has no place left.

Only the standard library is used here, and plain sets.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

Node: TypeAlias = tuple[int, int]
"""A digit, from 1 on, in a cell: (cell, digit). Cells are numbered row by row from 0."""

Board: TypeAlias = list[set[int]]
"""The digits that each cell may have."""

CELL = -1
"""The unit of a need that is a cell."""


class Need(NamedTuple):
    """What exactly one digit in a cell fulfils: a cell has one digit, a unit has each digit once.

    unit    the unit's number, rows, columns, boxes; or CELL
    which   the digit in the unit; or the cell
    """

    unit: int
    which: int


class Pattern(NamedTuple):
    """N needs have fewer than N places once something is assumed.

    needs   of which no two can be fulfilled by the same
    left    needs, fewer or as many: whatever fulfils one of `needs` fulfils one of these too, but for what is seen by
            everything that is ruled out. If there are as many, what is ruled out would fulfil one of them itself
    chain   of chains and wings the nodes in pairs: if the first is wrong the second is right, so the third is wrong ...
    """

    needs: tuple[Need, ...]
    left: tuple[Need, ...] = ()
    chain: tuple[Node, ...] = ()


class Follows(NamedTuple):
    """A single, after an assumption: nothing but this node is left for a need."""

    need: Need
    node: Node


class SudokuRefutation(NamedTuple):
    """An assumption, the singles that follow from it, and the need that nothing is left for then.

    right   whether the node is supposed to be right, or to be wrong
    """

    supposed: Node
    then: tuple[Follows, ...]
    end: Need
    right: bool = True


class SudokuStep(NamedTuple):
    """A step of an explanation.

    technique   its number in solver.model.sudoku_techniques.TECHNIQUES
    ruled       what it rules out
    why         why that is so
    placed      the digit that it writes down, if it does; what is ruled out follows from it
    """

    technique: int
    ruled: tuple[Node, ...]
    why: Pattern | SudokuRefutation
    placed: Node | None = None


class InvalidSudokuStep(Exception):
    """A step that does not hold: an error of this program."""


class ExclusionRules(NamedTuple):
    """What sees what in grids of one kind.

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
    """Return what each cell may have for the givens alone."""
    every = range(1, rules.size + 1)
    return [
        ({given} if given else set(every)) - {givens[peer] for peer in peers}
        for given, peers in zip(givens, rules.peers, strict=True)
    ]


def candidates(rules: ExclusionRules, board: Board, need: Need) -> set[Node]:
    """Return what may fulfil a need."""
    if need.unit == CELL:
        return {(need.which, digit) for digit in board[need.which]}
    return {(cell, need.which) for cell in rules.units[need.unit] if need.which in board[cell]}


def sees(rules: ExclusionRules, one: Node, other: Node) -> bool:
    """Return whether two different nodes can't both be right."""
    return (one[0] == other[0]) != (one[1] == other[1]) and (one[0] == other[0] or other[0] in rules.peers[one[0]])


def rules_out(rules: ExclusionRules, board: Board, pattern: Pattern, node: Node) -> bool:
    """Return whether a pattern shows that a node is wrong: with it there would be fewer places than needs."""
    left = [could for need in pattern.left if node not in (could := candidates(rules, board, need))]
    still = [
        {other for other in candidates(rules, board, need) if not sees(rules, node, other)} for need in pattern.needs
    ]
    all_ = set().union(*still)
    return len(left) < len(still) and len(all_) == sum(map(len, still)) and all_ <= set().union(*left)


def closes(rules: ExclusionRules, board: Board, refuted: SudokuRefutation) -> bool:
    """Return whether an assumption leads to its contradiction."""
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
    """Return whether a step's reason shows that all it rules out is wrong."""
    why = step.why
    if isinstance(why, Pattern):
        return all(rules_out(rules, board, why, node) for node in step.ruled)
    if why.right:
        return step.ruled == (why.supposed,) and closes(rules, board, why)
    return all(sees(rules, why.supposed, node) for node in step.ruled) and closes(rules, board, why)


def check(rules: ExclusionRules, givens: Sequence[int], steps: Iterable[SudokuStep], end: Need | None) -> Board:
    """Check each step on what those before it have left; returns what is left of the grid. Raises Wrong.

    end   what nothing may be left for after the last step: so there is no solution
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

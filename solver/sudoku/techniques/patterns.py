"""Reasons of finds, reconstructed from what the kernels record in `SudokuDesk.chosen`."""

from collections.abc import Iterator

from nonocensus.solver.model import sudoku_techniques
from nonocensus.solver.sudoku.techniques.steps import (
    CELL,
    Board,
    ExclusionRules,
    Follows,
    InvalidSudokuStep,
    Need,
    Node,
    Pattern,
    SudokuRefutation,
    candidates,
    sees,
)
from nonocensus.solver.sudoku.techniques.subsets import DIGIT, UNIT
from nonocensus.solver.sudoku.techniques.sudoku_person import FISH, HIDDEN, KIND, NAKED, NUMBER


def reason_of(
    rules: ExclusionRules, board: Board, technique: int, noted: list[int], written: list[Node]
) -> Pattern | SudokuRefutation:
    """Return the reason of a find by a technique below forcing chains.

    board     the board before the find
    noted     the technique's record in `chosen`
    written   the node that was placed, if any
    """
    if technique in (sudoku_techniques.LAST_CELL, sudoku_techniques.HIDDEN_SINGLE):
        ((_, digit),) = written
        return Pattern((Need(noted[0], digit),))
    if technique == sudoku_techniques.NAKED_SINGLE:
        ((cell, _),) = written
        return Pattern((Need(CELL, cell),))
    if technique == sudoku_techniques.LOCKED:
        unit, other, k = noted[:3]
        return Pattern((Need(unit, k + 1),), (Need(other, k + 1),))
    if technique in (sudoku_techniques.XY_WING, sudoku_techniques.XYZ_WING):
        return _wing(rules, board, *noted[:3])
    if technique == sudoku_techniques.W_WING:
        return _w_wing(rules, board, *noted[:3])
    if technique in (sudoku_techniques.X_CHAIN, sudoku_techniques.CHAIN):
        cell, k, end, e = noted[:4]
        path = _path(rules, board, (cell, k + 1), (end, e + 1), technique == sudoku_techniques.X_CHAIN)
        return _of_chain(rules, board, path) if path[0] != path[-1] else _of_circle(rules, board, path)
    return _cover(rules, board, KIND[technique], noted[: NUMBER[technique]], noted[UNIT], noted[DIGIT] + 1)


def _cover(rules: ExclusionRules, board: Board, kind: int, chosen: list[int], unit: int, digit: int) -> Pattern:
    """Return the pattern of a subset or fish from the chosen cells, digits or lines."""
    if kind == FISH:
        size = rules.size
        across = size - unit  # index of the first line crossing the fish
        lines = tuple(Need(unit + k, digit) for k in chosen)
        where = {cell for line in lines for cell, _ in candidates(rules, board, line)}
        crossed = sorted({rules.of[cell][1 if across else 0] for cell in where})
        return Pattern(lines, tuple(Need(line, digit) for line in crossed))
    if kind == NAKED:
        cells = [rules.units[unit][k] for k in chosen]
        digits = sorted(set().union(*(board[cell] for cell in cells)))
        return Pattern(tuple(Need(CELL, cell) for cell in cells), tuple(Need(unit, digit) for digit in digits))
    assert kind == HIDDEN
    hidden = tuple(Need(unit, k + 1) for k in chosen)
    places = sorted({cell for need in hidden for cell, _ in candidates(rules, board, need)})
    return Pattern(hidden, tuple(Need(CELL, cell) for cell in places))


def _wing(rules: ExclusionRules, board: Board, pivot: int, one: int, other: int) -> Pattern:
    """Return the pattern of an XY-wing (a chain of three cells) or XYZ-wing."""
    (z,) = board[one] & board[other]
    (x,), (y,) = board[one] - {z}, board[other] - {z}
    if z not in board[pivot]:
        return _of_chain(rules, board, [(one, z), (one, x), (pivot, x), (pivot, y), (other, y), (other, z)])
    left = Need(_shared(rules, one, pivot), x), Need(_shared(rules, other, pivot), y)
    return Pattern(tuple(Need(CELL, cell) for cell in (pivot, one, other)), left)


def _w_wing(rules: ExclusionRules, board: Board, one: int, other: int, bit: int) -> Pattern:
    """Return the pattern of a W-wing: a chain of two equal cells and the two places of a digit between them."""
    a = bit.bit_length()
    (b,) = board[one] - {a}
    for unit in range(len(rules.units)):
        ends = [node for node in candidates(rules, board, Need(unit, a)) if node[0] not in (one, other)]
        if len(ends) != 2 or len(candidates(rules, board, Need(unit, a))) != 2:
            continue
        for s, t in (ends, ends[::-1]):
            if sees(rules, s, (one, a)) and sees(rules, t, (other, a)):
                return _of_chain(rules, board, [(one, b), (one, a), s, t, (other, a), (other, b)])
    raise InvalidSudokuStep("the w-wing that the kernels find has no link")


def _path(rules: ExclusionRules, board: Board, start: Node, end: Node, one_digit: bool) -> list[Node]:
    """Return the shortest chain from a false node to the node that is then true."""
    before: dict[Node, tuple[Node, Node]] = {}  # a true node, the false one before it, and that one's predecessor
    waiting: list[tuple[Node, Node]] = [(start, start)]
    wrong = {start}
    for node, former in waiting:  # grows while iterating
        for right in _strong(rules, board, node, one_digit):
            if right in before:
                continue
            before[right] = node, former
            if right == end:
                return _back(before, start, end)
            for other in _excluded(rules, board, right, one_digit):
                if other not in wrong:
                    wrong.add(other)
                    waiting.append((other, right))
    raise InvalidSudokuStep("there is no chain between the ends that the kernels find")


def _back(before: dict[Node, tuple[Node, Node]], start: Node, end: Node) -> list[Node]:
    """Return the nodes of a path from its start."""
    path, right = [], end
    while True:
        wrong, former = before[right]
        path += [right, wrong]
        if wrong == start:
            return path[::-1]
        right = former


def _strong(rules: ExclusionRules, board: Board, node: Node, one_digit: bool) -> Iterator[Node]:
    """Yield the nodes that are true if a node is false: strong links."""
    cell, digit = node
    needs = [Need(unit, digit) for unit in rules.of[cell]] + ([] if one_digit else [Need(CELL, cell)])
    for need in needs:
        could = candidates(rules, board, need)
        if len(could) == 2:
            yield from could - {node}


def _excluded(rules: ExclusionRules, board: Board, node: Node, one_digit: bool) -> Iterator[Node]:
    """Yield the nodes that are false if a node is true: weak links."""
    cell, digit = node
    yield from ((peer, digit) for peer in sorted(rules.peers[cell]) if digit in board[peer])
    if not one_digit:
        yield from ((cell, other) for other in sorted(board[cell] - {digit}))


def _of_chain(rules: ExclusionRules, board: Board, path: list[Node]) -> Pattern:
    """Return the pattern of a chain: each pair is a strong link, adjacent pairs are joined by weak links."""
    needs = tuple(_only(rules, board, one, other) for one, other in zip(path[::2], path[1::2], strict=True))
    left = tuple(_joint(rules, one, other)[0] for one, other in zip(path[1:-1:2], path[2::2], strict=True))
    return Pattern(needs, left, tuple(path))


def _of_circle(rules: ExclusionRules, board: Board, path: list[Node]) -> SudokuRefutation:
    """Return the reason of a chain that returns to its start: if the start is false, it is true."""
    then: list[Follows] = []
    for one, other in zip(path[::2], path[1::2], strict=True):
        need = _only(rules, board, one, other)
        if other == path[0] or any(sees(rules, other, follows.node) for follows in then):
            break  # contradicts the assumption or an earlier step
        then.append(Follows(need, other))
    return SudokuRefutation(path[0], tuple(then), need, right=False)


def _only(rules: ExclusionRules, board: Board, one: Node, other: Node) -> Need:
    """Return a need that only two nodes can satisfy."""
    return next(need for need in _joint(rules, one, other) if candidates(rules, board, need) == {one, other})


def _joint(rules: ExclusionRules, one: Node, other: Node) -> list[Need]:
    """Return the needs that two different nodes would both satisfy."""
    if one[0] == other[0]:
        return [Need(CELL, one[0])]
    return [Need(unit, one[1]) for unit in rules.of[one[0]] if unit in rules.of[other[0]]]


def _shared(rules: ExclusionRules, one: int, other: int) -> int:
    """Return a unit that two cells share."""
    return next(unit for unit in rules.of[one] if unit in rules.of[other])

"""Refutation of an assumption by singles, reduced to the steps that the contradiction needs."""

from nonocensus.solver.sudoku.techniques.steps import (
    CELL,
    Board,
    ExclusionRules,
    Follows,
    Need,
    Node,
    SudokuRefutation,
    candidates,
)


def refuted(rules: ExclusionRules, board: Board, supposed: Node) -> SudokuRefutation | None:
    """Return how an assumption leads to a contradiction, None if singles find none.

    board   at the fixpoint of singles
    """
    now = [set(digits) for digits in board]
    right = [Follows(Need(CELL, supposed[0]), supposed)]
    seen_by: dict[Node, int] = {}  # excluded nodes, and the index in `right` that excludes each
    known = {supposed}
    for number, (_, node) in enumerate(right):  # grows while iterating: breadth-first
        struck = [other for other in _seen(rules, node) if other[1] in now[other[0]]]
        for cell, digit in struck:
            now[cell].discard(digit)
            seen_by[cell, digit] = number
        for need in dict.fromkeys(need for other in struck for need in _needs(rules, other)):
            could = candidates(rules, now, need)
            if not could:
                return _cut(rules, board, right, seen_by, need)
            if len(could) == 1 and not could <= known:
                known |= could
                right.append(Follows(need, *could))
    return None


def _seen(rules: ExclusionRules, node: Node) -> list[Node]:
    """Return the nodes that conflict with a node."""
    cell, digit = node
    others = [(cell, other) for other in range(1, rules.size + 1) if other != digit]
    return others + [(peer, digit) for peer in sorted(rules.peers[cell])]


def _needs(rules: ExclusionRules, node: Node) -> list[Need]:
    """Return the needs that a node would fulfil."""
    cell, digit = node
    return [Need(CELL, cell), *(Need(unit, digit) for unit in rules.of[cell])]


def _cut(
    rules: ExclusionRules, board: Board, right: list[Follows], seen_by: dict[Node, int], end: Need
) -> SudokuRefutation:
    """Drop the steps that the contradiction does not need."""
    used: set[int] = set()
    waiting = [seen_by[node] for node in candidates(rules, board, end)]
    while waiting:
        number = waiting.pop()
        if number and number not in used:
            used.add(number)
            need, node = right[number]
            waiting += [seen_by[other] for other in candidates(rules, board, need) if other != node]
    return SudokuRefutation(right[0].node, tuple(right[number] for number in sorted(used)), end)

"""Techniques for Sudokus by sets: what each rules out on a board, slowly and plainly."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations

import sudoku_oracle as oracle

from nonocensus.solver.model import sudoku_techniques

Node = tuple[oracle.Cell, int]
Struck = set[Node]


@cache
def neighbours(wide: int, high: int) -> tuple[list[list[oracle.Cell]], dict[oracle.Cell, set[oracle.Cell]]]:
    """Return the units, and of each cell the others in its units."""
    units = oracle.units(wide, high)
    cells = [cell for row in units[: wide * high] for cell in row]
    return units, {cell: {c for unit in units if cell in unit for c in unit} - {cell} for cell in cells}


class Twin:
    """What a technique rules out on a board, by looking at everything."""

    def __init__(self, board: oracle.Board, wide: int, high: int) -> None:
        self.board, self.size = board, wide * high
        self.units, self.peers = neighbours(wide, high)

    def places(self, unit: list[oracle.Cell], digit: int) -> list[oracle.Cell]:
        return [cell for cell in unit if digit in self.board[cell]]

    def present(self, struck: Struck) -> Struck:
        return {(cell, digit) for cell, digit in struck if digit in self.board[cell]}

    def locked(self) -> Struck:
        struck: Struck = set()
        units = [set(unit) for unit in self.units]
        for unit in units:
            for digit in range(1, self.size + 1):
                here = {cell for cell in unit if digit in self.board[cell]}
                for other in units:
                    if other != unit and here and here <= other:
                        struck |= {(cell, digit) for cell in other - unit}
        return self.present(struck)

    def naked(self, number: int) -> Struck:
        struck: Struck = set()
        for unit in self.units:
            open_cells = [cell for cell in unit if len(self.board[cell]) > 1]
            for cells in combinations(open_cells, number):
                digits = set().union(*(self.board[cell] for cell in cells))
                if len(digits) <= number:
                    struck |= {(cell, digit) for cell in set(open_cells) - set(cells) for digit in digits}
        return self.present(struck)

    def hidden(self, number: int) -> Struck:
        struck: Struck = set()
        for unit in self.units:
            several = [digit for digit in range(1, self.size + 1) if len(self.places(unit, digit)) > 1]
            for digits in combinations(several, number):
                cells = {cell for digit in digits for cell in self.places(unit, digit)}
                if len(cells) <= number:
                    struck |= {(cell, digit) for cell in cells for digit in self.board[cell] - set(digits)}
        return struck

    def fish(self, number: int) -> Struck:
        struck: Struck = set()
        for digit in range(1, self.size + 1):
            for axis in range(2):
                lines = self.units[axis * self.size : (axis + 1) * self.size]
                several = [line for line in lines if len(self.places(line, digit)) > 1]
                for chosen in combinations(several, number):
                    crossed = {cell[1 - axis] for line in chosen for cell in self.places(line, digit)}
                    if len(crossed) <= number:
                        others = {cell for line in lines if line not in chosen for cell in line}
                        struck |= {(cell, digit) for cell in others if cell[1 - axis] in crossed}
        return self.present(struck)

    def seen_by(self, digit: int, *cells: oracle.Cell) -> Struck:
        return {(cell, digit) for cell in set.intersection(*(self.peers[cell] for cell in cells))}

    def wing(self, pivot_digits: int) -> Struck:
        struck: Struck = set()
        for pivot, digits in self.board.items():
            pairs = [cell for cell in self.peers[pivot] if len(self.board[cell]) == 2]
            for one, other in combinations(pairs, 2):
                common = self.board[one] & self.board[other]
                three = digits | self.board[one] | self.board[other]
                if len(digits) != pivot_digits or len(three) != 3 or len(common) != 1:
                    continue
                (z,) = common
                if pivot_digits == 2 and z not in digits:
                    struck |= self.seen_by(z, one, other)
                if pivot_digits == 3:
                    struck |= self.seen_by(z, one, other, pivot)
        return self.present(struck)

    def w_wing(self) -> Struck:
        struck: Struck = set()
        for one, other in combinations(self.board, 2):
            if self.board[one] != self.board[other] or len(self.board[one]) != 2 or other in self.peers[one]:
                continue
            for a in self.board[one]:
                (b,) = self.board[one] - {a}
                for unit in self.units:
                    ends = self.places(unit, a)
                    if len(ends) != 2 or {one, other} & set(ends):
                        continue
                    if any(s in self.peers[one] and t in self.peers[other] for s, t in (ends, ends[::-1])):
                        struck |= self.seen_by(b, one, other)
        return self.present(struck)

    def strong(self, node: Node, one_digit: bool) -> Iterator[Node]:
        """What is right if a node is wrong."""
        cell, digit = node
        for unit in self.units:
            here = self.places(unit, digit)
            if cell in here and len(here) == 2:
                yield next(other for other in here if other != cell), digit
        if not one_digit and len(self.board[cell]) == 2:
            yield cell, next(other for other in self.board[cell] if other != digit)

    def excludes(self, node: Node, one_digit: bool) -> Struck:
        """What is wrong if a node is right."""
        cell, digit = node
        inside = set() if one_digit else {(cell, other) for other in self.board[cell] - {digit}}
        return inside | self.present({(peer, digit) for peer in self.peers[cell]})

    def chain(self, one_digit: bool) -> Struck:
        struck: Struck = set()
        strong = cache(lambda node: list(self.strong(node, one_digit)))
        excludes = cache(self.excludes)
        for start in [(cell, digit) for cell in self.board for digit in self.board[cell] if len(self.board[cell]) > 1]:
            right: Struck = set()
            wrong, todo = {start}, [start]
            while todo:
                for node in strong(todo.pop()):
                    if node not in right:
                        right.add(node)
                        new = excludes(node, one_digit) - wrong
                        wrong |= new
                        todo += new
            for end in right:
                both = excludes(start, False) if end == start else set()
                if end != start:
                    both = excludes(start, False) & excludes(end, False)
                struck |= both
        return struck


Rule = Callable[[Twin], Struck]

TWINS: dict[int, Rule] = {
    sudoku_techniques.LOCKED: lambda twin: twin.locked(),
    sudoku_techniques.NAKED_PAIR: lambda twin: twin.naked(2),
    sudoku_techniques.HIDDEN_PAIR: lambda twin: twin.hidden(2),
    sudoku_techniques.NAKED_TRIPLE: lambda twin: twin.naked(3),
    sudoku_techniques.X_WING: lambda twin: twin.fish(2),
    sudoku_techniques.HIDDEN_TRIPLE: lambda twin: twin.hidden(3),
    sudoku_techniques.NAKED_QUAD: lambda twin: twin.naked(4),
    sudoku_techniques.SWORDFISH: lambda twin: twin.fish(3),
    sudoku_techniques.HIDDEN_QUAD: lambda twin: twin.hidden(4),
    sudoku_techniques.XY_WING: lambda twin: twin.wing(2),
    sudoku_techniques.XYZ_WING: lambda twin: twin.wing(3),
    sudoku_techniques.W_WING: lambda twin: twin.w_wing(),
    sudoku_techniques.JELLYFISH: lambda twin: twin.fish(4),
    sudoku_techniques.X_CHAIN: lambda twin: twin.chain(True),
    sudoku_techniques.CHAIN: lambda twin: twin.chain(False),
}

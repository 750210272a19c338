"""A puzzle as a formula in conjunctive normal form, for proofs that it has no (other) solution. Trusted, so kept plain.

    python -m solver.proofs.formula FILE.jsonl[.gz] > FILE.cnf

For such proofs one direction matters: every picture that is to be excluded must satisfy the formula. So take a picture
that fits the clues. Let the variable of a cell and a colour be true if the cell has that colour, and the variables
"block j starts at cell p or before" and "block j ends at cell p or before" be what is so in the picture. Then every
clause below is true, each kind for the reason that stands above it. So if no values satisfy the formula, then there is
no such picture. The clauses of a line whose cells are all known are left out: with fewer clauses that holds as well.

The formula is about what a derivation leaves: what its steps have ruled out, which the checker has checked, is part of
it, and so is that a further solution differs from the one that the checker has found to fit.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from solver.proofs.checker import Blocks, Proved, check, lines_of

Literal = int | bool
"""The number of a variable, negative if it is negated, or a constant."""


class Formula(NamedTuple):
    """Clauses over the variables 1 to `variables`. Cells come first: row by row, a variable for each colour."""

    width: int
    height: int
    colors: int
    variables: int
    clauses: list[list[int]]


def formula(proved: Proved) -> Formula:
    """The formula that has to be shown to have no solution after a derivation."""
    return _Encoder(proved).formula()


class _Encoder:
    def __init__(self, proved: Proved) -> None:
        self.proved = proved
        self.width, self.height = len(proved.columns), len(proved.rows)
        self.colors = 1 + max((color for clue in proved.rows + proved.columns for _, color in clue), default=0)
        self.variables = self.width * self.height * self.colors
        self.clauses: list[list[int]] = []

    def cell(self, place: int, color: int) -> int:
        """The variable: the cell at this place, row by row, has this colour."""
        return place * self.colors + color + 1

    def add(self, *literals: Literal) -> None:
        """Add the clause that one of these is true."""
        if not any(literal is True for literal in literals):
            self.clauses.append([literal for literal in literals if literal is not False])

    def formula(self) -> Formula:
        """All clauses."""
        for place, left in enumerate(self.proved.left):
            # A cell has some colour.
            self.add(*(self.cell(place, color) for color in range(self.colors)))
            for color in range(self.colors):
                if not left >> color & 1:
                    # What the steps have ruled out is not so.
                    self.add(-self.cell(place, color))
                for other in range(color):
                    # A cell has not two colours.
                    self.add(-self.cell(place, color), -self.cell(place, other))
        places = range(self.width * self.height)
        for y, clue in enumerate(self.proved.rows):
            self.line(clue, places[y * self.width : (y + 1) * self.width])
        for x, clue in enumerate(self.proved.columns):
            self.line(clue, places[x :: self.width])
        for picture in self.proved.pictures:
            # A further solution has another colour in some cell.
            self.add(*(-self.cell(place, color) for place, color in enumerate(picture)))
        return Formula(self.width, self.height, self.colors, self.variables, self.clauses)

    def line(self, clue: Blocks, places: range) -> None:
        """The clauses of the line whose cells are at these places."""
        if all(self.proved.left[place].bit_count() == 1 for place in places):
            return
        cells, last = len(places), len(clue) - 1
        apart = [int(color == following) for (_, color), (_, following) in pairwise(clue)] + [0]
        room = [max(length, 1) + gap for (length, _), gap in zip(clue, apart, strict=False)]
        # A block starts after all cells that those before it take, and leaves as many as those after it take.
        earliest = [sum(room[:j]) for j in range(len(clue))]
        latest = [cells - sum(room[j:]) for j in range(len(clue))]
        start = [self.numbers(latest[j] - earliest[j]) for j in range(len(clue))]
        end = [0 if length else self.numbers(latest[j] - earliest[j]) for j, (length, _) in enumerate(clue)]

        def starts(j: int, p: int) -> Literal:
            """Block j starts at cell p or before."""
            return False if p < earliest[j] else p >= latest[j] or start[j] + p - earliest[j]

        def ends(j: int, p: int) -> Literal:
            """Block j ends at cell p or before. Where its length is known, that is a matter of where it starts."""
            if clue[j][0]:
                return starts(j, p - clue[j][0] + 1)
            return False if p < earliest[j] else p >= latest[j] or end[j] + p - earliest[j]

        for p, place in enumerate(places):
            for j, (length, color) in enumerate(clue):
                # What has started by a cell has started by the next one.
                self.add(_not(starts(j, p)), starts(j, p + 1))
                if not length:
                    # What has ended by a cell has ended by the next one, and has started.
                    self.add(_not(ends(j, p)), ends(j, p + 1))
                    self.add(_not(ends(j, p)), starts(j, p))
                # A block starts after the one before it has ended, and after a gap if they have the same colour.
                if j > 0:
                    self.add(_not(starts(j, p)), ends(j - 1, p - 1 - apart[j - 1]))
                # A cell has the colour of the block that has started by it and not ended before it.
                self.add(_not(starts(j, p)), ends(j, p - 1), self.cell(place, color))
            # A cell after one block has ended, and before the next one has started, is background.
            for j in range(-1, len(clue)):
                ended, started = j < 0 or ends(j, p - 1), j < last and starts(j + 1, p)
                self.add(_not(ended), started, self.cell(place, 0))

    def numbers(self, count: int) -> int:
        """The first of so many new variables."""
        first = self.variables + 1
        self.variables += max(count, 0)
        return first


def _not(literal: Literal) -> Literal:
    return not literal if isinstance(literal, bool) else -literal


def dimacs(made: Formula) -> Iterator[str]:
    """The lines of a formula's file."""
    yield f"c A nonogram, {made.width}x{made.height}, as solver/proofs/formula.py of nonocensus writes it down.\n"
    number = f"((y-1)*{made.width}+x-1)*{made.colors}+c+1"
    yield f"c The cell of row y and column x has colour c if variable {number} is true.\n"
    yield f"p cnf {made.variables} {len(made.clauses)}\n"
    for clause in made.clauses:
        yield " ".join(map(str, clause)) + " 0\n"


if __name__ == "__main__":
    sys.stdout.writelines(dimacs(formula(check(lines_of(Path(sys.argv[1]))))))

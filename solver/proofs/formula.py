"""Encode a puzzle in conjunctive normal form for proofs that it has no (other) solution. Trusted, so kept plain.

    python -m nonocensus.solver.proofs.formula FILE.jsonl[.gz] > FILE.cnf

Such proofs need one direction: every picture that fits the clues satisfies the formula. Given such a picture, let the
variable of a cell and a colour be true if the cell has that colour, and let "block j starts at cell p or earlier" and
"block j ends at cell p or earlier" have their values in the picture. Then every clause below is true, for the reason in
the comment above it. Hence an unsatisfiable formula implies that there is no such picture. Clauses of fully known lines
are omitted; with fewer clauses the implication still holds.

The formula covers what a derivation leaves open: it contains the colours that the checked steps exclude, and that a
further solution differs from the known one.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from nonocensus.solver.proofs.checker import Blocks, Proved, check, lines_of

Literal = int | bool
"""A variable's number, negative if negated, or a constant."""


class Formula(NamedTuple):
    """Clauses over the variables 1 to `variables`; those of cells come first, row by row, one per colour."""

    width: int
    height: int
    colors: int
    variables: int
    clauses: list[list[int]]


def formula(proved: Proved) -> Formula:
    """Return the formula that must be unsatisfiable for a derivation's claim to hold."""
    return _Encoder(proved).formula()


class _Encoder:
    def __init__(self, proved: Proved) -> None:
        self.proved = proved
        self.width, self.height = len(proved.columns), len(proved.rows)
        self.colors = 1 + max((color for clue in proved.rows + proved.columns for _, color in clue), default=0)
        self.variables = self.width * self.height * self.colors
        self.clauses: list[list[int]] = []

    def cell(self, place: int, color: int) -> int:
        """Return the variable "the cell with this index has this colour"."""
        return place * self.colors + color + 1

    def add(self, *literals: Literal) -> None:
        """Add a clause."""
        if not any(literal is True for literal in literals):
            self.clauses.append([literal for literal in literals if literal is not False])

    def formula(self) -> Formula:
        """Return the formula with all clauses."""
        for place, left in enumerate(self.proved.left):
            # A cell has a colour.
            self.add(*(self.cell(place, color) for color in range(self.colors)))
            for color in range(self.colors):
                if not left >> color & 1:
                    # Excluded by the steps.
                    self.add(-self.cell(place, color))
                for other in range(color):
                    # A cell does not have two colours.
                    self.add(-self.cell(place, color), -self.cell(place, other))
        places = range(self.width * self.height)
        for y, clue in enumerate(self.proved.rows):
            self.line(clue, places[y * self.width : (y + 1) * self.width])
        for x, clue in enumerate(self.proved.columns):
            self.line(clue, places[x :: self.width])
        for picture in self.proved.pictures:
            # A further solution differs in some cell.
            self.add(*(-self.cell(place, color) for place, color in enumerate(picture)))
        return Formula(self.width, self.height, self.colors, self.variables, self.clauses)

    def line(self, clue: Blocks, places: range) -> None:
        """Add the clauses of the line with these cells."""
        if all(self.proved.left[place].bit_count() == 1 for place in places):
            return
        cells, last = len(places), len(clue) - 1
        apart = [int(color == following) for (_, color), (_, following) in pairwise(clue)] + [0]
        room = [max(length, 1) + gap for (length, _), gap in zip(clue, apart, strict=False)]
        # A block leaves room for the blocks before it and for those after it.
        earliest = [sum(room[:j]) for j in range(len(clue))]
        latest = [cells - sum(room[j:]) for j in range(len(clue))]
        start = [self.numbers(latest[j] - earliest[j]) for j in range(len(clue))]
        end = [0 if length else self.numbers(latest[j] - earliest[j]) for j, (length, _) in enumerate(clue)]

        def starts(j: int, p: int) -> Literal:
            """Return the literal "block j starts at cell p or earlier"."""
            return False if p < earliest[j] else p >= latest[j] or start[j] + p - earliest[j]

        def ends(j: int, p: int) -> Literal:
            """Return the literal "block j ends at cell p or earlier"; a known length makes it one of its start."""
            if clue[j][0]:
                return starts(j, p - clue[j][0] + 1)
            return False if p < earliest[j] else p >= latest[j] or end[j] + p - earliest[j]

        for p, place in enumerate(places):
            for j, (length, color) in enumerate(clue):
                # A block that has started by a cell has started by the next one.
                self.add(_negate(starts(j, p)), starts(j, p + 1))
                if not length:
                    # A block that has ended by a cell has ended by the next one, and has started.
                    self.add(_negate(ends(j, p)), ends(j, p + 1))
                    self.add(_negate(ends(j, p)), starts(j, p))
                # A block starts after the end of the one before it, with a gap if they have the same colour.
                if j > 0:
                    self.add(_negate(starts(j, p)), ends(j - 1, p - 1 - apart[j - 1]))
                # A cell has the colour of the block that has started by it and not ended before.
                self.add(_negate(starts(j, p)), ends(j, p - 1), self.cell(place, color))
            # A cell after the end of one block and before the start of the next is background.
            for j in range(-1, len(clue)):
                ended, started = j < 0 or ends(j, p - 1), j < last and starts(j + 1, p)
                self.add(_negate(ended), started, self.cell(place, 0))

    def numbers(self, count: int) -> int:
        """Reserve `count` new variables; returns the first."""
        first = self.variables + 1
        self.variables += max(count, 0)
        return first


def _negate(literal: Literal) -> Literal:
    return not literal if isinstance(literal, bool) else -literal


def dimacs(made: Formula) -> Iterator[str]:
    """Yield the lines of a DIMACS file."""
    yield f"c A nonogram, {made.width}x{made.height}, as solver/proofs/formula.py of nonocensus writes it down.\n"
    number = f"((y-1)*{made.width}+x-1)*{made.colors}+c+1"
    yield f"c The cell of row y and column x has colour c if variable {number} is true.\n"
    yield f"p cnf {made.variables} {len(made.clauses)}\n"
    for clause in made.clauses:
        yield " ".join(map(str, clause)) + " 0\n"


if __name__ == "__main__":
    sys.stdout.writelines(dimacs(formula(check(lines_of(Path(sys.argv[1]))))))

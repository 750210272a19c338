"""Simulated people who solve puzzles by our own techniques, act by act, and what their attempts come to.

A person takes the steps of an explanation. Each takes them their speed times what the technique costs, with chance in
it; now and then they slip, and put it right; and they give up where a technique is needed that they don't know. What is
planted is counted on the way, act by act.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from reports.study.tables import GAVE_UP, HIDDEN, LEFT, MOVES, OPEN, REDO, SET, SHOWN, SOLVED, UNDO, VISIBLE
from solver.derivation.explain import Explanation
from solver.techniques.ladder import SEARCH, TECHNIQUES

Act = dict[str, Any]
"""As the server takes it: at, kind, cells and values."""

COSTS = tuple(1.5 ** (technique.grade - 1) for technique in TECHNIQUES)
"""What a step by each technique costs: half as much more from grade to grade."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Person(NamedTuple):
    """Somebody who solves puzzles.

    speed    seconds for a step that costs 1
    knows    the number of the hardest technique that they know
    slips    chance that a step gives one of its cells a wrong content
    rests    chance that the page is hidden after a step
    leaves   chance that they close the page for good after a step
    noise    standard deviation of the logarithm of a step's time
    """

    speed: float = 1.0
    knows: int = SEARCH
    slips: float = 0.0
    rests: float = 0.0
    leaves: float = 0.0
    noise: float = 0.3


class Game(NamedTuple):
    """What somebody does at a puzzle: the acts, and the columns of ATTEMPTS that they come to."""

    acts: list[Act]
    planted: dict[str, Any]


def play(
    explanation: Explanation,
    solution: bytes,
    person: Person,
    generator: np.random.Generator,
    costs: Sequence[float] = COSTS,
) -> Game:
    """A person's attempt at a puzzle.

    explanation   how it is solved; where assumptions don't suffice, who knows `search` guesses the rest right
    solution      a palette entry a cell
    """
    at = _Attempt(solution, len(explanation.puzzle.palette))
    cells = list(explanation.start)
    slipped: list[int] = []
    for step in explanation.steps:
        if at.solved():
            break
        if step.technique > person.knows:
            at.waits(person.speed * costs[person.knows])
            return at.ends(GAVE_UP)
        at.waits(person.speed * costs[step.technique] * generator.lognormal(0, person.noise))
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)
        found = sorted({place for place, _ in step.ruled if cells[place].bit_count() == 1})
        if slipped:
            at.sets(slipped, [solution[place] for place in slipped])
            slipped = []
            at.waits(person.speed)
        if found and not at.solved():
            slipped = _filled(at, found, person, generator)
        if at.solved():
            break
        if generator.random() < person.rests:
            at.rests(person.speed * generator.lognormal(2, 1))
        if generator.random() < person.leaves:
            return at.ends(LEFT)
    if slipped:
        at.waits(person.speed)
        at.sets(slipped, [solution[place] for place in slipped])
    if not at.solved():
        at.waits(person.speed * costs[SEARCH])
        if person.knows < SEARCH:
            return at.ends(GAVE_UP)
        rest = [place for place, content in enumerate(at.grid) if content == OPEN]
        at.sets(rest, [solution[place] for place in rest])
    return at.ends(SOLVED)


def _filled(at: "_Attempt", found: list[int], person: Person, generator: np.random.Generator) -> list[int]:
    """Give cells what a step has found; returns those that were given something else, and left for later."""
    right = [at.solution[place] for place in found]
    if generator.random() >= person.slips:
        at.sets(found, right)
        return []
    k = int(generator.integers(len(found)))
    wrong = list(right)
    wrong[k] = int(generator.choice([entry for entry in range(at.colors) if entry != right[k]]))
    at.sets(found, wrong)
    at.waits(person.speed)
    manner = int(generator.integers(3))
    if manner == 0:  # seen after the next step
        return [found[k]]
    at.undoes()
    if manner == 2:  # looked at once more
        at.waits(person.speed / 2)
        at.redoes()
        at.waits(person.speed / 2)
        at.undoes()
    at.waits(person.speed)
    at.sets(found, right)
    return []


class _Attempt:
    """An attempt as it goes on: the grid, the clock, the acts, and the counts."""

    def __init__(self, solution: bytes, colors: int) -> None:
        self.solution, self.colors = solution, colors
        self.grid = [OPEN] * len(solution)
        self.acts: list[Act] = []
        self.now = 0  # milliseconds
        self.hidden = 0
        self.done: list[tuple[list[int], list[int], list[int]]] = []
        self.undone: list[tuple[list[int], list[int], list[int]]] = []
        self.counts = {"moves": 0, "undos": 0, "cells_set": 0, "errors": 0}
        self.first_error: float | None = None

    def waits(self, seconds: float) -> None:
        self.now += round(1000 * seconds)

    def sets(self, cells: list[int], contents: list[int]) -> None:
        self.done.append((cells, [self.grid[cell] for cell in cells], contents))
        self.undone.clear()
        self._given(SET, cells, contents)

    def undoes(self) -> None:
        self.undone.append(self.done.pop())
        cells, before, _ = self.undone[-1]
        self._change(UNDO, cells, before)
        self.counts["undos"] += 1

    def redoes(self) -> None:
        self.done.append(self.undone.pop())
        cells, _, after = self.done[-1]
        self._given(REDO, cells, after)

    def rests(self, seconds: float) -> None:
        self._acts(HIDDEN)
        before = self.now
        self.waits(seconds)
        self.hidden += self.now - before
        self._acts(VISIBLE)

    def solved(self) -> bool:
        return all((0 if content == OPEN else content) == entry
                   for content, entry in zip(self.grid, self.solution, strict=True))  # fmt: skip

    def ends(self, outcome: str) -> Game:
        if outcome == LEFT:  # nobody says so: it was when the last act was
            self.now = self.acts[-1]["at"] if self.acts else 0
        else:
            self._acts(outcome)
        times = {"seconds": self.now / 1000, "active_seconds": (self.now - self.hidden) / 1000}
        planted = {"outcome": outcome, **times, **self.counts, "first_error": self.first_error}
        return Game(self.acts, planted | {"open": self.grid.count(OPEN)})

    def _given(self, kind: str, cells: list[int], contents: list[int]) -> None:
        self._change(kind, cells, contents)
        errors = sum(self.solution[cell] != content for cell, content in zip(cells, contents, strict=True))
        self.counts["cells_set"] += len(cells)
        self.counts["errors"] += errors
        if errors and self.first_error is None:
            self.first_error = (self.now - self.hidden) / 1000

    def _change(self, kind: str, cells: list[int], contents: list[int]) -> None:
        for cell, content in zip(cells, contents, strict=True):
            self.grid[cell] = content
        self.counts["moves"] += 1
        self._acts(kind, cells, "".join("?" if content == OPEN else DIGITS[content] for content in contents))

    def _acts(self, kind: str, cells: Sequence[int] = (), values: str = "") -> None:
        self.acts.append({"at": self.now, "kind": kind, "cells": list(cells), "values": values})


def moves_of(acts: Iterable[Act], participant: str, number: int, puzzle: dict[str, Any]) -> pa.Table:
    """The rows of an attempt, of the schema MOVES, as the server keeps them: shown and left are its own.

    puzzle   a row of the puzzles table
    """
    about = {"participant": participant, "number": number}
    about |= {name: puzzle[name] for name in ("puzzle_id", "clue_hash")}
    every = [{"at": 0, "kind": SHOWN, "cells": [], "values": ""}, *acts]
    if every[-1]["kind"] not in (SOLVED, GAVE_UP):
        every.append({**every[-1], "kind": LEFT, "cells": [], "values": ""})
    held: dict[int, int] = {}
    rows = []
    for move, act in enumerate(every):
        row = about | {"move": move, "milliseconds": act["at"], "kind": act["kind"]}
        for cell, value in zip(act["cells"], act["values"], strict=True):
            after = OPEN if value == "?" else DIGITS.index(value)
            rows.append(row | {"cell": cell, "before": held.get(cell, OPEN), "after": after})
            held[cell] = after
        if not act["cells"]:
            rows.append(row)
    return pa.Table.from_pylist(rows, MOVES)

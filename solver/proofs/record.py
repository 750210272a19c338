"""Record derivations: replay what the kernels found in plain Python, as steps for the checker.

The kernels supply only the order of assumptions that lead to contradictions. Line logic and these assumptions are
replayed in that order with the checker's automaton and must reach the kernels' result. This file is not trusted: the
checker refuses wrong steps.
"""

import json
import math
import time
from collections.abc import Iterable, Iterator, Set
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.solver.ladder.fixpoint import example_at_fixpoint, line_fixpoint
from nonocensus.solver.ladder.lookahead import NO_LIMIT, begin, refute
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.lines.propagate import FIXPOINT, OUT_OF_TIME
from nonocensus.solver.lines.workspace import CONTRADICTIONS, COUNTERS, Workspace
from nonocensus.solver.model.views import views
from nonocensus.solver.proofs.checker import DIGITS, FORMAT, VERSION, Blocks, Clue, clue_hash

Ruled = tuple[int, int]
"""An excluded colour: a cell's index, row by row, and the colour."""


class UnprovableError(Exception):
    """The replay does not reach the verdict; one line says where it ends."""


class Verdict(NamedTuple):
    """The verdict to prove: columns of the results table."""

    clue_hash: str
    solutions: str
    technique: str | None
    solution: bytes | None
    second_solution: bytes | None


class LineStep(NamedTuple):
    """A solved line: its index (columns after rows), its cells before, and the colours that it excludes."""

    line: int
    here: list[int]
    ruled: list[Ruled]


class RecordedAssumption(NamedTuple):
    """An assumption, its steps, the line that ends without arrangement, and the exclusions that it depends on."""

    place: int
    color: int
    then: list[LineStep]
    end: int
    needs: set[Ruled]


@cache
def compile_recorder(words: int, colored: bool) -> None:
    """Compile the recorder's kernels, so that no proof's CPU time includes it."""
    memory = example_at_fixpoint(words, colored)
    _refute(memory, NO_LIMIT, np.zeros((8, 3), np.int32), memory.workspace._replace(deadline=math.inf))


def record(batch: pa.RecordBatch, verdict: Verdict, depth: int, deadline: float) -> list[str]:
    """Return the lines of a certificate for a batch's one puzzle.

    depth      depth of the rung depth-2
    deadline   CPU seconds of this thread

    Raises TimeoutError after the deadline, UnprovableError if the steps don't lead to the verdict.
    """
    row: dict[str, Any] = batch.to_pylist()[0]
    rows, columns = ([[(b["length"], b["color"]) for b in clue] for clue in row[side]] for side in ("rows", "columns"))
    if clue_hash(rows, columns) != verdict.clue_hash:
        raise UnprovableError(f"hash mismatch: clues have {clue_hash(rows, columns)}, the verdict {verdict.clue_hash}")
    palette = [color["name"] for color in row["palette"]]
    header = header_of(row["puzzle_id"], palette, rows, columns, verdict.solutions, verdict.technique)
    lines = [header, *_derive(batch, rows, columns, verdict, depth, deadline)]
    return [json.dumps(line, ensure_ascii=False) + "\n" for line in lines]


def header_of(
    puzzle_id: str, palette: list[str], rows: list[Blocks], columns: list[Blocks], claim: str, rung: str | None
) -> dict[str, Any]:
    """Return the first line of a derivation; `palette` has the colours' names."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "puzzle_id": puzzle_id,
        "clue_hash": clue_hash(rows, columns),
        "palette": palette,
        "rows": [[list(block) for block in clue] for clue in rows],
        "columns": [[list(block) for block in clue] for clue in columns],
        "claim": claim,
        "rung": rung,
    }


def _derive(
    batch: pa.RecordBatch, rows: list[Blocks], columns: list[Blocks], verdict: Verdict, depth: int, deadline: float
) -> Iterator[dict[str, Any]]:
    """Yield the steps and the conclusion."""
    found = [cells for cells in (verdict.solution, verdict.second_solution) if cells is not None]
    pictures = [_digits(cells, len(columns)) for cells in found]
    if verdict.solutions == "multiple":
        yield {"conclusion": "two solutions", "pictures": pictures}
        return
    replay = Replay(rows, columns, verdict.solutions == "none", deadline)
    replay.climb(batch, verdict.technique or "", depth)
    if replay.end is None:
        yield from replay.formatted(replay.found)
        yield {"conclusion": "formula" if verdict.technique == "search" else "decided", "pictures": pictures}
    elif verdict.solutions == "none":
        yield from replay.formatted(replay.needed_steps())
        yield {"conclusion": "contradiction", **replay.name(replay.end)}
    else:
        raise UnprovableError(f"the rung {verdict.technique} ends in a contradiction")


def _digits(cells: bytes, width: int) -> list[str]:
    """Return a picture's rows with one digit per cell."""
    text = "".join(DIGITS[cell] if cell < len(DIGITS) else "?" for cell in cells)
    return [text[x : x + width] for x in range(0, len(text), width)]


class Replay:
    """Replay of a puzzle: its cells, the steps so far, and the line without arrangement, if it ends in one."""

    def __init__(self, rows: list[Blocks], columns: list[Blocks], thorough: bool, deadline: float) -> None:
        """Start from the clues; `thorough` also records what assumptions depend on (`RecordedAssumption.needs`)."""
        self.width, self.height = len(columns), len(rows)
        self.clues = [Clue(clue) for clue in rows + columns]
        self.every = [slice(y * self.width, (y + 1) * self.width) for y in range(self.height)]
        self.every += [slice(x, None, self.width) for x in range(self.width)]
        self.full = (2 << max((color for clue in rows + columns for _, color in clue), default=0)) - 1
        self.cells = [self.full] * (self.width * self.height)
        self.began = self.cells  # knowledge from line logic alone
        self.deadline, self.thorough = deadline, thorough
        self.found: list[LineStep | RecordedAssumption] = []
        self.end: int | None = None

    def climb(self, batch: pa.RecordBatch, rung: str, depth: int) -> None:
        """Replay the rungs up to this one."""
        steps: list[LineStep] = []
        self.end = self.propagate(self.cells, set(range(len(self.clues))), steps)
        self.found += steps
        self.began = list(self.cells)
        for place, color, limit in self.refutations(batch, rung, depth):
            if self.end is not None:
                raise UnprovableError("the kernels continue where the replay has ended")
            self.found.append(self.refuted(place, color, limit))
            exclude(self.cells, [(place, color)])
            steps = []
            self.end = self.propagate(self.cells, set(self.lines(place)), steps)
            self.found += steps

    def refutations(self, batch: pa.RecordBatch, rung: str, depth: int) -> Iterator[tuple[int, int, int | None]]:
        """Yield the assumptions that the rungs refute: cell, colour, depth limit (None: no limit)."""
        if rung == "line" or self.end is not None:
            return
        memory = line_fixpoint(views(batch), self.deadline - time.thread_time())
        if memory is None:
            raise UnprovableError("the kernels found a contradiction that the replay does not")
        log = np.zeros((len(self.cells) * self.full.bit_length(), 3), np.int32)  # room for every colour
        counters = np.zeros(COUNTERS, np.int64)
        workspace = memory.workspace._replace(counters=counters, deadline=self.deadline)
        limits = [(np.int64(depth), depth), (NO_LIMIT, None)]
        for far, limit in limits[: 1 if rung == f"depth-{depth}" else 2]:
            first = counters[CONTRADICTIONS]
            status = _refute(memory, far, log, workspace)
            if status == OUT_OF_TIME:
                raise TimeoutError
            for y, x, c in log[first : counters[CONTRADICTIONS]].tolist():
                yield y * self.width + x, c, limit
            if status != FIXPOINT:
                return

    def lines(self, place: int) -> tuple[int, int]:
        """Return the row and the column of a cell."""
        return place // self.width, self.height + place % self.width

    def places(self, line: int) -> range:
        """Return the cells of a line."""
        return range(len(self.cells))[self.every[line]]

    def propagate(
        self, cells: list[int], todo: set[int], steps: list[LineStep], among: Set[int] | None = None
    ) -> int | None:
        """Run line logic on the lines `todo` and those that change, restricted to the lines `among`.

        Appends to `steps`; returns a line without arrangement, if any.
        """
        side = 0
        while todo:
            sweep = sorted(line for line in todo if (line >= self.height) == side)
            todo = todo.difference(sweep)
            for line in sweep:
                ruled = self.solve(cells, line, steps)
                if ruled is None:
                    return line
                crossing = {self.lines(place)[1 - side] for place, _ in ruled}
                todo |= crossing if among is None else crossing & among
            side = 1 - side
        return None

    def solve(self, cells: list[int], line: int, steps: list[LineStep]) -> list[Ruled] | None:
        """Solve one line; returns the colours it excludes, None if it has no arrangement."""
        if time.thread_time() > self.deadline:
            raise TimeoutError
        here = cells[self.every[line]]
        left = self.clues[line].possible(here)
        if left is None:
            return None
        if left == here:
            return []
        both = zip(self.places(line), here, left, strict=True)
        ruled = [(place, color) for place, old, new in both if old != new for color in colors_of(old & ~new)]
        cells[self.every[line]] = left
        steps.append(LineStep(line, here, ruled))
        return ruled

    def refuted(self, place: int, color: int, depth: int | None) -> RecordedAssumption:
        """Follow an assumption as the rung does (solver.ladder.lookahead); returns only the steps that matter."""
        cells = list(self.cells)
        cells[place] = 1 << color
        then: list[LineStep] = []
        todo = set(self.lines(place))
        opened: dict[int, set[Ruled]] = {line: set() for line in todo}
        if depth is None:
            end = self.propagate(cells, todo, then)
        else:
            end = None
            for _ in range(depth):
                if end is None:
                    end = self.propagate(cells, todo, then, opened.keys())
                    todo = {line for step in then for at, _ in step.ruled for line in self.lines(at)} - opened.keys()
                    self.open_next_level(opened, cells)
            if end is None:
                ends = (line for line in sorted(todo) if self.clues[line].possible(cells[self.every[line]]) is None)
                end = next(ends, None)
        if end is None:
            y, x = divmod(place, self.width)
            raise UnprovableError(f"colour {color} in row {y + 1}, column {x + 1} leads to no contradiction")
        return self.with_needed_steps(RecordedAssumption(place, color, then, end, set()), cells, opened)

    def open_next_level(self, opened: dict[int, set[Ruled]], cells: list[int]) -> None:
        """Add the lines that cross opened ones where more is known than when the rung began.

        opened   per line, the exclusions that give it its level
        """
        for line in list(opened):
            for place in self.places(line):
                if beyond := self.began[place] & ~cells[place]:
                    why = (place, colors_of(beyond)[0])
                    for crossing in self.lines(place):
                        opened.setdefault(crossing, opened[line] | {why})

    def with_needed_steps(
        self, found: RecordedAssumption, cells: list[int], opened: dict[int, set[Ruled]]
    ) -> RecordedAssumption:
        """Return an assumption with only the steps that its contradiction depends on.

        With a depth limit it also depends on what gave a line its level (`opened`).

        cells   cells after all steps
        """
        base, full = list(self.cells), [self.full] * len(self.cells)
        base[found.place] = full[found.place] = 1 << found.color
        needed: set[Ruled] = set()
        needs: set[Ruled] = set()

        def need(line: int, here: list[int], ruled: Ruled | None = None) -> None:
            reasons = self.reasons(line, here, base, ruled)
            before = {(place, color) for place, color in opened.get(line, ()) if not base[place] >> color & 1}
            needed.update(reasons, opened.get(line, set()) - before)
            if self.thorough:
                known = list(base)
                exclude(known, reasons)
                needs.update(self.reasons(line, known[self.every[line]], full, ruled))
                needs.update(why for why in before if why[0] != found.place)

        need(found.end, cells[self.every[found.end]])
        kept = []
        for step in reversed(found.then):
            wanted = [ruled for ruled in step.ruled if ruled in needed]
            for ruled in wanted:
                need(step.line, step.here, ruled)
            if wanted:
                kept.append(step._replace(ruled=wanted))
        return found._replace(then=kept[::-1], needs=needs)

    def needed_steps(self) -> list[LineStep | RecordedAssumption]:
        """Return the steps that the final contradiction depends on."""
        assert self.end is not None
        full = [self.full] * len(self.cells)
        needed = self.reasons(self.end, self.cells[self.every[self.end]], full)
        kept: list[LineStep | RecordedAssumption] = []
        for item in reversed(self.found):
            if isinstance(item, RecordedAssumption):
                if (item.place, item.color) in needed:
                    needed |= item.needs
                    kept.append(item)
                continue
            wanted = [ruled for ruled in item.ruled if ruled in needed]
            for ruled in wanted:
                needed |= self.reasons(item.line, item.here, full, ruled)
            if wanted:
                kept.append(item._replace(ruled=wanted))
        return kept[::-1]

    def reasons(self, line: int, here: list[int], free: list[int], ruled: Ruled | None = None) -> set[Ruled]:
        """Return the exclusions in `here`, beyond those in `free`, by which a line excludes `ruled`.

        Without `ruled`: by which it has no arrangement.
        """
        if time.thread_time() > self.deadline:
            raise TimeoutError
        places, spare = self.places(line), free[self.every[line]]
        if ruled is not None:
            x = places.index(ruled[0])
            here = [*here[:x], 1 << ruled[1], *here[x + 1 :]]
            spare[x] = here[x]
        return {(places[x], color) for x, color in _reasons(self.clues[line], here, spare)}

    def formatted(self, found: list[LineStep | RecordedAssumption]) -> Iterator[dict[str, Any]]:
        """Yield steps in the checker's format."""
        for item in found:
            if isinstance(item, LineStep):
                yield self.formatted_line(item.line, item.ruled)
            else:
                y, x = divmod(item.place, self.width)
                then = [self.formatted_line(step.line, step.ruled) for step in item.then]
                yield {"assume": [y + 1, x + 1, item.color], "then": then, "contradiction": self.name(item.end)}

    def formatted_line(self, line: int, ruled: list[Ruled]) -> dict[str, Any]:
        """Return a line step in the checker's format."""
        places = self.places(line)
        return {**self.name(line), "not": [[places.index(place) + 1, color] for place, color in ruled]}

    def name(self, line: int) -> dict[str, int]:
        """Return a line in the checker's format."""
        return {"row": line + 1} if line < self.height else {"column": line - self.height + 1}


def _refute(memory: Memory, depth: int, log: np.ndarray, workspace: Workspace) -> int:
    """Run `refute` on a memory's board to the fixpoint."""
    board, began, seen = memory.board, memory.tree.union, memory.seen
    begin(board, began, seen, workspace.bit_width)
    return refute(board, memory.trial, began, memory.color, depth, NO_LIMIT, seen, log, workspace)


def _reasons(clue: Clue, here: list[int], free: list[int]) -> Iterator[tuple[int, int]]:
    """Yield, for a line without arrangement, the colours in `free` but not in `here` that its cells must lack.

    From the last cell backwards, each cell gets back every such colour with which the line still has no arrangement:
    with which no state reachable from the cells before leads to the line's end.
    """
    reached, good = clue.forward(here), clue.ends
    for x in range(len(here) - 1, -1, -1):
        colors = here[x]
        for color in colors_of(free[x] & ~colors):
            if clue.before(good & clue.reading(1 << color)) & reached[x]:
                yield x, color
            else:
                colors |= 1 << color
        good = clue.before(good & clue.reading(colors))


def exclude(cells: list[int] | dict[int, int], ruled: Iterable[Ruled]) -> None:
    """Exclude colours from cells."""
    for place, color in ruled:
        cells[place] &= ~(1 << color)


def colors_of(colors: int) -> list[int]:
    """Return the colours in a bit set."""
    return [color for color in range(colors.bit_length()) if colors >> color & 1]

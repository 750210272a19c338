"""The solver's formula beside other encodings of the same puzzles (benchmarks.formulas).

Learners look for a first picture, and for a second one or the proof that there is none. Each search is of
  - an encoding: as it is, cover variables, probes, symmetry;
  - an engine, with the phases that the solver gives it; for the first picture also Glucose on leads, as in the solver;
  - three orders of variables and clauses, since one puzzle more or less is a matter of luck; none after one in which
    the search has been left open.

With symmetry a first picture is looked for among those that are their own image; if there is none, among the least of
images. A second one likewise; but beside a first one that is not its own image, that is known.

Puzzles are those that line logic and probing leave open of:
n-Dom           Wolter's chain of bars (scrapers.pictures.rules), its own image in a mirror from corner to corner
rings of bars   four such chains, closed to a ring that is its own image under all eight symmetries. A line of the ring
                meets it twice, so what is assumed of a cell runs round it both ways. Each has one picture
cycles          two cells a row (scrapers.pictures.rules), of very many pictures. If clues leave each cell to be told by
                counting in its line alone, then one picture means a line that tells a cell (a cycle that goes to and
                fro between lines would be another picture): such puzzles have one picture if line logic solves them
files           python -m benchmarks encodings FILE..., in one colour and in several

Set SECONDS for other limits of a search.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.formulas import (
    Ground,
    Question,
    ground_of,
    renamed,
    symmetries,
    with_cover,
    with_equal_cells,
    with_leaders,
    with_probes,
)
from pipeline.findings.figures_page import Table
from scrapers.files import files_in
from scrapers.importing import read_files
from scrapers.pictures.recipe import Recipe, recipe_batch
from scrapers.pictures.rules import dominoes
from solver.kissat import program
from solver.proof import fits
from solver.puzzle import Puzzle, described, from_picture
from solver.tables import puzzle_batch, puzzles_of
from solver.tail import ENGINES, GLUCOSE, KISSAT, Learner, learner_of
from solver.views import views

SIZES = {"n-Dom": range(21, 38, 4), "rings of bars": range(17, 26, 4), "cycles": range(10, 61, 10)}
"""Sides of the puzzles made by rule."""

SECONDS = float(os.environ.get("SECONDS", "15"))
"""CPU seconds of a search."""

FOR_FIRST = 120.0
"""... and of the solver's for the first picture that a second one is to differ from."""

ORDERS = 3

SOME = 100
"""Conflicts from which on a puzzle has a row of its own."""

AS_IT_IS, COVER, PROBES, SYMMETRY = ENCODINGS = ("as it is", "cover", "probes", "symmetry")

FIRST, SECOND = "first", "second"

LEADS = f"leads, {GLUCOSE}"


class Search(NamedTuple):
    """What a search has come to, or several as one.

    found   whether there is a picture; None if that has been left open
    """

    found: bool | None
    conflicts: int
    seconds: float


class Tried(NamedTuple):
    """A puzzle's searches in one encoding by one engine for its first or second picture, order by order.

    variables, clauses   of the formula
    """

    puzzle: str
    target: str
    engine: str
    encoding: str
    variables: int
    clauses: int
    searches: list[Search]

    @property
    def decided(self) -> bool:
        return all(search.found is not None for search in self.searches)


def run(archive: Path, files: list[Path] | None = None) -> list[Table]:  # noqa: ARG001
    families = {name: _made(name) for name in SIZES}
    read = [item for item in read_files(files_in(files or [])) if isinstance(item, Puzzle)]
    for name, kind in (("files, one colour", "mono"), ("files, several colours", "color")):
        families[name] = iter([puzzle for puzzle in read if puzzle.kind == kind])
    tables = []
    for name, puzzles in families.items():
        tried = list(_family(puzzles, name in SIZES))
        if tried:
            tables += [_totals(name, tried), _each(name, tried)]
    return tables


# Puzzles.


def _made(name: str) -> Iterator[Puzzle]:
    """The puzzles of a family, the smallest first."""
    for side in SIZES[name]:
        if name == "rings of bars":
            puzzle = from_picture(ring(side))
        else:
            recipe = Recipe("cycles", side, side, None, 1, 1)
            recipe = recipe if name == "cycles" else Recipe("dominoes", side, side, None, None, 1)
            (puzzle,) = puzzles_of(recipe_batch(recipe, 0, 1))
        yield described(puzzle, title=f"{side // 2}-Dom" if name == "n-Dom" else f"{name} {side}")


def ring(side: int) -> np.ndarray:
    """Four chains of bars as a ring, a picture with a side of 4n + 1."""
    chain = dominoes(side // 2 + 1, side // 2 + 1, 0, 1)[0]
    half = np.hstack([chain, chain[:, -2::-1]])
    return np.vstack([half, half[-2::-1]])


# Searches.


def _family(puzzles: Iterable[Puzzle], growing: bool) -> Iterator[Tried]:
    """All searches of a family's puzzles. In one that grows, none of those that a smaller puzzle has seen left open."""
    open_ones: set[tuple[str, ...]] = set()
    for puzzle in puzzles:
        ground = ground_of(puzzle)
        picture = None if ground is None else _picture(ground)
        if ground is None or picture is None:
            _say(_name(puzzle), "decided by probing" if ground is None else "no first picture")
            continue
        verdicts: dict[str, set[bool]] = {FIRST: set(), SECOND: set()}
        for tried in _searches(ground, picture, open_ones):
            _say(*tried)
            verdicts[tried.target] |= {search.found for search in tried.searches if search.found is not None}
            if len(verdicts[tried.target]) > 1:
                raise SystemExit(f"{tried.puzzle}: verdicts differ")
            if growing and not tried.decided:
                open_ones.add(tried[1:4])
            yield tried


def _name(puzzle: Puzzle) -> str:
    return puzzle.title or puzzle.puzzle_id


def _say(*words: object) -> None:
    print(*words, file=sys.stderr, flush=True)


def _picture(ground: Ground) -> np.ndarray | None:
    """The first picture that the solver's learners find; None if they don't in time, or there is none."""
    with learner_of(ground.memory, time.thread_time() + FOR_FIRST) as learner:
        return learner.picture() if learner.next_solution(learner.now() + FOR_FIRST) else None


def _searches(ground: Ground, picture: np.ndarray, left_out: set[tuple[str, ...]]) -> Iterator[Tried]:
    """All searches on a puzzle, but for those left out (target, engine, encoding)."""
    engines = [engine for engine in ENGINES if engine != KISSAT or program() is not None]
    own_image = all((picture[cells] == picture).all() for cells in symmetries(ground.puzzle))
    for encoding, first, second in _encodings(ground, own_image):
        ways = [(FIRST, engine, first) for engine in (LEADS, *engines)] + [
            (SECOND, engine, second) for engine in engines
        ]
        for target, engine, questions in ways:
            if (target, engine, encoding) not in left_out:
                searches: list[Search] = []
                while len(searches) < ORDERS and all(search.found is not None for search in searches):
                    ordered = [renamed(question, len(searches)) for question in questions]
                    searches.append(_in_turn(ground, ordered, engine, picture, target))
                formula = questions[-1].formula if questions else ground.question.formula
                number, clauses = formula.number, sum(map(len, formula.clauses))
                yield Tried(_name(ground.puzzle), target, engine, encoding, number, clauses, searches)


def _encodings(ground: Ground, own_image: bool) -> Iterator[tuple[str, list[Question], list[Question]]]:
    """Each encoding with the questions to ask, until one has a picture, for the first picture and for the second.

    own_image   whether the first one is its own image; if not, its images are second ones, and nothing is asked
    """
    for encoding, question in (
        (AS_IT_IS, ground.question),
        (COVER, with_cover(ground)),
        (PROBES, with_probes(ground)),
    ):
        yield encoding, [question], [question]
    if symmetries(ground.puzzle):
        leaders = with_leaders(ground)
        yield SYMMETRY, [with_equal_cells(ground), leaders], [leaders] if own_image else []


def _in_turn(ground: Ground, questions: list[Question], engine: str, picture: np.ndarray, target: str) -> Search:
    """One question after the other until there is a picture; that there is one, if there is no question."""
    done = Search(not questions, 0, 0.0)
    for question in questions:
        if done.found is False:
            search = _search(ground, question, engine, picture if target == SECOND else None)
            done = Search(search.found, done.conflicts + search.conflicts, done.seconds + search.seconds)
    return done


def _search(ground: Ground, question: Question, engine: str, picture: np.ndarray | None) -> Search:
    """A search for a picture, or for another one than this."""
    leads = question.leads if engine == LEADS else []
    turns = ((GLUCOSE if engine == LEADS else engine, 1 << 60),)
    with Learner(question.formula, question.phases.__getitem__, lambda: leads, few=ground.few) as learner:
        begun = learner.now()
        if picture is not None:
            learner.exclude(picture)
        found = learner.next_solution(begun + SECONDS, turns)
        seconds = learner.now() - begun
        if found:
            _check(ground.puzzle, learner.picture(), picture)
        return Search(found, learner.conflicts, seconds)


def _check(puzzle: Puzzle, found: np.ndarray, other: np.ndarray | None) -> None:
    """A SystemExit if what has been found does not fit the clues, or is what it should differ from."""
    good = fits(views(puzzle_batch([puzzle])), np.arange(1), found, np.array([0, len(found)]))
    if not good.all() or (other is not None and np.array_equal(found, other)):
        raise SystemExit(f"{puzzle.title}: an encoding has other pictures")


# Tables.


def _totals(name: str, tried: list[Tried]) -> Table:
    """Sums over those of a family's puzzles that all encodings decide in all orders; ratios to the formula as it is."""
    puzzles = {each.puzzle for each in tried}
    encodings = [AS_IT_IS, COVER, PROBES]
    if {each.puzzle for each in tried if each.encoding == SYMMETRY} == puzzles:
        encodings.append(SYMMETRY)
    heading = ["picture", "engine", "encoding", f"decided, of {len(puzzles)}", "by all encodings", "variables",
               "clauses", "conflicts", "ratio", "CPU s", "ratio", "ratio by order"]  # fmt: skip
    rows: list[list[object]] = []
    for target, engine in dict.fromkeys((each.target, each.engine) for each in tried):
        decided = {
            encoding: {each.puzzle: each for each in tried if each[1:4] == (target, engine, encoding) and each.decided}
            for encoding in encodings
        }
        common = set.intersection(*map(set, decided.values()))
        plain = [each for puzzle, each in decided[AS_IT_IS].items() if puzzle in common]
        for encoding, by_puzzle in decided.items():
            here = [each for puzzle, each in by_puzzle.items() if puzzle in common]
            rows.append([target, engine, encoding, len(by_puzzle), len(common), *_sums(here, plain)])
    return Table(f"{name}: totals", heading, rows)


def _sums(tried: list[Tried], plain: list[Tried]) -> list[object]:
    """Sums over puzzles, with ratios to those of the same puzzles' plain formulas."""
    conflicts, plainly = (
        sum(search.conflicts for each in those for search in each.searches) for those in (tried, plain)
    )
    seconds, plain_seconds = (
        [sum(each.searches[order].seconds for each in those) for order in range(ORDERS)] for those in (tried, plain)
    )
    by_order = " / ".join(f"{_ratio(one, other):.2f}" for one, other in zip(seconds, plain_seconds, strict=True))
    return [
        *(sum(each.variables for each in tried), sum(each.clauses for each in tried)),
        *(conflicts, f"{_ratio(conflicts, plainly):.2f}"),
        *(sum(seconds), f"{_ratio(sum(seconds), sum(plain_seconds)):.2f}", by_order),
    ]


def _ratio(one: float, other: float) -> float:
    return one / other if other else 1.0


def _each(name: str, tried: list[Tried]) -> Table:
    """A puzzle a row, for each picture and engine: medians of all orders, where any encoding takes some conflicts."""
    rows: list[list[object]] = []
    for (puzzle, target, engine), same in groupby(sorted(tried, key=_place(tried)), key=lambda each: each[:3]):
        by_encoding = {each.encoding: each for each in same}
        if any(_median(each).conflicts >= SOME or not each.decided for each in by_encoding.values()):
            rows.append([puzzle, target, engine, *(_cell(by_encoding.get(encoding)) for encoding in ENCODINGS)])
    return Table(f"{name}: conflicts and CPU s", ["puzzle", "picture", "engine", *ENCODINGS], rows)


def _place(tried: list[Tried]) -> Callable[[Tried], int]:
    """What sorts by puzzle, picture and engine, each in the order in which it first comes."""
    order = {each[:3]: k for k, each in reversed([*enumerate(tried)])}
    return lambda each: order[each[:3]]


def _median(tried: Tried) -> Search:
    """The medians of its searches."""
    conflicts = median(search.conflicts for search in tried.searches)
    return Search(None, int(conflicts), median(search.seconds for search in tried.searches))


def _cell(tried: Tried | None) -> str:
    """Medians as text; of what has been left open, nothing."""
    if tried is None:
        return ""
    _, conflicts, seconds = _median(tried)
    return f"{conflicts:,}, {seconds:.2f}" if tried.decided else "open"

"""Words of each family of puzzles in reports and datasets, and meanings of columns."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa

from nonocensus.reports.formatting import MEANINGS, RUNG_MEANINGS
from nonocensus.reports.joined_columns import graded_columns
from nonocensus.solver.model.families import NONOGRAM, SUDOKU
from nonocensus.solver.model.measures import BY_NAME, CONFLICT, LADDER, MEASURES, SUDOKU_LADDER
from nonocensus.solver.model.tables import GIVENS_COUNT, SUDOKUS


class FamilyWords(NamedTuple):
    """Words of a family, and its columns that differ from those of nonograms.

    name            of the family, as in solver.model.families
    one, many       singular and plural
    introduction    start of a dataset's card, with other names of the puzzles
    tags            of a dataset
    line_logic      name of the first rung
    clues           what a puzzle consists of
    content         parts of a puzzle that are protected by copyright, besides texts
    nothing         says that a dataset has no content
    twins           transformations under which `canonical_hash` is invariant
    puzzle_columns  columns that a join by `clue_hash` adds to a dataset, as SQL
    told            part of an opened puzzle that is given in words too
    time_classes    name of the classes of CPU time
    difficulty      formula of the combined score
    pictured        whether authors draw pictures, which may or may not fit the clues
    graded          columns of grades, with their sources
    grading         explanation of the grades
    timing          explanation of the minutes
    work            what the measure `work` counts
    players         findings about players
    meanings        of labels, and of the statuses that replace a missing one
    rung_meanings   of rungs, and of the words for puzzles without one
    facts           columns that only this family has
    meaningless     columns without a meaning, measures aside: no report or dataset has them
    described       descriptions of columns, measures aside, that differ from those of the tables
    """

    name: str
    one: str
    many: str
    introduction: str
    tags: tuple[str, ...]
    line_logic: str
    clues: str
    content: str
    nothing: str
    twins: str
    puzzle_columns: str
    told: str
    time_classes: str
    difficulty: str
    pictured: bool
    graded: pa.Schema
    grading: str
    timing: str
    work: str
    players: str
    meanings: Mapping[str, str]
    rung_meanings: Mapping[str, str]
    facts: tuple[pa.Field, ...]
    meaningless: frozenset[str]
    described: Mapping[str, str]

    @property
    def left_out(self) -> frozenset[str]:
        """Columns that no report or dataset of the family has, measures included."""
        return self.meaningless | {measure.name for measure in MEASURES if measure.meaning_for(self.name) is None}


NONOGRAMS = FamilyWords(
    name=NONOGRAM.name,
    one="nonogram",
    many="nonograms",
    introduction="Nonograms (paint by numbers, picross, Japanese crosswords)",
    tags=("nonogram", "picross", "paint-by-numbers"),
    line_logic="line logic",
    clues="clues",
    content="clues and pictures",
    nothing="no clues, no pictures",
    twins="turned, mirrored or recoloured",
    puzzle_columns="p.rows, p.columns",
    told="The clues",
    time_classes="the time classes of the survey of solvers on webpbn.com",
    difficulty=f"log10((line solves + {CONFLICT} x conflicts) / lines)",
    pictured=True,
    graded=graded_columns(NONOGRAM, LADDER),
    grading="Grades 1 to 5 are techniques on a single line, 6 to 9 assumptions that lead to a contradiction.",
    timing="The estimate counts what a person sees on the way to the solution, and is fitted to the times of "
    "griddlers.net's visitors; 80 % of puzzles lie within a fifth to a quarter of it. Puzzles that need search, have "
    "blots, or are larger than any with known times have none.",
    work="how often a line is looked at, a cell",
    players=": in He, Ju, Calver and Gao (arXiv 2608.23300) counters of a SAT solver did not predict how difficult 67 "
    "players found puzzles",
    meanings=MEANINGS,
    rung_meanings=RUNG_MEANINGS,
    facts=(),
    meaningless=frozenset(),
    described={},
)

SUDOKU_WORDS = FamilyWords(
    name=SUDOKU.name,
    one="Sudoku",
    many="Sudokus",
    introduction="Sudokus, from 4x4 to 36x36,",
    tags=("sudoku", "number-place"),
    line_logic="singles",
    clues="givens",
    content="givens and solutions",
    nothing="no givens, no solutions",
    twins="turned, mirrored, or with rows, columns or digits exchanged",
    puzzle_columns="p.givens",
    told="The grid",
    time_classes="classes of time",
    difficulty="log10(line solves / units)",
    pictured=False,
    graded=graded_columns(SUDOKU, SUDOKU_LADDER),
    grading="Grades 1 and 2 are singles, 3 to 6 patterns of cells and digits, 7 chains, 8 and 9 assumptions that lead "
    "to a contradiction. They follow HoDoKu's levels, which are called easy, medium, hard, unfair and extreme.",
    timing="The estimate counts the steps on the way to the solution, and is fitted to people's times. Sudokus that "
    "need search, and those of other sizes than 9x9, have none.",
    work="steps for each cell to be filled",
    players="",
    meanings=MEANINGS
    | {
        "trivial unique line": "one solution, by singles, with no more looks at units than the puzzle has units",
        "unique line": "one solution, found by naked and hidden singles alone",
        "unique depth-2": "one solution, found by locked candidates, pairs, and assumptions followed for a few steps",
        "contradiction": "no solution: the givens contradict each other",
        "stalled": "singles leave cells open, and nothing stronger decided the puzzle",
        "invalid": "givens that no solution can have, seen before any solving",
    },
    rung_meanings=RUNG_MEANINGS
    | {
        "line": "naked and hidden singles: a cell with one digit left, a digit with one place left in a unit",
        "depth-2": "locked candidates, pairs, and assumptions followed for three rounds of singles",
        "search": "anything more: branching",
        "no solution": "the givens contradict each other",
    },
    facts=(GIVENS_COUNT,),
    meaningless=frozenset({"blotted", "palette", "rows", "columns", "goal_matches"}),
    described={
        "source": "where the puzzle comes from",
        "width": "columns: as many as there are digits",
        "height": "rows: likewise",
        "kind": "sudoku, and its boxes: those of sudoku 3x2 are 3 cells wide and 2 high",
        "goal": "the givens: height x width bytes, row by row, a digit from 1 on each, 0 for an open cell",
        "solution": "a solution: height x width bytes, row by row, a digit each",
        "second_solution": "another one, for multiple",
        "duplicate_of": "the first row, in the order of the files, that has the same givens; null if it is this one",
        "clue_hash": SUDOKUS.field("clue_hash").metadata[b"description"].decode(),
        "canonical_hash": SUDOKUS.field("canonical_hash").metadata[b"description"].decode(),
        "status": "ok, timeout, invalid (givens that no solution can have), error, killed",
        "trivial": "singles decided it with no more looks at units than it has units",
        "engine": "what decided it: line, depth-2, probe or search",
    },
)

WORDS = {family.name: family for family in (NONOGRAMS, SUDOKU_WORDS)}
"""Words by the name of the family."""


def fields_of(fields: Iterable[pa.Field], family: FamilyWords) -> Iterator[pa.Field]:
    """Yield the fields that have a meaning for a family, with its descriptions and the sources of measures."""
    for field in fields:
        if field.name in family.left_out:
            continue
        if field.name in BY_NAME:
            yield BY_NAME[field.name].field(family.name)
        elif field.name in family.described:
            yield field.with_metadata({"description": family.described[field.name]})
        else:
            yield field

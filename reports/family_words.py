"""What reports and datasets say of each family of puzzles: its words, and what columns mean there."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa

from reports.formatting import MEANINGS, RUNG_MEANINGS
from reports.graded import graded_columns
from reports.measures import sourced
from solver.ladder.effort import CONFLICT
from solver.model.families import NONOGRAM, SUDOKU
from solver.model.tables import GIVENS_COUNT, SUDOKUS


class FamilyWords(NamedTuple):
    """How a family's puzzles are spoken of, and which of the columns that all share mean something else or nothing.

    name            the family's, of solver.model.families
    one, many       a puzzle, puzzles
    introduction    how a dataset's card begins: what they are, also called what
    tags            what a dataset of them is found by
    line_logic      what the first rung is called
    clues           what a puzzle consists of
    content         what of a puzzle is somebody's, besides texts
    nothing         that a dataset has none of it
    twins           ways to turn a puzzle into its equal: what `canonical_hash` is the same for
    puzzle_columns  what `clue_hash` joins to a dataset, as SQL
    told            what of an opened puzzle is told in words
    time_classes    what the classes of CPU time are
    difficulty      the combined score's formula
    pictured        whether authors draw pictures, which may fit the clues or not
    graded          what grade has found of a puzzle: the columns, each with its source
    grading         what the grades of people's techniques are
    work            what `work` counts
    players         what is known of people, beside what counters tell
    meanings        of labels, and of the statuses that stand for a missing one
    rung_meanings   of rungs, and of what stands for those without one
    facts           columns that no other family has
    left_out        columns without a meaning: no report or dataset has them
    described       columns with another meaning than their field in the tables says
    measured        measures likewise: definition, and where it comes from
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
    work: str
    players: str
    meanings: Mapping[str, str]
    rung_meanings: Mapping[str, str]
    facts: tuple[pa.Field, ...]
    left_out: frozenset[str]
    described: Mapping[str, str]
    measured: Mapping[str, tuple[str, str]]


LADDER = "nonocensus: the ladder of techniques of docs/TECHNIQUES.md"
SUDOKU_LADDER = "nonocensus: the ladder of techniques of docs/SUDOKU_TECHNIQUES.md"

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
    graded=graded_columns(
        NONOGRAM,
        {
            "grade": LADDER,
            "hardest": LADDER,
            "looks": f"{LADDER}; on the way from assumptions pbnsolve's lines processed",
            "work": "looks, divided as Foote and Krizanc (arXiv 2507.07283) divide propagations by cells",
            "open": f"{LADDER}; Wu et al. print it for tournament puzzles after full probing",
        },
    ),
    grading="Grades 1 to 5 are techniques on a single line, 6 to 9 assumptions that lead to a contradiction.",
    work="how often a line is looked at, a cell",
    players=": in He, Ju, Calver and Gao (arXiv 2608.23300) counters of a SAT solver did not predict how difficult 67 "
    "players found puzzles",
    meanings=MEANINGS,
    rung_meanings=RUNG_MEANINGS,
    facts=(),
    left_out=frozenset(),
    described={},
    measured={},
)

SAME_COUNT = "our own count; the same in every run, whatever the machine"

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
    graded=graded_columns(
        SUDOKU,
        {
            "grade": f"{SUDOKU_LADDER}, in the levels of Hobiger's HoDoKu",
            "hardest": SUDOKU_LADDER,
            "steps": SUDOKU_LADDER,
            "work": f"{SUDOKU_LADDER}; HoDoKu and SudokuWiki weigh steps as well as counting them",
            "open": SUDOKU_LADDER,
        },
    ),
    grading="Grades 1 and 2 are singles, 3 to 6 patterns of cells and digits, 7 chains, 8 and 9 assumptions that lead "
    "to a contradiction. They follow HoDoKu's levels, which are called easy, medium, hard, unfair and extreme.",
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
    left_out=frozenset(
        {
            *("blotted", "palette", "rows", "columns", "goal_matches", "cpu_sat", "conflicts", "score"),
            *("blocks", "colors", "blots", "density", "mean_slack", "max_slack", "log10_arrangements"),
        }
    ),
    described={
        "source": "where the puzzle comes from",
        "site_quality": "the site's rating of quality",
        "site_difficulty": "the site's rating of difficulty",
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
        "cpu_line": "CPU time of singles",
        "cpu_search": "CPU time of the search, which for 9x9 comes before the techniques between",
    },
    measured={
        "line_solves": ("units (rows, columns, boxes) looked at for singles, all techniques together", SAME_COUNT),
        "sweeps": ("passes of singles over all units that had changed", SAME_COUNT),
        "probes": ("assumptions tried: a digit in a cell", SAME_COUNT),
        "contradictions": ("assumptions refuted", SAME_COUNT),
        "nodes": ("nodes of the search", SAME_COUNT),
        "max_depth": ("its depth", SAME_COUNT),
        "cells_after_line": ("cells decided after singles, givens among them", SAME_COUNT),
        "cells_after_depth2": ("cells decided after depth-2", SAME_COUNT),
        "cells_after_probe": ("cells decided after probing", SAME_COUNT),
        "difficulty": (
            (
                "the combined score: log10(line solves / units). 0: each unit looked at once; 3: a thousand times. The "
                "search of 9x9 is counted in nodes only. Of a timeout a lower bound"
            ),
            "our own, as for nonograms",
        ),
    },
)

WORDS = {family.name: family for family in (NONOGRAMS, SUDOKU_WORDS)}
"""All by the family's name."""


def fields_of(fields: Iterable[pa.Field], family: FamilyWords) -> Iterator[pa.Field]:
    """Those fields of tables that mean something for a family, as it means them, measures with their source."""
    for field in fields:
        if field.name in family.measured:
            definition, source = family.measured[field.name]
            yield field.with_metadata({"description": definition, "source": source})
        elif field.name in family.described:
            yield field.with_metadata({"description": family.described[field.name]})
        elif field.name not in family.left_out:
            yield sourced(field)

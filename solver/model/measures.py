"""Measures of difficulty: every fact about each of them, declared once.

The columns of the results and grades tables, datasets, Croissant, reports, correlations, the puzzle browser and
`nonocensus schema` follow from `MEASURES`.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa

CONFLICT = 400
"""Line solves that a conflict of clause learning counts as.

Measured on the 6,746 puzzles of webpbn.com's 2014 archive: a line solve took 0.15 microseconds and a conflict 36, some
240 line solves; on the hardest known puzzle, 25820, a conflict took 240. A report states the figures of its own run.
"""

RATING_SCALES: dict[tuple[str | None, str], tuple[float, float]] = {
    ("webpbn", "site_difficulty"): (1, 5),
    ("webpbn", "site_quality"): (1, 5),
    ("nonograms", "site_difficulty"): (0, 10),
    ("nonograms", "site_quality"): (0, 10),
    ("griddlers", "site_quality"): (0, 100),
}
"""Lowest and highest value by source and column."""

NONOGRAM, SUDOKU = "nonogram", "sudoku"
"""Names of the families (solver.model.families)."""


class Computed(StrEnum):
    """Where the value of a measure comes from."""

    timed = "timed"  # seconds, of the results table
    counted = "counted"  # a counter of the kernels, of the results table
    decided = "decided"  # other columns of the results table
    derived = "derived"  # computed from clues and result (reports.derived_measures)
    graded = "graded"  # counted by the techniques of people, of the grades table
    rated = "rated"  # given by a site, of the puzzles table


IN_RESULTS = (Computed.timed, Computed.counted, Computed.decided)


class Place(StrEnum):
    """Where a measure is shown. Those with a source are in the report's table of definitions too."""

    dataset = "dataset"  # a column of datasets
    browser = "browser"  # facts of an opened puzzle, columns and CSV of the report's puzzle browser
    correlations = "correlations"  # correlated with other measures and with ratings; charts of the browser


DATASET = frozenset({Place.dataset})
NOT_CORRELATED = frozenset({Place.dataset, Place.browser})
EVERYWHERE = frozenset(Place)


class Meaning(NamedTuple):
    """What a measure means for the puzzles of a family.

    definition  the description of its column
    source      who defined it; empty where no reference is needed, as for times
    label       its name in charts and tables
    """

    definition: str
    source: str
    label: str


class Measure(NamedTuple):
    """A measure of difficulty.

    name      of its column
    dtype     of its column
    unit      "s", "cells", ...; some decide how a value is written (`FORMATS` of browser/facts.js)
    computed  where its value comes from
    shown     where it is shown
    meaning   definition, source and label
    sudoku    the same for Sudokus, where it differs
    only      the only family that has it
    digits    decimals of a value as people read it
    """

    name: str
    dtype: pa.DataType
    unit: str
    computed: Computed
    shown: frozenset[Place]
    meaning: Meaning
    sudoku: Meaning | None = None
    only: str | None = None
    digits: int = 0

    def meaning_for(self, family: str) -> Meaning | None:
        """Return what it means for a family, None if it has no meaning there."""
        if self.only not in (None, family):
            return None
        return self.sudoku if family == SUDOKU and self.sudoku is not None else self.meaning

    def field(self, family: str = NONOGRAM, with_source: bool = True) -> pa.Field:
        """Return its Arrow field, with description and, if it has one, source in the metadata."""
        meaning = self.meaning_for(family)
        if meaning is None:
            raise ValueError(f"{self.name} is not a measure of the family {family}")
        metadata = {"description": meaning.definition}
        if with_source and meaning.source:
            metadata["source"] = meaning.source
        return pa.field(self.name, self.dtype, metadata=metadata)


RELAXATIONS = (
    "Batenburg and Kosters, Solving nonograms by combining relaxations (2009), doi:10.1016/j.patcog.2008.12.003"
)
LADDER = "nonocensus: the ladder of techniques of docs/TECHNIQUES.md"
SUDOKU_LADDER = "nonocensus: the ladder of techniques of docs/SUDOKU_TECHNIQUES.md"
TIMES_OF_PEOPLE = "nonocensus: fitted to solving times of griddlers.net (docs/DIFFICULTY.md)"
SUDOKU_TIMES = (
    "nonocensus: fitted to mean times of 1,533 Sudokus, synnwang/sudoku_dataset_difficulty "
    "(docs/decisions/sudoku-minutes.md)"
)
SAME_COUNT = "our own count; the same in every run, whatever the machine"
GRADE = "how hard it is for a person: the grade, 1 to 9, of the hardest technique that it needs"
OPEN = "cells that all techniques but search leave open"

# fmt: off
MEASURES = (
    Measure(
        "cpu_seconds", pa.float64(), "s", Computed.timed, EVERYWHERE,
        Meaning("CPU time of the whole puzzle, of all processes that had a part of it", "", "CPU time"),
    ),
    Measure(
        "wall_seconds", pa.float64(), "s", Computed.timed, DATASET,
        Meaning("wall time of the whole puzzle, from its begin to its end", "", "wall time"),
    ),
    Measure(
        "cpu_line", pa.float64(), "s", Computed.timed, DATASET,
        Meaning("CPU time of line logic", "", "CPU time of line logic"),
        sudoku=Meaning("CPU time of singles", "", "CPU time of singles"),
    ),
    Measure(
        "cpu_depth2", pa.float64(), "s", Computed.timed, DATASET,
        Meaning("CPU time of depth-2", "", "CPU time of depth-2"),
    ),
    Measure(
        "cpu_probe", pa.float64(), "s", Computed.timed, DATASET,
        Meaning("CPU time of probing", "", "CPU time of probing"),
    ),
    Measure(
        "cpu_search", pa.float64(), "s", Computed.timed, DATASET,
        Meaning("CPU time of the glance after line logic, of the search and of dives", "", "CPU time of search"),
        sudoku=Meaning(
            "CPU time of the search, which for 9x9 comes before the techniques between", "", "CPU time of search"
        ),
    ),
    Measure(
        "cpu_sat", pa.float64(), "s", Computed.timed, DATASET,
        Meaning("CPU time of clause learning", "", "CPU time of clause learning"),
        only=NONOGRAM,
    ),
    Measure(
        "line_solves", pa.int64(), "line solves", Computed.counted, EVERYWHERE,
        Meaning("lines solved, all techniques together", "pbnsolve counts them as lines processed", "line solves"),
        sudoku=Meaning(
            "units (rows, columns, boxes) looked at for singles, all techniques together", SAME_COUNT, "looks at units"
        ),
    ),
    Measure(
        "sweeps", pa.int32(), "sweeps", Computed.counted, EVERYWHERE,
        Meaning(
            "passes of line logic over all changed rows or all changed columns (Batenburg)",
            "Batenburg, Henstra, Kosters and Palenstijn, Constructing simple nonograms of varying difficulty (2009)",
            "sweeps",
        ),
        sudoku=Meaning("passes of singles over all units that had changed", SAME_COUNT, "sweeps"),
    ),
    Measure(
        "probes", pa.int64(), "assumptions", Computed.counted, EVERYWHERE,
        Meaning(
            "assumptions tried",
            "Wu et al., An efficient approach to solving nonograms (IEEE TCIAIG 2013): assumptions of full probing",
            "probes",
        ),
        sudoku=Meaning("assumptions tried: a digit in a cell", SAME_COUNT, "probes"),
    ),
    Measure(
        "contradictions", pa.int64(), "assumptions", Computed.counted, EVERYWHERE,
        Meaning("assumptions refuted", "pbnsolve's contradiction check, Wu et al.'s full probing", "contradictions"),
        sudoku=Meaning("assumptions refuted", SAME_COUNT, "contradictions"),
    ),
    Measure(
        "nodes", pa.int64(), "nodes", Computed.counted, EVERYWHERE,
        Meaning("nodes of the search", "branches of the search, as in Wu et al.", "search nodes"),
        sudoku=Meaning("nodes of the search", SAME_COUNT, "search nodes"),
    ),
    Measure(
        "max_depth", pa.int32(), "nodes", Computed.counted, NOT_CORRELATED,
        Meaning("its depth", "as in Wu et al.", "search depth"),
        sudoku=Meaning("its depth", SAME_COUNT, "search depth"),
    ),
    Measure(
        "conflicts", pa.int64(), "conflicts", Computed.counted, EVERYWHERE,
        Meaning(
            "conflicts of clause learning",
            "of the SAT solver, on the order encoding (Tamura et al. 2009, doi:10.1007/s10601-008-9061-0)",
            "conflicts",
        ),
        only=NONOGRAM,
    ),
    Measure("cells", pa.int32(), "size", Computed.decided, EVERYWHERE, Meaning("width x height", "", "cells")),
    Measure(
        "cells_after_line", pa.int32(), "decided cells", Computed.decided, NOT_CORRELATED,
        Meaning("cells decided by line logic", RELAXATIONS, "cells after line logic"),
        sudoku=Meaning("cells decided after singles, givens among them", SAME_COUNT, "cells after singles"),
    ),
    Measure(
        "cells_after_depth2", pa.int32(), "decided cells", Computed.decided, NOT_CORRELATED,
        Meaning(
            "cells decided after depth-2",
            "likewise, after pbnsolve's contradiction check of depth 2",
            "cells after depth-2",
        ),
        sudoku=Meaning("cells decided after depth-2", SAME_COUNT, "cells after depth-2"),
    ),
    Measure(
        "cells_after_probe", pa.int32(), "decided cells", Computed.decided, NOT_CORRELATED,
        Meaning(
            "cells decided after probing",
            "likewise, after full probing; Wu et al. print it for tournament puzzles",
            "cells after probing",
        ),
        sudoku=Meaning("cells decided after probing", SAME_COUNT, "cells after probing"),
    ),
    Measure(
        "score", pa.float64(), "line solves per 100 lines", Computed.decided, EVERYWHERE,
        Meaning(
            "pbnsolve's difficulty: 100 x line solves / lines",
            "pbnsolve, by Jan Wolter: its option -b",
            "score of pbnsolve",
        ),
        only=NONOGRAM,
    ),
    Measure(
        "blocks", pa.int32(), "blocks", Computed.derived, EVERYWHERE,
        Meaning("blocks in the clues of all rows and columns", "counted from the clues", "blocks"),
        only=NONOGRAM,
    ),
    Measure(
        "colors", pa.uint8(), "colours", Computed.derived, EVERYWHERE,
        Meaning("foreground colours in the clues", "counted from the clues", "colours"),
        only=NONOGRAM,
    ),
    Measure(
        "blots", pa.int32(), "blocks", Computed.derived, EVERYWHERE,
        Meaning("blocks of hidden length in all rows and columns", "counted from the clues", "blots"),
        only=NONOGRAM,
    ),
    Measure(
        "density", pa.float64(), "share", Computed.derived, EVERYWHERE,
        Meaning(
            "share of the cells that are not background; of a blotted puzzle in its solution, null without one",
            "Foote and Krizanc (arXiv:2507.07283): random puzzles change phase at 0.39 to 0.42",
            "density",
        ),
        only=NONOGRAM,
    ),
    Measure(
        "mean_slack", pa.float64(), "cells", Computed.derived, EVERYWHERE,
        Meaning(
            "mean over all lines of the cells by which a line's blocks can shift: its length less its blocks and the "
            "cells that must part them; 0 for a line without blocks",
            "our own; probably what Chen and Lin (Requiem, ICGA Journal 2019) call freedom, as an average",
            "mean slack",
        ),
        only=NONOGRAM,
        digits=2,
    ),
    Measure(
        "max_slack", pa.int32(), "cells", Computed.derived, EVERYWHERE,
        Meaning("the largest such number of a line", "likewise", "largest slack"),
        only=NONOGRAM,
    ),
    Measure(
        "log10_arrangements", pa.float64(), "log10 of arrangements", Computed.derived, EVERYWHERE,
        Meaning(
            "decimal logarithm of the number of ways to fill in all rows and all columns, each line on its own: "
            "the sum of log10 C(slack + k, k) over all lines, k being its blocks and once more its blots; null if a "
            "line has none",
            "stars and bars",
            "arrangements (log10)",
        ),
        only=NONOGRAM,
        digits=1,
    ),
    Measure(
        "difficulty", pa.float64(), "log10 of line solves per line", Computed.derived, EVERYWHERE,
        Meaning(
            f"the combined score: log10((line solves + {CONFLICT} x conflicts) / lines), the work of all techniques in "
            "line solves a line. 0: each line once; 3: a thousand times. Of a timeout a lower bound",
            "pbnsolve's score (100 x line solves / lines) as a logarithm, clause learning brought to the same unit",
            "difficulty",
        ),
        sudoku=Meaning(
            "the combined score: log10(line solves / units). 0: each unit looked at once; 3: a thousand times. The "
            "search of 9x9 is counted in nodes only. Of a timeout a lower bound",
            "our own, as for nonograms",
            "difficulty",
        ),
        digits=2,
    ),
    Measure(
        "grade", pa.uint8(), "grade", Computed.graded, EVERYWHERE,
        Meaning(GRADE, LADDER, "grade for people"),
        sudoku=Meaning(GRADE, f"{SUDOKU_LADDER}, in the levels of Hobiger's HoDoKu", "grade for people"),
    ),
    Measure(
        "minutes", pa.float64(), "minutes", Computed.graded, EVERYWHERE,
        Meaning(
            "how long it takes people: typical time of those who finish, estimated; null for puzzles that need search, "
            "have blots, or are larger than all puzzles with known times",
            TIMES_OF_PEOPLE, "minutes for people",
        ),
        sudoku=Meaning(
            "how long it takes people: mean time, estimated; null unless it is 9x9 and needs no search",
            SUDOKU_TIMES, "minutes for people",
        ),
        digits=1,
    ),
    Measure(
        "minutes_low", pa.float64(), "minutes", Computed.graded, DATASET,
        Meaning(
            "80 % of puzzles with this estimate take people from here to minutes_high", TIMES_OF_PEOPLE, "minutes from"
        ),
        sudoku=Meaning(
            "80 % of Sudokus with this estimate take people from here to minutes_high", SUDOKU_TIMES, "minutes from"
        ),
        digits=1,
    ),
    Measure(
        "minutes_high", pa.float64(), "minutes", Computed.graded, DATASET,
        Meaning("upper end of that interval", TIMES_OF_PEOPLE, "minutes to"),
        sudoku=Meaning("upper end of that interval", SUDOKU_TIMES, "minutes to"),
        digits=1,
    ),
    Measure(
        "stars", pa.float64(), "stars", Computed.graded, EVERYWHERE,
        Meaning(
            "how hard people call it, from 1 to 5 stars, estimated; null as minutes",
            "nonocensus: fitted to ratings of webpbn.com (docs/DIFFICULTY.md)", "stars of people",
        ),
        only=NONOGRAM,
        digits=1,
    ),
    Measure(
        "looks", pa.int64(), "line looks", Computed.graded, EVERYWHERE,
        Meaning(
            "how often a line was looked at, with any technique or on the way from an assumption",
            f"{LADDER}; on the way from assumptions pbnsolve's lines processed",
            "looks for people",
        ),
        only=NONOGRAM,
    ),
    Measure(
        "steps", pa.int32(), "finds", Computed.graded, DATASET,
        Meaning("finds by all techniques together", SUDOKU_LADDER, "steps for people"),
        only=SUDOKU,
    ),
    Measure(
        "work", pa.float64(), "looks per cell", Computed.graded, EVERYWHERE,
        Meaning(
            "looks a cell",
            "looks, divided as Foote and Krizanc (arXiv 2507.07283) divide propagations by cells",
            "work for people",
        ),
        sudoku=Meaning(
            "steps for each cell to be filled: 1 where singles are enough",
            f"{SUDOKU_LADDER}; HoDoKu and SudokuWiki weigh steps as well as counting them",
            "work for people",
        ),
        digits=1,
    ),
    Measure(
        "open", pa.int32(), "cells", Computed.graded, DATASET,
        Meaning(
            OPEN, f"{LADDER}; Wu et al. print it for tournament puzzles after full probing", "cells left for search"
        ),
        sudoku=Meaning(OPEN, SUDOKU_LADDER, "cells left for search"),
    ),
    Measure(
        "site_difficulty", pa.float64(), "rating", Computed.rated, NOT_CORRELATED,
        Meaning(
            "the site's rating of difficulty (webpbn.com: mean of 1 to 5 stars; nonograms.org: 0 to 10)",
            "", "people’s rating of difficulty",
        ),
        sudoku=Meaning("the site's rating of difficulty", "", "people’s rating of difficulty"),
    ),
    Measure(
        "site_quality", pa.float64(), "quality rating", Computed.rated, NOT_CORRELATED,
        Meaning(
            "the site's rating of quality (webpbn.com: mean of 1 to 5 stars; nonograms.org: 0 to 10; griddlers.net: "
            "popularity, 0 to 100 %)",
            "", "people’s rating of quality",
        ),
        sudoku=Meaning("the site's rating of quality", "", "people’s rating of quality"),
    ),
    Measure(
        "site_seconds", pa.float64(), "solving seconds", Computed.rated, NOT_CORRELATED,
        Meaning(
            "typical solving time in seconds, as the site states it (griddlers.net: medium time of those who finished)",
            "", "people’s solving time",
        ),
        sudoku=Meaning("typical solving time in seconds, as the site states it", "", "people’s solving time"),
    ),
)
# fmt: on
"""All measures: those of the results table in the order of its columns, then those of other tables."""

BY_NAME = {measure.name: measure for measure in MEASURES}


def computed_by(*ways: Computed) -> tuple[Measure, ...]:
    """Return the measures whose values come from one of these."""
    return tuple(measure for measure in MEASURES if measure.computed in ways)


def shown_in(place: Place) -> tuple[Measure, ...]:
    """Return the measures that are shown in a place."""
    return tuple(measure for measure in MEASURES if place in measure.shown)


def names(measures: Iterable[Measure]) -> list[str]:
    """Return the names of measures."""
    return [measure.name for measure in measures]


def difficulty(line_solves: np.ndarray, conflicts: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Return the measure `difficulty`, float64[puzzles]: log10 of the work per line, in line solves.

    NaN or infinite without lines or work.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log10((line_solves + CONFLICT * conflicts) / lines))

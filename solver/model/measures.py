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


class Computed(StrEnum):
    """Where the value of a measure comes from."""

    timed = "timed"  # seconds, of the results table
    counted = "counted"  # a counter of the kernels, of the results table
    decided = "decided"  # other columns of the results table
    derived = "derived"  # computed from clues and result (reports.numbers.derived_measures)
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


class Measure(NamedTuple):
    """A measure of difficulty.

    name        of its column
    dtype       of its column
    unit        "s", "cells", ...; some decide how a value is written (`FORMATS` of browser/facts.js)
    computed    where its value comes from
    shown       where it is shown
    definition  the description of its column
    source      who defined it; empty where no reference is needed, as for times
    label       its name in charts and tables
    digits      decimals of a value as people read it
    """

    name: str
    dtype: pa.DataType
    unit: str
    computed: Computed
    shown: frozenset[Place]
    definition: str
    source: str
    label: str
    digits: int = 0

    def field(self) -> pa.Field:
        """Return its Arrow field, with description and, if it has one, source in the metadata."""
        metadata = {"description": self.definition} | ({"source": self.source} if self.source else {})
        return pa.field(self.name, self.dtype, metadata=metadata)


RELAXATIONS = (
    "Batenburg and Kosters, Solving nonograms by combining relaxations (2009), doi:10.1016/j.patcog.2008.12.003"
)
LADDER = "nonocensus: the techniques of docs/TECHNIQUES.md"
TIMES_OF_PEOPLE = "nonocensus: fitted to solving times of griddlers.net (docs/DIFFICULTY.md)"

# fmt: off
MEASURES = (
    Measure(
        "cpu_seconds", pa.float64(), "s", Computed.timed, EVERYWHERE,
        "CPU time of the whole puzzle, of all processes that had a part of it", "", "CPU time",
    ),
    Measure(
        "wall_seconds", pa.float64(), "s", Computed.timed, DATASET,
        "wall time of the whole puzzle, from its begin to its end", "", "wall time",
    ),
    Measure(
        "cpu_line", pa.float64(), "s", Computed.timed, DATASET,
        "CPU time of line logic", "", "CPU time of line logic",
    ),
    Measure(
        "cpu_depth2", pa.float64(), "s", Computed.timed, DATASET,
        "CPU time of depth-2", "", "CPU time of depth-2",
    ),
    Measure(
        "cpu_probe", pa.float64(), "s", Computed.timed, DATASET,
        "CPU time of probing", "", "CPU time of probing",
    ),
    Measure(
        "cpu_search", pa.float64(), "s", Computed.timed, DATASET,
        "CPU time of greedy descent after line logic, of search and of belief propagation", "", "CPU time of search",
    ),
    Measure(
        "cpu_sat", pa.float64(), "s", Computed.timed, DATASET,
        "CPU time of clause learning", "", "CPU time of clause learning",
    ),
    Measure(
        "line_solves", pa.int64(), "line solves", Computed.counted, EVERYWHERE,
        "lines solved, all rungs together", "pbnsolve counts them as lines processed", "line solves",
    ),
    Measure(
        "sweeps", pa.int32(), "sweeps", Computed.counted, EVERYWHERE,
        "passes of line logic over all changed rows or all changed columns (Batenburg)",
        "Batenburg, Henstra, Kosters and Palenstijn, Constructing simple nonograms of varying difficulty (2009)",
        "sweeps",
    ),
    Measure(
        "probes", pa.int64(), "assumptions", Computed.counted, EVERYWHERE,
        "assumptions tried",
        "Wu et al., An efficient approach to solving nonograms (IEEE TCIAIG 2013): assumptions of full probing",
        "probes",
    ),
    Measure(
        "contradictions", pa.int64(), "assumptions", Computed.counted, EVERYWHERE,
        "assumptions refuted", "pbnsolve's contradiction check, Wu et al.'s full probing", "contradictions",
    ),
    Measure(
        "nodes", pa.int64(), "nodes", Computed.counted, EVERYWHERE,
        "nodes of the search", "branches of the search, as in Wu et al.", "search nodes",
    ),
    Measure(
        "max_depth", pa.int32(), "nodes", Computed.counted, NOT_CORRELATED,
        "greatest depth of the search", "as in Wu et al.", "search depth",
    ),
    Measure(
        "conflicts", pa.int64(), "conflicts", Computed.counted, EVERYWHERE,
        "conflicts of clause learning",
        "of the SAT solver, on the order encoding (Tamura et al. 2009, doi:10.1007/s10601-008-9061-0)",
        "conflicts",
    ),
    Measure(
        "cells", pa.int32(), "size", Computed.decided, EVERYWHERE,
        "width x height", "", "cells",
    ),
    Measure(
        "cells_after_line", pa.int32(), "decided cells", Computed.decided, NOT_CORRELATED,
        "cells decided by line logic", RELAXATIONS, "cells after line logic",
    ),
    Measure(
        "cells_after_depth2", pa.int32(), "decided cells", Computed.decided, NOT_CORRELATED,
        "cells decided after depth-2",
        "likewise, after pbnsolve's contradiction check of depth 2",
        "cells after depth-2",
    ),
    Measure(
        "cells_after_probe", pa.int32(), "decided cells", Computed.decided, NOT_CORRELATED,
        "cells decided after probing",
        "likewise, after full probing; Wu et al. print it for tournament puzzles",
        "cells after probing",
    ),
    Measure(
        "score", pa.float64(), "line solves per 100 lines", Computed.decided, EVERYWHERE,
        "pbnsolve's difficulty: 100 x line solves / lines",
        "pbnsolve, by Jan Wolter: its option -b",
        "score of pbnsolve",
    ),
    Measure(
        "blocks", pa.int32(), "blocks", Computed.derived, EVERYWHERE,
        "blocks in the clues of all rows and columns", "counted from the clues", "blocks",
    ),
    Measure(
        "colors", pa.uint8(), "colours", Computed.derived, EVERYWHERE,
        "foreground colours in the clues", "counted from the clues", "colours",
    ),
    Measure(
        "blots", pa.int32(), "blocks", Computed.derived, EVERYWHERE,
        "blocks of hidden length in all rows and columns", "counted from the clues", "blots",
    ),
    Measure(
        "density", pa.float64(), "share", Computed.derived, EVERYWHERE,
        "share of the cells that are not background; of a blotted puzzle in its solution, null without one",
        "Foote and Krizanc (arXiv:2507.07283): random puzzles change phase at 0.39 to 0.42",
        "density",
    ),
    Measure(
        "mean_slack", pa.float64(), "cells", Computed.derived, EVERYWHERE,
        "mean over all lines of the cells by which a line's blocks can shift: its length less its blocks and the "
        "cells that must part them; 0 for a line without blocks",
        "our own; probably what Chen and Lin (Requiem, ICGA Journal 2019) call freedom, as an average",
        "mean slack",
        digits=2,
    ),
    Measure(
        "max_slack", pa.int32(), "cells", Computed.derived, EVERYWHERE,
        "largest number of cells by which a line's blocks can shift", "as mean_slack", "largest slack",
    ),
    Measure(
        "log10_arrangements", pa.float64(), "log10 of arrangements", Computed.derived, EVERYWHERE,
        "decimal logarithm of the number of ways to fill in all rows and all columns, each line on its own: "
        "the sum of log10 C(slack + k, k) over all lines, k being its blocks and once more its blots; null if a "
        "line has none",
        "stars and bars",
        "arrangements (log10)",
        digits=1,
    ),
    Measure(
        "difficulty", pa.float64(), "log10 of line solves per line", Computed.derived, EVERYWHERE,
        f"the combined score: log10((line solves + {CONFLICT} x conflicts) / lines), the work of all rungs in "
        "line solves a line. 0: each line once; 3: a thousand times; a lower bound for timeouts",
        "pbnsolve's score (100 x line solves / lines) as a logarithm, clause learning brought to the same unit",
        "difficulty",
        digits=2,
    ),
    Measure(
        "grade", pa.uint8(), "grade", Computed.graded, EVERYWHERE,
        "the grade, 1 to 9, of the hardest technique that it needs if each step uses the easiest",
        LADDER, "grade for people",
    ),
    Measure(
        "minutes", pa.float64(), "minutes", Computed.graded, EVERYWHERE,
        "how long it takes people: typical time of a site's regulars who finish, estimated; null for puzzles that need "
        "search, have blots, or are larger than all puzzles with known times",
        TIMES_OF_PEOPLE, "minutes for people",
        digits=1,
    ),
    Measure(
        "minutes_low", pa.float64(), "minutes", Computed.graded, DATASET,
        "80 % of puzzles with this estimate take people from here to minutes_high", TIMES_OF_PEOPLE, "minutes from",
        digits=1,
    ),
    Measure(
        "minutes_high", pa.float64(), "minutes", Computed.graded, DATASET,
        "80 % of puzzles with this estimate take people from minutes_low to here", TIMES_OF_PEOPLE, "minutes to",
        digits=1,
    ),
    Measure(
        "stars", pa.float64(), "stars", Computed.graded, EVERYWHERE,
        "how hard people call it, from 1 to 5 stars, estimated; null where minutes is null",
        "nonocensus: fitted to ratings of webpbn.com (docs/DIFFICULTY.md)", "stars for people",
        digits=1,
    ),
    Measure(
        "looks", pa.int64(), "line looks", Computed.graded, EVERYWHERE,
        "how often a line was looked at, with any technique or on the way from an assumption",
        f"{LADDER}; on the way from assumptions pbnsolve's lines processed",
        "looks at lines",
    ),
    Measure(
        "work", pa.float64(), "looks per cell", Computed.graded, EVERYWHERE,
        "looks per cell",
        "looks, divided as Foote and Krizanc (arXiv 2507.07283) divide propagations by cells",
        "work for people",
        digits=1,
    ),
    Measure(
        "open", pa.int32(), "cells", Computed.graded, DATASET,
        "cells that all techniques but search leave open",
        f"{LADDER}; Wu et al. print it for tournament puzzles after full probing", "cells left for search",
    ),
    Measure(
        "site_difficulty", pa.float64(), "rating", Computed.rated, NOT_CORRELATED,
        "the site's rating of difficulty (webpbn.com: mean of 1 to 5 stars; nonograms.org: 0 to 10)",
        "", "people’s rating of difficulty",
    ),
    Measure(
        "site_quality", pa.float64(), "quality rating", Computed.rated, NOT_CORRELATED,
        "the site's rating of quality (webpbn.com: mean of 1 to 5 stars; nonograms.org: 0 to 10; griddlers.net: "
        "popularity, 0 to 100 %)",
        "", "people’s rating of quality",
    ),
    Measure(
        "site_seconds", pa.float64(), "solving seconds", Computed.rated, NOT_CORRELATED,
        "typical solving time in seconds, as the site states it (griddlers.net: medium time of those who finished)",
        "", "people’s solving time",
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

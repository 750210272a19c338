"""How measures of difficulty go with what people did: rank correlations over a study's puzzles."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from reports.batch import RATED
from reports.ratings import FEW, spearman, standard_ranks
from reports.study.speed import without_speed
from reports.study.tables import SOLVED

TIME, ERRORS, UNSOLVED = "solving time", "errors", "not solved"
OBSERVED = (TIME, ERRORS, UNSOLVED)
"""What is observed of a puzzle."""

REPLICATES, SEED = 1000, 1
"""Draws of the bootstrap, always the same ones."""

SHORTEST = 0.001
"""Seconds that stand for a time of zero in logarithms: a puzzle without blocks is solved at the first sight."""


class Relation(NamedTuple):
    """Spearman's rank correlation of a measure with what was observed, with its 95 % interval."""

    of: str  # of OBSERVED
    measure: str
    puzzles: int
    rho: float
    low: float
    high: float


class Tries(NamedTuple):
    """Attempts as flat arrays, those of a person one after the other.

    person, puzzle   int64: which of the people, and of the puzzles
    logs             float64: the logarithm of the active seconds, NaN unless it was solved
    errors, given    int64: contents given to cells that the solution has otherwise, and all of them
    """

    person: np.ndarray
    puzzle: np.ndarray
    logs: np.ndarray
    errors: np.ndarray
    given: np.ndarray


def tries(attempts: pa.Table, puzzle: np.ndarray) -> Tries:
    """Attempts, of the schema ATTEMPTS, as flat arrays; `puzzle` is the puzzle of each."""
    person = attempts["participant"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)
    order = np.argsort(person, kind="stable")
    solved = np.array(attempts["outcome"].to_pylist(), object) == SOLVED
    logs = np.log(np.maximum(attempts["active_seconds"].to_numpy(), SHORTEST))
    errors, given = (attempts[name].to_numpy().astype(np.int64) for name in ("errors", "cells_set"))
    return Tries(*(column[order] for column in (person, puzzle, np.where(solved, logs, np.nan), errors, given)))


def observed(those: Tries, puzzles: int) -> dict[str, np.ndarray]:
    """What is observed of each puzzle, float64[puzzles] each, NaN where nothing is.

    The time is a logarithm, of somebody of average speed (reports.study.speed); errors are the share of the contents
    given; not solved is the share of the attempts.
    """
    solved = ~np.isnan(those.logs)
    attempts, successes = (np.bincount(those.puzzle[rows], minlength=puzzles) for rows in (slice(None), solved))
    errors, given = (np.bincount(those.puzzle, column, puzzles) for column in (those.errors, those.given))
    with np.errstate(invalid="ignore"):  # nothing of nothing is NaN
        return {
            TIME: without_speed(those.person[solved], those.puzzle[solved], those.logs[solved], puzzles),
            ERRORS: errors / given,
            UNSOLVED: 1 - successes / attempts,
        }


def relations(those: Tries, measured: pa.Table) -> tuple[Relation, ...]:
    """How the measures go with what is observed, the strongest first; none where there are fewer than FEW puzzles.

    measured   columns RATED of reports.census: a row for each puzzle

    The interval is from the smaller to the larger end of two: Fisher's, for other puzzles that might have been chosen,
    and that of a bootstrap over people, for others who might have come. People try many puzzles each, so that a few who
    find something hard that others don't shift all puzzles with it, of which Fisher's knows nothing.
    """
    seen = observed(those, len(measured))
    ranked = {
        (of, measure): found
        for of in OBSERVED
        for measure in RATED
        if (found := spearman(measured[measure], pa.chunked_array([pa.array(seen[of], from_pandas=True)]))) is not None
    }
    if not ranked:
        return ()
    drawn = _drawn(those, measured, list(ranked))
    made = []
    for (of, measure), (puzzles, rho, low, high), others in zip(ranked, ranked.values(), drawn, strict=True):
        ends = [low, high, *(np.nanquantile(others, [0.025, 0.975]).tolist() if not np.isnan(others).all() else ())]
        made.append(Relation(of, measure, puzzles, rho, min(ends), max(ends)))
    return tuple(sorted(made, key=lambda one: (OBSERVED.index(one.of), -abs(one.rho), one.measure)))


def _drawn(those: Tries, measured: pa.Table, wanted: list[tuple[str, str]]) -> np.ndarray:
    """The correlations that are wanted, in each draw of as many people from those there are: [wanted, REPLICATES].

    NaN where a draw leaves too few puzzles, or nothing that varies.
    """
    values = {measure: measured[measure].to_numpy().astype(np.float64) for _, measure in wanted}
    known = {measure: ~np.isnan(column) for measure, column in values.items()}

    @cache
    def ranks(measure: str, puzzles: bytes) -> np.ndarray | None:
        """The ranks of a measure among some puzzles: mostly the same ones, draw for draw."""
        return standard_ranks(values[measure][np.frombuffer(puzzles, np.bool_)])

    rhos = np.full((len(wanted), REPLICATES), np.nan)
    for replicate, draw in enumerate(_draws(those)):
        seen = observed(draw, len(measured))
        of_seen: dict[tuple[str, bytes], np.ndarray | None] = {}
        for k, (of, measure) in enumerate(wanted):
            there = known[measure] & ~np.isnan(seen[of])
            puzzles = there.tobytes()
            if (of, puzzles) not in of_seen:
                enough = np.count_nonzero(there) >= FEW
                of_seen[of, puzzles] = standard_ranks(seen[of][there]) if enough else None
            x, y = ranks(measure, puzzles), of_seen[of, puzzles]
            if x is not None and y is not None:
                rhos[k, replicate] = x @ y
    return rhos


def _draws(those: Tries) -> Iterator[Tries]:
    """The attempts of as many people as there are, drawn with replacement, REPLICATES times."""
    generator = np.random.default_rng(SEED)
    sizes = np.bincount(those.person)
    first = np.cumsum(sizes) - sizes
    for _ in range(REPLICATES):
        people = generator.integers(len(sizes), size=len(sizes))
        theirs = sizes[people]
        rows = np.repeat(first[people] - np.cumsum(theirs) + theirs, theirs) + np.arange(theirs.sum())
        yield Tries(*(column[rows] for column in those))

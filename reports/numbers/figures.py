"""Records of a report's figures; `reports.numbers.aggregate` computes them."""

from typing import NamedTuple

from nonocensus.reports.numbers.attention import Attention
from nonocensus.reports.numbers.joined_columns import Grade
from nonocensus.reports.numbers.rating_correlations import GradeCorrelation, MeasureCorrelation, RatingBox, Ratings


class PuzzleGroup(NamedTuple):
    """The puzzles of a source, a kind, a size class, ..."""

    name: str
    puzzles: int
    cpu_seconds: float
    labels: dict[str, int]  # puzzles by label, in the order of Figures
    rungs: dict[str, int]  # puzzles by rung, in the order of Figures


class GoalMatches(NamedTuple):
    """Puzzles by whether the author's picture solves the clues."""

    matches: int
    differs: int
    unknown: int  # no picture, or the puzzle was not solved


class ShareQuantiles(NamedTuple):
    """Quantiles of a share from 0 to 1."""

    minimum: float
    p10: float
    p25: float
    median: float
    p75: float
    p90: float
    maximum: float


class StalledPuzzles(NamedTuple):
    """The puzzles that line logic alone leaves open, and the share of their cells that it decides."""

    puzzles: int
    decided: ShareQuantiles | None  # None without such puzzles


class TimeSummary(NamedTuple):
    """CPU seconds per puzzle, over the puzzles with a known time."""

    puzzles: int
    total: float
    mean: float
    median: float
    p90: float
    p99: float
    maximum: float


class HistogramBin(NamedTuple):
    """A histogram bin of CPU seconds or another measure: start <= measure < stop."""

    start: float
    stop: float
    puzzles: int
    labels: dict[str, int]


class TimeClass(NamedTuple):
    """A time class of the survey: start <= CPU seconds < stop; the last has no stop."""

    start: float
    stop: float | None
    puzzles: int
    timeouts: int  # of them without an answer


class SizeQuantiles(NamedTuple):
    """Quantiles of CPU seconds in a size class: start <= cells < stop."""

    start: int
    stop: int
    puzzles: int
    p10: float
    median: float
    p90: float
    p99: float
    maximum: float


class RungTimes(NamedTuple):
    """CPU time of a rung, over the puzzles that it worked on."""

    rung: str
    puzzles: int
    cpu_seconds: float
    bins: tuple[tuple[float, float, int], ...]  # start, stop, puzzles: a histogram over log10, without empty bins


class DuplicateCounts(NamedTuple):
    """Puzzles that repeat others of the run."""

    same: int  # clues equal to those of an earlier puzzle, whatever their colours
    turned: int  # equal when rotated, mirrored or recoloured, `same` included


class HardPuzzle(NamedTuple):
    """One of the hardest puzzles; unknown values are None."""

    puzzle_id: str | None
    title: str | None
    author: str | None
    width: int | None
    height: int | None
    label: str
    technique: str | None
    difficulty: float | None
    cpu_seconds: float | None
    probes: int | None
    nodes: int | None
    conflicts: int | None


class TimedOutPuzzle(NamedTuple):
    """A puzzle that timed out, and what was known by then."""

    puzzle_id: str | None
    title: str | None
    width: int | None
    height: int | None
    cells: int | None
    decided: int | None  # cells
    solution_known: bool
    cpu_seconds: float | None
    nodes: int | None
    conflicts: int | None


class Timeouts(NamedTuple):
    """The puzzles that timed out."""

    puzzles: int
    with_solution: int  # of those shown one by one
    decided: ShareQuantiles | None  # share of their cells, of those shown one by one
    hardest: tuple[TimedOutPuzzle, ...]


class FailureKind(NamedTuple):
    """A kind of failure; numbers in the reason are replaced by N."""

    status: str
    reason: str
    puzzles: int


class ClaimCounts(NamedTuple):
    """Puzzles with one of the claims of `reports.numbers.site_claims.CLAIMS`, by our verdict."""

    claim: str
    puzzles: int
    unique: int
    multiple: int
    none: int
    undecided: int
    differ: int  # puzzles whose verdict contradicts the claim


class SiteDisagreement(NamedTuple):
    """A puzzle whose verdict contradicts the site's claim."""

    puzzle_id: str | None
    title: str | None
    claim: str
    label: str
    technique: str | None


class SolverWork(NamedTuple):
    """Counters of the run and their CPU time: the units of the combined score."""

    line_solves: int
    line_solve_seconds: float | None  # a line solve, over all rungs but clause learning
    conflicts: int
    conflict_seconds: float | None


class Failure(NamedTuple):
    """A puzzle without a verdict, and the reason."""

    puzzle_id: str | None
    title: str | None
    status: str
    reason: str | None


class Unproved(NamedTuple):
    """A verdict without a proof, and the reason."""

    puzzle_id: str | None
    reason: str | None


class Grades(NamedTuple):
    """Grades of the puzzles with one solution."""

    unique: int  # puzzles with one solution
    graded: int  # those of them that have a grade
    grades: tuple[Grade, ...]  # from the easiest
    minutes: dict[str, int]  # puzzles with an estimate, by class of minutes
    quartiles: tuple[float, float, float] | None  # of their minutes
    compared: int  # puzzles in the correlations and quartiles: all, or a random sample
    agreements: tuple[GradeCorrelation, ...]  # the strongest first


class Certified(NamedTuple):
    """Verdicts checked by an independent proof."""

    provable: int  # verdicts that claim something
    proved: int
    kinds: dict[str, int]  # by what was proved: unique by line, multiple, ...
    failed: tuple[Unproved, ...]  # proofs that do not hold
    late: tuple[Unproved, ...]  # no proof within the time limit
    killed: tuple[Unproved, ...]  # the worker died


class Figures(NamedTuple):
    """All figures of a report.

    Dicts map words to numbers of puzzles, in reading order; words that do not occur are left out.
    """

    total: int
    statuses: dict[str, int]
    solutions: dict[str, int]
    labels: dict[str, int]  # of a row without a label, its status
    techniques: dict[str, int]
    rungs: dict[str, int]  # RUNG_WORDS: techniques of unique puzzles, then the kinds of others
    trivial: int
    unique_by_line: int
    goals: GoalMatches
    stalled: StalledPuzzles
    times: TimeSummary | None  # None if no time is known
    histogram: tuple[HistogramBin, ...]  # of equal width in log10, without gaps
    survey: tuple[TimeClass, ...]
    rung_times: tuple[RungTimes, ...]
    areas: tuple[SizeQuantiles, ...]  # CPU time by size
    area_times: tuple[tuple[int, int, int], ...]  # (place in `areas`, place in `histogram`, puzzles), without zeros
    sources: tuple[PuzzleGroup, ...]
    kinds: tuple[PuzzleGroup, ...]
    sizes: tuple[PuzzleGroup, ...]  # classes of the longer side
    colors: tuple[PuzzleGroup, ...]  # foreground colours in the clues
    densities: tuple[PuzzleGroup, ...]  # classes of the share of coloured cells
    years: dict[int, int]  # puzzles by known year, without gaps
    authors: tuple[PuzzleGroup, ...]  # the most productive; without rungs
    all_authors: int
    copies: DuplicateCounts
    attention: Attention
    work: SolverWork
    shown: int  # puzzles shown one by one: all, or the hardest
    hardest: tuple[HardPuzzle, ...]  # except those with several solutions
    difficulties: tuple[HistogramBin, ...]  # a histogram of the difficulty, without gaps
    compared: int  # puzzles whose measures are correlated: all, or a random sample
    correlations: tuple[MeasureCorrelation, ...]  # of each pair of measures, then of each site's ratings
    timeouts: Timeouts
    claims: tuple[ClaimCounts, ...]
    differing: tuple[SiteDisagreement, ...]  # the first of them
    ratings: Ratings
    rating_boxes: tuple[RatingBox, ...]  # none without grades
    grades: Grades | None  # None for a run that is not graded
    failed: int
    failures: tuple[Failure, ...]  # the first of them
    reasons: tuple[FailureKind, ...]  # of all failures, most frequent first

"""What a report says in numbers, as plain records; `reports.aggregate` counts them."""

from typing import NamedTuple

from reports.attention import Attention
from reports.joined_columns import Grade
from reports.rating_correlations import GradeCorrelation, MeasureCorrelation, Ratings


class PuzzleGroup(NamedTuple):
    """The puzzles that share a source, a kind or a size class."""

    name: str
    puzzles: int
    cpu_seconds: float
    labels: dict[str, int]  # puzzles of each label of the census, in its order
    rungs: dict[str, int]  # puzzles of each of the census' rungs (see Figures), in its order


class GoalMatches(NamedTuple):
    """How often the author's picture solves the clues."""

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
    """CPU seconds a puzzle, over the puzzles whose time is known."""

    puzzles: int
    total: float
    mean: float
    median: float
    p90: float
    p99: float
    maximum: float


class HistogramBin(NamedTuple):
    """A column of a histogram, of CPU seconds or of another measure: start <= measure < stop."""

    start: float
    stop: float
    puzzles: int
    labels: dict[str, int]


class TimeClass(NamedTuple):
    """A time class of the survey: start <= CPU seconds < stop, the last without a stop."""

    start: float
    stop: float | None
    puzzles: int
    timeouts: int  # of them without an answer


class SizeQuantiles(NamedTuple):
    """CPU seconds of the puzzles of a size: start <= cells < stop."""

    start: int
    stop: int
    puzzles: int
    p10: float
    median: float
    p90: float
    p99: float
    maximum: float


class RungTimes(NamedTuple):
    """The time that a rung took, over the puzzles that it had to work on."""

    rung: str
    puzzles: int
    cpu_seconds: float
    bins: tuple[tuple[float, float, int], ...]  # start, stop, puzzles: a histogram over log10, without empty bins


class DuplicateCounts(NamedTuple):
    """Puzzles that are in the archive more than once."""

    same: int  # beside the first of those with equal clues
    turned: int  # beside the first of those equal when turned, mirrored or recoloured, `same` included


class HardPuzzle(NamedTuple):
    """One of the hardest puzzles; what the tables do not say is None."""

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
    """A puzzle that the time limit left without an answer, and what was known by then."""

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
    """The puzzles that the time limit left without an answer."""

    puzzles: int
    with_solution: int  # of those shown one by one
    decided: ShareQuantiles | None  # share of their cells, of those shown one by one
    hardest: tuple[TimedOutPuzzle, ...]


class FailureKind(NamedTuple):
    """A kind of failure: numbers in the reason stand as N."""

    status: str
    reason: str
    puzzles: int


class ClaimCounts(NamedTuple):
    """The puzzles of one claim of `reports.site_claims.CLAIMS`, by our verdict."""

    claim: str
    puzzles: int
    unique: int
    multiple: int
    none: int
    undecided: int
    differ: int  # puzzles whose verdict contradicts the claim


class SiteDisagreement(NamedTuple):
    """A puzzle whose verdict is another than the site's."""

    puzzle_id: str | None
    title: str | None
    claim: str
    label: str
    technique: str | None


class SolverWork(NamedTuple):
    """What the counters of this run cost: the unit of the combined score."""

    line_solves: int
    line_solve_seconds: float | None  # a line solve, over all rungs but clause learning
    conflicts: int
    conflict_seconds: float | None


class Failure(NamedTuple):
    """A puzzle without a verdict, and why."""

    puzzle_id: str | None
    title: str | None
    status: str
    reason: str | None


class Unproved(NamedTuple):
    """A verdict that was not proved again, and why."""

    puzzle_id: str | None
    reason: str | None


class Grades(NamedTuple):
    """How hard the puzzles with one solution are for people."""

    unique: int  # puzzles with one solution
    graded: int  # those of them that have a grade
    grades: tuple[Grade, ...]  # from the easiest
    compared: int  # puzzles that the correlations are of: all, or some drawn at random
    agreements: tuple[GradeCorrelation, ...]  # the strongest first


class Certified(NamedTuple):
    """Verdicts that were proved again without the kernels."""

    provable: int  # verdicts that claim something
    proved: int
    kinds: dict[str, int]  # of them, by what was proved: unique by line, multiple, ...
    failed: tuple[Unproved, ...]  # proofs that do not hold
    late: tuple[Unproved, ...]  # no proof in the time there was
    killed: tuple[Unproved, ...]  # the worker died


class Figures(NamedTuple):
    """Everything that a report says in numbers.

    The dicts map a word to its number of puzzles, in an order made for reading; words that do not occur are left out.
    """

    total: int
    statuses: dict[str, int]
    solutions: dict[str, int]
    labels: dict[str, int]  # of a row without a label, its status
    techniques: dict[str, int]
    rungs: dict[str, int]  # techniques of unique puzzles, then what the others are: RUNG_WORDS
    trivial: int
    unique_by_line: int
    goals: GoalMatches
    stalled: StalledPuzzles
    times: TimeSummary | None  # None if no time is known
    histogram: tuple[HistogramBin, ...]  # of constant width in log10, without holes
    survey: tuple[TimeClass, ...]
    rung_times: tuple[RungTimes, ...]
    areas: tuple[SizeQuantiles, ...]  # CPU time by size
    area_times: tuple[tuple[int, int, int], ...]  # (place in `areas`, place in `histogram`, puzzles), without zeros
    sources: tuple[PuzzleGroup, ...]
    kinds: tuple[PuzzleGroup, ...]
    sizes: tuple[PuzzleGroup, ...]  # classes of the longer side
    colors: tuple[PuzzleGroup, ...]  # foreground colours in the clues
    densities: tuple[PuzzleGroup, ...]  # classes of the share of coloured cells
    givens: tuple[PuzzleGroup, ...]  # classes of the number of givens; none without Sudokus
    years: dict[int, int]  # puzzles of each year that is known, without holes
    authors: tuple[PuzzleGroup, ...]  # the most productive; without rungs
    all_authors: int
    copies: DuplicateCounts
    attention: Attention
    work: SolverWork
    shown: int  # puzzles shown one by one: all, or the hardest
    hardest: tuple[HardPuzzle, ...]  # but for those with several solutions
    difficulties: tuple[HistogramBin, ...]  # a histogram of the difficulty, without holes
    compared: int  # puzzles whose measures are held against each other: all, or some drawn at random
    correlations: tuple[MeasureCorrelation, ...]  # of each two measures, then of each site's ratings with them
    timeouts: Timeouts
    claims: tuple[ClaimCounts, ...]
    differing: tuple[SiteDisagreement, ...]  # the first of them
    ratings: Ratings
    grades: Grades | None  # None for a run that is not graded
    failed: int
    failures: tuple[Failure, ...]  # the first of them
    reasons: tuple[FailureKind, ...]  # of all, the commonest first

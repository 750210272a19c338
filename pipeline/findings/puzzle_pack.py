"""Packs: a selection of a run's puzzles for an app, a site or a book, one file each, from easy to hard.

With a book they are in its order, in which a puzzle that fills a page may come before easier ones.

DIR/pack.json            all puzzles with solutions, rights and difficulty (pipeline.findings.pack_index); marks the
                         folder as a pack and lists its files, so that the next one may replace it
DIR/001-webpbn-14.non    and so on: puzzles with solutions, checked against their clues and read back
DIR/book.pdf             the puzzles to print, their solutions at the end (optional)
DIR/pack.csv             one line per puzzle: source, rights, difficulty; written last

Puzzles have exactly one solution, and are distinct up to symmetry; no two have near pictures. Among alike puzzles the
original is chosen (`pipeline.findings.deduplication`). Those of the best tenth of their site's ratings of quality
come first, unrated ones last; within a tenth the selection is pseudo-random, and always the same.
"""

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks, track
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.csv_file import write_csv
from nonocensus.pipeline.findings.deduplication import near_copies
from nonocensus.pipeline.findings.pack_index import KIND, Pack, packed_puzzle
from nonocensus.pipeline.findings.sample import CANDIDATES, DATED, balanced_order, difficulty_class, sample_candidates
from nonocensus.pipeline.run.job_tables import finished_grades
from nonocensus.pipeline.run.result_pairs import matching_rows, pairs, solvable_rows
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.sql import condition
from nonocensus.pipeline.store.conversion import file_stem
from nonocensus.pipeline.store.lock import staging
from nonocensus.pipeline.store.parts import one_batch
from nonocensus.pipeline.store.paths import Folder, folder
from nonocensus.reports.clean import without_mojibake
from nonocensus.reports.numbers.joined_columns import CONDITION_COLUMNS, OUTCOME, joined_rows
from nonocensus.reports.numbers.row_classes import MINUTES, size_class
from nonocensus.reports.page.book import EASY_PRINT, BookLayout, BookPuzzle, book, fits_page, lay_out, small_print
from nonocensus.reports.page.printing import LEAST_PRINT, missing_letters
from nonocensus.reports.rights import shareable
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.formats import Format, FormatError, jsonl
from nonocensus.scrapers.formats.parsing import webpbn_origin
from nonocensus.scrapers.formats.writing import BLOTS, COLORS, file_of
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.keyed_rows import KeyedRows, first_bits
from nonocensus.solver.model.measures import RATING_SCALES
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import PUZZLES, picture, puzzles_of

MARK, LIST, BOOK = "pack.json", "pack.csv", "book.pdf"
OWN = re.compile(r"\d+-[\w.#()-]+|book\.pdf")
"""Names of a pack's files; others are never deleted, even if an untrusted pack.json lists them."""

LISTED = (
    *("puzzle_id", "title", "author", "copyright", "license", "url", "width", "height", "kind", "blotted", "colors"),
    *("label", "technique", "minutes", "minutes_low", "minutes_high", "stars", "grade", "hardest", "difficulty"),
    "site_quality",
)
"""Columns of pack.csv, between the file name and the scale of `site_quality`."""

MIN_DENSITY = 0.1
"""Default for the least share of painted cells. On webpbn.com 36 of 23,308 unique puzzles have less: single dots and
jokes, rated 1.6 of 5 for quality on average."""

SPARE, MOST_SPARE = 10, 1000
"""Puzzles drawn beyond the number: as many again, up to a limit, or a tenth. They replace those that are skipped."""

BOOK_SPARE = 10
"""Times as many are drawn for a book, as its pages do not hold large puzzles."""

FOR_PEOPLE = {"minutes": "an estimate of minutes", "stars": "an estimate of stars", "grade": "a grade"}
"""Measures to spread that only graded puzzles have, in words."""

CLASSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "minutes": lambda minutes: np.searchsorted(MINUTES, minutes, "right"),
    "stars": lambda stars: np.minimum(2 * stars, 9).astype(np.int64),
    "grade": lambda grades: grades.astype(np.int64),
    "difficulty": difficulty_class,
}
"""The class of each value of a measure to spread."""

Spread = Literal["minutes", "stars", "grade", "difficulty"]
"""Measure over which a pack is spread evenly."""

DECISIONS = "that hold a decision"
"""The last condition on puzzles for people, in words: cells differ, and there are 3 rows and columns or more, unless
the user's condition has a width or height."""


@dataclass(frozen=True)
class PackOptions:
    """Options of a pack, by their names on the command line.

    count        number of puzzles
    ids          ids to choose from; empty for all
    where        a condition in SQL over CONDITION_COLUMNS
    spread       measure to spread evenly (default: none)
    minutes      least and most minutes for people
    to           format of the files
    private      include puzzles that must not be redistributed
    min_density  least share of painted cells
    per_author   most puzzles of an author
    pdf          layout of a book to print; None for no book
    title, by    the pack's title and author
    """

    count: int
    ids: tuple[str, ...] = ()
    where: str | None = None
    spread: Spread | None = None
    minutes: tuple[float, float] | None = None
    to: Format = jsonl
    private: bool = False
    min_density: float = MIN_DENSITY
    per_author: int | None = None
    pdf: BookLayout | None = None
    title: str | None = None
    by: str | None = None


class Packed(NamedTuple):
    """Result of `write_pack`.

    puzzles    number of puzzles
    considered numbers of puzzles that remain after each condition, in order
    left_out   properties that the format does not support, in words, with numbers of puzzles
    skipped    reasons by id of chosen puzzles that are damaged, near an older one, or that the format or a page of the
               book can't hold, and of those that --ids names and that equal an older one
    small      sizes in points by id of numbers that are hard to read in the book
    in_color   ids of puzzles without letters in the book, which need a colour print
    notes      what else to know of the selection, in words
    folder     name of the pack's folder
    """

    puzzles: int
    considered: dict[str, int]
    left_out: dict[str, int]
    skipped: dict[str, str]
    small: dict[str, float]
    in_color: list[str]
    notes: list[str]
    folder: str


class Drawn(NamedTuple):
    """A puzzle to choose: bits of its canonical hash, and its rank as of `sample_candidates`."""

    bits: int
    rank: int


class PackChoice(NamedTuple):
    """Puzzles of a run that fit, easiest first.

    rows       their rows, with CONDITION_COLUMNS
    puzzles    the puzzles, their solutions as goals, and their files
    considered, left_out, skipped   as of Packed
    """

    rows: pa.Table
    puzzles: list[tuple[Puzzle, bytes]]
    considered: Counter[str]
    left_out: Counter[str]
    skipped: dict[str, str]


def choose(
    run: Run, options: PackOptions, progress: ProgressCallbacks = SILENT, for_people: bool = False
) -> PackChoice:
    """Choose puzzles of a run, reading every row twice; errors are those of `write_pack`.

    for_people   leave out puzzles that hold no decision or are near an older one, and prefer a higher tenth of each
                 site's ratings of quality, instead of drawing at random
    """
    progress.on_start("choosing", 2 * run.rows, 0)
    grades = finished_grades(run, options.where, options.minutes is not None or options.spread in FOR_PEOPLE)
    considered = Counter[str]()
    tenths = _rating_tenths(run) if for_people else None
    drawn, equal = _drawn(_candidates(run, grades, options, tenths, considered, progress), options, considered)
    if not considered:
        raise UserError(f"{run.folder.name} has no results yet; run nonocensus classify")
    if not drawn:
        raise UserError(f"{run.folder.name} has no puzzle that qualifies: {funnel_text(considered)}")
    rows, skipped = _rows(run, grades, drawn, progress)
    near = _near_ids(rows, drawn) if for_people else set[str]()
    chosen, left_out = _fitting(rows, options, skipped, near)
    if not chosen:
        name, reason = next(iter(skipped.items()))
        raise UserError(f"{run.folder.name}: no chosen puzzle can be packed: {name}: {reason}")
    rows, puzzles = _easiest_first(rows, chosen)
    skipped |= dict.fromkeys(equal, "equal to an older one, perhaps rotated, mirrored or recoloured")
    return PackChoice(rows, puzzles, considered, left_out, skipped)


def write_pack(run: Run, uri: str, options: PackOptions, progress: ProgressCallbacks = SILENT) -> Packed:
    """Write a pack, of fewer puzzles if there are not enough; a previous pack is replaced.

    Puzzles that are damaged, near an older one, or that the format or the book can't hold, are skipped and replaced.
    Raises UserError for a folder with other content, an invalid condition or an empty pack, before anything is written.
    """
    place = folder(uri)
    _previous_files(place)
    rows, puzzles, considered, left_out, skipped = choose(run, options, progress, for_people=True)
    chapters = []
    if options.pdf is not None:
        ranks = {puzzle.puzzle_id: rank for rank, (puzzle, _) in enumerate(puzzles)}
        estimates = (rows[name].to_pylist() for name in ("minutes", "stars"))
        chapters = lay_out([*map(BookPuzzle, (puzzle for puzzle, _ in puzzles), *estimates)], options.pdf)
        order = [ranks[each.puzzle.puzzle_id] for chapter in chapters for each in chapter.puzzles()]
        rows, puzzles = rows.take(order), [puzzles[rank] for rank in order]
    listed = rows.select(LISTED).set_column(
        LISTED.index("url"), "url", pa.array([_page(puzzle) for puzzle, _ in puzzles], pa.string())
    )
    digits = max(3, len(str(len(puzzles))))
    names = [
        f"{number:0{digits}d}-{file_stem(puzzle)}{options.to.SUFFIXES[0]}"
        for number, (puzzle, _) in enumerate(puzzles, 1)
    ]
    files = dict(zip(names, [data for _, data in puzzles], strict=True))
    index = Pack(
        title=options.title,
        by=options.by,
        run=run.manifest["run_id"],
        options={**vars(options), "to": options.to.NAME},
        considered=considered,
        skipped=skipped,
        files=[*names],
        puzzles=[
            packed_puzzle(number, name, puzzle, row)
            for number, (name, (puzzle, _), row) in enumerate(zip(names, puzzles, listed.to_pylist(), strict=True), 1)
        ],
    )
    notes = [*_notes(rows, options, considered)]
    if options.pdf is not None:
        if any(reason.endswith("pt in the book") for reason in skipped.values()):
            width, height = max(((puzzle.width, puzzle.height) for puzzle, _ in puzzles), key=math.prod)
            notes.append(f"The largest puzzle in the book is {width}x{height}")
        if boxes := missing_letters(index.encode().decode()):
            these = count_text(len(boxes), "character")
            notes.append(f"Boxes in the book stand for {these} that no installed font has: {''.join(boxes[:20])}")
        progress.on_start("drawing puzzles", len(puzzles), 0)
        tracked = functools.partial(track, progress=progress)
        files[BOOK] = book(chapters, options.pdf, tracked, options.title, options.by)
        index.files.append(BOOK)
    small = {puzzle.puzzle_id: math.floor(10 * points) / 10 for puzzle, points in small_print(chapters)}
    in_color = [each.puzzle.puzzle_id for part in chapters for each in part.puzzles() if each.needs_color_print]
    scales = pa.array([each.quality_scale for each in index.puzzles], pa.list_(pa.int64()))
    listed = listed.add_column(0, "file", pa.array(names)).append_column("quality_scale", scales)
    _write(place, files, index, one_batch(listed))
    return Packed(len(puzzles), dict(considered), dict(left_out), skipped, small, in_color, notes, place.name)


def _notes(rows: pa.Table, options: PackOptions, considered: Mapping[str, int]) -> Iterator[str]:
    """Yield notes on chosen rows: puzzles left out before, ratings that --where mixes, puzzles without one."""
    for (_, before), (what, after) in pairwise(considered.items()):
        if what == DECISIONS and before > after:
            yield f"Left out {before - after:,} without a decision: fewer than 3 rows or columns, or all cells alike"
    where, sources = (options.where or "").lower(), sorted(rows["source"].unique().drop_null().to_pylist())
    for name in ("site_quality", "site_difficulty"):
        scales = {source: RATING_SCALES[source, name] for source in sources if (source, name) in RATING_SCALES}
        if name in where and "source" not in where and len({*scales.values()}) > 1:
            ranges = ", ".join(f"{source} {low:g} to {high:g}" for source, (low, high) in scales.items())
            yield f"--where compares {name} of different scales, {ranges}; add: and source = '{sources[0]}'"
    unrated = rows["site_quality"].null_count
    if unrated and [*considered.values()][-1] > len(rows) == options.count:
        yield f"Drawn at random, but the same each time, as no site rates them: {count_text(unrated, 'puzzle')}"


def _page(puzzle: Puzzle) -> str | None:
    """Return the address of a puzzle, on webpbn.com by its number where its file has none."""
    number = puzzle.source_id or ""
    return puzzle.url or (webpbn_origin(number).url if puzzle.source == "webpbn" and number.isdecimal() else None)


def _write(place: Folder, files: Mapping[str, bytes], index: Pack, listed: pa.RecordBatch) -> None:
    """Write a pack's files, then replace the previous pack by them."""
    with staging(place) as new:
        new.write(MARK, index.encode())
        for name, data in files.items():
            new.write(name, data)
        write_csv((new / LIST).uri, listed.schema, [listed])
        for name in (LIST, *_previous_files(place)):
            place.delete(name)
        place.sweep()
        for name in (MARK, *files, LIST):
            new.move(name, place)


def parse_layout(text: str) -> BookLayout:
    """Parse a layout: most puzzles per page like 4, or with the paper like 4-letter. Raises UserError."""
    found = re.fullmatch("([1246])(?:-(a4|letter))?", text.lower())
    if found is None:
        raise UserError(f"--pdf takes 1, 2, 4 or 6 puzzles per page, or 4-letter for Letter paper; not {text[:60]}")
    return BookLayout(int(found[1]), found[2] or "a4")


def funnel_text(considered: Mapping[str, int]) -> str:
    """Return the numbers of puzzles after each condition, in words, up to the first that none meets."""
    counts = list(considered.items())
    last = next((place for place, (_, count) in enumerate(counts) if not count), len(counts))
    return "; ".join(f"{count:,} {what}" for what, count in counts[: last + 1])


def _previous_files(place: Folder) -> list[str]:
    """Return the files of a previous pack in a folder; UserError if it has other content."""
    files = place.read_mark(MARK, KIND).get("files", [])
    return [name for name in files if isinstance(name, str) and OWN.fullmatch(name)]


def _drawn(
    batches: Iterator[pa.Table], options: PackOptions, considered: Counter[str]
) -> tuple[dict[str, Drawn], list[str]]:
    """Return puzzles to choose from by id, spares included, in order of drawing, and ids of --ids equal to theirs.

    batches      those of `_candidates`
    considered   counts those that are left without copies, and with the limit per author
    """
    most = options.count + max(options.count // 10, min(options.count, MOST_SPARE)) + SPARE
    most *= 1 if options.pdf is None else BOOK_SPARE
    candidates = pa.concat_tables([CANDIDATES.empty_table(), *batches], promote_options="default")
    fit = candidates.filter(candidates["bits"].is_valid())
    if considered:
        considered["without copies, also rotated, mirrored or recoloured"] = pc.count_distinct(fit["bits"]).as_py()
    if options.per_author is not None and considered:
        what = f"with at most {options.per_author:,} by one author (--per-author)"
        authors = Counter(sample_candidates(candidates, len(candidates))["author"].to_pylist())
        considered[what] = sum(min(count, options.per_author) for count in authors.values())
    there = sample_candidates(candidates, most if options.per_author is None else min(most, options.per_author))
    groups = list(zip(there["hardness"].to_pylist(), there["size"].to_pylist(), strict=True))
    places = balanced_order(groups, most, there["author"].to_pylist(), options.per_author)
    rows = there.select(["puzzle_id", "bits", "rank"]).take(pa.array(places, pa.int64())).to_pylist()
    drawn = {row["puzzle_id"]: Drawn(row["bits"], row["rank"]) for row in rows}
    bits = pa.array([each.bits for each in drawn.values()], pa.uint64())
    copies = fit.filter(pc.is_in(fit["bits"], bits))["puzzle_id"].to_pylist() if options.ids else []
    return drawn, [name for name in copies if name not in drawn]


def _candidates(
    run: Run,
    grades: KeyedRows,
    options: PackOptions,
    tenths: Mapping[str, np.ndarray] | None,
    considered: Counter[str],
    progress: ProgressCallbacks,
) -> Iterator[pa.Table]:
    """Yield batches of CANDIDATES, DATED ones of other puzzles; `considered` counts puzzles after each condition.

    tenths   those of ratings by which to choose for people; None to draw at random for others
    """
    with condition(options.where, CONDITION_COLUMNS) as met:
        first = 0
        for rows in _row_batches(run, grades):
            fit = np.ones(len(rows), np.bool_)
            for what, fits in _conditions(rows, options, met, len(grades.rows) > 0, tenths is not None):
                fit &= np.asarray(fits)
                considered[what] += int(fit.sum())
            rows = rows.append_column("place", pa.array(np.arange(first, first + len(rows))))
            first += len(rows)
            yield _candidates_of(rows.filter(pa.array(fit)), options, tenths or {})
            yield rows.filter(pa.array(~fit)).select(DATED)
            progress.on_progress(len(rows), "")


def _conditions(
    rows: pa.Table,
    options: PackOptions,
    met: Callable[[pa.Table], np.ndarray] | None,
    is_graded: bool,
    for_people: bool,
) -> Iterator[tuple[str, pa.ChunkedArray | pa.Array | np.ndarray]]:
    """Yield the conditions on a puzzle in words, and which rows meet each; `met` is that of --where."""
    yield "in the run", np.ones(len(rows), np.bool_)
    if options.ids:
        yield "that --ids names", pc.is_in(rows["puzzle_id"], pa.array(options.ids, pa.string()))
    yield "with one solution", _eligible(rows)
    if not options.private:
        yield "licensed for redistribution (--private takes any)", shareable(one_batch(rows))
    if options.min_density:
        is_dense = pc.fill_null(pc.greater_equal(rows["density"], options.min_density), True)
        yield f"of density {options.min_density:.3g} or more (--min-density)", is_dense
    if met is not None:
        yield "that meet --where", met(rows)
    yield f"that the format {options.to.NAME} can hold", _supports(rows, options.to)
    if options.minutes is not None:
        low, high = options.minutes
        minutes = rows["minutes"].to_numpy()  # NaN for null
        yield f"that take people {low:g} to {high:g} minutes (--minutes)", (low <= minutes) & (minutes <= high)
    if options.spread in FOR_PEOPLE:
        yield f"with {FOR_PEOPLE[options.spread]}", rows[options.spread].is_valid()
    if options.pdf is not None and is_graded and not options.ids:
        yield "with stars, for the book", rows["stars"].is_valid()
    if for_people and not options.ids:
        solutions = rows["solution"].to_pylist()
        holds = np.array([bool(cells) and cells.count(cells[0]) < len(cells) for cells in solutions], np.bool_)
        if not re.search(r"\b(width|height)\b", options.where or "", re.IGNORECASE):
            holds &= (rows["width"].to_numpy() >= 3) & (rows["height"].to_numpy() >= 3)
        yield DECISIONS, holds


def _row_batches(run: Run, grades: KeyedRows) -> Iterator[pa.Table]:
    """Yield the run's rows with the columns CONDITION_COLUMNS in batches."""
    for results, puzzles in pairs(run, ["puzzle_id", "clue_hash", *OUTCOME], PUZZLES.names):
        if len(results):
            rows = joined_rows(one_batch(results), one_batch(puzzles), grades, CONDITION_COLUMNS)
            yield pa.Table.from_batches([rows])


def _eligible(rows: pa.Table) -> pa.ChunkedArray:
    """Return which rows have exactly one solution, and id and hashes; never null."""
    known = [rows[name].is_valid() for name in ("puzzle_id", "clue_hash", "canonical_hash", "solution")]
    return functools.reduce(pc.and_, known, pc.fill_null(pc.equal(rows["solutions"], "unique"), False))


def _supports(rows: pa.Table, known: Format) -> np.ndarray:
    """Return which puzzles a format supports, bool[rows], by colours and hidden lengths."""
    is_mono = pc.fill_null(pc.equal(rows["kind"], "mono"), False).to_numpy()
    is_blotted = pc.fill_null(rows["blotted"], False).to_numpy()
    supported: np.ndarray = (is_mono | (COLORS in known.HOLDS)) & (~is_blotted | (BLOTS in known.HOLDS))
    return supported


def _candidates_of(rows: pa.Table, options: PackOptions, tenths: Mapping[str, np.ndarray]) -> pa.Table:
    """Return rows as candidates, grouped by the measure to spread and by size, or in one group."""
    hardness = size = np.zeros(len(rows), np.int64)
    if options.spread is not None:
        size = size_class(rows).to_numpy().astype(np.int64)
        hardness = CLASSES[options.spread](rows[options.spread].to_numpy())
    author = pa.repeat("", len(rows))
    if options.per_author is not None:
        author = pc.coalesce(rows["author"], rows["puzzle_id"])  # unknown authors differ
    bits = first_bits(rows["canonical_hash"].combine_chunks())
    made = bits, hardness, size, author, _rating_rank(rows, tenths)
    return pa.table([*rows.select([*DATED, "puzzle_id"]).columns, *made], schema=CANDIDATES)


def _rating_tenths(run: Run) -> Mapping[str, np.ndarray]:
    """Return for each source the nine ratings of quality between its tenths."""
    columns = ["source", "site_quality"]
    batches = (puzzles for _, puzzles in pairs(run, ["puzzle_id"], columns))
    rated = pa.concat_tables([PUZZLES.empty_table().select(columns), *batches]).drop_null()
    sources, quality = (column.to_numpy() for column in rated.columns)
    return {source: np.quantile(quality[sources == source], np.arange(1, 10) / 10) for source in np.unique(sources)}


def _rating_rank(rows: pa.Table, tenths: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the tenth of its source's ratings of quality that each row is in, 0 for the best; 10 without a rating."""
    ranks = np.full(len(rows), 10)
    sources, quality = rows["source"].to_numpy(), rows["site_quality"].to_numpy()
    for source, between in tenths.items():
        own = (sources == source) & np.isfinite(quality)
        ranks[own] = 9 - np.searchsorted(between, quality[own], "right")
    return ranks


def _rows(
    run: Run, grades: KeyedRows, wanted: Mapping[str, Drawn], progress: ProgressCallbacks
) -> tuple[pa.Table, dict[str, str]]:
    """Return the valid rows of the drawn puzzles in order of drawing, and reasons by id of the invalid ones."""
    found: list[pa.Table] = []
    for rows in _row_batches(run, grades):
        there = rows.filter(pc.is_in(rows["puzzle_id"], pa.array(wanted, pa.string())))
        there = there.filter(_eligible(there))
        own = zip(there["puzzle_id"].to_pylist(), first_bits(there["canonical_hash"].combine_chunks()), strict=True)
        found.append(there.filter(pa.array([wanted[name].bits == bits for name, bits in own], pa.bool_())))
        progress.on_progress(len(rows), "")
    table = pa.concat_tables(found).combine_chunks()
    names = table["puzzle_id"].to_pylist()
    places = {name: place for place, name in reversed([*enumerate(names)])}  # ids need not be unique in a store
    table = table.take(pa.array([places[name] for name in wanted if name in places])).combine_chunks()
    batch = one_batch(table)
    reasons = {row: f"it is not a valid puzzle: {why}" for row, why in malformed(batch).items()}
    possible = solvable_rows(batch)
    possible[list(reasons)] = False
    fits = matching_rows(batch, batch["solution"], possible)
    for name in ("title", "author", "description", "copyright"):
        texts = [text and without_mojibake(text) for text in table[name].to_pylist()]
        table = table.set_column(table.column_names.index(name), name, pa.array(texts, pa.string()))
    reasons = dict.fromkeys(np.flatnonzero(~fits).tolist(), "its solution does not fit its clues") | reasons
    return table.filter(pa.array(fits)), {batch["puzzle_id"][row].as_py(): why for row, why in reasons.items()}


def _near_ids(rows: pa.Table, drawn: Mapping[str, Drawn]) -> set[str]:
    """Return the ids of drawn puzzles whose picture is near that of an older one."""
    oldest_first = rows.take(np.argsort([drawn[name].rank for name in rows["puzzle_id"].to_pylist()]))
    found = near_copies(one_batch(oldest_first.combine_chunks()))
    return set(oldest_first["puzzle_id"].filter(pa.array(found)).to_pylist())


def _fitting(
    rows: pa.Table, options: PackOptions, skipped: dict[str, str], near: Container[str]
) -> tuple[dict[int, tuple[Puzzle, bytes]], Counter[str]]:
    """Return the first puzzles that the format and the book can hold by row, with solutions and as files, and
    properties that the files lack with numbers of puzzles.

    Appends reasons to `skipped`, by id, of puzzles before the last that they can't hold, and of those in `near`.
    """
    chosen: dict[int, tuple[Puzzle, bytes]] = {}
    left_out = Counter[str]()
    least = LEAST_PRINT if options.ids else EASY_PRINT
    puzzles = puzzles_of(one_batch(rows.select(PUZZLES.names)))
    for row, (puzzle, cells) in enumerate(zip(puzzles, rows["solution"].to_pylist(), strict=True)):
        if len(chosen) == options.count:
            break
        if puzzle.puzzle_id in near:
            skipped[str(puzzle.puzzle_id)] = "nearly the picture of an older one"
            continue
        solved = replace(puzzle, goal=picture(cells, puzzle.width, puzzle.height))
        if options.pdf is not None and not fits_page(solved, options.pdf, least):
            skipped[str(puzzle.puzzle_id)] = f"numbers of less than {least:g} pt in the book"
            continue
        try:
            data, lost = file_of(solved, options.to, lossy=True)
        except FormatError as error:
            skipped[str(puzzle.puzzle_id)] = f"{error}; --to jsonl keeps it"
            continue
        chosen[row] = solved, data
        left_out.update(lost)
    return chosen, left_out


def _easiest_first(
    rows: pa.Table, chosen: dict[int, tuple[Puzzle, bytes]]
) -> tuple[pa.Table, list[tuple[Puzzle, bytes]]]:
    """Sort the chosen rows and their puzzles by stars and grade if there are any, difficulty and id."""
    rows = rows.take(pa.array(list(chosen)))
    keys = [(name, "ascending") for name in ("stars", "grade", "difficulty", "puzzle_id")]  # nulls last
    order = pc.sort_indices(rows, keys).to_pylist()
    puzzles = list(chosen.values())
    return rows.take(pa.array(order)), [puzzles[place] for place in order]

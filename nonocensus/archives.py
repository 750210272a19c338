"""Whole archives: filling, classifying and reporting stores; the command line without output."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.crawl import site_crawl as crawling
from nonocensus.pipeline.crawl.site_crawl import CrawlOptions, CrawlResult
from nonocensus.pipeline.executors.executor import ALL_CORES, Resources
from nonocensus.pipeline.jobs import classify_job
from nonocensus.pipeline.jobs.certify_job import certify_run as certify
from nonocensus.pipeline.jobs.classify_job import ClassifyOutcome
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.generate_graded import Conditions, generate_graded
from nonocensus.pipeline.jobs.grade_job import Tally
from nonocensus.pipeline.jobs.grade_job import grade_run as grade
from nonocensus.pipeline.jobs.kernel_compilation import warm as warm_kernels
from nonocensus.pipeline.run import run_folder as runs
from nonocensus.pipeline.run.configuration import configuration
from nonocensus.pipeline.run.plan import Selection
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.run.run_folder import Run, open_place
from nonocensus.pipeline.store import parts as stores
from nonocensus.pipeline.store.file_import import ImportReport, Terms, import_paths
from nonocensus.pipeline.store.generation import fill_store
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.verify.verification import Damage, verify_place
from nonocensus.reports.numbers.figures import Certified
from nonocensus.scrapers.pictures.recipe import Recipe

if TYPE_CHECKING:
    from nonocensus.pipeline.findings.comparison import Comparison
    from nonocensus.pipeline.findings.deduplication import Duplicates
    from nonocensus.pipeline.findings.puzzle_pack import Packed, Spread

Place = str | Path
"""A local path, or a URI of one of Arrow's filesystems."""


def open_store(store: Place) -> Store:
    """Return a store of puzzles: `rows()`, `batches(columns)`, `parts()`. Raises UserError."""
    return stores.open_store(str(store))


def open_run(run: Place, store: Place | None = None) -> Run:
    """Return a run: `table(columns)`, `batches(columns)`, `about`; `store` is its store's new place if moved."""
    return runs.open_run(str(run), None if store is None else str(store))


def import_files(
    paths: Place | Iterable[Place],
    store: Place,
    progress: ProgressCallbacks = SILENT,
    *,
    contact: str | None = None,
    license: str | None = None,  # noqa: A002
    owner: str | None = None,
    update: bool = False,
) -> ImportReport:
    """Import files, folders, archives and https URLs of any known format into a store, created if missing.

    Args:
        paths: Files, folders, archives or URLs.
        store: The store.
        progress: Progress callbacks.
        contact: Your e-mail or web address, for the owners of the URLs' sites.
        license: Licence of puzzles whose files name none.
        owner: Rights holder of puzzles whose files name none.
        update: Only replace puzzles that the store has, by id; then `retry_changed` classifies these of a run.

    """
    terms = Terms(license, owner)
    return import_paths(list(_as_tuple(paths)), str(store), progress, contact=contact, terms=terms, update=update)


def remove_puzzles(store: Place, ids: str | Iterable[str]) -> int:
    """Remove puzzles from a store by id; return how many are left. Then `retry_changed` removes them from a run."""
    return stores.remove_puzzles(open_store(store), _as_tuple(ids))


def crawl_site(
    store: Place, site: str, ids: str | None = None, *, progress: ProgressCallbacks = SILENT, **options: Any
) -> CrawlResult:
    """Download a site's puzzles into a store, politely; the same call resumes.

    ids      numbers: 7, 1-5000, 1-10,20-30, or all
    options  further fields of nonocensus.pipeline.crawl.site_crawl.CrawlOptions: new, refresh, limit, kind, base_urls,
             contact, rate
    """
    addresses = _as_tuple(options.pop("base_urls", ()))
    return crawling.crawl_site(Path(store), CrawlOptions(site, ids, base_urls=addresses, **options), progress)


def reparse_store(store: Place, progress: ProgressCallbacks = SILENT) -> CrawlResult:
    """Parse the stored replies of a crawl again, offline, and update the store's table."""
    return crawling.reparse_store(Path(store), progress)


def generate_store(
    store: Place,
    recipe: Recipe,
    resources: Resources = ALL_CORES,
    progress: ProgressCallbacks = SILENT,
    *,
    minutes: tuple[float, float] | None = None,
    stars: tuple[float, float] | None = None,
    grade: tuple[int, int] | None = None,
) -> int:
    """Fill a store with the pictures of a recipe (nonocensus.scrapers.pictures.recipe.Recipe); return the count.

    minutes, stars, grade   least and most: only puzzles with one solution and these are kept, the recipe's count of
                            them, in a new store
    """
    conditions = Conditions(minutes, stars, grade)
    if conditions.bounds():
        return generate_graded(str(store), recipe, conditions, resources, progress).kept
    return fill_store(str(store), recipe, resources, progress)


def classify_store(
    store: Place,
    run: Place,
    *,
    cpu_limit: float = 60.0,
    rung: str = "search",
    depth: int = 2,
    check_goal: bool = False,
    ids: str | Iterable[str] = (),
    where: str | None = None,
    limit: int | None = None,
    force: bool = False,
    resources: Resources = ALL_CORES,
    progress: ProgressCallbacks = SILENT,
) -> ClassifyOutcome:
    """Classify the puzzles of a store that have no result in a run yet; the run is created if missing.

    cpu_limit, rung, depth, check_goal    as for `nonocensus.solver.api.classify`; they are the run's
    ids, where, limit                     which puzzles: all, or some
    force                                 start over; existing results move into a subfolder
    """
    selection = Selection(_as_tuple(ids), where, limit)
    config = configuration(cpu_limit, rung, depth, check_goal)
    return classify_job.classify_store(open_store(store), str(run), config, selection, resources, progress, force)


def retry_run(
    run: Run | Place,
    cpu_limit: float,
    *,
    failed: bool = False,
    ids: str | Iterable[str] = (),
    where: str | None = None,
    limit: int | None = None,
    resources: Resources = ALL_CORES,
    progress: ProgressCallbacks = SILENT,
) -> ClassifyOutcome:
    """Retry timeouts with more time; with `failed` also killed and failed puzzles."""
    selection = Selection(_as_tuple(ids), where, limit)
    return classify_job.retry_run(_run(run), cpu_limit, selection, failed, resources, progress)


def retry_changed(
    run: Run | Place, resources: Resources = ALL_CORES, progress: ProgressCallbacks = SILENT
) -> ClassifyOutcome:
    """Update a run after changes of its store: unchanged puzzles keep their results, others are classified."""
    return classify_job.retry_changed(_run(run), resources, progress)


def summary_of(run: Run | Place) -> dict[str, Any]:
    """Return counts by label and resources used of a run."""
    return summarize(_run(run))


def certify_run(
    run: Run | Place,
    *,
    cpu_limit: float = 60.0,
    ids: str | Iterable[str] = (),
    where: str | None = None,
    sample: int | None = None,
    again: bool = False,
    proofs: Place | None = None,
    resources: Resources = ALL_CORES,
    progress: ProgressCallbacks = SILENT,
) -> Certified:
    """Prove the verdicts of a run independently of the solver; `proofs` is a folder for the proofs."""
    selection = Selection(_as_tuple(ids), where)
    request = JobRequest(selection, cpu_limit, resources, progress)
    return certify(_run(run), request, sample, again, None if proofs is None else str(proofs)).certified


def grade_run(
    run: Run | Place, *, cpu_limit: float = 60.0, resources: Resources = ALL_CORES, progress: ProgressCallbacks = SILENT
) -> Tally:
    """Grade the puzzles of a run that have exactly one solution: how hard they are for people.

    cpu_limit   CPU seconds for each puzzle

    Grades are stored in the run. Returns counts by grade (`grades`) and of puzzles without one. The same call resumes.
    """
    return grade(_run(run), JobRequest(cpu_limit=cpu_limit, resources=resources, progress=progress))


def make_report(run: Run | Place, folder: Place, public: bool = False, progress: ProgressCallbacks = SILENT) -> str:
    """Write the report of a run, finished or not; returns the page's path.

    public   exclude puzzles that may not be published
    """
    from nonocensus.pipeline.findings.reporting import write_run_report

    return write_run_report(_run(run), str(folder), public, progress)[1]


def make_dataset(
    run: Run | Place, folder: Place, content: str = "none", progress: ProgressCallbacks = SILENT
) -> dict[str, Any]:
    """Write a run as a dataset; returns its rows, splits, files and folder.

    content   measures (by id; the one to publish), none (with what sites state about puzzles, too), licensed (clues and
              pictures where the licence allows it), or everything: private
    """
    from nonocensus.pipeline.findings.dataset_folder import write_dataset
    from nonocensus.reports.dataset.dataset_columns import Content

    return write_dataset(_run(run), str(folder), Content(content), progress)


def make_pack(
    run: Run | Place,
    folder: Place,
    count: int = 100,
    where: str | None = None,
    spread: "Spread | None" = None,
    to: str = "non",
    private: bool = False,
    progress: ProgressCallbacks = SILENT,
    *,
    min_density: float | None = None,
    minutes: tuple[float, float] | None = None,
    per_author: int | None = None,
    pdf: str | None = None,
    ids: str | Iterable[str] = (),
    title: str | None = None,
    by: str | None = None,
) -> "Packed":
    """Write `count` puzzles of a run with one solution as files, easiest first, without duplicates.

    Those of the best tenth of their site's ratings of quality are taken first, unrated ones last; of duplicates up to
    symmetry, colours and a few cells the original, as `find_duplicates` orders them.

    where     a condition in SQL over the columns of both tables, the measures and the grades
    spread    minutes, stars, grade or difficulty, sampled evenly (default: none)
    minutes   least and most minutes for people
    to        the files' format
    private   include puzzles that may not be redistributed
    min_density   least ratio of painted cells (default 0.1)
    per_author    most puzzles of an author
    pdf           puzzles per page of a book to print, book.pdf: 1, 2, 4 or 6; 4-letter for Letter paper
    ids           ids to choose from (default: all)
    title, by     title and author of the pack and its book
    """
    from nonocensus.pipeline.findings.puzzle_pack import MIN_DENSITY, PackOptions, parse_layout, write_pack
    from nonocensus.pipeline.store.conversion import format_named

    density = MIN_DENSITY if min_density is None else min_density
    layout = None if pdf is None else parse_layout(pdf)
    wanted = PackOptions(
        *(count, _as_tuple(ids), where, spread, minutes, format_named(to), private, density, per_author, layout),
        *(title, by),
    )
    return write_pack(_run(run), str(folder), wanted, progress)


def export_run(run: Run | Place, path: Place, where: str | None = None, progress: ProgressCallbacks = SILENT) -> int:
    """Write a run as CSV: a line for each puzzle with title, grade, facts, result, measures; return the row count."""
    from nonocensus.pipeline.findings.flat_export import export

    return export(_run(run), str(path), where, progress)[0]


def compare_runs(old: Run | Place, new: Run | Place) -> "Comparison":
    """Compare two runs puzzle by puzzle: verdicts, proofs, times, work."""
    from nonocensus.pipeline.findings.comparison import compare

    return compare(_run(old), _run(new))


def find_duplicates(
    place: Run | Store | Place, cells: float | None = None, progress: ProgressCallbacks = SILENT
) -> "Duplicates":
    """Find duplicates in a store or a run: equal, symmetric, or with similar pictures.

    cells   ratio of the rarer cells in which similar pictures may differ, 0 to 0.2; None is 0.15
    """
    from nonocensus.pipeline.findings import deduplication

    return deduplication.find_duplicates(_open_place(place), deduplication.SHARE if cells is None else cells, progress)


def query(place: Run | Store | Place, select: str) -> pa.Table:
    """Query a run (puzzles, results, certificates, mendings, grades) or a store (puzzles) in SQL, read-only."""
    from nonocensus.pipeline.findings.sql_tables import open_tables
    from nonocensus.pipeline.sql import select_query, sql_errors

    with open_tables(_open_place(place)) as database, sql_errors("the query"):
        return select_query(database, select).to_arrow_table()


def verify(place: Run | Store | Place, repair: bool = False, progress: ProgressCallbacks = SILENT) -> list[Damage]:
    """Verify a run or a store and return the damage; `repair` moves damaged files aside for recomputation."""
    return verify_place(_open_place(place), repair, progress)


def warm(store: Place | None = None, progress: ProgressCallbacks = SILENT) -> str:
    """Compile the kernels that most puzzles, or those of a store, need; return the cache folder."""
    return warm_kernels(None if store is None else str(store), progress)


def _as_tuple(values: Iterable[Any] | Place) -> tuple[Any, ...]:
    """Return one or several values as a tuple."""
    return (values,) if isinstance(values, str | Path) else tuple(values)


def _run(run: Run | Place) -> Run:
    return open_run(run) if isinstance(run, str | Path) else run


def _open_place(place: Run | Store | Place) -> Run | Store:
    return open_place(str(place)) if isinstance(place, str | Path) else place

"""Certify every verdict of an archive: CPU seconds, sizes, slowest cases, engines for refutations."""

import tempfile
import time
from pathlib import Path

import pyarrow.compute as pc
from pysat.solvers import Solver

from benchmarks.findings import run_job
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.run.job_tables import certificates_table
from nonocensus.pipeline.run.result_pairs import pairs
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.solver.model.tables import PUZZLES
from nonocensus.solver.proofs.certificate import LEARNER
from nonocensus.solver.proofs.checker import check
from nonocensus.solver.proofs.follow import CHECKER, follow
from nonocensus.solver.proofs.formula import Formula, dimacs, formula
from nonocensus.solver.proofs.record import Verdict, record

ENGINES = ("glucose4", "glucose3", "cadical195", "lingeling")
UNLIMITED = 1e9


def run(archive: Path) -> list[FigureTable]:
    if not archive.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        ran, wall = run_job(archive, folder, "certify")
        return [_verdicts(archive, ran, wall), _learners(ran)]


def certificates(archive: Path) -> FigureTable:
    """Return the table of `certify` on a whole archive."""
    with tempfile.TemporaryDirectory() as folder:
        return _verdicts(archive, *run_job(archive, folder, "certify"))


def _verdicts(archive: Path, ran: Run, wall: float) -> FigureTable:
    table = certificates_table(ran)
    table = table.append_column("kind", pc.coalesce(table["proved"], table["status"]))
    rows: list[list[object]] = []
    for kind in [*sorted(set(table["kind"].to_pylist())), None]:
        these = table if kind is None else table.filter(pc.equal(table["kind"], kind))
        seconds, size = these["cpu_seconds"], pc.divide(these["bytes"], 1e6)
        steps, assumptions = (pc.sum(these[name]).as_py() for name in ("steps", "assumptions"))
        times = [pc.sum(seconds).as_py(), *pc.quantile(seconds, [0.5, 1]).to_pylist()]
        rows.append([kind or "all", len(these), *times, steps, assumptions, pc.sum(size).as_py(), pc.max(size).as_py()])
    heading = ["verdict", "number", "CPU s", "median", "slowest", "steps", "assumptions", "MB", "largest"]
    return FigureTable(f"All verdicts of {archive.name} proved again, in {wall:.0f} s wall", heading, rows)


def _learners(ran: Run) -> FigureTable:
    """Compare engines by the refutations they find for verdicts by search."""
    formulas = _search_formulas(ran)
    rows: list[list[object]] = []
    for engine in ENGINES:
        found = checked = size = longest = 0.0
        for made in formulas:
            start = time.thread_time()
            with Solver(engine, bootstrap_with=made.clauses, with_proof=True) as learner:
                assert not learner.solve()
                proof = "".join(f"{line}\n" for line in learner.get_proof())
            found += time.thread_time() - start
            cnf = "".join(dimacs(made))
            start = time.thread_time()
            assert follow(cnf, proof) is None
            taken = time.thread_time() - start
            checked, longest, size = checked + taken, max(longest, taken), size + len(proof) / 1e6
        rows.append([engine, len(formulas), found, checked, longest, size])
    heading = ["engine", "puzzles", "proofs found, CPU s", "checked", "longest", "MB of proofs"]
    return FigureTable(f"Verdicts by search: proofs checked by {CHECKER}; certify takes {LEARNER}", heading, rows)


def _search_formulas(ran: Run) -> list[Formula]:
    """Return the formulas of verdicts by search."""
    made = []
    for results, puzzles in pairs(ran, list(Verdict._fields), PUZZLES.names):
        for k, row in enumerate(results.to_pylist()):
            if row["technique"] == "search":
                (batch,) = puzzles.slice(k, 1).combine_chunks().to_batches()
                verdict = Verdict(*(row[name] for name in Verdict._fields))
                made.append(formula(check(record(batch, verdict, ran.manifest["config"]["depth"], UNLIMITED))))
    return made

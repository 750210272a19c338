"""Check that no verdict depends on the solver's tuning: the same puzzles under random constants.

Each draw compiles its own kernels in the checked mode, which checks every step against the puzzles' goals.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nonocensus.pipeline.findings.figures_page import FigureTable
from tests.tuned import drawn, environment

LIMIT = 20.0
"""CPU seconds per puzzle; constants at their bounds may be slow."""

PROCESSES = 2


def constants(draws: int, puzzles: int, seed: int) -> FigureTable:
    """Compare verdicts under `draws` draws of constants; raises SystemExit if two proofs differ.

    Draws alternate between mono and coloured puzzles, which have separate kernels.
    """
    with ThreadPoolExecutor(PROCESSES) as pool:
        answers = list(pool.map(lambda draw: _verdicts_under(draw, puzzles, seed), range(draws + 2)))
    rows: list[list[object]] = []
    differing = []
    for draw, answer in enumerate(answers):
        verdicts, expected = answer["verdicts"], answers[draw % 2]["verdicts"]
        differ = [
            k for k in range(puzzles) if "unknown" not in (verdicts[k], expected[k]) and verdicts[k] != expected[k]
        ]
        differing += [f"draw {draw}: puzzle {seed + k}: {verdicts[k]}, not {expected[k]}" for k in differ]
        changed = ", ".join(f"{name} {value}" for name, value in sorted(drawn(draw).items())) if draw > 1 else "none"
        kind = "coloured" if draw % 2 else "mono"
        rows.append([kind, answer["tail"], verdicts.count("unknown"), len(differ), answer["seconds"], changed])
    if differing:
        raise SystemExit("\n".join(["verdicts depend on the tuning:", *differing]))
    title = f"Tuning drawn at random: {puzzles} puzzles under each of {draws} draws, in the checked mode"
    return FigureTable(title, ["puzzles", "by learners", "undecided", "differ", "CPU s", "constants changed"], rows)


def _verdicts_under(draw: int, puzzles: int, seed: int) -> dict[str, Any]:
    """Return the verdicts of a process with a draw's constants; the first two draws use the defaults."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as cache:
        given = environment(draw) if draw > 1 else {}
        variables = {"NONOCENSUS_CHECKED": "1", "NUMBA_CACHE_DIR": cache, **given}
        command = [sys.executable, "-m", "benchmarks.constants", str(draw % 2 + 1), str(puzzles), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables, check=False)
    if done.returncode:
        raise SystemExit(f"draw {draw}, {drawn(draw)}: {done.stderr.strip()[-2000:]}")
    print(f"draw {draw}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _print_verdicts(colors: int, puzzles: int, seed: int) -> None:
    """Print the verdicts on random puzzles of at most `colors` colours (runs in a child process)."""
    from nonocensus.solver.api import classify
    from nonocensus.solver.ladder.climb import warm_up
    from nonocensus.solver.model.tables import puzzle_batch
    from nonocensus.solver.model.views import views
    from tests import fuzz

    batch = puzzle_batch([fuzz.drawn(seed + k, most=20, colors=colors) for k in range(puzzles)])
    warm_up(views(batch))
    start = time.process_time()
    rows = classify(batch, cpu_limit=LIMIT)
    if wrong := [row["error"] for row in rows.to_pylist() if row["status"] == "error"]:
        raise SystemExit(wrong[0])
    tail = sum(seconds is not None for seconds in rows["cpu_sat"].to_pylist())
    seconds = round(time.process_time() - start, 1)
    print(json.dumps({"verdicts": rows["solutions"].to_pylist(), "tail": tail, "seconds": seconds}))


if __name__ == "__main__":
    _print_verdicts(*map(int, sys.argv[1:]))

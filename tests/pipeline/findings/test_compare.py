"""Runs compared: what two runs of the same puzzles say, and what of it is an error."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from runs import rewrite_results, start_run, work_on
from stores import Nonocensus

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.comparison import (
    ContradictingProofs,
    SettingDifference,
    SharedPuzzles,
    TimedPuzzle,
    VerdictChange,
    compare,
)
from nonocensus.pipeline.run.configuration import configuration
from nonocensus.pipeline.run.run_folder import Run, open_run

Values = dict[str, dict[str, Any]]
"""Values of some columns for some puzzles, by id."""


def doctored(run: Run, path: Path, values: Values, **everywhere: Any) -> Run:
    """Return a copy of a run in which some rows say something else, and perhaps all of them in some columns."""
    shutil.copytree(run.folder.path, path)
    copy = open_run(str(path))
    for file in copy.result_files():
        table = copy.read(file)
        rows = [row | everywhere | values.get(row["puzzle_id"], {}) for row in table.to_pylist()]
        rewrite_results(copy, file.name, pa.Table.from_pylist(rows, table.schema))
    return copy


def of(run: Run, label: str, count: int) -> list[dict[str, Any]]:
    """Return the first rows with a label, by id."""
    rows = [row for row in run.table().to_pylist() if row["label"] == label]
    return sorted(rows, key=lambda row: str(row["puzzle_id"]))[:count]


def test_equal_runs(run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    run = doctored(run, tmp_path / "clocked", {}, cpu_seconds=0.02)  # a quick puzzle's time can be 0
    found = compare(run, run)
    assert found.puzzles == SharedPuzzles(80, 0, 0, 0)
    assert not any((*found.configuration, *found.versions, *found.alarms, *found.changes, found.gained, found.lost))
    assert {times.geometric_mean for times in found.times} == {1.0}
    assert sum(times.puzzles for times in found.times) == 160
    sums = {work.counter: work.old for work in found.work}
    table = run.table()
    assert sums == {name: sum(filter(None, table[name].to_pylist())) for name in sums}
    assert {work.differ for work in found.work} == {0}
    printed = nonocensus("compare", run.folder.uri, run.folder.uri)
    assert (printed.code, printed.err) == (0, "")
    assert "No proof of the same clues has changed." in printed.out


def test_changed_proofs_are_errors(run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    (answer,), (solution, technique) = of(run, "multiple", 1), of(run, "unique depth-2", 2)
    flipped = bytes(1 - cell for cell in solution["solution"])
    changed = doctored(
        run,
        tmp_path / "changed",
        {
            answer["puzzle_id"]: {"solutions": "none", "label": "contradiction"},
            solution["puzzle_id"]: {"solution": flipped},
            technique["puzzle_id"]: {"technique": "probe"},
        },
    )
    found = compare(run, changed)
    assert found.alarms == [
        ContradictingProofs(answer["puzzle_id"], "answer", "multiple", "none"),
        ContradictingProofs(solution["puzzle_id"], "solution", "unique", "unique"),
        ContradictingProofs(technique["puzzle_id"], "technique", "depth-2", "probe"),
    ]
    assert found.changes == [VerdictChange("multiple", "contradiction", 1, [answer["puzzle_id"]])]
    assert (found.gained, found.lost) == (0, 0)
    printed = nonocensus("compare", run.folder.uri, "changed")
    assert printed.code == 1
    assert "3 proofs of the same clues have changed" in printed.out
    assert f"{answer['puzzle_id']}: answer multiple -> none" in printed.out
    listed = nonocensus("compare", run.folder.uri, "changed", "--json")
    assert listed.code == 1
    assert [alarm["what"] for alarm in json.loads(listed.out)["alarms"]] == ["answer", "solution", "technique"]


def test_another_depth_or_rung_is_no_error(run: Run, tmp_path: Path) -> None:
    """At another depth techniques are others; an earlier last rung leaves questions open."""
    deeper, line = (
        start_run(run.store, str(tmp_path / name), config)
        for name, config in (("deeper", configuration(10.0, depth=3)), ("line", configuration(10.0, "line")))
    )
    for other in (deeper, line):
        work_on(other)
    (first,) = of(run, "unique depth-2", 1)
    assert compare(run, deeper).configuration == [SettingDifference("depth", 2, 3)]
    values = {first["puzzle_id"]: {"technique": "probe", "label": "unique"}}
    found = compare(run, doctored(deeper, tmp_path / "changed", values))
    assert VerdictChange("unique depth-2", "unique", 1, [first["puzzle_id"]]) in found.changes
    assert not found.alarms
    assert [alarm.what for alarm in compare(run, doctored(run, tmp_path / "same", values)).alarms] == ["technique"]
    stalled = sum(label == "stalled" for label in line.table()["label"].to_pylist())
    assert 0 < stalled < 80
    back = compare(line, run)
    assert (back.gained, back.lost, back.alarms) == (stalled, 0, [])
    assert compare(run, line).lost == stalled


def test_puzzles_that_are_not_the_same(run: Run, tmp_path: Path) -> None:
    run = doctored(run, tmp_path / "clocked", {}, cpu_seconds=0.02)  # a quick puzzle's time can be 0
    first, second, third = of(run, "multiple", 3)
    changed = doctored(
        run,
        tmp_path / "changed",
        {
            first["puzzle_id"]: {"puzzle_id": "random/new"},
            second["puzzle_id"]: {"clue_hash": "0" * 32, "solutions": "none"},
            third["puzzle_id"]: {"status": "killed", "solutions": None, "label": None, "cpu_seconds": None},
        },
    )
    found = compare(run, changed)
    assert found.puzzles == SharedPuzzles(78, 1, 1, 1)
    assert found.changes == [VerdictChange("multiple", "killed", 1, [third["puzzle_id"]])]
    assert (found.gained, found.lost, found.alarms) == (0, 1, [])
    assert found.times[0].puzzles == 77
    twice = doctored(run, tmp_path / "twice", {first["puzzle_id"]: {"puzzle_id": second["puzzle_id"]}})
    for pair in ((run, twice), (twice, run), (twice, twice)):
        with pytest.raises(UserError, match=f"several puzzles have the id {second['puzzle_id']};"):
            compare(*pair)
    nothing = start_run(run.store, str(tmp_path / "nothing"), configuration(10.0))
    with pytest.raises(UserError, match="no puzzle in common"):
        compare(run, nothing)


def test_times_counted_by_hand(run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    rows = sorted(run.table().to_pylist(), key=lambda row: str(row["puzzle_id"]))
    ids = [row["puzzle_id"] for row in rows]
    old = doctored(run, tmp_path / "old", {}, cpu_seconds=0.02)
    seconds = {ids[0]: 0.04, ids[1]: 0.0399, ids[2]: 0.5, ids[3]: 0.01, ids[4]: 0.0101, ids[5]: 0.001}
    new = doctored(run, tmp_path / "new", {name: {"cpu_seconds": seconds[name]} for name in ids[:6]}, cpu_seconds=0.02)
    found = compare(old, new)
    labels = {row["puzzle_id"]: row["label"] for row in rows}

    def timed(puzzle_id: str) -> TimedPuzzle:
        return TimedPuzzle(puzzle_id, labels[puzzle_id], labels[puzzle_id], 0.02, seconds[puzzle_id])

    assert (found.slower, found.slowed) == (2, [timed(ids[2]), timed(ids[0])])
    assert (found.faster, found.sped_up) == (2, [timed(ids[5]), timed(ids[3])])
    late = {"cpu_seconds": 0.001, "solutions": "unknown", "status": "timeout", "label": "timeout"}
    gave_up = doctored(run, tmp_path / "late", {ids[5]: late}, cpu_seconds=0.02)
    assert (compare(old, gave_up).faster, compare(gave_up, old).slower) == (0, 0)
    ratios = np.array([seconds.get(name, 0.02) / 0.02 for name in ids])
    every, *by_label = found.times
    assert every.label is None
    assert (every.puzzles, every.old, every.new) == (80, pytest.approx(1.6), pytest.approx(ratios.sum() * 0.02))
    assert every.geometric_mean == pytest.approx(np.exp(np.log(ratios).mean()))
    assert every[5:] == pytest.approx(np.quantile(ratios, [0.1, 0.5, 0.9]))
    assert {times.label for times in by_label} == set(labels.values())
    printed = nonocensus("compare", "old", "new")
    assert printed.code == 0
    assert "2 at least 2 times and 10 ms slower" in printed.out
    assert "25" in next(line for line in printed.out.splitlines() if line.startswith(ids[2]))

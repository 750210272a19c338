"""`import --update` and `remove`: what replaces or leaves what a store has, and what that means for its runs."""

import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from runs import run_of
from stores import Nonocensus, Refused, held_by_another, letters_of

from nonocensus.pipeline.commands.classify import finish
from nonocensus.pipeline.jobs.classify_job import ClassifyOutcome, retry_changed
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.run.run_folder import changed_parts, require_unchanged
from nonocensus.pipeline.store import parts
from nonocensus.pipeline.store.file_import import import_puzzles
from nonocensus.pipeline.store.parts import PartShape, Store, append, create_store, remove_puzzles
from nonocensus.pipeline.store.paths import Folder
from nonocensus.pipeline.verify.verification import verify_place
from nonocensus.scrapers.formats import jsonl, non
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of

SWITCH, SOLID = np.eye(2, dtype=np.uint8), np.ones((2, 2), np.uint8)
SITE: dict[str, Any] = {
    "url": "https://example.org/1",
    "author": "Ann",
    "license": "CC0-1.0",
    "site_note": "multiple solutions",
    "site_difficulty": 3.0,
    "fetched_at": datetime(2026, 1, 1, tzinfo=UTC),
    "raw_sha256": "0" * 64,
}


def puzzle(name: str, picture: np.ndarray = SWITCH, **facts: Any) -> Puzzle:
    return from_picture(picture, puzzle_id=f"a/{name}", **facts)


def store_of(path: Path, puzzles: Sequence[Puzzle], rows_per_part: int = 100) -> Store:
    store = create_store(str(path))
    append(store, [puzzle_batch(puzzles)], PartShape(rows_per_part, 1))
    return store


def update(store: Store, *puzzles: Puzzle) -> tuple[int, int, int, int]:
    report = import_puzzles(store, puzzles, update=True)
    return report.added, len(report.updated), report.known, len(report.problems)


def stored(store: Store) -> dict[str, Puzzle]:
    return {one.puzzle_id: one for one in puzzles_of(store.batches())}


def test_new_clues_replace_old_ones_and_keep_what_the_file_lacks(tmp_path: Path) -> None:
    old = [puzzle("1", title="One", **SITE), puzzle("2", **SITE), puzzle("3")]
    store = store_of(tmp_path / "store", old)
    fixed = puzzle("1", SOLID, title="Uno")
    assert update(store, fixed) == (0, 1, 0, 0)
    now = stored(store)
    assert list(now) == ["a/1", "a/2", "a/3"]
    assert (now["a/1"].rows, now["a/1"].columns, now["a/1"].title) == (fixed.rows, fixed.columns, "Uno")
    facts = {name: getattr(now["a/1"], name) for name in SITE}
    assert facts == dict.fromkeys(SITE) | {name: SITE[name] for name in ("url", "author", "license")}
    assert now["a/1"].goal is not None
    assert (now["a/1"].goal == SOLID).all()
    assert jsonl.write(now["a/2"]) == jsonl.write(old[1])
    assert jsonl.write(now["a/3"]) == jsonl.write(old[2])


def test_same_clues_keep_picture_and_facts_and_runs_stay_valid(tmp_path: Path) -> None:
    run = run_of(tmp_path, [puzzle("1", **SITE), puzzle("2")])
    assert update(run.store, replace(puzzle("1"), goal=None, title="One")) == (0, 1, 0, 0)
    kept = stored(run.store)["a/1"]
    assert jsonl.write(kept) == jsonl.write(puzzle("1", title="One", **SITE))
    require_unchanged(run)
    assert update(run.store, puzzle("1", SWITCH[::-1])) == (0, 1, 0, 0)
    assert changed_parts(run) == ["part-00000"], "a picture decides results too"


def test_same_update_again_writes_nothing(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", [puzzle("1", **SITE), puzzle("2")])
    given = puzzle("1", SOLID), puzzle("2")
    assert update(store, *given) == (0, 1, 1, 0)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()}
    assert update(store, *given) == (0, 0, 2, 0)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()} == files


def test_other_lines_of_an_edited_file_stay(tmp_path: Path, nonocensus: Nonocensus) -> None:
    def imported(*puzzles: Puzzle, update: bool = True) -> str:
        (tmp_path / "all.jsonl").write_bytes(b"".join(map(jsonl.write, puzzles)))
        done = nonocensus("import", "all.jsonl", "--out", "store", *(["--update"] if update else []))
        assert (done.code, done.err) == (0, "")
        return done.out

    old = [puzzle(name) for name in ("1", "2", "3")]
    assert imported(*old, update=False) == "3 puzzles added to store: 3 in all.\n"
    before = stored(create_store("store"))
    told = imported(old[0], replace(old[1], title="Two"), old[2])
    assert told == "1 puzzle updated in store, 2 were there already: 3 in all.\nUpdated: a/2.\n"
    after = stored(create_store("store"))
    assert [name for name in after if after[name].raw_sha256 != before[name].raw_sha256] == ["a/2"]


def test_update_adds_nothing(tmp_path: Path, nonocensus: Nonocensus, refused: Refused) -> None:
    """A correction that has lost its id would become a second puzzle."""
    (tmp_path / "fixed.non").write_bytes(non.write(puzzle("1", SOLID)))
    assert "new is not a store of puzzles" in refused("import", "fixed.non", "--out", "new", "--update")
    store = store_of(tmp_path / "store", [puzzle("1"), puzzle("2")])
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()}
    told = nonocensus("import", "fixed.non", "--out", "store", "--update")
    assert (told.code, told.out) == (1, "0 puzzles updated in store: 2 in all.\n")
    assert told.err.startswith("Not in the store, so not updated: local/fixed. A correction has its puzzle's id: ")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()} == files
    many = [puzzle(name, SOLID) for name in ("2", "3", "3", "1")]
    (tmp_path / "many.jsonl").write_bytes(b"".join(map(jsonl.write, many)))
    told = nonocensus("--json", "import", "many.jsonl", "--out", "store", "--update")
    said = json.loads(told.out)
    assert (told.code, said["added"], said["updated_ids"], said["unknown_ids"]) == (1, 0, ["a/1", "a/2"], ["a/3"])
    assert list(stored(store)) == ["a/1", "a/2"]
    for option in ("--owner", "--license"):
        assert f"{option} is for new puzzles" in refused(
            "import", "many.jsonl", "--out", "store", "--update", option, "x"
        )


def test_impossible_clues_replace_none(tmp_path: Path, nonocensus: Nonocensus) -> None:
    impossible = replace(puzzle("1", title="One"), rows=((Block(9),), ()), goal=None)
    store = store_of(tmp_path / "store", [puzzle("1"), puzzle("2"), replace(impossible, puzzle_id="a/3")])
    given = impossible, puzzle("2", SOLID), replace(impossible, puzzle_id="a/3", title="Three")
    (tmp_path / "fixed.jsonl").write_bytes(b"".join(map(jsonl.write, given)))
    told = nonocensus("import", "fixed.jsonl", "--out", "store", "--update")
    assert (told.code, told.out.partition("\nIn a run")[0]) == (
        1,
        "2 puzzles updated in store: 3 in all.\nUpdated: a/2, a/3.",
    )
    assert (
        told.err
        == "1 not imported:\n  a/1: row 1: its blocks need 9 cells, the line has 2; the store keeps its clues\n"
    )
    now = stored(store)
    assert (now["a/1"].rows, now["a/1"].title) == (puzzle("1").rows, None)
    assert (now["a/2"].goal == SOLID).all()
    assert (now["a/3"].rows, now["a/3"].title) == (impossible.rows, "Three"), "it was impossible before"


def test_picture_that_contradicts_its_clues_is_named(tmp_path: Path, nonocensus: Nonocensus) -> None:
    store_of(tmp_path / "store", [puzzle("1"), puzzle("2"), puzzle("3"), puzzle("4")])
    given = [replace(puzzle("1"), goal=SOLID), puzzle("2", SOLID), replace(puzzle("3", SOLID), goal=None), puzzle("4")]
    (tmp_path / "fixed.jsonl").write_bytes(b"".join(map(jsonl.write, given)))
    told = nonocensus("import", "fixed.jsonl", "--out", "store", "--update")
    assert (told.code, told.err) == (0, "With a picture that does not solve its clues: a/1\n")
    told = nonocensus("--json", "import", "fixed.jsonl", "--out", "store", "--update")
    assert json.loads(told.out)["contradicted"] == [], "nothing has changed"


def test_first_of_several_versions_in_the_files_counts(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", [puzzle("1")])
    versions = puzzle("1", SOLID), puzzle("1", np.tri(2, dtype=np.uint8)), puzzle("1", SOLID)
    report = import_puzzles(store, versions, update=True)
    assert (report.added, report.updated, report.known) == (0, ["a/1"], 1)
    assert [problem.name for problem in report.problems] == ["a/1"]
    assert "the first ones count" in report.problems[0].reason
    assert (stored(store)["a/1"].goal == SOLID).all()


def test_killed_update_is_completed_by_the_same_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(k) for k in range(5)]
    store = store_of(tmp_path / "store", [puzzle(name) for name in names], 1)
    before = {part.name: part.sha256 for part in store.parts()}
    given, write = [puzzle(name, SOLID) for name in ("1", "3", "4")], parts.write_part

    def killed(*arguments: Any) -> int:
        if arguments[1] == "part-00003":
            raise KeyboardInterrupt
        return write(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(parts, "write_part", killed)
        with pytest.raises(KeyboardInterrupt):
            update(store, *given)
    assert [(one.goal == SOLID).all() for one in stored(store).values()] == [False, True, False, False, False]
    assert update(store, *given) == (0, 2, 1, 0)
    assert [(one.goal == SOLID).all() for one in stored(store).values()] == [False, True, False, True, True]
    now = {part.name: part.sha256 for part in store.parts()}
    assert {name for name in now if now[name] != before[name]} == {"part-00001", "part-00003", "part-00004"}


def test_updated_ids_and_other_sizes_are_named(tmp_path: Path, nonocensus: Nonocensus) -> None:
    store_of(tmp_path / "store", [puzzle(f"{k:02}") for k in range(12)])
    larger = [puzzle(f"{k:02}", np.ones((3, 2), np.uint8)) for k in range(11)]
    (tmp_path / "all.jsonl").write_bytes(b"".join(map(jsonl.write, [*larger, puzzle("11", SOLID)])))
    told = nonocensus("import", "all.jsonl", "--out", "store", "--update")
    first = [f"a/{k:02}" for k in range(10)]
    assert f"\nUpdated: {', '.join(first)} and 2 more.\n" in told.out
    sizes = ", ".join(f"{name} (2×2 → 2×3)" for name in first)
    assert told.err == f"Of another size now: {sizes} and 1 more\n"


@pytest.fixture
def fixed(tmp_path: Path) -> Path:
    (tmp_path / "fixed.jsonl").write_bytes(jsonl.write(puzzle("1", SOLID)))
    return tmp_path / "fixed.jsonl"


def test_fix_comes_back(tmp_path: Path, nonocensus: Nonocensus, refused: Refused, fixed: Path) -> None:
    run_of(tmp_path, [puzzle("1", title="One"), puzzle("2"), puzzle("3", SOLID)])
    for name in ("store", "run"):
        shutil.copytree(tmp_path / name, tmp_path / f"old {name}")
    assert nonocensus("status", "old run", "--store", "old store").code == 0
    told = nonocensus("import", str(fixed), "--out", "store")
    assert (told.code, "keeps those; --update replaces them" in told.err) == (2, True)
    told = nonocensus("import", str(fixed), "--out", "store", "--update")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("1 puzzle updated in store: 3 in all.\nUpdated: a/1.\nIn a run: nonocensus retry RUN")
    for command in (("report", "run", "--out", "x"), ("mend", "run"), ("grade", "run")):
        assert "nonocensus retry run --changed updates the run" in refused(*command, code=3)
    assert "1 puzzle of its store changed since: nonocensus retry run --changed" in nonocensus("status", "run").out
    unchanged = nonocensus("compare", "old run", "run").out
    assert "No verdict has changed." in unchanged
    assert unchanged.endswith("1 puzzle of its store changed since: nonocensus retry run --changed updates the run.\n")
    assert json.loads(nonocensus("--json", "status", "run").out)["changed_parts"] == ["part-00000"]
    again = json.loads(nonocensus("--json", "retry", "run", "--changed", "--serial").out)
    assert (again["new_rows"], again["rows"]) == (1, 3)
    assert "changed since" not in nonocensus("status", "run").out
    assert nonocensus("verify", "run").code == nonocensus("verify", "store").code == 0
    compared = nonocensus("compare", "old run", "run", "--html", "page.html")
    assert (compared.code, "1 fixed but a duplicate: a/1\n" in compared.out) == (0, True)
    fixes = (tmp_path / "page.html").read_text().partition("<h2>Still at fault")[0]
    assert fixes.count("<svg") == 2, "before, from the copied store, and after"


def test_intended_ambiguity_is_marked_and_in_no_letter(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """As docs/VERDICTS.md says."""
    run = run_of(tmp_path, [puzzle(name, author="Ann") for name in "12"])
    assert nonocensus("convert", "store", "all.jsonl").code == 0
    noted = (tmp_path / "all.jsonl").read_text().splitlines()[0]
    (tmp_path / "noted.jsonl").write_text(noted.replace("{", '{"site_note": "definitely non-unique", ', 1))
    assert nonocensus("import", "noted.jsonl", "--out", "store", "--update").code == 0
    require_unchanged(run)
    assert nonocensus("report", "run", "--out", "report").code == 0
    letters = "".join(letters_of((tmp_path / "report/letters.zip").read_bytes()).values())
    assert ("a/1" in letters, "a/2" in letters) == (False, True)


def test_status_of_a_copied_run_names_the_store_beside_it(tmp_path: Path, nonocensus: Nonocensus) -> None:
    run_of(tmp_path, [puzzle("1")])
    for name in ("run", "store"):
        shutil.copytree(tmp_path / name, tmp_path / "copy" / name)
    assert f" of {tmp_path}/copy/store: " in nonocensus("status", "copy/run").out.replace("\n", " ")
    assert nonocensus("status", "run", "--store", "copy/store").code == 0
    shutil.copytree(tmp_path / "run", tmp_path / "copy/again/run")
    shutil.copytree(tmp_path / "store", tmp_path / "copy/again/store")
    assert f" of {tmp_path}/copy/again/store: " in nonocensus("status", "copy/again/run").out.replace("\n", " ")
    assert nonocensus("status", "run", "--store", "store").code == 0
    (tmp_path / "store").rename(tmp_path / "gone")
    assert f" of {tmp_path}/store: " in nonocensus("status", "run").out.replace("\n", " ")


def test_graded_run_says_what_is_without_grade_and_its_limits(
    tmp_path: Path, nonocensus: Nonocensus, fixed: Path
) -> None:
    run = run_of(tmp_path, [puzzle("1"), puzzle("2", SOLID)])
    limit = f"cpu limit {run.manifest['config']['cpu_limit']:g}"
    assert nonocensus("grade", "run", "--serial", "--cpu-limit", "500").code == 0
    assert f"{limit}, rung" in nonocensus("status", "run").out, "another job's limit"
    assert "current grade" not in nonocensus("retry", "run", "--cpu-limit", "300", "--serial").out
    assert nonocensus("import", str(fixed), "--out", "store", "--update").code == 0
    told = nonocensus("retry", "run", "--changed", "--serial").out
    advice = "1 puzzle without a current grade: nonocensus grade run\n"
    assert all(each.endswith(advice) for each in (told, nonocensus("status", "run").out))
    assert nonocensus("dataset", "run", "--out", "dataset").err == nonocensus("query", "run", "select 1").err == advice
    described = [Path("dataset", name).read_text() for name in ("README.md", "croissant.json")]
    assert all("1 of the 2 puzzles with one solution " in text for text in described)
    assert json.loads(nonocensus("--json", "status", "run").out)["ungraded"] == 1
    assert nonocensus("grade", "run", "--serial").code == 0
    told = nonocensus("status", "run").out
    assert f"{limit}, rung" in told
    assert "The last session, grade " in told
    assert "current grade" not in told
    assert nonocensus("query", "run", "select 1").err == ""


def test_parts_are_counted_where_results_are_damaged(tmp_path: Path, nonocensus: Nonocensus) -> None:
    run = run_of(tmp_path, [puzzle("1"), puzzle("2")])
    update(run.store, puzzle("1", SOLID))
    for file in (tmp_path / "run/results").glob("*.parquet"):
        file.write_bytes(file.read_bytes()[:-40] + bytes(40))
    assert "1 part of its store changed since" in nonocensus("status", "run").out


def test_update_during_a_run_ends_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(tmp_path, [puzzle("1"), puzzle("2")])
    (part,) = run.store.parts()
    update(run.store, puzzle("1", SOLID))
    with pytest.raises(parts.InputError, match="has been replaced since, with other puzzles") as raised:
        list(run.store.read(part, [(0, 2)]))
    assert "retry RUN --changed" in str(raised.value)
    with pytest.raises(typer.Exit):
        finish(ClassifyOutcome(run, summarize(run), 1, [str(raised.value)], 1), "")
    assert capsys.readouterr().err.endswith("no result for 1 puzzle\n")
    assert retry_changed(run).rows == 1


def test_puzzles_leave_a_store_and_its_runs(tmp_path: Path, nonocensus: Nonocensus, refused: Refused) -> None:
    run_of(tmp_path, [puzzle("1"), puzzle("2"), puzzle("3", SOLID), puzzle("4, too", SOLID), puzzle("5")])
    for command in (("grade", "run", "--serial"), ("mend", "run", "--serial"), ("certify", "run", "--serial")):
        assert nonocensus(*command).code == 0
    for name in ("store", "run"):
        shutil.copytree(tmp_path / name, tmp_path / f"old {name}")
    assert nonocensus("status", "old run", "--store", "old store").code == 0
    (tmp_path / "ids").write_text("a/2\na/4, too\n")
    told = nonocensus("remove", "store", "--ids", "a/1", "--ids", "@ids", "--ids", "a/2")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("3 puzzles removed from store: a/1, a/2, a/4, too; 2 left.\nIn a run: nonocensus retry")
    assert list(stored(create_store("store"))) == ["a/3", "a/5"]
    joined = "select title from results join puzzles using (puzzle_id)"
    asked = map(str.split, ("report run --out x", "mend run", "grade run", "serve run"))
    for command in (*asked, ("query", "run", joined)):
        assert "nonocensus retry run --changed updates the run" in refused(*command, code=3)
    for command in (("status", "run"), ("compare", "old run", "run")):
        assert "3 puzzles of its store changed since: nonocensus retry run --changed" in nonocensus(*command).out
    assert nonocensus("verify", "run").code == 1
    again = json.loads(nonocensus("--json", "retry", "run", "--changed", "--serial").out)
    assert (again["new_rows"], again["rows"], again["puzzles"]) == (0, 2, 2)
    assert "changed since" not in nonocensus("status", "run").out
    assert nonocensus("verify", "run").code == nonocensus("verify", "store").code == 0
    for rows, left in (("puzzles", 2), ("results", 2), ("certificates", 2), ("mendings", 1), ("grades", 1)):
        assert nonocensus("query", "run", f"select count(*) from {rows}").out.split() == ["count_star()", str(left)]
    assert "Stores and files are unchanged: nonocensus report run --out " in nonocensus("mend", "run").out
    assert nonocensus("report", "run", "--out", "report").code == 0
    assert re.search("Of 1 puzzle, 1 has two .*One puzzle is ", Path("report/report.html").read_text(), re.DOTALL)
    letters = "".join(letters_of((tmp_path / "report/letters.zip").read_bytes()).values())
    assert ("a/5" in letters, "a/1" in letters) == (True, False)
    told = nonocensus("compare", "old run", "run").out
    assert "3 removed as duplicate: a/1, a/2, a/4, too\n" in told, "since a/5 and a/3 have their clues"


def test_turned_copies_leave_as_duplicates(tmp_path: Path, nonocensus: Nonocensus) -> None:
    corner = np.tri(2, dtype=np.uint8)
    run_of(tmp_path, [puzzle("1", corner), puzzle("2", corner[:, ::-1]), puzzle("3")])
    for name in ("store", "run"):
        shutil.copytree(tmp_path / name, tmp_path / "before" / name)
    assert nonocensus("remove", "store", "--ids", "a/2,a/3").code == 0
    kept = "1 result of unchanged puzzles kept, 2 of changed or removed puzzles deleted; nothing else is in"
    assert nonocensus("retry", "run", "--changed", "--serial").err.startswith(kept)
    told = nonocensus("compare", "before/run", "run").out
    assert "1 removed: a/3\n1 removed as duplicate: a/2\n" in told


def test_report_says_why_and_by_whom(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """What its attention says of contradictory puzzles, their letters do; copies have their authors."""
    large = np.tri(8, dtype=np.uint8)
    copies = [puzzle(str(k), large, author=author) for k, author in enumerate(("Ann", "Ann", "Bob"))]
    contradictory = replace(puzzle("4", author="Cem"), rows=((Block(2),), ()), columns=((Block(2),), ()), goal=None)
    run_of(tmp_path, [*copies, contradictory])
    assert nonocensus("report", "run", "--out", "report").code == 0
    letters = "".join(letters_of((tmp_path / "report/letters.zip").read_bytes()).values())
    page = (tmp_path / "report/report.html").read_text()
    (why,) = json.loads((tmp_path / "report/report.json").read_text())["figures"]["attention"]["contradictory"]
    assert f"No solution: the clues contradict each other.\n{why['why']}\n" in letters
    by = re.findall(r"<span>by <bdi>(.*?)</bdi></span>", page)
    assert by.count("the same author") == 1
    assert {"Ann", "Bob"} <= set(by)


def test_last_puzzle_leaves_too(tmp_path: Path, nonocensus: Nonocensus, refused: Refused) -> None:
    run_of(tmp_path, [puzzle("1", SOLID)])
    assert json.loads(nonocensus("--json", "remove", "store", "--ids", "a/1").out) == {
        "removed": ["a/1"],
        "puzzles": 0,
        "store": "store",
    }
    assert nonocensus("retry", "run", "--changed", "--serial").code == 0
    for command in ("verify run", "verify store", "status run", "report run --out report", "grade run", "mend run"):
        assert nonocensus(*command.split()).code == 0, command
    assert "has no results yet" in refused("pack", "run", "--out", "pack", code=2)


def test_nothing_is_removed_where_an_id_is_unknown_or_another_writes(tmp_path: Path, refused: Refused) -> None:
    store_of(tmp_path / "store", [puzzle(name) for name in "123"], 1)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()}
    said = "nonocensus: store has no puzzle a/9, a/8; its ids look like a/1\n"
    assert refused("remove", "store", "--ids", "a/1,a/9,a/8") == said
    assert "@nowhere can't be read" in refused("remove", "store", "--ids", "@nowhere")
    with held_by_another(tmp_path / "store"):
        assert "store is being written by" in refused("remove", "store", "--ids", "a/1")
    (tmp_path / "store/crawl.sqlite").write_bytes(b"ledger")
    assert "is crawled and follows its site, so remove can't change it" in refused("remove", "store", "--ids", "a/1")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "store/puzzles").iterdir()} == before


def test_killed_removal_leaves_the_old_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Since the same command would refuse ids that are gone, no part is replaced before all files are written."""
    store = store_of(tmp_path / "store", [puzzle(name) for name in "123456"], 3)
    append(store, [puzzle_batch([puzzle("7")])])
    write = parts.write_part

    def killed(*arguments: Any) -> int:
        if arguments[1] == "part-00001":
            raise KeyboardInterrupt
        return write(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(parts, "write_part", killed)
        with pytest.raises(KeyboardInterrupt):
            remove_puzzles(store, ["a/2", "a/7", "a/5"])
    assert list(stored(store)) == [f"a/{name}" for name in "1234567"]
    assert remove_puzzles(store, ["a/2", "a/7", "a/5"]) == 4
    assert list(stored(store)) == [f"a/{name}" for name in "1346"]
    assert [part.name for part in store.parts()] == ["part-00000", "part-00001"]


def test_removal_killed_between_two_parts_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that no part names are no damage, and the next command that writes deletes them."""
    store = store_of(tmp_path / "store", [puzzle(name) for name in "123456"], 3)
    commit = Folder.commit

    def killed(place: Folder, name: str, *arguments: Any) -> None:
        if name == "part-00001.json":
            raise KeyboardInterrupt
        commit(place, name, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            remove_puzzles(store, ["a/2", "a/5"])
    files = sorted((tmp_path / "store/puzzles").glob("*.parquet"))
    assert len(files) == 3
    for path in files:
        os.utime(path, (0, 0))
    assert verify_place(store) == []
    append(store, [puzzle_batch([puzzle("7")])])
    assert [path.name for path in sorted((tmp_path / "store/puzzles").glob("*.parquet"))] == [
        part.file for part in store.parts()
    ]
    assert list(stored(store)) == [f"a/{name}" for name in "134567"]

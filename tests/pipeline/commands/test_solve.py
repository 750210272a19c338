"""The command solve: pbnsolve's options, ids, --interactive (the rest is in test_cli.py)."""

import json
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from faulty_twin import serve
from stores import DIAMOND, Nonocensus

from nonocensus.pipeline.commands.solve import puzzle_arguments
from nonocensus.pipeline.crawl.single import FetchOptions
from nonocensus.pipeline.jobs import single_grade
from nonocensus.scrapers.twin import build_archive
from nonocensus.solver import api
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.people.minutes import ParameterError

SWITCH = "width 2\nheight 3\n\nrows\n1\n1\n0\n\ncolumns\n1\n1\n"
NONE = "width 3\nheight 3\n\nrows\n1,1\n0\n1,1\n\ncolumns\n2\n0\n2\n"
TOO_WIDE = "width 2\nheight 1\n\nrows\n3\n\ncolumns\n1\n1\n"


@pytest.fixture
def files(tmp_path: Path) -> None:
    for name, text in {"a": DIAMOND, "b": SWITCH, "c": NONE, "d": TOO_WIDE}.items():
        (tmp_path / f"{name}.non").write_text(text)


@pytest.mark.usefixtures("files")
def test_brief_prints_pbnsolve_words(nonocensus: Nonocensus) -> None:
    """One line per puzzle, with its name if there are several; errors go to standard error."""
    result = nonocensus("solve", "-b", "a.non", "b.non", "c.non", "d.non")
    words = {"a": "unique logical", "b": "multiple", "c": "contradiction", "d": "contradiction"}
    assert result.out == "".join(f"local/{name}: {verdict}\n" for name, verdict in words.items())
    assert result.err == "invalid: local/d: row 1: its blocks need 3 cells, the line has 2\n"
    assert result.code == 1
    assert nonocensus("solve", "-b", "b.non", "--rung", "line").out == "stalled\n"
    with_table = nonocensus("solve", "-bt", "a.non").out
    assert with_table.startswith("unique logical\nrung")


@pytest.mark.usefixtures("files")
def test_the_last_line_has_the_difficulty_for_people(nonocensus: Nonocensus, tmp_path: Path) -> None:
    last = {name: nonocensus("solve", f"{name}.non").out.splitlines()[-1] for name in "abc"}
    assert re.fullmatch(
        r"For people: about \S+ seconds \(likely \S+ to \S+\) for regulars .*\), 1\.\d stars of 5, grade 1: counting",
        last["a"],
    )
    assert last["b"] == "For people: no minutes, as it has several solutions; --all 2 draws two"
    assert last["c"] == "For people: no minutes, as it has no solution; --explain shows why"
    assert "For people" not in nonocensus("solve", "d.non").out, "invalid"
    grading = json.loads(nonocensus("solve", "a.non", "--json").out)["grading"]
    (row,) = json.loads(nonocensus("grade", "a.non", "--json").out)["puzzles"]
    assert grading == {name: row[name] for name in grading}
    assert grading["minutes_low"] < grading["minutes"] < grading["minutes_high"]
    assert "grading" not in json.loads(nonocensus("solve", "b.non", "--json").out)
    assert nonocensus("solve", "a.non", "--save", "a.html").code == 0
    assert f"{last['a']}." in (tmp_path / "a.html").read_text()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["solve", "grade"])
def test_damaged_parameters_are_one_line(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    def damaged() -> None:
        raise ParameterError("minutes.json is damaged (checksum mismatch); reinstall nonocensus")

    monkeypatch.setattr(single_grade, "parameters", damaged)
    done = nonocensus(command, "a.non")
    assert done.code == 3
    assert done.err == "nonocensus: minutes.json is damaged (checksum mismatch); reinstall nonocensus\n"
    assert nonocensus("solve", "-b", "a.non").out == "unique logical\n"


@pytest.mark.usefixtures("files")
def test_progress_in_a_folder_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzle_arguments, "REPORT_EVERY", 2)
    request = FetchOptions((), None, False)
    puzzles = puzzle_arguments.read_puzzles(puzzle_arguments.parse_arguments([str(tmp_path)], request), None, request)
    assert len(list(puzzles)) == 4
    assert capsys.readouterr().err.splitlines() == [
        f"{k} files of {tmp_path} read, the last {tmp_path.name}/{name}.non" for k, name in ((2, "b"), (4, "d"))
    ]


@pytest.mark.usefixtures("files")
def test_puzzles_of_a_store_or_run_are_named_by_their_ids(nonocensus: Nonocensus) -> None:
    assert nonocensus("import", "a.non", "b.non", "--out", "store").code == 0
    assert nonocensus("classify", "store", "--out", "run", "--serial").code == 0
    for place in ("store", "run"):
        found = nonocensus("solve", place, "local/b", "local/a", "webpbn:7", "-b")
        assert (found.code, found.out) == (1, "local/b: multiple\nlocal/a: unique logical\n")
        assert found.err == f"nonocensus: not read: webpbn/7: {place} has no such puzzle; its ids look like local/a\n"
        assert nonocensus("solve", place, "local/a", "--save", f"{place}.html").code == 0
        refused = nonocensus("solve", place)
        assert (refused.code, f"nonocensus solve {place} ID --explain" in refused.err) == (2, True)
    assert "nonocensus solve RUN webpbn/7" in nonocensus("solve", "webpbn/7").err, "without --contact"


@pytest.mark.usefixtures("files")
def test_xml_prints_a_document_a_puzzle(nonocensus: Nonocensus, tmp_path: Path) -> None:
    (tmp_path / "e.non").write_text("once <upon> & a time")
    result = nonocensus("solve", "--xml", "a.non", "b.non", "e.non")
    assert (result.code, result.err) == (1, "")
    documents = [f"{part}</data>" for part in result.out.split("</data>\n")[:-1]]
    statuses = [ElementTree.fromstring(document).findtext("status") for document in documents]
    assert statuses[:2] == ["OK", "OK"]
    assert str(statuses[2]).startswith("FAIL: e.non: ")
    assert "<alt>\n" in documents[1]


@pytest.mark.usefixtures("files")
def test_unfinished_puzzle_is_drawn_with_open_cells(nonocensus: Nonocensus) -> None:
    stalled = nonocensus("solve", "b.non", "--rung", "line").out
    assert "??\n??\n..\n2 of 6 cells are decided (? is open); no solution found\n" in stalled
    late = nonocensus("solve", "b.non", "-x", "0.001", "--rung", "line", "--json").out
    assert json.loads(late)["known"] in ([[None, None], [None, None], [0, 0]], None)
    assert "known" not in json.loads(nonocensus("solve", "a.non", "--json").out)


def test_unfinished_puzzle_shows_a_known_solution(nonocensus: Nonocensus, tmp_path: Path) -> None:
    (tmp_path / "goal.non").write_text(SWITCH + '\ngoal "100100"\n')
    shown = nonocensus("solve", "goal.non", "-c", "--rung", "line").out
    assert "??\n??\n..\n2 of 6 cells are decided (? is open); 1 solution found\nA solution:\nX.\n.X\n..\n" in shown
    assert nonocensus("solve", "goal.non", "-c", "--rung", "line", "-b").out == "solvable\n"


@pytest.mark.usefixtures("files")
def test_open_cells_have_an_unused_symbol(nonocensus: Nonocensus, tmp_path: Path) -> None:
    clues = "<line><count>1</count></line>" * 2
    sides = "".join(f'<clues type="{side}">{clues}</clues>' for side in ("rows", "columns"))
    colors = '<color name="white" char="?">fff</color><color name="black" char="X">000</color>'
    (tmp_path / "odd.xml").write_text(f"<puzzleset><puzzle>{colors}{sides}</puzzle></puzzleset>")
    printed = nonocensus("solve", "odd.xml", "--rung", "line").out
    assert "~~\n~~\n0 of 4 cells are decided (~ is open)" in printed


@pytest.mark.usefixtures("files")
def test_stats_shows_techniques_and_counts(nonocensus: Nonocensus) -> None:
    lines = nonocensus("solve", "-t", "b.non", "-d", "3", "--rung", "depth-2").out.splitlines()
    assert [line.split()[0] for line in lines[-5:-1]] == ["line", "depth-3", "all", "line"]
    assert lines[-2].startswith("line solves ")
    assert "nodes –; max depth –; conflicts –" in lines[-2]
    assert lines[-1] == "For people: no minutes, as it is not known to have one solution only"


@pytest.mark.usefixtures("files")
def test_ctrl_c_reports_the_last_attempt(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second attempt sends Ctrl-C and waits for the question; the first attempt's result is shown."""
    asked, tries = threading.Event(), []
    solve = api.solve

    class Keyboard:
        def readline(self) -> str:
            asked.set()
            return "\n"

    def watched(*arguments: Any, cpu_limit: float, **options: Any) -> Any:
        tries.append(cpu_limit)
        if len(tries) == 1:
            return solve(*arguments, cpu_limit=0.0, **options)
        os.kill(os.getpid(), signal.SIGINT)
        asked.wait()
        return solve(*arguments, cpu_limit=cpu_limit, **options)

    monkeypatch.setattr("nonocensus.pipeline.commands.solve.attempt.solve", watched)
    monkeypatch.setattr("sys.stdin", Keyboard())
    result = nonocensus("solve", "-i", "-b", "b.non")
    assert (result.code, result.out) == (0, "multiple\n")
    assert tries == [1.0, 3.0]
    assert "local/b: " in result.err
    assert "the limit is 60 s\nKnown after 1 s of CPU time, with no solution found:\nrung" in result.err


@pytest.mark.usefixtures("files")
def test_interactive_gives_the_same_row(nonocensus: Nonocensus) -> None:
    rows = [json.loads(nonocensus("solve", "b.non", "--json", "--all", "9", *more).out) for more in ([], ["-i"])]
    for row in rows:
        for name in [name for name in row if name.startswith(("cpu", "wall"))]:
            del row[name]
    assert rows[0] == rows[1]


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counter[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Counter[str]()


@pytest.fixture
def twin(counts: Counter[str]) -> Iterator[str]:
    puzzles = [
        from_picture([[1, 1], [0, 1]], source=source, source_id="6574", puzzle_id=f"{source}/6574")
        for source in ("webpbn", "nonograms")
    ]
    with serve(build_archive(puzzles), counts=counts) as address:
        yield address


@pytest.mark.usefixtures("files")
def test_ids_are_downloaded_once(nonocensus: Nonocensus, twin: str, counts: Counter[str]) -> None:
    ids = ("webpbn/6574", "a.non", "nonograms:6574", "webpbn:6574")
    result = nonocensus("solve", *ids, "--base-url", twin, "-b")
    assert (result.code, result.err) == (0, "")
    assert len(result.out.splitlines()) == 4
    assert counts["webpbn/6574"] == 1
    assert "webpbn/6574" in nonocensus("solve", *ids, "--base-url", twin, "-n", "4").out
    assert len(nonocensus("solve", *ids[:1] * 3, "--base-url", twin, "-b").out.splitlines()) == 3
    assert counts["webpbn/6574"] == 1
    nonocensus("solve", "webpbn/6574", "--base-url", twin, "--refresh")
    assert counts["webpbn/6574"] == 2


def test_file_takes_precedence_over_id(nonocensus: Nonocensus, tmp_path: Path) -> None:
    """No request is made: no contact is needed."""
    (tmp_path / "webpbn").mkdir()
    (tmp_path / "webpbn/6574").write_text(DIAMOND)
    result = nonocensus("solve", "webpbn/6574")
    assert result.code == 0
    assert "Diamond" in result.out


@pytest.mark.usefixtures("files")
def test_mistyped_sites_get_the_known_ones_and_contradictions_a_way_on(nonocensus: Nonocensus) -> None:
    said = "webpbnn/3 is neither a file nor an id like webpbn/6574 or nonograms/6574; for a puzzle of a store or run: "
    assert said in nonocensus("solve", "webpbnn/3").err
    assert "it has no solution; --explain shows why\n" in nonocensus("solve", "c.non").out
    assert "shows why" not in nonocensus("solve", "c.non", "--explain").out


@pytest.mark.usefixtures("files")
def test_missing_ids_are_reported_and_skipped(nonocensus: Nonocensus, twin: str) -> None:
    """One line for each; a site that does not answer ends the command."""
    result = nonocensus("solve", "webpbn/2", "a.non", "--base-url", twin, "-b")
    assert (result.code, result.out) == (1, "local/a: unique logical\n")
    assert result.err == "nonocensus: not read: webpbn/2: missing: Puzzle 2 does not exist\n"
    assert nonocensus("solve", "webpbn/2", "--base-url", twin).code == 2


def test_https_addresses_are_read_as_files(nonocensus: Nonocensus, twin: str) -> None:
    address = f"{twin}/export.cgi/x.xml?go=1&id=6574&fmt=xml&xml_clue=on"
    assert nonocensus("solve", address, "-b").out == "unique logical\n"

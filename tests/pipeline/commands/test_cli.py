"""The command line end to end: output, files left, one line for each error."""

import io
import json
from pathlib import Path

import pytest
from stores import DIAMOND, Nonocensus, Refused

from nonocensus.reports.clean import UNSAFE
from nonocensus.scrapers.archives.source_file import SKIPPED_HINT

SWITCH = "width 2\nheight 2\n\nrows\n1\n1\n\ncolumns\n1\n1\n"


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def test_from_files_to_report(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"in/diamond.non": DIAMOND, "in/more/switch.non": SWITCH})
    imported = nonocensus("import", "in", "--out", "store", "--json")
    assert imported.code == 0
    assert json.loads(imported.out)["added"] == 2
    assert "2 puzzles" in nonocensus("status", "store").out.replace("Store of ", "")
    classified = nonocensus("classify", "store", "--out", "run", "--serial", "--json")
    assert classified.code == 0
    assert json.loads(classified.out)["labels"] == {"unique line": 1, "multiple": 1}
    assert "2 of 2 puzzles classified" in nonocensus("status", "run").out
    reported = nonocensus("report", "run", "--out", "report")
    assert reported.code == 0
    assert "report/report.html" in reported.out
    assert {"report.html", "report.json"} <= {path.name for path in (tmp_path / "report").iterdir()}
    again = nonocensus("import", "in", "--out", "store", "--json")
    assert again.code == 0
    assert json.loads(again.out)["known"] == 2


def test_solve_draws_the_solution(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"diamond.non": DIAMOND})
    result = nonocensus("solve", "diamond.non")
    assert result.code == 0
    assert "unique line" in result.out
    assert "..X..\n.XXX.\nXXXXX\n.XXX.\n..X..\n" in result.out
    row = json.loads(nonocensus("solve", "diamond.non", "--json").out)
    assert row["solution"] == [0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0]
    write(tmp_path, {"red.non": "color r #ff0000\nrows\n1r\ncolumns\n1r\n"})
    palette = json.loads(nonocensus("solve", "red.non", "--json").out)["palette"]
    assert [(color["symbol"], color["rgb"]) for color in palette] == [(".", "ffffff"), ("r", "ff0000")]


BAD_FILES = {
    "unknown.txt": ("once upon a time", "unknown format"),
    "empty.non": (b"", "is empty"),
    "binary.non": (bytes(range(256)) * 4, ""),
    "negative.non": (DIAMOND.replace("3", "-3"), "-3"),
    "huge.non": (DIAMOND.replace("3", "99999999999999999999"), "99999999999999999999"),
    "letters.non": (DIAMOND.replace("3", "x"), "x"),
    "encoding.non": (DIAMOND.encode().replace(b"Diamond", b"\x81\x8d"), ""),
    "broken.xml": ("<puzzleset><puzzle>", ""),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_import_of_one_bad_file_fails(refused: Refused, tmp_path: Path, name: str) -> None:
    """One line names it with the reason, and nothing is imported."""
    content, reason = BAD_FILES[name]
    write(tmp_path, {name: content})
    line = refused("import", name, "--out", "store")
    assert f"nothing imported: {name}: " in line
    assert reason in line
    assert not (tmp_path / "store").exists()


def test_import_skips_bad_files(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {f"in/{name}": content for name, (content, _) in BAD_FILES.items()} | {"in/diamond.non": DIAMOND})
    result = nonocensus("import", "in", "--out", "store", "--json")
    assert result.code == 1
    report = json.loads(result.out)
    assert report["added"] == 1
    assert sorted(Path(problem["name"]).name for problem in report["problems"]) == sorted(BAD_FILES)


def test_import_reports_saved_grids_as_left_out(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"a.non": DIAMOND + f'saved "{"1?" * 12}0"\n', "b.non": DIAMOND + f'saved "{"?" * 25}"\n'})
    assert "Left out: partly solved grids (1)" in nonocensus("import", "a.non", "b.non", "--out", "store").out
    solved = nonocensus("solve", "a.non")
    assert solved.err == "local/a: its saved grid is not used; --from-saved 1 starts from it\n"
    assert nonocensus("solve", "a.non", "--from-saved", "1").err == ""


def test_dataset_is_imported_again(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"in/a.non": DIAMOND, "in/b.non": DIAMOND + "license CC0-1.0\n"})
    nonocensus("import", "in", "--out", "store")
    nonocensus("classify", "store", "--out", "run", "--serial")
    nonocensus("dataset", "run", "--out", "data", "--with-clues")
    imported = nonocensus("import", "data", "--out", "again")
    assert imported.code == 1
    assert "1 puzzle added to again" in imported.out
    assert "have no clues, which the dataset withholds" in imported.err
    ids = "select puzzle_id, title, clue_hash from puzzles where license is not null"
    assert nonocensus("query", "again", ids).out == nonocensus("query", "store", ids).out


def test_impossible_clues_become_invalid_rows(nonocensus: Nonocensus, tmp_path: Path) -> None:
    files = {
        "in/wide.non": DIAMOND.replace("rows\n1\n3\n5", "rows\n1\n3\n2,3"),
        "in/totals.non": DIAMOND.replace("rows\n1\n3\n5", "rows\n1\n3\n4"),
        "in/good.non": DIAMOND,
    }
    write(tmp_path, files)
    imported = nonocensus("import", "in", "--out", "store")
    assert imported.code == 0
    assert "row 3: its blocks need 6 cells, the line has 5" in imported.err
    assert "its rows paint 12 cells, its columns 13" in imported.err
    classified = nonocensus("classify", "store", "--out", "run", "--serial", "--json")
    assert classified.code == 1
    assert json.loads(classified.out)["status"] == {"invalid": 2, "ok": 1}
    assert nonocensus("solve", "in/wide.non").code == 2


def test_schema_and_version_need_no_run(nonocensus: Nonocensus) -> None:
    assert "clue_hash" in nonocensus("query", "--schema").out
    tables = json.loads(nonocensus("query", "--schema", "--json").out)
    assert {"name": "status", "type": "string"}.items() <= tables["results"][2].items()
    assert "difficulty" in [column["name"] for column in tables["measures"]]
    assert "mended" in [column["name"] for column in tables["mendings"]]
    assert nonocensus("--version").out.startswith("nonocensus ")


@pytest.mark.slow
def test_demo_classifies_grades_and_reports(nonocensus: Nonocensus, tmp_path: Path) -> None:
    result = nonocensus("demo", "--out", "demo", "--serial")
    assert result.code == 0, result.err
    assert "puzzles with one solution graded, " in result.out
    assert "report.html" in result.out.splitlines()[-1]
    assert (tmp_path / "demo/report/report.html").stat().st_size > 10_000
    labels = json.loads(nonocensus("status", "demo/run", "--json").out)["labels"]
    assert sum(labels.values()) >= 200
    assert {"unique line", "trivial unique line", "unique depth-2", "unique", "multiple", "contradiction"} <= set(
        labels
    )
    assert nonocensus("demo", "--out", "demo", "--serial").code == 0


SAVED = """<?xml version="1.0"?>
<puzzleset><puzzle><clues type="columns"><line><count>1</count></line><line><count>1</count></line></clues>
<clues type="rows"><line><count>1</count></line><line><count>1</count></line></clues>
<solution type="goal"><image>|X.|\n|.X|</image></solution>
<solution type="saved"><image>|?X|\n|??|</image></solution></puzzle></puzzleset>"""


def test_solve_starts_from_a_saved_grid(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"saved.xml": SAVED})
    free = nonocensus("solve", "saved.xml", "--json")
    begun = nonocensus("solve", "saved.xml", "--json", "--from-saved", "1")
    assert json.loads(free.out)["solutions"] == "multiple"
    assert json.loads(begun.out)["solutions"] == "unique"
    assert json.loads(begun.out)["solution"] == [0, 1, 1, 0]
    missing = nonocensus("solve", "saved.xml", "--from-saved", "2")
    assert missing.code == 2
    assert "1 saved grid" in missing.err


def test_solve_lists_all_solutions_with_check_goal(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"saved.xml": SAVED})
    row = json.loads(nonocensus("solve", "saved.xml", "--json", "-c", "--all", "5").out)
    assert (row["solution"], row["second_solution"]) == ([1, 0, 0, 1], [0, 1, 1, 0])
    assert sorted(row["all_solutions"]) == [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]
    both = nonocensus("solve", "saved.xml", "--all", "5").out
    assert "2 solutions differ in 4 cells: row 1 column 1, row 1 column 2, row 2 column 1, row 2 column 2\n" in both
    assert {"X.  **", ".X  **"} <= set(both.splitlines()), "programs read the picture, people the marks behind it"
    assert "Solution 1:" in nonocensus("solve", "saved.xml", "--all", "1").out
    assert "Solution 2:" not in nonocensus("solve", "saved.xml", "--all", "1").out


def test_solve_exit_status_with_bad_files(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"in/a.non": DIAMOND, "in/b.non": "once upon a time", "bad/c.non": "once upon a time"})
    (tmp_path / "empty").mkdir()
    some = nonocensus("solve", "in")
    assert (some.code, len(some.err.splitlines())) == (1, 1)
    assert "unique line" in some.out
    assert nonocensus("solve", "bad").code == 2
    empty = nonocensus("solve", "empty")
    assert (empty.code, empty.err) == (2, f"nonocensus: no puzzle found in empty; {SKIPPED_HINT}\n")


def test_solve_reads_standard_input(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(DIAMOND.encode())))
    result = nonocensus("solve", "-")
    assert result.code == 0
    assert "local/stdin" in result.out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert "stdin" in nonocensus("solve", "-").err


def test_solve_removes_control_characters_from_titles(nonocensus: Nonocensus, tmp_path: Path) -> None:
    write(tmp_path, {"a.non": DIAMOND.replace("Diamond", "D\x1b[31m\x9b\u202ex")})
    printed = nonocensus("solve", "a.non")
    assert printed.code == 0
    assert "D\ufffd[31m" in printed.out
    assert not UNSAFE.search(printed.out + printed.err)

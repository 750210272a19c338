"""What a report learns of its run from the logs."""

from pathlib import Path

import pytest
from runs import run_serially, work_on
from stores import Nonocensus

from nonocensus.pipeline.findings.reporting import about_run, sessions, write_run_report
from nonocensus.pipeline.run.plan import Selection
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.store.parts import Store


def test_sessions_of_a_run(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    (session,) = sessions(run)
    assert session.cpus == 1
    assert session.tasks[:, 3].sum() == 300
    assert (session.tasks[:, 0] >= session.begun).all()
    assert (session.tasks[:, 1] <= session.ended).all()
    about = about_run(run, summarize(run))
    assert about.activity is not None
    assert (about.activity.sessions, about.activity.puzzles, about.puzzles) == (1, 300, 300)


def test_a_session_that_was_killed_and_one_of_nothing(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    work_on(run, selection=Selection(limit=5))  # nothing is left
    (log,) = sorted((tmp_path / "run" / "log").glob("0001-*.jsonl"))
    lines = log.read_text().splitlines()
    log.write_text("\n".join(lines[:-2]) + '\n{"at": "20')
    first, second = sessions(run)
    assert (first.cpus, second.cpus) == (None, 1)
    assert 0 < first.tasks[:, 3].sum() <= 300
    assert len(second.tasks) == 0


@pytest.mark.people
def test_from_a_folder_of_files_to_a_list_for_each_author(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """In three commands, as the owner of a site does it."""
    files = {
        "1": ("Ann", "1\n1"),
        "2": ("Ann", "1\n2"),
        "3": ("<script>", "1\n1"),
        "4": ("محمد", "3\n1"),
        "5": ("Bob", "2\n2"),
        "6": ("Bob", "8\n7\n6\n5\n4\n3\n2\n1"),
        "7": ("<script>", "8\n7\n6\n5\n4\n3\n2\n1"),
        "8": ("Bob", "8\n" * 8),
        "9": ("<script>", "8\n" * 8),  # plain, so not to fix
    }
    folder = tmp_path / "site"
    folder.mkdir()
    for name, (author, clues) in files.items():
        side, lines = len(clues.split()), clues.strip()
        size = f"width {side}\nheight {side}"
        text = f'title "T{name}"\nby "{author}"\n{size}\n\nrows\n{lines}\n\ncolumns\n{lines}\n'
        (folder / f"{name}.non").write_text(text)
    assert nonocensus("import", "site", "--out", "store").code == 0
    nonocensus("classify", "store", "--out", "run", "--serial")  # status 1: one puzzle is invalid
    assert nonocensus("report", "run", "--out", "report").code == 0
    lists = (tmp_path / "report" / "authors.txt").read_text().split("\n\n\n")
    heads = {text.splitlines()[0]: text for text in lists}
    assert set(heads) == {"Ann: 1 puzzle", "<script>: 2 puzzles", "محمد: 1 puzzle"}
    assert "“T1”, 2×2\nSeveral solutions: two of them differ in 4 of 4 cells." in heads["Ann: 1 puzzle"]
    assert "The same as local/site/6 “T6” by Bob" in heads["<script>: 2 puzzles"]
    assert "Impossible clues: " in heads["محمد: 1 puzzle"]


@pytest.mark.slow
def test_a_run_without_logs_has_a_report(store: Store, tmp_path: Path) -> None:
    run = run_serially(store, tmp_path / "run")
    for log in (tmp_path / "run" / "log").iterdir():
        log.unlink()
    assert sessions(run) == []
    (tmp_path / "report").mkdir()
    for name in ("report-rate.svg", "report of mine.svg"):
        (tmp_path / "report" / name).write_text("old")
    rows, page = write_run_report(run, str(tmp_path / "report"))
    assert rows == 300
    assert not (tmp_path / "report" / "report-rate.svg").exists()
    assert (tmp_path / "report" / "report of mine.svg").exists()
    assert "puzzles a second" not in Path(page).read_text()

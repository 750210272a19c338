"""The task of a newcomer, a site's owner, a researcher, a teacher and an operator, from files to the end.

A player's is in serve/test_touch.py, an app maker's in findings/test_pack.py.
"""

import io
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from chromium import NEEDED, PHONE, chromium, emulated, page_width
from selenium.webdriver.common.keys import Keys
from stores import DIAMOND, Nonocensus, letters_of, random_store
from tabs import Tab

from nonocensus.pipeline.jobs import cost
from nonocensus.pipeline.store.parts import Store, append
from nonocensus.reports.words.step_words import describe_merged
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.formats import non
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.people.explanation import explain

pytestmark = pytest.mark.people


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield Tab(driver)


def follow(tab: Tab, selector: str) -> None:
    """Click a link."""
    found = tab.until(lambda: tab.one(selector))
    tab.run("arguments[0].scrollIntoView({ block: 'center' })", found)
    found.click()


def listed(tab: Tab, issue: str) -> set[str]:
    """Return the ids behind the count of an issue, listed by a click on it."""
    follow(tab, f"#attention .issues a[href*='issues={issue}']")
    tab.until(lambda: " of " in tab.count())
    return set(tab.column("puzzle_id"))


OUT_OF_VIEW = """
return [".sheet svg", "#at", "#words"].filter((name) => {
  const box = document.querySelector(name).getBoundingClientRect();
  return box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth;
});
"""


@pytest.mark.slow
@NEEDED[0]
@NEEDED[1]
def test_newcomer_solves_a_file_and_opens_the_report_of_the_demo(
    tab: Tab, tmp_path: Path, nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first minute of README.md, and a file that is none."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"5:1/3/5/3/1/1/3/5/3/1\n")))
    solved = nonocensus("solve", "-", "--explain")
    assert solved.code == 0
    assert "1. Row 3, clue 5: the 5 fills the 5 cells of the row, so columns 1 to 5 are black." in " ".join(
        solved.out.split()
    )
    assert "Every cell is known, and there is no other solution." in solved.out
    (tmp_path / "diamond.non").write_text(DIAMOND)
    solved = nonocensus("solve", "diamond.non")
    assert solved.out.startswith('local/diamond "Diamond" 5x5: unique line\n..X..\n.XXX.\n')
    (tmp_path / "notes.txt").write_text("buy milk\n")
    unread = nonocensus("solve", "notes.txt")
    assert (unread.code, "the rows, an empty line, the columns" in unread.err) == (2, True)

    demo = nonocensus("demo", "--serial")
    assert demo.code == 0
    address = re.search(r"Open (file://\S+) in a browser\n$", demo.out)
    assert address
    tab.load(Path(address[1].removeprefix("file://")))
    assert tab.one("h1").text == "Census of 358 nonograms"
    follow(tab, "#hardest .title a")
    assert tab.shown()["name"] == tab.one("#hardest .title a").get_attribute("textContent")
    tab.one("#browse-puzzle").send_keys(Keys.ESCAPE)
    assert len(listed(tab, "ambiguous")) == int(tab.one("#attention .issues strong").text)
    assert tab.errors() == []


FILES = {
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
"""Author and clues of both sides."""

PREFIX = "local/site.tar.gz/site/"


@pytest.fixture
def site(tmp_path: Path) -> None:
    """An archive of puzzles' files, among them two random pictures that differ in one cell."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name, (author, clues) in FILES.items():
        side, lines = len(clues.split()), clues.strip()
        text = f'title "T{name}"\nby "{author}"\nwidth {side}\nheight {side}\n\n'
        (folder / f"{name}.non").write_text(f"{text}rows\n{lines}\n\ncolumns\n{lines}\n")
    picture = np.random.default_rng(1).random((14, 14)) < 0.7
    for name in ("10", "11"):
        (folder / f"{name}.non").write_bytes(non.write(from_picture(picture, title=f"T{name}", author="Cleo")))
        picture[3, 4] ^= True
    shutil.make_archive(str(folder), "gztar", tmp_path, "site")
    shutil.rmtree(folder)


@pytest.mark.slow
@NEEDED[0]
@NEEDED[1]
@pytest.mark.usefixtures("site")
def test_owner_of_a_site_mends_a_puzzle_and_writes_to_each_author(
    tab: Tab, tmp_path: Path, nonocensus: Nonocensus
) -> None:
    """From the archive to what is at fault, a letter to each author, and what was fixed."""
    assert nonocensus("import", "site.tar.gz", "--out", "store").code == 0
    nonocensus("classify", "store", "--out", "run", "--serial")  # status 1: one puzzle is invalid
    assert nonocensus("mend", "run", "--serial").code == 0
    assert nonocensus("report", "run", "--out", "report").code == 0
    letters = letters_of(Path("report/letters.zip").read_bytes())
    assert list(letters) == ["0001 script.txt", "0002 Ann.txt", "0003 محمد.txt"], "first that with most puzzles"
    assert (
        "“T1”, 2×2\nSeveral solutions: two of them differ in 4 of 4 cells: rows 1 and 2; columns 1 and 2."
        in letters["0002 Ann.txt"]
    )
    assert "keep one of those two but for 1 cell: row 1, column 1 white." in letters["0002 Ann.txt"]
    assert "6 “T6” by Bob" in letters["0001 script.txt"]
    assert "Impossible clues: " in letters["0003 محمد.txt"]

    tab.load(tmp_path / "report" / "report.html")
    assert listed(tab, "near") == {f"{PREFIX}10", f"{PREFIX}11"}
    assert tab.column("how") == ["original", "1 cell differs"]
    assert tab.count() == "1 of 11 puzzles, with their originals"
    follow(tab, ".browse-row[data-place='1'] .title")
    tab.until(lambda: len(tab.all("#browse-puzzle .compared svg")) == 2)
    assert tab.one("#browse-puzzle .legend").text == "1 cell differs, marked ◆."
    tab.one("#browse-puzzle").send_keys(Keys.ESCAPE)
    assert listed(tab, "ambiguous") == {f"{PREFIX}1", f"{PREFIX}3"}
    follow(tab, "#attention .slowest .title a")
    assert "mended" in tab.shown()["layers"]
    assert tab.errors() == []

    assert nonocensus("mend", "store", "--out", "mended.jsonl", "--serial").code == 0
    merged = nonocensus("import", "mended.jsonl", "site.tar.gz", "--out", "fixed")  # the mended ones are first
    assert merged.out == "11 puzzles added to fixed: 11 in all.\n"
    nonocensus("classify", "fixed", "--out", "second", "--serial")
    compared = nonocensus("compare", "run", "second", "--html", "changes.html")
    assert compared.code == 0
    tab.driver.get((tmp_path / "changes.html").as_uri())
    for group, name in (("Fixed", "1"), ("Fixed but a duplicate", "3")):  # the first two mended are the same puzzle
        found = tab.driver.find_element("xpath", f"//section[starts-with(normalize-space(h2), '{group}')]")
        assert found.find_element("css selector", ".id").text.startswith(f"{PREFIX}{name} ")


@pytest.mark.slow
@NEEDED[0]
@NEEDED[1]
def test_researcher_reads_a_dataset_and_cites_it(tab: Tab, tmp_path: Path, nonocensus: Nonocensus) -> None:
    """Measures of people and machine as numbers in pandas, their meanings, and what to cite."""
    random_store(tmp_path, Recipe("random", 15, 15, 0.65, 1, 60))
    assert nonocensus("classify", "store", "--out", "run", "--serial").code == 0
    assert nonocensus("grade", "run", "--serial").code == 0
    assert nonocensus("dataset", "run", "--out", "dataset").code == 0
    frame = pd.read_parquet("dataset/data")
    minutes = frame.minutes.dropna()
    assert len(frame) == 60
    assert len(minutes) == (frame.solutions == "unique").sum() > 20
    assert minutes.dtype == "float64"
    assert frame.minutes.corr(frame.line_solves, method="spearman") > 0
    assert not {"rows", "title", "author"} & set(frame.columns), "measures only"
    meanings = [field.metadata for field in pq.read_schema(next(Path("dataset/data").iterdir()))]
    assert all(b"description" in (each or {}) for each in meanings)
    run_id = json.loads(Path("run/run.json").read_text())["run_id"]
    assert run_id in Path("dataset/README.md").read_text()

    assert nonocensus("report", "run", "--out", "report").code == 0
    tab.load(tmp_path / "report" / "report.html")
    follow(tab, "#run details:last-of-type summary")
    cited = tab.one(".citation").text
    assert (cited.startswith("@"), run_id in cited) == (True, True)
    assert tab.errors() == []


@pytest.mark.slow
@NEEDED[0]
@NEEDED[1]
def test_teacher_explains_a_puzzle_at_the_desk_on_a_phone_and_on_paper(
    tab: Tab, tmp_path: Path, nonocensus: Nonocensus
) -> None:
    """One page: by keys, by a finger with the board in view at each step, as a handout, and its techniques."""
    puzzle = next(each for each in demo_puzzles() if each.title == "Small heart")
    Path("puzzle.non").write_bytes(non.write(puzzle))
    assert nonocensus("solve", "puzzle.non", "--save", "page.html").code == 0
    words = [step.what for step in describe_merged(explain(puzzle))]
    address = (tmp_path / "page.html").as_uri()
    tab.driver.get(address)
    for number, what in enumerate(words, 1):
        tab.one("body").send_keys(Keys.ARROW_RIGHT)
        assert tab.one("#number").text == str(number)
        assert tab.one("#words").text.startswith(what)
    pages = tab.printed()
    assert "After step" not in pages[0], "the empty grid"
    assert any(page.lstrip().startswith("Techniques") for page in pages)  # below the steps they covered some
    text = " ".join(pages)
    assert f"After step {len(words)}" in text
    assert all(f"{number}. {' '.join(what.split())}" in text for number, what in enumerate(words, 1))

    with emulated(tab.driver, "light", PHONE):
        tab.driver.get(address)
        assert page_width(tab.driver) <= PHONE
        for number in range(1, len(words) + 1):
            tab.tap("#on")
            assert tab.one("#number").text == str(number)
            assert tab.run(OUT_OF_VIEW) == []
        name = tab.one("#words a").text
        tab.tap("#words a")
        assert tab.one(f"article#{name} h3").text.startswith(name.capitalize())
        assert tab.run("return document.querySelector(arguments[0]).getBoundingClientRect().top", f"#{name}") < 844
    assert tab.errors() == []


@pytest.mark.slow
def test_operator_estimates_a_run_interrupts_it_and_retries(
    store: Store, nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a pipe: what a run will cost, how far it is, what is left of it, and what a larger limit is for."""
    append(store, [recipe_batch(Recipe("random", 60, 60, 0.42, 1, HARD), 0, HARD)])
    classify = "classify", "store", "--out", "run", "--serial", "--cpu-limit", "1"
    with monkeypatch.context() as patch:
        patch.setattr(cost, "SAMPLE_PUZZLES", 20)
        estimate = nonocensus(*classify, "--dry-run")
    assert estimate.out.startswith(f"{300 + HARD} puzzles would be done.\nAbout ")
    assert re.search(r" on 1 idle core, .* MB\.\nSample: 20 random puzzles; .*\nUp to .* if ", estimate.out)
    assert not Path("run").exists()

    command = [sys.executable, "-c", SOON, *classify]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        lines = iter(process.stderr.readline, "")
        found = next(filter(None, (re.match(r"classifying: ([1-9]\d*)/(\d+)", line) for line in lines)))
        process.send_signal(signal.SIGINT)
        *_, left, last = lines
        assert process.wait() == 130
    assert int(found[2]) == 300 + HARD
    assert last == "nonocensus: interrupted; finished work is kept, the same command resumes\n"
    status = nonocensus("status", "run").out
    again = r"nonocensus classify \S+/store --out run --cpu-limit 1.0 classifies them\."
    missing = re.search(rf"^(\d+) of \d+ puzzles without a result: {again}$", status, re.MULTILINE)
    assert missing
    assert 0 < int(missing[1]) <= int(left.split(" of ")[0])  # less if a task was kept after its last progress

    assert f"{300 + HARD} of {300 + HARD} puzzles classified" in nonocensus(*classify).out
    assert "no answer within the limit of 1 CPU seconds" in nonocensus("status", "run", "--failed").out
    retried = nonocensus("retry", "run", "--cpu-limit", "1.5", "--limit", "2", "--serial")
    assert f"{300 + HARD} of {300 + HARD} puzzles classified" in retried.out
    status = nonocensus("status", "run").out
    assert "cpu limit 1 (up to 1.5 by retry)" in status
    assert "finished 2 puzzles in" in status


HARD = 6
"""Puzzles that take minutes, most of them."""

SOON = """
from nonocensus.__main__ import run
from nonocensus.pipeline.commands import output
output.LOG_INTERVAL = 0.1
run()
"""
"""The command, with lines of progress sooner."""

"""Every view of every page, at a desk and on a phone, light and dark: axe finds nothing, and nothing is too wide."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from chromium import NEEDED, PHONE, chromium, emulated, page_width, violations
from runs import run_of
from server_tab import Tab as ServerTab
from serving import Server, running
from tabs import Tab

import nonocensus as nc
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.findings.comparison import compare
from nonocensus.pipeline.findings.run_changes import changes_page
from nonocensus.pipeline.jobs.engine import JobRequest
from nonocensus.pipeline.jobs.mend_job import mend_run
from nonocensus.reports.page.explanation_page import page
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.pictures.rules import random_pictures
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture
from nonocensus.solver.people.explanation import explain

pytestmark = [*NEEDED, pytest.mark.slow]

SCREENS = [(width, scheme) for width in (1280, PHONE) for scheme in ("light", "dark")]
SECTIONS = {"attention", "verdicts", "people", "browse", "measures", "ratings", "hardest", "archive", "time", "run"}
SERIAL = Resources(serial=True)


class Pages(NamedTuple):
    """A report, an explanation and a comparison as files, and a server of the report's run."""

    report: Path
    explanation: Path
    comparison: Path
    server: Server


def puzzles() -> list[Puzzle]:
    """Return puzzles of all kinds: coloured, ambiguous, impossible, invalid, alike, timed by a site."""
    small = [each for each in demo_puzzles() if len(each.rows) <= 15][:40]
    pictures = random_pictures(12, 12, 0.6, 7, 0, 120)
    timed = [
        from_picture(
            picture, puzzle_id=f"site/{k}", source="site", author=f"Author {k % 7}", site_seconds=60.0 + k % 50
        )
        for k, picture in enumerate(pictures)
    ]
    near = pictures[0].copy()
    near[3, 4] ^= 1
    first = timed[0]
    rows = ((Block(7),), *first.rows[1:])
    return [
        *(*small, *timed, from_picture(near, puzzle_id="site/near", source="site", title="Nearly")),
        replace(first, puzzle_id="site/copy", title="Copy"),
        replace(first, puzzle_id="site/impossible", rows=rows, goal=None),
        replace(first, puzzle_id="site/invalid", rows=((Block(13),), *first.rows[1:]), goal=None),
        from_picture(np.eye(2, dtype=np.uint8), puzzle_id="site/switch", source="site", title="Switch"),
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    place = tmp_path_factory.mktemp("views")
    run = run_of(place, puzzles())
    nc.grade_run(run.folder.uri, resources=SERIAL)
    assert list(mend_run(run, JobRequest(resources=SERIAL)))
    nc.make_report(run, str(place / "report"))
    fixed = from_picture(np.tri(2, dtype=np.uint8), puzzle_id="site/switch", source="site", title="Switch")
    later = run_of(place / "later", [*puzzles()[5:-1], fixed])
    (place / "changes.html").write_text(changes_page(run, later, compare(run, later)))
    colored = next(each for each in demo_puzzles() if each.colors > 2)
    (place / "steps.html").write_text(page(explain(colored), "about 3 minutes (2 to 5), 2 stars of 5"))
    with running(run.folder.uri, "--cpus", "1") as server:
        yield Pages(place / "report" / "report.html", place / "steps.html", place / "changes.html", server)


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield Tab(driver)


def check(tab: Tab | ServerTab, view: str, within: str = "html") -> None:
    """Check what is open now."""
    width = tab.run("return innerWidth")
    assert violations(tab.driver, within) == [], view
    assert page_width(tab.driver) <= width, view
    assert tab.errors() == [], view


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing_in_any_view(tab: Tab, pages: Pages, width: int, scheme: str) -> None:
    with emulated(tab.driver, scheme, width):
        tab.load(pages.report)
        assert {section.get_attribute("id") for section in tab.all("main section[id]")} >= SECTIONS
        tab.run("document.querySelectorAll('details:not(.facet)').forEach((one) => { one.open = true; })")
        tab.draw()
        tab.run("document.querySelector('.facet').open = true")
        check(tab, "report")
        tab.set_state(pages.report, view="gallery")
        check(tab, "gallery", "#browse")
        tab.set_state(pages.report, puzzle="site/switch")
        for layer in ("solution", "second", "mended", "nothing", "play"):
            assert layer in tab.shown()["layers"]
            tab.one(f".layers [value={layer}]").click()
            check(tab, f"puzzle: {layer}", "#browse-puzzle")

        tab.driver.get(pages.explanation.as_uri())
        for step in ("", "on", "last"):
            tab.run("document.getElementById(arguments[0])?.click()", step)
            check(tab, f"explanation {step}")
        tab.run("document.querySelector('#words a').click()")
        check(tab, "technique")
        tab.driver.get(pages.comparison.as_uri())
        assert tab.all("section")
        check(tab, "comparison")

        web = ServerTab(tab.driver, pages.server)
        views = {"#open": "", "#draw": "", "#archive": "", "#puzzle": "?id=site%2F1", "#techniques": "?name=glue"}
        for view, query in views.items():
            web.load(view + query)
            web.until(lambda there=view: web.all(f"{there}:not([hidden])"))
            if view == "#archive":
                web.until(lambda: "site/" in web.text("#archive"))
            if view == "#puzzle":
                web.wait_for_puzzle()
            check(web, f"serve: {view}")
        web.load("#puzzle?id=site%2F1")
        web.wait_for_puzzle()
        web.request_hint()
        check(web, "serve: hint")
        web.click(".hint [data-do=enough]")
        web.request_explanation()
        check(web, "serve: explanation")

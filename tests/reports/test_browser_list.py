"""The list's filters, search, gallery, selection and exports in headless Chromium, and what leads to it."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsable import FLAG, HEART, browsable, graded, mendings
from census import Pairs, pairs
from chromium import NEEDED, PHONE, emulated, page_width, violations
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from tabs import Tab

from reports.report_page import write_report
from scrapers.formats import non, webpbn_xml
from solver.model.puzzle import Puzzle, from_picture
from solver.model.tables import puzzle_batch

FILLERS = 120
PAIRS, GRADES = graded(FILLERS)

CLICK = """
const box = arguments[0].getBoundingClientRect();
const place = { bubbles: true, view: window, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
for (const type of ["mousedown", "mouseup", "click"]) arguments[0].dispatchEvent(new MouseEvent(type, place));
"""
"""A click on a mark of a chart, as Vega sees it."""

pytestmark = NEEDED


def changed() -> Pairs:
    """The pairs, with licences of every third puzzle, an author whom a search has to find, and a title."""
    ((results, puzzles),) = PAIRS
    rows = puzzles.to_pylist()
    for k, row in enumerate(rows):
        if k % 3 == 0:
            row["license"] = "CC-BY-4.0"
        if row["author"] == "Author 4":
            row["author"] = "Gül Atatürk"
        if row["puzzle_id"] == "random/14":
            row["title"] = "Fourteen"
    return [(results, pa.Table.from_pylist(rows, schema=puzzles.schema))]


CHANGED = changed()


def table() -> list[dict[str, Any]]:
    """Results and puzzles side by side."""
    ((results, puzzles),) = CHANGED
    rows = zip(results.to_pylist(), puzzles.to_pylist(), strict=True)
    return [puzzle | result for result, puzzle in rows]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    for name, data in write_report(CHANGED, mendings=mendings(), grades=GRADES).items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def page(files: Path) -> Path:
    return files / "report.html"


@pytest.fixture
def kept(tab: Tab, tmp_path: Path) -> Path:
    """Where the browser keeps what the page gives it."""
    behavior = {"behavior": "allow", "downloadPath": str(tmp_path)}
    tab.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)
    return tmp_path


def taken(tab: Tab, kept: Path, what: str, name: str) -> str:
    """The file that a button makes, once it is whole."""
    tab.one(f"[data-take={what}]").click()
    tab.until(lambda: (kept / name).exists() and not list(kept.glob("*.crdownload")))
    return (kept / name).read_bytes().decode()


def test_counts_are_those_of_the_puzzles(tab: Tab, page: Path) -> None:
    tab.turn(page)
    assert tab.counts("technique") == {
        **Counter(row["technique"] for row in table() if row["technique"]),
        "none": sum(row["technique"] is None for row in table()),
    }
    sizes = Counter(f"{row['width']}×{row['height']}" for row in table() if row["width"])
    assert tab.counts("dimensions") == {**sizes, "not known": 1}
    assert list(tab.counts("dimensions").values())[:-1] == sorted(sizes.values(), reverse=True)


def test_counts_say_what_a_choice_would_leave(tab: Tab, page: Path) -> None:
    """Those of other filters follow, the filter's own stay: so one more word of it can be chosen."""
    tab.turn(page)
    before = tab.counts("technique")
    tab.choose("technique", "probe")
    assert tab.counts("technique") == before
    assert sum(tab.counts("label").values()) == before["probe"]
    tab.choose("technique", "depth-2")
    assert tab.count().startswith(f"{before['probe'] + before['depth-2']} of ")
    assert set(tab.column("hardest"))


def test_chips_take_filters_back(tab: Tab, page: Path) -> None:
    tab.turn(page, technique="probe", kind="mono", difficulty="0.5..9")
    chips = [chip.text for chip in tab.all(".browse-chips button")]
    assert [text.split("\n")[0] for text in chips] == [
        "Technique: probe",
        "Kind: mono",
        "Difficulty (log₁₀ of effort) from 0.5 to 9",
    ]
    while chips := tab.all(".browse-chips button"):
        chips[0].click()
    assert tab.count() == f"{len(table())} puzzles"


def test_ranges_of_measures_narrow_the_list(tab: Tab, page: Path) -> None:
    tab.turn(page, cpu_seconds="0.1..0.3", nodes="10..")
    wanted = [
        row["puzzle_id"] for row in table() if 0.1 <= (row["cpu_seconds"] or 0) <= 0.3 and (row["nodes"] or 0) >= 10
    ]
    assert wanted
    assert sorted(tab.column("puzzle_id")) == sorted(wanted)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("ataturk", lambda row: row["author"] == "Gül Atatürk"),
        ("GÜL fourteen", lambda row: row["puzzle_id"] == "random/14" and row["author"] == "Gül Atatürk"),
        ("9x8", lambda row: (row["width"], row["height"]) == (9, 8)),
        ("9×8 random", lambda row: (row["width"], row["height"]) == (9, 8) and row["source"] == "random"),
    ],
)
def test_search(tab: Tab, page: Path, words: str, wanted: Any) -> None:
    tab.turn(page)
    tab.search(words)
    expected = sorted(row["puzzle_id"] for row in table() if wanted(row))
    assert expected
    assert sorted(tab.column("puzzle_id")) == expected


def test_the_id_that_is_meant_comes_first(tab: Tab, page: Path) -> None:
    tab.turn(page)
    tab.search("14")
    found = tab.column("puzzle_id")
    assert found[0] == "random/14"
    assert len(found) > 1


def test_a_link_to_what_is_not_there_says_so(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="webpbn/99999", technique="magic")
    problem = tab.one(".browse-problem").text
    assert "webpbn/99999" in problem
    assert "magic" in problem
    tab.sort("title")
    assert tab.one(".browse-problem").text == ""


def test_every_figure_on_top_opens_its_puzzles(tab: Tab, page: Path) -> None:
    tab.load(page)
    links = tab.run("""return Array.from(document.querySelectorAll('.cards a, .issues a, #verdicts td.n a'),
        (link) => [link.getAttribute('href'), (link.querySelector('strong') ?? link).textContent])""")
    assert len(links) > 10
    for address, number in links:
        tab.run("location.hash = arguments[0]", address)
        said = tab.until(lambda: tab.run("return location.hash") and tab.count())
        assert said.replace(",", "").split()[0] == number.replace(",", ""), address
    assert tab.errors() == []


def test_a_bar_opens_its_puzzles(tab: Tab, page: Path) -> None:
    tab.load(page)
    bars = "#verdicts [data-chart=labels].leads [aria-roledescription='bar']"
    tab.until(lambda: tab.all(bars))
    bar = next(bar for bar in tab.all(bars) if "depth-2" in (bar.get_attribute("aria-label") or ""))
    tab.run(CLICK, bar)
    tab.until(lambda: " of " in tab.count())
    assert set(tab.column("label")) == {"unique depth-2"}


def test_legends_are_buttons(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.until(lambda: tab.all("#time .legend-words button"))
    button = tab.all("#time .legend-words button")[0]
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "true"
    faint = "return document.querySelectorAll(\"#time [data-chart=times] [opacity='0.12']\").length"
    tab.until(lambda: tab.run(faint) > 0)
    button.send_keys(Keys.ENTER)
    tab.until(lambda: tab.run(faint) == 0)


def test_the_gallery_shows_the_pictures(tab: Tab, page: Path) -> None:
    tab.turn(page, view="gallery", query="made/")
    names = [tile.text for tile in tab.all(".gallery-tiles .tile:not([hidden]) .caption")]
    assert {"Heart", "Flag", "Two"} <= set(names)
    place = names.index("Heart")
    pixels = """const canvas = document.querySelectorAll('.gallery-tiles .tile')[arguments[0]].querySelector('canvas');
        return canvas && Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data)"""
    found = np.array(tab.until(lambda: tab.run(pixels, place))).reshape(5, 5, 4)
    assert np.array_equal(found[..., 0] == 0, HEART == 1)
    tab.all(".thumb-button")[place].click()
    assert tab.shown()["name"] == "Heart"
    tab.one("#browse-puzzle .close").click()
    tab.one("[data-view=list]").click()
    assert tab.one(".browse-grid").is_displayed()
    assert not tab.one(".browse-gallery").is_displayed()


def test_differing_cells_stand_out_in_the_gallery(tab: Tab, page: Path) -> None:
    tab.turn(page, view="gallery", issues="ambiguous")
    pixels = """const canvas = document.querySelector('.gallery-tiles canvas');
        return canvas && Array.from(canvas.getContext('2d').getImageData(0, 0, 3, 3).data)"""
    found = np.array(tab.until(lambda: tab.run(pixels))).reshape(9, 4)
    assert (found[:, :3] == (255, 0, 144)).all(axis=1).sum() == 4


def test_rows_are_picked_by_click_range_and_key(tab: Tab, page: Path) -> None:
    tab.turn(page, sort="puzzle_id")
    tab.one("[data-take=clear]").click() if tab.one("[data-take=clear]").is_enabled() else None
    boxes = tab.all(".browse-rows .browse-row .pick input")
    boxes[1].click()
    ActionChains(tab.driver).key_down(Keys.SHIFT).click(boxes[4]).key_up(Keys.SHIFT).perform()
    assert tab.one(".browse-taken").text == "4 picked:"
    tab.one(".browse-grid").send_keys(Keys.HOME, Keys.SPACE)
    assert tab.one(".browse-taken").text == "5 picked:"
    assert [row.get_attribute("aria-selected") for row in tab.all(".browse-rows .browse-row")[:6]] == [
        *["true"] * 5,
        "false",
    ]
    tab.one("[data-take=clear]").click()
    assert tab.one(".browse-taken").text == f"All {len(table())} listed:"


def test_what_is_listed_can_be_taken_along(tab: Tab, page: Path, kept: Path) -> None:
    tab.turn(page, kind="color")
    wanted = [row["puzzle_id"] for row in table() if row["kind"] == "color" and not row["blotted"]]
    assert sorted(taken(tab, kept, "ids", "puzzles.txt").split()) == sorted(wanted) == ["made/flag"]
    tab.turn(page, technique="probe")
    rows = list(csv.DictReader(io.StringIO(taken(tab, kept, "csv", "puzzles.csv"), newline="")))
    known = {row["puzzle_id"]: row for row in table() if row["technique"] == "probe"}
    assert {row["puzzle_id"] for row in rows} == set(known)
    for row in rows:
        expected = known[row["puzzle_id"]]
        assert (int(row["width"]), int(row["nodes"])) == (expected["width"], expected["nodes"])
        assert float(row["cpu_seconds"]) == pytest.approx(expected["cpu_seconds"], rel=1e-5)
        assert row["title"] == (expected["title"] or "")


def test_puzzles_are_taken_along_where_their_licence_allows(tab: Tab, page: Path, kept: Path) -> None:
    tab.turn(page)
    text = taken(tab, kept, "non", "puzzles.non")
    free = {row["title"]: row for row in table() if row["license"] == "CC-BY-4.0" or row["source"] == "random"}
    puzzles = list(non.read(text.encode()))
    assert len(puzzles) > 100
    for puzzle in puzzles:
        if puzzle.title and puzzle.title.startswith("Picture"):
            row = free[puzzle.title]
            goal = np.frombuffer(row["goal"], np.uint8).reshape(row["height"], row["width"])
            assert np.array_equal(puzzle.goal, goal)
            again = from_picture(goal)
            assert (puzzle.rows, puzzle.columns) == (again.rows, again.columns)
            assert puzzle.license == row["license"]
    told = tab.one(".browse-told").text
    assert f"{len(puzzles)} puzzles written" in told
    assert "no licence lets them be passed on" in told


def test_colours_come_through_a_file(tab: Tab, tmp_path: Path, kept: Path) -> None:
    rows = browsable(0)
    puzzles = rows[0][1].to_pylist()
    for row in puzzles:
        row["license"] = "CC0-1.0"
    path = tmp_path / "report.html"
    free = [(rows[0][0], pa.Table.from_pylist(puzzles, schema=rows[0][1].schema))]
    path.write_bytes(write_report(free)["report.html"])
    tab.turn(path, query="made/flag")
    (flag,) = non.read(taken(tab, kept, "non", "puzzles.non").encode())
    colors = np.array([color.rgb for color in flag.palette])
    named = np.array(["ffffff", "000000", "d02020", "ffff99", "3399ff"])
    assert np.array_equal(colors[flag.goal], named[FLAG])
    tab.turn(path, query="made/blots")
    tab.one("[data-take=non]").click()
    tab.until(lambda: "left out" in tab.one(".browse-told").text)


def test_all_that_may_be_passed_on_comes_through_xml(tab: Tab, tmp_path: Path, kept: Path) -> None:
    """Hidden lengths, colours, clues without a solution, words of strangers: our own reader finds what was there."""
    ((results, puzzles),) = browsable(20)
    rows = [row | {"license": "CC0-1.0"} for row in puzzles.to_pylist()]
    path = tmp_path / "report.html"
    free = [(results, pa.Table.from_pylist(rows, schema=puzzles.schema))]
    path.write_bytes(write_report(free)["report.html"])
    tab.turn(path)
    read = list(webpbn_xml.read(taken(tab, kept, "xml", "puzzles.xml").encode()))
    found = {(row["title"], row["clue_hash"], row["license"], row["author"]) for row in batch_rows(read)}
    known = [row for row in rows if row["rows"] is not None]
    assert found == {(row["title"], row["clue_hash"], row["license"], row["author"]) for row in known}
    assert len(read) == len(known)
    assert tab.one(".browse-told").text.startswith(f"{len(known)} puzzles written. 1 left out")
    solved = {puzzle.title: puzzle.goal for puzzle in read}
    assert np.array_equal(solved["Heart"], HEART)
    assert solved["Two"] is None


def batch_rows(puzzles: list[Puzzle]) -> list[dict[str, Any]]:
    """Puzzles as rows of the table."""
    found: list[dict[str, Any]] = puzzle_batch(puzzles).to_pylist()
    return found


def test_a_drawing_fits_and_can_be_made_larger(tab: Tab, page: Path) -> None:
    tab.turn(page, puzzle="random/29")
    tab.shown()
    fits = """const box = document.querySelector('#browse-puzzle .drawing');
        return [box.scrollWidth <= box.clientWidth, box.scrollHeight <= box.clientHeight + 3]"""
    assert tab.run(fits) == [True, True]
    for _ in range(4):
        tab.one("[data-zoom='1']").click()
    assert tab.run(fits) == [False, False]
    tab.one("[data-zoom='0']").click()
    assert tab.run(fits) == [True, True]
    assert not tab.one("[data-zoom='-1']").is_enabled()


@pytest.mark.parametrize("column", ["cpu_seconds", "density"])
def test_a_phone_shows_the_number_that_the_list_is_sorted_by(tab: Tab, page: Path, column: str) -> None:
    with emulated(tab.driver, "light", PHONE):
        tab.turn(page)
        shown = f".browse-rows .browse-row:not([hidden]) .{column}"
        assert not tab.one(shown).is_displayed()
        tab.turn(page, sort=f"-{column}")
        assert tab.one(shown).is_displayed()
        assert not tab.one(".browse-rows .browse-row:not([hidden]) .difficulty").is_displayed()


def test_the_charts_of_the_list_follow_it_and_narrow_it(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.run("document.getElementById('explorer').scrollIntoView()")
    tab.until(lambda: tab.all("#explorer .histogram svg .mark-rect path"))
    tab.until(lambda: tab.all("#explorer .scatter svg .mark-symbol path"))
    dots = "return document.querySelectorAll('#explorer .scatter svg .mark-symbol path').length"
    known = sum(row["line_solves"] is not None and row["cells"] is not None for row in table())
    tab.until(lambda: tab.run(dots) == known)
    chart = tab.one("#explorer .scatter svg")
    tab.run("arguments[0].scrollIntoView({block: 'center'})", chart)
    ActionChains(tab.driver).move_to_element(chart).move_by_offset(-150, -60).click_and_hold().move_by_offset(
        250, 100
    ).release().perform()
    tab.until(lambda: " of " in tab.count())
    assert [chip.text.split()[0] for chip in tab.all(".browse-chips button")] == ["Difficulty", "Size"]
    assert tab.run(dots) == known  # the chart that is brushed stays
    assert tab.errors() == []


def test_a_measure_is_told_by_group(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.run("document.getElementById('explorer').scrollIntoView()")
    tab.run("document.querySelector('#explorer details').open = true")
    tab.run("""for (const [name, value] of [['measure', 'nodes'], ['group', 'technique']])
        document.querySelector(`#explorer select[name=${name}]`).value = value;
        document.querySelector('#explorer').dispatchEvent(new Event('change', { bubbles: true }))""")
    cells = """return Array.from(document.querySelectorAll('.groups tbody tr'),
        (line) => Array.from(line.children, (cell) => cell.textContent))"""
    found = {name: numbers for name, *numbers in tab.until(lambda: tab.run(cells))}
    nodes = [row["nodes"] for row in table() if row["technique"] == "probe" and row["nodes"] is not None]
    expected = [len(nodes), *np.quantile(nodes, [0, 0.25, 0.5, 0.75, 1]), np.mean(nodes)]
    assert [float(text.replace(",", "")) for text in found["probe"]] == pytest.approx(expected, rel=1e-3)


def test_the_list_has_the_columns_that_people_choose(tab: Tab, page: Path) -> None:
    """By keyboard alone; the link brings them back, and they can be sorted by. Empty ones are not offered."""
    tab.turn(page)
    before = [head.text.split()[0] for head in tab.all(".browse-head [role=columnheader] button")]
    assert "Search" not in before
    box = tab.one("[data-facet=columns] summary")
    box.send_keys(Keys.ENTER)
    assert not tab.all("[data-facet=columns] input[value=conflicts]")
    for name in ("nodes", "author"):
        tab.one(f"[data-facet=columns] input[value={name}]").send_keys(Keys.SPACE)
    tab.one("[data-facet=columns] input[value=title]").send_keys(Keys.SPACE)
    tab.one("[data-facet=columns] input[value=author]").send_keys(Keys.ESCAPE)
    assert not tab.run("return document.querySelector('[data-facet=columns]').open")
    heads = [head.text.split()[0] for head in tab.all(".browse-head [role=columnheader] button")]
    assert set(heads) == {*before, "Search", "Author"} - {"Title"}
    address = tab.driver.current_url
    tab.sort("nodes")
    known = {row["puzzle_id"]: row["nodes"] for row in table()}
    numbers = [known[name] for name in tab.column("puzzle_id")]
    told = [number for number in numbers if number is not None]
    assert told == sorted(told, reverse=True)
    assert tab.column("nodes")[: len(told)] == [f"{number:,}" for number in told]

    tab.driver.get("about:blank")
    tab.driver.get(address + "&sort=-blocks")
    tab.until(lambda: tab.all(".browse-head .nodes"))
    assert tab.one(".browse-sort").get_attribute("value") == "-blocks"
    tab.turn(page, columns="title,magic")
    assert "magic" in tab.one(".browse-problem").text
    assert [head.text for head in tab.all(".browse-head [role=columnheader] button")] == ["Title"]
    tab.turn(page)
    assert [head.text.split()[0] for head in tab.all(".browse-head [role=columnheader] button")] == before


def test_columns_that_people_choose_scroll_in_the_list_alone(tab: Tab, page: Path) -> None:
    wide = "title,label,difficulty,cpu_seconds,line_solves,sweeps,probes,nodes,conflicts,blocks,density,kind,source"
    with emulated(tab.driver, "light", PHONE):
        tab.turn(page, columns=wide)
        assert page_width(tab.driver) <= PHONE
        assert tab.run(
            "const grid = document.querySelector('.browse-grid'); return grid.scrollWidth > grid.clientWidth"
        )
        assert tab.column("nodes")
        assert violations(tab.driver, "#browse") == []


def test_the_data_are_beside_the_page(tab: Tab, files: Path) -> None:
    tab.load(files / "report.html")
    names = tab.run("return Array.from(document.querySelectorAll('a[download]'), (link) => link.getAttribute('href'))")
    assert set(names) == {"puzzles.parquet", "report.json"}
    told = pq.read_table(files / "puzzles.parquet")
    assert sorted(told["puzzle_id"].to_pylist()) == sorted(row["puzzle_id"] for row in table())
    assert not {"solution", "goal", "rows", "columns", "mended"} & set(told.column_names)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", PHONE)])
def test_axe_finds_nothing_in_any_view(tab: Tab, page: Path, scheme: str, width: int) -> None:
    with emulated(tab.driver, scheme, width):
        tab.load(page)
        tab.run("document.getElementById('explorer').scrollIntoView()")
        tab.until(lambda: tab.all("#explorer .scatter svg .mark-symbol path"))
        tab.run("document.querySelectorAll('details:not(.facet)').forEach((one) => { one.open = true; })")
        tab.run("document.querySelector('.facet').open = true")
        assert violations(tab.driver) == []
        assert page_width(tab.driver) <= width
        tab.turn(page, view="gallery", technique="probe")
        assert violations(tab.driver, "#browse") == []
        tab.turn(page, puzzle="made/two")
        tab.shown()
        assert violations(tab.driver, "#browse-puzzle") == []


def test_a_keyboard_can_skip_to_the_report(tab: Tab, page: Path) -> None:
    tab.load(page)
    tab.one("body").send_keys(Keys.TAB)
    link = tab.run("return document.activeElement.getAttribute('href')")
    assert link == "#attention"
    assert tab.run("return document.querySelector(arguments[0]) !== null", link)


def test_a_page_without_measures_has_no_charts_of_the_list(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(write_report(pairs({}, {}))["report.html"])
    tab.load(path)
    assert not tab.run("return document.getElementById('explorer')?.checkVisibility() ?? false")
    assert tab.errors() == []


def test_an_address_leads_to_its_section_though_the_list_comes_later(tab: Tab, page: Path) -> None:
    tab.load(page, "#measures")
    tab.until(lambda: abs(tab.run("return document.querySelector('#measures').getBoundingClientRect().top")) < 120)

"""The pictures of docs/GALLERY.md: the program's pages in Chromium, and its words in a terminal.

python -m tools.gallery, or make gallery. All puzzles are the demo's or made here, so that the pictures may be shown. Of
real archives only figures are. Pages of paper need pdftoppm, of the package poppler-utils.
"""

import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from PIL import Image
from rich.console import Console
from rich.text import Text
from selenium import webdriver

from tests.chromium import PHONE, chromium, emulated

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "gallery"
PAGE = ROOT / "docs" / "GALLERY.md"
PEOPLE = ROOT.parent / "shared" / "data" / "people"

DESK = 1280
"""Pixels of a screen on a desk in width."""

HEAD = """\
# Gallery

All puzzles are from the demo or generated; the ratings are of two real sites. `make gallery` retakes these pictures.
"""


class Shot(NamedTuple):
    """A picture of a page.

    name      the file's
    words     what it shows
    place     the page and what is opened on it
    scheme    light or dark
    width     pixels of the screen
    height    pixels of the picture
    script    what is done on the page before
    """

    name: str
    words: str
    place: str
    scheme: str = "light"
    width: int = DESK
    height: int = 900
    script: str = ""


TERMINAL = (
    ("solve", "A puzzle solved in the terminal", ("solve", "{place}/puzzle.non")),
    ("explain", "An explanation, step by step", ("solve", "{place}/puzzle.non", "--explain")),
    ("status", "The status of a run", ("status", "{place}/demo/run")),
)
"""Commands whose output is drawn: name, words, arguments."""

EXPLAINED = {"puzzle": "Cup of tea", "two": "Ladybird", "five": "Cupcake"}
"""Files with puzzles that are explained, and their titles."""

FIND = Shot("find", "For players: the server's page finds a puzzle on a phone", "", "light", PHONE, 844)
"""A picture of the server's page."""

EXPLANATION = Shot(
    "explanation",
    "A puzzle's explanation, step by step",
    "",
    script="for (let step = 0; step < 30; step++) document.getElementById('on').click()",
)

PAPER = {
    "printed": "For a class: an explanation on paper",
    "printed-two": "An explanation of two colours, on paper",
    "printed-five": "An explanation of five colours, on paper",
    "book": "For makers of apps and books: a book by one command",
}
"""Pictures of pages, and their words."""

BOOK_PAGES = (0, 2, 3, -2)
"""Pages of the book that are shown: cover, how to solve, the first chapter, solutions."""

DRAWN = "title not like '%,%'"
"""Puzzles of the demo that were drawn, without generated ones and copies."""

LINES = 40
"""Lines of a command's output that are drawn."""


PLAY = "document.querySelector('input[value=play]').click()"


def shots(demo: str, people: str) -> list[Shot]:
    """What is shown, of reports of the demo and of archives with ratings."""
    return [
        Shot("report", "A report: what needs attention, and verdicts", demo),
        Shot("owner", "For a site's owner: what needs fixing, and a mail to each author", f"{demo}#attention"),
        Shot("browse", "Every puzzle, with filters that count", f"{demo}#browse?label=unique+line&kind=color"),
        Shot("pictures", "The same as a gallery, to select puzzles for a pack", f"{demo}#browse?view=gallery&grade=2"),
        Shot("ambiguous", "Where two solutions differ", f"{demo}#browse?sort=-difficulty&label=multiple&view=gallery"),
        Shot("measures", "Any measure, or two against each other", f"{demo}#measures"),
        Shot("puzzle", "A puzzle, in dark mode", f"{demo}#browse?sort=difficulty&puzzle=demo%2F7", "dark"),
        Shot("ratings", "For research: ratings against estimated time, by site", f"{people}#ratings"),
        Shot("phone", "On a phone", f"{demo}#browse?", width=PHONE, height=844),
        Shot("play", "Played in the report, by touch", f"{demo}#browse?puzzle=demo%2F7", "light", PHONE, 844, PLAY),
    ]


def take(driver: webdriver.Chrome, shot: Shot) -> None:
    """One picture, as PNG of few colours."""
    with emulated(driver, shot.scheme, shot.width):
        driver.get("about:blank")
        driver.get(shot.place)
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": shot.width, "height": shot.height, "deviceScaleFactor": 1, "mobile": shot.width == PHONE},
        )
        driver.execute_async_script("document.fonts.ready.then(() => setTimeout(arguments[0], 1500))")  # charts
        driver.execute_script(shot.script)
        path = FOLDER / f"{shot.name}.png"
        driver.save_screenshot(str(path))
    shrink(path)


def shrink(path: Path) -> None:
    """A picture's few colours as a palette."""
    with Image.open(path) as taken:
        taken.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


def print_pages(name: str, pdf: Path, wanted: Sequence[int] = (0, 1)) -> None:
    """Some pages of a PDF, two in a row."""
    subprocess.run(["pdftoppm", "-r", "70", "-png", pdf, pdf.with_suffix("")], check=True)
    found = sorted(pdf.parent.glob(f"{pdf.stem}-*.png"))
    pages = [Image.open(found[place]) for place in wanted]
    width, height = (side + 20 for side in pages[0].size)
    all_of_them = Image.new("RGB", (2 * width - 20, len(pages) // 2 * height - 20), "#888")
    for number, page in enumerate(pages):
        all_of_them.paste(page, (number % 2 * width, number // 2 * height))
    all_of_them.save(FOLDER / f"{name}.png")
    shrink(FOLDER / f"{name}.png")


def draw(name: str, command: list[str]) -> None:
    """What a command prints, as a terminal would show it."""
    terminal = {"FORCE_COLOR": "1", "COLUMNS": "110", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    done = subprocess.run(
        [sys.executable, "-m", "nonocensus", *command],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | terminal,
    )
    console = Console(record=True, width=110, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi("\n".join(done.stdout.splitlines()[:LINES])))
    shown = " ".join(Path(word).name if "/" in word else word for word in command)
    (FOLDER / f"{name}.svg").write_text(console.export_svg(title=f"nonocensus {shown}"))


@contextmanager
def runs() -> Iterator[Path]:
    """A folder with runs and reports of the demo and of archives with ratings; packs, and explanations."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        wanted = [
            ["demo", "--out", f"{place}/demo", "--serial"],
            ["import", *map(str, PEOPLE.glob("*.jsonl.xz")), "--out", f"{place}/people/store"],
            ["classify", f"{place}/people/store", "--out", f"{place}/people/run", "--cpu-limit", "1"],
            ["grade", f"{place}/people/run"],
            ["report", f"{place}/people/run", "--out", f"{place}/people/report"],
            ["pack", f"{place}/demo/run", "--count", "40", "--where", DRAWN, "--out", f"{place}/book", "--pdf", "4"],
        ]
        for name, title in EXPLAINED.items():
            pack = f"{place}/{name}"
            wanted.append(["pack", f"{place}/demo/run", "--count", "1", "--where", f"title = '{title}'", "--out", pack])
        for command in wanted:
            run(*command)
        for name in EXPLAINED:
            (puzzle,) = (folder / name).glob("*.non")
            run("solve", str(puzzle.rename(folder / f"{name}.non")), "--save", f"{place}/{name}.html")
        yield folder


@contextmanager
def serve_run(folder: Path) -> Iterator[str]:
    """The address of a server of a run."""
    command = [sys.executable, "-m", "nonocensus", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield next(line.split()[0] for line in process.stdout if " is ready" in line)
        process.terminate()


def run(*command: str) -> None:
    """Run a command without its output."""
    quiet = [sys.executable, "-m", "nonocensus", "--quiet", *command]
    subprocess.run(quiet, check=True, stdout=subprocess.DEVNULL)


def page(shown: list[tuple[str, str]]) -> str:
    """docs/GALLERY.md: each picture, by its file's name, under its words."""
    return "\n".join([HEAD, *(f"## {words}\n\n![{words}](gallery/{name})\n" for name, words in shown)])


def main() -> None:
    """Take all pictures, and write the page."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    shown = []
    with runs() as place, TemporaryDirectory() as profile, chromium(Path(profile)) as driver:
        for name, words, command in TERMINAL:
            draw(name, [word.format(place=place) for word in command])
            shown.append((f"{name}.svg", words))
        for shot in shots(*((place / name / "report/report.html").as_uri() for name in ("demo", "people"))):
            take(driver, shot)
            shown.append((f"{shot.name}.png", shot.words))
        with serve_run(place / "demo/run") as address:
            take(driver, FIND._replace(place=f"{address}#archive?star_count=1&kind=color&sort=minutes"))
        take(driver, EXPLANATION._replace(place=(place / "puzzle.html").as_uri()))
        for explained, name in zip(EXPLAINED, PAPER, strict=False):
            driver.get((place / f"{explained}.html").as_uri())
            printed = driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"]
            (place / f"{name}.pdf").write_bytes(b64decode(printed))
            print_pages(name, place / f"{name}.pdf")
        print_pages("book", place / "book/book.pdf", BOOK_PAGES)
        shown += [(f"{name}.png", words) for name, words in (FIND[:2], EXPLANATION[:2], *PAPER.items())]
    PAGE.write_text(page(shown))


if __name__ == "__main__":
    main()

"""The pictures of docs/GALLERY.md: the program's pages in Chromium, and its words in a terminal.

python tests/gallery.py, or make gallery. All puzzles are the demo's or made here, so that the pictures may be shown.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from chromium import PHONE, chromium, emulated
from PIL import Image
from rich.console import Console
from rich.text import Text
from selenium import webdriver
from sudoku_oracle import minimal

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "gallery"
PAGE = ROOT / "docs" / "GALLERY.md"

DESK = 1280
"""Pixels of a screen on a desk in width."""

HEAD = """\
# Gallery

All puzzles are from the demo or generated. `make gallery` retakes these pictures.
"""


class Shot(NamedTuple):
    """A picture of a page.

    name      the file's
    words     what it shows
    place     the page and what is opened on it
    scheme    light or dark
    width     pixels of the screen
    height    pixels of the picture
    """

    name: str
    words: str
    place: str
    scheme: str = "light"
    width: int = DESK
    height: int = 900


TERMINAL = (
    ("solve", "A puzzle solved in the terminal", ("solve", "{puzzle}")),
    ("explain", "An explanation, step by step", ("solve", "{puzzle}", "--explain")),
    ("status", "The status of a run", ("status", "{demo}/run")),
)
"""Commands whose output is drawn: name, words, arguments."""

LINES = 40
"""Lines of a command's output that are drawn."""


def shots(demo: str, sudokus: str, page: str) -> list[Shot]:
    """What is shown, of the demo's report, one of Sudokus, and a page with a puzzle's explanation."""
    return [
        Shot("report", "A report: what needs attention, and verdicts", demo),
        Shot("browse", "Every puzzle, with filters that count", f"{demo}#browse?label=unique+line&kind=color"),
        Shot("pictures", "The same as a gallery, to select puzzles for a pack", f"{demo}#browse?view=gallery&grade=2"),
        Shot("ambiguous", "Where two solutions differ", f"{demo}#browse?sort=-difficulty&label=multiple&view=gallery"),
        Shot("measures", "Any measure, or two against each other", f"{demo}#measures"),
        Shot("puzzle", "A puzzle, in dark mode", f"{demo}#browse?sort=difficulty&puzzle=demo%2F7", "dark"),
        Shot("phone", "On a phone", f"{demo}#browse?", width=PHONE, height=844),
        Shot("sudokus", "A run of Sudokus", f"{sudokus}#browse?sort=difficulty&puzzle=local%2Fsudokus%235"),
        Shot("explanation", "A puzzle's explanation, step by step", page),
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
        path = FOLDER / f"{shot.name}.png"
        driver.save_screenshot(str(path))
    with Image.open(path) as taken:
        taken.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


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
def runs() -> Iterator[tuple[Path, Path, Path]]:
    """A folder with the demo; one with a run and report of Sudokus; a puzzle's file."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        grids = [minimal(3, 3, random.Random(seed)) for seed in range(30)]
        (folder / "sudokus.txt").write_text("\n".join("".join(map(str, grid.ravel())) for grid in grids))
        wanted = [
            ["demo", "--out", f"{place}/demo", "--serial"],
            ["grade", f"{place}/demo/run", "--serial"],
            ["report", f"{place}/demo/run", "--out", f"{place}/demo/report"],
            ["import", f"{place}/sudokus.txt", "--out", f"{place}/sudokus/store"],
            ["classify", f"{place}/sudokus/store", "--out", f"{place}/sudokus/run", "--serial"],
            ["report", f"{place}/sudokus/run", "--out", f"{place}/sudokus/report"],
            ["pack", f"{place}/demo/run", "--count", "1", "--where", "title = 'Cup of tea'", "--out", f"{place}/pack"],
        ]
        for command in wanted:
            subprocess.run([sys.executable, "-m", "nonocensus", "--quiet", *command], check=True)
        (puzzle,) = (folder / "pack").glob("*.non")
        yield folder / "demo", folder / "sudokus", puzzle


def page(shown: list[tuple[str, str]]) -> str:
    """docs/GALLERY.md: each picture, by its file's name, under its words."""
    return "\n".join([HEAD, *(f"## {words}\n\n![{words}](gallery/{name})\n" for name, words in shown)])


def main() -> None:
    """Take all pictures, and write the page."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    shown = []
    with runs() as (demo, sudokus, puzzle):
        for name, words, command in TERMINAL:
            draw(name, [word.format(puzzle=puzzle, demo=demo) for word in command])
            shown.append((f"{name}.svg", words))
        solve = [sys.executable, "-m", "nonocensus", "solve", puzzle, "--save", f"{demo}/puzzle.html"]
        subprocess.run(solve, check=True, stdout=subprocess.DEVNULL)
        addresses = [(demo / "report" / "report.html"), (sudokus / "report" / "report.html"), demo / "puzzle.html"]
        with TemporaryDirectory() as profile, chromium(Path(profile)) as driver:
            for shot in shots(*(path.as_uri() for path in addresses)):
                take(driver, shot)
                shown.append((f"{shot.name}.png", shot.words))
    PAGE.write_text(page(shown))


if __name__ == "__main__":
    main()

"""The embedded demo archive: puzzles of our own making, of every kind that the census knows.

Pictures drawn by hand (`drawn/*.txt`), pictures drawn by formulas (`drawing`), and the odd ones (`oddities`): with
several solutions, with none, with hidden lengths, with strange shapes.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

from scrapers.demo import oddities
from scrapers.demo.drawing import drawings
from scrapers.demo.picture import InvalidPicture, Picture, parse
from solver.puzzle import Puzzle, from_picture

SOURCE = "demo"
AUTHOR = "nonocensus"
COPYRIGHT = "Copyright 2026 the nonocensus authors"
LICENSE = "Apache-2.0"


def demo_puzzles() -> list[Puzzle]:
    """The whole archive, always the same puzzles in the same order."""
    good = [_puzzle(picture) for picture in (*drawn_pictures(), *drawings())]
    odd = [_puzzle(picture) for picture in (*oddities.ambiguous(), *oddities.chaotic(), *oddities.extreme())]
    puzzles = [*good, *odd, *oddities.impossible(), *oddities.blotted((*good, *odd))]
    return [_signed(puzzle, number) for number, puzzle in enumerate(puzzles, 1)]


def drawn_pictures() -> Iterator[Picture]:
    """The pictures drawn by hand, in order of their file names; raises InvalidPicture, naming the file."""
    texts = [file for file in files(__name__).joinpath("drawn").iterdir() if file.name.endswith(".txt")]
    for file in sorted(texts, key=lambda file: file.name):
        try:
            yield parse(file.read_text(encoding="utf-8"))
        except InvalidPicture as error:
            raise InvalidPicture(f"{file.name}: {error}") from error


def _puzzle(picture: Picture) -> Puzzle:
    return from_picture(picture.cells, picture.palette, title=picture.title)


def _signed(puzzle: Puzzle, number: int) -> Puzzle:
    """The puzzle with its number and everything that says where it comes from."""
    return replace(
        puzzle,
        puzzle_id=f"{SOURCE}/{number}",
        source=SOURCE,
        source_id=str(number),
        author=AUTHOR,
        copyright=COPYRIGHT,
        license=LICENSE,
    )

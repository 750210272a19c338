"""FreeNono's .nonogram: XML with a picture, a `<line>` a row, in which x is painted and _ is empty.

<FreeNono><Nonograms><Nonogram name="Arrow" author="..." desc="..." height="2" width="3">
<line> _ x _ </line>
<line> x x x </line>
</Nonogram></Nonograms></FreeNono>
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from nonocensus.scrapers.formats.parsing import FormatError, clip, read_each
from nonocensus.scrapers.formats.webpbn_xml import attribute, decode_xml, parse_xml
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle, from_picture, with_metadata

NAME = "freenono"
SUFFIXES: tuple[str, ...] = (".nonogram",)
HOLDS: frozenset[str] = frozenset({"goal", "title", "author", "description"})
PICTURE = True
"""A puzzle without a picture can't be written."""

TAG = re.compile(rb"<(?:FreeNono|Nonograms?)[\s>]")
ATTRIBUTES = {"title": "name", "author": "author", "description": "desc"}


def recognizes(data: bytes) -> bool:
    """Check for the element of FreeNono's files or of their puzzles."""
    return TAG.search(data) is not None


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzles of a file."""
    return read_each(parse_xml(decode_xml(data)).iter("Nonogram"), _puzzle)


def _puzzle(element: Element) -> Puzzle:
    lines = ["".join((line.text or "").split()).lower() for line in element.findall("line")]
    width = len(lines[0]) if lines else 0
    if not 1 <= len(lines) <= MAX_CELLS or not 1 <= width <= MAX_CELLS:
        raise FormatError(f"its picture is {width}x{len(lines)}; a side has 1 to {MAX_CELLS} cells")
    for number, line in enumerate(lines, 1):
        if wrong := line.strip("x_"):
            raise FormatError(f"row {number}: {clip(wrong[0])} is neither x nor _")
        if len(line) != width:
            raise FormatError(f"row {number} has {len(line)} cells, the first one {width}")
    for name, size in (("width", width), ("height", len(lines))):
        said = element.get(name, "").strip()
        if said and said != str(size):
            raise FormatError(f"its {name} is {clip(said)}, but that of its picture is {size}")
    cells = np.frombuffer("".join(lines).encode(), np.uint8).reshape(len(lines), width) == ord("x")
    texts = {field: element.get(name, "").strip() or None for field, name in ATTRIBUTES.items()}
    return with_metadata(from_picture(cells.astype(np.uint8)), **texts)


def write(puzzle: Puzzle) -> bytes:
    """Return a file with the puzzle's picture, in ASCII."""
    assert puzzle.goal is not None
    texts = ((name, getattr(puzzle, field)) for field, name in ATTRIBUTES.items())
    sizes = (("height", str(puzzle.height)), ("width", str(puzzle.width)))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<FreeNono>",
        "<Nonograms>",
        "<Nonogram" + "".join(f" {name}={attribute(text)}" for name, text in (*texts, *sizes) if text) + ">",
        *(f"<line> {' '.join('_x'[cell] for cell in row)} </line>" for row in puzzle.goal),
        "</Nonogram>",
        "</Nonograms>",
        "</FreeNono>",
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii", "xmlcharrefreplace")

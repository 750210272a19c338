"""webpbn.com's XML (https://webpbn.com/pbn_fmt.html), the only format that holds all of its puzzles.

A `<puzzleset>` has puzzles with their colours, clues and solutions. A count of 0 is a blot, a `<line>` without counts
is empty. webpbn sends Windows-1252 without declaring it, and one line of plain text in place of a missing puzzle.
Triddlers and triangles, which the format has too, are refused.

Files are untrusted input: a DOCTYPE's targets are not fetched, and one with declarations (entities) is refused.
"""

import codecs
import html
import html.entities
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial, reduce
from operator import or_
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLParser
from xml.parsers import expat

import numpy as np

from nonocensus.scrapers.formats.parsing import (
    FormatError,
    PuzzleOrigin,
    clip,
    decode_text,
    decode_text_as,
    read_each,
    webpbn_origin,
)
from nonocensus.solver.model.named_colors import make_distinct
from nonocensus.solver.model.puzzle import (
    BLACK,
    MAX_CELLS,
    MAX_COLORS,
    WHITE,
    Block,
    Clue,
    Color,
    Puzzle,
    clue_of,
    normalize_palette,
)

NAME = "webpbn-xml"
SUFFIXES: tuple[str, ...] = (".xml",)
HOLDS = frozenset(
    {"colors", "blots", "goal", "saved", "rgb", "names", "title", "author", "description", "copyright", "license"}
    | {"webpbn", "note"}
)

TAG = re.compile(rb"<puzzle(?:set)?[\s>]")
REFUSAL = re.compile(
    rb"\s*(Puzzle \d+ (?:does not exist|has not been published)|The \w+ format cannot handle [\w ]+ puzzles)\.?\s*"
)
PROLOG_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,100}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']""")
ENCODINGS = re.compile(r"ascii|utf-8|iso8859-\d+|cp12\d\d|koi8-[ru]|shift_jis|euc_jp")
"""Codecs that a prolog may declare, by Python's names. Others of Python's take hours for a crafted file."""

MAX_TAGS = 1_000_000
"""Of a file, closing tags included; a dense puzzle of 200x200 has 60,000. An element takes up to 350 bytes."""

CHECKED_PIECE = 1 << 12
"""Characters that are checked at a time for a DOCTYPE with declarations, up to the first element."""

MAX_SAVED = 1 << 26
"""Bytes of the saved grids of a puzzle: one per colour and cell."""

NAMED_ENTITY = re.compile(r"&(\w{2,32};)")
ID = re.compile(r"#?([0-9]+)(?:\s*\(v\.?\s*([^\s)]+)\s*\))?")
RGB = re.compile(r"#?((?:[0-9a-f]{3}){1,2})", re.IGNORECASE)
COUNT = re.compile(r"-?[0-9]{1,9}")
IMAGE_ROW = re.compile(r"\|([^|]*)\|")
IMAGE_CELL = re.compile(r"\[([^\]]{0,40})\]|(.)", re.DOTALL)
MAX_ROW = 42 * MAX_CELLS
"""Characters of a row of an image, if each cell has all colours."""

NO_SYMBOLS = "|[]?/\\"
"""Characters with a special meaning in an `<image>`."""

SPARE_SYMBOLS = [character for character in map(chr, range(33, 1024)) if character.isalnum()]
"""For colours without a usable or unique symbol."""

NOT_XML = re.compile("[^\\t\\n\\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def recognizes(data: bytes) -> bool:
    """Check for a `<puzzle>`, or the text that webpbn sends instead."""
    return TAG.search(data) is not None or refusal(data) is not None


def refusal(data: bytes) -> str | None:
    """Return the text that webpbn sends in place of a puzzle."""
    found = REFUSAL.fullmatch(data)
    return found[1].decode() if found else None


def read(data: bytes) -> Iterator[Puzzle]:
    """Yield the puzzles of a puzzleset."""
    if said := refusal(data):
        raise FormatError(f"webpbn sent no puzzle: '{said}'")
    root = parse_xml(decode_xml(data))
    if root.tag not in ("puzzleset", "puzzle"):
        raise FormatError(f"it holds <{root.tag}>, not <puzzleset>")
    elements = [root] if root.tag == "puzzle" else root.findall("puzzle")
    common = {tag: _text_in(root, tag) for tag in ("source", "author", "copyright")}
    yield from read_each(elements, lambda element: _puzzle(element, common))


def decode_xml(data: bytes) -> str:
    """Decode XML in the encoding that its prolog declares."""
    declared = PROLOG_ENCODING.match(data.removeprefix(codecs.BOM_UTF8))
    if declared is None:
        return decode_text(data)
    name = declared[1].decode("ascii", "replace")
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if not ENCODINGS.fullmatch(encoding):
        raise FormatError(f"its encoding {clip(name)} is not supported")
    return decode_text_as(data, encoding).removeprefix("\N{BYTE ORDER MARK}")


def parse_xml(text: str) -> Element:
    """Return the root of bounded XML without declarations. Raises FormatError."""
    if text.count("<") > MAX_TAGS:
        raise FormatError(f"it has more than {MAX_TAGS:,} tags")
    text = NAMED_ENTITY.sub(_character, text.lstrip())
    checker = expat.ParserCreate()
    checker.StartDoctypeDeclHandler, checker.StartElementHandler = _refuse_declarations, _end_prolog
    with suppress(StopIteration, expat.ExpatError):  # an error is raised again below, with its place
        for start in range(0, len(text), CHECKED_PIECE):
            checker.Parse(text[start : start + CHECKED_PIECE], start + CHECKED_PIECE >= len(text))
    parser = XMLParser()
    try:
        parser.feed(text)
        root: Element = parser.close()
    except ParseError as error:
        raise FormatError(f"it is not well-formed XML: {error}") from None
    return root


def _refuse_declarations(name: str, sysid: str | None, pubid: str | None, has_declarations: bool) -> None:  # noqa: ARG001
    """Refuse a DOCTYPE with declarations; without them, no entity is known and nothing is fetched."""
    if has_declarations:
        raise FormatError("its DOCTYPE has declarations, such as entities, which are refused")


def _end_prolog(*_: object) -> None:
    """End the check at the first element: a DOCTYPE comes before."""
    raise StopIteration


def _character(entity: re.Match[str]) -> str:
    """Resolve an HTML entity that XML lacks; those of markup characters stay."""
    character = html.entities.html5.get(entity[1], "&")
    return entity[0] if character in "<>&\"'" else character


def _puzzle(element: Element, common: dict[str, str | None]) -> Puzzle:
    kind = element.get("type", "grid")
    if kind != "grid":
        raise FormatError(f"puzzles of type {clip(kind)} are not supported, only 'grid'")
    palette, declared = _palette(element)
    clues = _clues(element, palette)
    goal = _goal(element, palette)
    rows = clues.get("rows") or _derive_clues(goal, "rows")
    columns = clues.get("columns") or _derive_clues(None if goal is None else goal.T, "columns")
    used = max((block.color for clue in rows + columns for block in clue), default=0)
    if goal is not None:
        used = max(used, int(goal.max()))
    colors = max(declared, used + 1)
    saved = tuple(grid[:, :, :colors] for grid in _saved_grids(element, palette))
    return normalize_palette(Puzzle(rows, columns, palette[:colors], goal, saved=saved, **_metadata(element, common)))


def _palette(element: Element) -> tuple[tuple[Color, ...], int]:
    """Return the palette, the background first, and how many of its entries always count.

    The rest is black and white, which need no declaration, and counts only if used.
    """
    declared = [_color(color) for color in element.findall("color")]
    if len(declared) > MAX_COLORS + 1:
        raise FormatError(f"it has {len(declared) - 1} colours; the most is {MAX_COLORS}")
    for what, given in (("name", [color.name for color in declared]), ("char", [color.symbol for color in declared])):
        if twice := [text for text, count in Counter(filter(None, given)).items() if count > 1]:
            raise FormatError(f"two of its colours have the {what} {clip(twice[0])}")
    # the default colour comes first, since clues need not name it
    implied = sorted((BLACK, WHITE), key=lambda color: color.name != element.get("defaultcolor"))
    colors = {color.name: color for color in (*declared, *implied)} | {color.name: color for color in declared}
    background = element.get("backgroundcolor", WHITE.name)
    if background not in colors:
        raise FormatError(f"its background {clip(background)} is not among its colours")
    names = [background, *(name for name in colors if name != background)]
    declared_count = len({background, *(color.name for color in declared)})
    symbols = make_distinct([colors[name].symbol for name in names], SPARE_SYMBOLS)
    palette = tuple(colors[name]._replace(symbol=symbol) for name, symbol in zip(names, symbols, strict=True))
    return palette, max(2, declared_count)


def _color(element: Element) -> Color:
    name, symbol, text = element.get("name", ""), element.get("char", ""), (element.text or "").strip()
    digits = RGB.fullmatch(text)
    if not digits:
        raise FormatError(f"the colour {clip(name)} is {clip(text)}, not three or six hexadecimal digits")
    if len(symbol) > 1:
        raise FormatError(f"the colour {clip(name)} has the char {clip(symbol)}, more than one character")
    rgb = digits[1].lower()
    return Color(name, symbol, rgb if len(rgb) == 6 else "".join(digit * 2 for digit in rgb))


def _clues(element: Element, palette: tuple[Color, ...]) -> dict[str, tuple[Clue, ...]]:
    """Return the clues by side; a side may be missing."""
    numbers = {color.name: number for number, color in enumerate(palette)}
    default = element.get("defaultcolor", BLACK.name)
    block = lru_cache(1 << 12)(partial(_block, numbers))  # most repeat
    found: dict[str, tuple[Clue, ...]] = {}
    for clues in element.findall("clues"):
        side = clues.get("type", "")
        if side not in ("rows", "columns"):
            raise FormatError(f"clues of type {clip(side)} are not supported, only 'rows' and 'columns'")
        lines = clues.findall("line")
        if len(lines) > MAX_CELLS:
            raise FormatError(f"it has {len(lines)} {side}; the most is {MAX_CELLS}")
        named = ((line, f"{side[:-1]} {number}") for number, line in enumerate(lines, 1))
        found[side] = tuple(_clue(line, name, default, block) for line, name in named)
    return found


def _clue(line: Element, name: str, default: str, block: Callable[[str | None, str], Block]) -> Clue:
    counts = line.findall("count")
    if len(counts) > MAX_CELLS:
        raise FormatError(f"{name}: it has {len(counts)} numbers; the most is {MAX_CELLS}")
    try:
        return tuple([block(count.text, count.get("color", default)) for count in counts])
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


def _block(numbers: dict[str, int], text: str | None, color: str) -> Block:
    """Parse a count; `numbers` are palette indices by colour name."""
    text = (text or "").strip()
    if not COUNT.fullmatch(text):
        raise FormatError(f"{clip(text)} is not a number")
    if not numbers.get(color):
        raise FormatError(f"{clip(color)} is {'not a colour' if color not in numbers else 'the background'}")
    return Block(int(text), numbers[color])


def _goal(element: Element, palette: tuple[Color, ...]) -> np.ndarray | None:
    """Return the author's picture; other solutions and saved grids are ignored."""
    image = next((s.find("image") for s in element.findall("solution") if s.get("type", "goal") == "goal"), None)
    grid = _grid(image, "the goal", palette)
    if grid is None:
        return None
    if unsure := np.argwhere(grid.sum(axis=2) != 1).tolist():
        raise FormatError(f"row {unsure[0][0] + 1} of the goal leaves cells open")
    goal: np.ndarray = grid.argmax(axis=2).astype(np.uint8)
    return goal


def _saved_grids(element: Element, palette: tuple[Color, ...]) -> tuple[np.ndarray, ...]:
    """Return the grids that visitors saved, which may have open cells."""
    images = [s.find("image") for s in element.findall("solution") if s.get("type") == "saved"]
    grids: list[np.ndarray] = []
    size = 0
    for number, image in enumerate(images, 1):
        grid = _grid(image, f"saved grid {number}", palette)
        if grid is None:
            continue
        grids.append(grid)
        size += grid.size
        if size > MAX_SAVED:
            raise FormatError(f"its saved grids take more than {MAX_SAVED >> 20} MiB, the first {number} of them alone")
    return tuple(grids)


def _grid(image: Element | None, name: str, palette: tuple[Color, ...]) -> np.ndarray | None:
    """Return the possible colours of each cell, bool[height, width, palette]: one, [several] or any (?)."""
    if image is None:
        return None
    # a cell's colours as bits
    bits = {color.symbol: 1 << number for number, color in enumerate(palette)} | {"?": (1 << len(palette)) - 1}
    rows: list[np.ndarray] = []
    for number, found in enumerate(IMAGE_ROW.finditer(image.text or ""), 1):
        if number > MAX_CELLS:
            raise FormatError(f"{name} has more than {MAX_CELLS} rows")
        if len(found[1]) > MAX_ROW:
            raise FormatError(f"row {number} of {name} has more than {MAX_CELLS} cells")
        try:
            cells = _cells(found[1], bits)
        except KeyError as unknown:
            raise FormatError(f"row {number} of {name}: {clip(unknown.args[0])} is not a colour symbol") from None
        if not 0 < len(cells) <= MAX_CELLS:
            raise FormatError(f"row {number} of {name} has {f'more than {MAX_CELLS}' if cells else 'no'} cells")
        if rows and len(cells) != len(rows[0]):
            raise FormatError(f"row {number} of {name} has {len(cells)} cells, those before it have {len(rows[0])}")
        rows.append(np.array(cells, np.uint64))
    if not rows:
        return None
    cells_of_all = np.array(rows)
    grid = np.empty((*cells_of_all.shape, len(palette)), np.bool_)
    for color in range(len(palette)):
        grid[:, :, color] = cells_of_all >> np.uint64(color) & np.uint64(1)
    return grid


def _cells(row: str, bits: dict[str, int]) -> list[int]:
    """Return the possible colours of each cell of a row, as bits."""
    if "[" not in row:
        return list(map(bits.__getitem__, row))
    found = (several or one for several, one in IMAGE_CELL.findall(row))
    return [reduce(or_, map(bits.__getitem__, symbols), 0) for symbols in found]


def _derive_clues(goal: np.ndarray | None, side: str) -> tuple[Clue, ...]:
    """Derive clues from a goal, which may replace them in this format."""
    if goal is None:
        raise FormatError(f"it has neither clues for its {side} nor a goal")
    return tuple(clue_of(line) for line in goal)


def _text_in(element: Element, tag: str) -> str | None:
    """Return the text of an element's first child with a tag."""
    return (element.findtext(tag) or "").strip() or None


def _metadata(element: Element, common: dict[str, str | None]) -> dict[str, Any]:
    """Return the metadata fields of Puzzle; `common` has those of the puzzleset."""
    text = partial(_text_in, element)
    site = (text("source") or common["source"] or "").lower()
    number = ID.fullmatch(text("id") or "") if site.removeprefix("www.").startswith("webpbn") else None
    return {
        "title": text("title"),
        "author": (text("author") or common["author"] or "").removesuffix(" ()") or None,  # without a nickname
        "description": text("description"),
        "copyright": text("copyright") or common["copyright"],
        "license": text("license"),
        "site_note": text("note"),
        "site_version": number[2] if number else None,
        **(webpbn_origin(number[1]) if number else PuzzleOrigin())._asdict(),
    }


def write(puzzle: Puzzle) -> bytes:
    """Return a puzzleset of one puzzle as webpbn writes it, in ASCII. `<license>` is our extension."""
    palette = writable_palette(puzzle.palette)
    ink = palette[min(1, len(palette) - 1)].name
    background = "" if palette[0].name == WHITE.name else f" backgroundcolor={attribute(palette[0].name)}"
    lines = [
        '<?xml version="1.0"?>',
        '<!DOCTYPE pbn SYSTEM "https://webpbn.com/pbn-0.3.dtd">',
        "<puzzleset>",
        *(("<source>webpbn.com</source>", "") if puzzle.source == "webpbn" else ()),
        f'<puzzle type="grid" defaultcolor={attribute(ink)}{background}>',
        *(f"<{tag}>{content(text)}</{tag}>" for tag, text in _texts(puzzle) if text),
        "",
        *(f"<color name={attribute(c.name)} char={attribute(c.symbol)}>{c.rgb.upper()}</color>" for c in palette),
        *_clue_elements("columns", puzzle.columns, palette),
        *_clue_elements("rows", puzzle.rows, palette),
        *([] if puzzle.goal is None else _solution("goal", _goal_rows(puzzle.goal, palette))),
        *(line for grid in puzzle.saved for line in _solution("saved", _saved_rows(grid, palette))),
        "",
        "</puzzle>",
        "</puzzleset>",
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii", "xmlcharrefreplace")


def writable_palette(palette: tuple[Color, ...]) -> tuple[Color, ...]:
    """Return the palette with distinct names, and distinct symbols that are valid in an image."""
    names = make_distinct([color.name for color in palette], (f"color{n}" for n in itertools.count(1)))
    plain = [c.symbol if len(c.symbol) == 1 and c.symbol.isprintable() else "" for c in palette]
    symbols = make_distinct(["" if symbol in NO_SYMBOLS else symbol for symbol in plain], SPARE_SYMBOLS)
    return tuple(Color(*triple) for triple in zip(names, symbols, (color.rgb for color in palette), strict=True))


def _texts(puzzle: Puzzle) -> tuple[tuple[str, str | None], ...]:
    version = f" (v.{puzzle.site_version})" if puzzle.site_version else ""
    return (
        ("title", puzzle.title),
        ("author", puzzle.author),
        ("copyright", puzzle.copyright),
        ("id", f"#{puzzle.source_id}{version}" if puzzle.source == "webpbn" and puzzle.source_id else None),
        ("description", puzzle.description),
        ("license", puzzle.license),
        ("note", puzzle.site_note),
    )


def _clue_elements(side: str, clues: tuple[Clue, ...], palette: tuple[Color, ...]) -> Iterator[str]:
    tags = ["", "<count>", *(f"<count color={attribute(color.name)}>" for color in palette[2:])]
    yield from ("", f'<clues type="{side}">')
    for clue in clues:
        yield "<line>" + "".join(f"{tags[block.color]}{block.length}</count>" for block in clue) + "</line>"
    yield "</clues>"


def _goal_rows(goal: np.ndarray, palette: tuple[Color, ...]) -> list[str]:
    return ["".join(palette[cell].symbol for cell in row) for row in goal.tolist()]


def _saved_rows(grid: np.ndarray, palette: tuple[Color, ...]) -> Iterator[str]:
    """Yield the rows of a partly solved grid: the possible colours of each cell, `?` for all."""
    for row in grid.tolist():
        cells = ["".join([color.symbol for color, may in zip(palette, cell, strict=True) if may]) for cell in row]
        yield "".join("?" if len(text) == len(palette) else text if len(text) == 1 else f"[{text}]" for text in cells)


def _solution(kind: str, rows: Iterable[str]) -> list[str]:
    image = [content(f"|{row}|") for row in rows]
    return ["", f'<solution type="{kind}">', "<image>", *image, "</image>", "</solution>"]


def attribute(text: str) -> str:
    """Return text as a quoted attribute value."""
    spaces = {ord(space): f"&#{ord(space)};" for space in "\t\n\r"}  # else read as blanks
    return f'"{html.escape(_replace_forbidden(text)).translate(spaces)}"'


def content(text: str) -> str:
    """Return text as the content of an element: escaped, without characters that XML lacks."""
    return html.escape(_replace_forbidden(text), quote=False).replace("\r", "&#13;")


def _replace_forbidden(text: str) -> str:
    """Replace the characters that XML lacks."""
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)

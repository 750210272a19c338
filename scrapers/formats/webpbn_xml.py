"""webpbn.com's XML (https://webpbn.com/pbn_fmt.html), the one format that carries each of its puzzles.

A `<puzzleset>` holds puzzles with their colours, clues and solutions. A count of 0 is a blot, a `<line>` without
counts is empty. webpbn sends Windows-1252 without saying so, and answers in one line of plain text where it has no
puzzle to send. Triddlers and triangles, which the format knows too, are refused.

The files come from strangers: nothing that a DOCTYPE points at is fetched, and one with declarations of its own
(entities above all) is refused.
"""

import codecs
import html
import html.entities
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache, partial, reduce
from operator import or_
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

import numpy as np
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from scrapers.formats.colors import distinct
from scrapers.formats.shared import FormatError, Origin, clipped, decoded, decoded_as, each, webpbn
from solver.model.puzzle import (
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
"""Codecs that a prolog may ask for, by Python's names. Python has stranger ones that take hours over a crafted file."""

DOCTYPE = re.compile(r"""<!DOCTYPE(?:[^<>\["']++|"[^<>"]*+"|'[^<>']*+')*+>""")
"""One that only points somewhere."""

MAX_TAGS = 1_000_000
"""In a file, closing tags too; a dense puzzle of 200x200 has 60,000. As elements they take up to 350 bytes each."""

MOST_SAVED = 1 << 26
"""Bytes that the saved grids of a puzzle may take: one for each colour of each cell."""

NAMED_ENTITY = re.compile(r"&(\w{2,32};)")
ID = re.compile(r"#?([0-9]+)(?:\s*\(v\.?\s*([^\s)]+)\s*\))?")
RGB = re.compile(r"#?((?:[0-9a-f]{3}){1,2})", re.IGNORECASE)
COUNT = re.compile(r"-?[0-9]{1,9}")
IMAGE_ROW = re.compile(r"\|([^|]*)\|")
IMAGE_CELL = re.compile(r"\[([^\]]{0,40})\]|(.)", re.DOTALL)
LONGEST_ROW = 42 * MAX_CELLS
"""Characters of a row of an image whose cells may each have all colours."""

NO_SYMBOLS = "|[]?/\\"
"""Characters with a meaning of their own in an `<image>`."""

SPARE_SYMBOLS = [character for character in map(chr, range(33, 1024)) if character.isalnum()]
"""For colours without a symbol, or with one that another has or that an image can't hold."""

NOT_XML = re.compile("[^\\t\\n\\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def recognizes(data: bytes) -> bool:
    """Whether it has a `<puzzle>` or is what webpbn sends for want of one."""
    return TAG.search(data) is not None or refusal(data) is not None


def refusal(data: bytes) -> str | None:
    """What webpbn says if this is not a puzzle but its one line of text in place of one."""
    found = REFUSAL.fullmatch(data)
    return found[1].decode() if found else None


def read(data: bytes) -> Iterator[Puzzle]:
    """The puzzles of a puzzleset."""
    if said := refusal(data):
        raise FormatError(f"webpbn sent no puzzle but the words '{said}'")
    root = _tree(_text(data))
    if root.tag not in ("puzzleset", "puzzle"):
        raise FormatError(f"it holds <{root.tag}>, not <puzzleset>")
    elements = [root] if root.tag == "puzzle" else root.findall("puzzle")
    common = {tag: _text_in(root, tag) for tag in ("source", "author", "copyright")}
    yield from each(elements, lambda element: _puzzle(element, common))


def _text(data: bytes) -> str:
    declared = PROLOG_ENCODING.match(data.removeprefix(codecs.BOM_UTF8))
    if declared is None:
        return decoded(data)
    name = declared[1].decode("ascii", "replace")
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if not ENCODINGS.fullmatch(encoding):
        raise FormatError(f"its encoding {clipped(name)} is not supported")
    return decoded_as(data, encoding).removeprefix("\N{BYTE ORDER MARK}")


class _Parser(DefusedXMLParser):
    """Takes a DOCTYPE that only points somewhere (webpbn's does), never follows it, and refuses declarations in it."""

    def __init__(self) -> None:
        # the standard library's builder, in C; defusedxml's own is the same in Python
        super().__init__(target=TreeBuilder(), forbid_dtd=True, forbid_entities=True, forbid_external=True)

    def defused_start_doctype_decl(
        self, name: str, sysid: str | None, pubid: str | None, has_internal_subset: bool
    ) -> None:
        if has_internal_subset:
            super().defused_start_doctype_decl(name, sysid, pubid, has_internal_subset)


def _tree(text: str) -> Element:
    if text.count("<") > MAX_TAGS:
        raise FormatError(f"it has more than {MAX_TAGS:,} tags")
    text = NAMED_ENTITY.sub(_character, text.lstrip())
    # what declares nothing has nothing to defuse: the standard library's parser is in C, defusedxml's in Python
    parser = XMLParser() if text.count("<!") == len(DOCTYPE.findall(text)) else _Parser()
    try:
        parser.feed(text)
        root: Element = parser.close()
    except DefusedXmlException:
        raise FormatError("its DOCTYPE declares entities or the like, which is refused") from None
    except ParseError as error:
        raise FormatError(f"it is not well-formed XML: {error}") from None
    return root


def _character(entity: re.Match[str]) -> str:
    """The character of an HTML entity, which XML doesn't know; what matters to the markup stays as it is."""
    character = html.entities.html5.get(entity[1], "&")
    return entity[0] if character in "<>&\"'" else character


def _puzzle(element: Element, common: dict[str, str | None]) -> Puzzle:
    kind = element.get("type", "grid")
    if kind != "grid":
        raise FormatError(f"puzzles of type {clipped(kind)} are not supported, only 'grid'")
    palette, certain = _palette(element)
    clues = _clues(element, palette)
    goal = _goal(element, palette)
    rows = clues.get("rows") or _derived(goal, "rows")
    columns = clues.get("columns") or _derived(None if goal is None else goal.T, "columns")
    used = max((block.color for clue in rows + columns for block in clue), default=0)
    if goal is not None:
        used = max(used, int(goal.max()))
    colors = max(certain, used + 1)
    saved = tuple(grid[:, :, :colors] for grid in _saved(element, palette))
    return normalize_palette(Puzzle(rows, columns, palette[:colors], goal, saved=saved, **_about(element, common)))


def _palette(element: Element) -> tuple[tuple[Color, ...], int]:
    """The colours, the background first; those from the returned number on count only if the puzzle uses them.

    These are black and white, which need no declaration.
    """
    declared = [_color(color) for color in element.findall("color")]
    if len(declared) > MAX_COLORS + 1:
        raise FormatError(f"it has {len(declared) - 1} colours; the most is {MAX_COLORS}")
    for what, given in (("name", [color.name for color in declared]), ("char", [color.symbol for color in declared])):
        if twice := [text for text, count in Counter(filter(None, given)).items() if count > 1]:
            raise FormatError(f"two of its colours have the {what} {clipped(twice[0])}")
    # the one that the clues may not even name comes before the other
    implied = sorted((BLACK, WHITE), key=lambda color: color.name != element.get("defaultcolor"))
    colors = {color.name: color for color in (*declared, *implied)} | {color.name: color for color in declared}
    background = element.get("backgroundcolor", WHITE.name)
    if background not in colors:
        raise FormatError(f"its background {clipped(background)} is not among its colours")
    names = [background, *(name for name in colors if name != background)]
    certain = len({background, *(color.name for color in declared)})
    symbols = distinct([colors[name].symbol for name in names], SPARE_SYMBOLS)
    palette = tuple(colors[name]._replace(symbol=symbol) for name, symbol in zip(names, symbols, strict=True))
    return palette, max(2, certain)


def _color(element: Element) -> Color:
    name, symbol, text = element.get("name", ""), element.get("char", ""), (element.text or "").strip()
    digits = RGB.fullmatch(text)
    if not digits:
        raise FormatError(f"the colour {clipped(name)} is {clipped(text)}, not three or six hexadecimal digits")
    if len(symbol) > 1:
        raise FormatError(f"the colour {clipped(name)} has the char {clipped(symbol)}, more than one character")
    rgb = digits[1].lower()
    return Color(name, symbol, rgb if len(rgb) == 6 else "".join(digit * 2 for digit in rgb))


def _clues(element: Element, palette: tuple[Color, ...]) -> dict[str, tuple[Clue, ...]]:
    """The clues of each side that has any."""
    numbers = {color.name: number for number, color in enumerate(palette)}
    default = element.get("defaultcolor", BLACK.name)
    block = lru_cache(1 << 12)(partial(_block, numbers))  # most have been there before
    found: dict[str, tuple[Clue, ...]] = {}
    for clues in element.findall("clues"):
        side = clues.get("type", "")
        if side not in ("rows", "columns"):
            raise FormatError(f"clues of type {clipped(side)} are not supported, only 'rows' and 'columns'")
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
    """The block of a count; `numbers` are the colours' places in the palette by their names."""
    text = (text or "").strip()
    if not COUNT.fullmatch(text):
        raise FormatError(f"{clipped(text)} is not a number")
    if not numbers.get(color):
        raise FormatError(f"{clipped(color)} is {'not a colour' if color not in numbers else 'the background'}")
    return Block(int(text), numbers[color])


def _goal(element: Element, palette: tuple[Color, ...]) -> np.ndarray | None:
    """The picture that the author had in mind; other solutions, and what visitors saved, don't count."""
    image = next((s.find("image") for s in element.findall("solution") if s.get("type", "goal") == "goal"), None)
    grid = _grid(image, "the goal", palette)
    if grid is None:
        return None
    if unsure := np.argwhere(grid.sum(axis=2) != 1).tolist():
        raise FormatError(f"row {unsure[0][0] + 1} of the goal leaves cells open")
    goal: np.ndarray = grid.argmax(axis=2).astype(np.uint8)
    return goal


def _saved(element: Element, palette: tuple[Color, ...]) -> tuple[np.ndarray, ...]:
    """What visitors saved: grids that may leave cells open."""
    images = [s.find("image") for s in element.findall("solution") if s.get("type") == "saved"]
    grids: list[np.ndarray] = []
    size = 0
    for number, image in enumerate(images, 1):
        grid = _grid(image, f"saved grid {number}", palette)
        if grid is None:
            continue
        grids.append(grid)
        size += grid.size
        if size > MOST_SAVED:
            raise FormatError(
                f"its saved grids take more than {MOST_SAVED >> 20} MiB, the first {number} of them alone"
            )
    return tuple(grids)


def _grid(image: Element | None, name: str, palette: tuple[Color, ...]) -> np.ndarray | None:
    """What each cell of an image may be, bool[height, width, palette]: one colour, [several] or any (?)."""
    if image is None:
        return None
    # a cell's colours as the bits of a number
    bits = {color.symbol: 1 << number for number, color in enumerate(palette)} | {"?": (1 << len(palette)) - 1}
    rows: list[np.ndarray] = []
    for number, found in enumerate(IMAGE_ROW.finditer(image.text or ""), 1):
        if number > MAX_CELLS:
            raise FormatError(f"{name} has more than {MAX_CELLS} rows")
        if len(found[1]) > LONGEST_ROW:
            raise FormatError(f"row {number} of {name} has more than {MAX_CELLS} cells")
        try:
            cells = _cells(found[1], bits)
        except KeyError as unknown:
            raise FormatError(f"row {number} of {name}: {clipped(unknown.args[0])} stands for no colour") from None
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
    """The colours that each cell of a row may have."""
    if "[" not in row:
        return list(map(bits.__getitem__, row))
    return [_bits(several or one, bits) for several, one in IMAGE_CELL.findall(row)]


def _bits(symbols: str, bits: dict[str, int]) -> int:
    """The colours that some symbols stand for together."""
    if len(symbols) == 1:
        return bits[symbols]
    return reduce(or_, (bits[symbol] for symbol in symbols), 0)


def _derived(goal: np.ndarray | None, side: str) -> tuple[Clue, ...]:
    """The clues of the lines of a picture: the format lets a goal stand for clues."""
    if goal is None:
        raise FormatError(f"it has neither clues for its {side} nor a goal")
    return tuple(clue_of(line) for line in goal)


def _text_in(element: Element, tag: str) -> str | None:
    """Return the text of an element's first child with a tag."""
    return (element.findtext(tag) or "").strip() or None


def _about(element: Element, common: dict[str, str | None]) -> dict[str, Any]:
    """Return the fields of Puzzle that say what it is and whose; `common` has those of the puzzleset."""
    text = partial(_text_in, element)
    site = (text("source") or common["source"] or "").lower()
    number = ID.fullmatch(text("id") or "") if site.removeprefix("www.").startswith("webpbn") else None
    return {
        "title": text("title"),
        "author": text("author") or common["author"],
        "description": text("description"),
        "copyright": text("copyright") or common["copyright"],
        "license": text("license"),
        "site_note": text("note"),
        "site_version": number[2] if number else None,
        **(webpbn(number[1]) if number else Origin())._asdict(),
    }


def write(puzzle: Puzzle) -> bytes:
    """A puzzleset of one puzzle as webpbn writes it, in plain ASCII. `<license>` is an element of our own."""
    palette = writable(puzzle.palette)
    ink = palette[min(1, len(palette) - 1)].name
    background = "" if palette[0].name == WHITE.name else f" backgroundcolor={_attribute(palette[0].name)}"
    lines = [
        '<?xml version="1.0"?>',
        '<!DOCTYPE pbn SYSTEM "https://webpbn.com/pbn-0.3.dtd">',
        "<puzzleset>",
        *_source(puzzle),
        f'<puzzle type="grid" defaultcolor={_attribute(ink)}{background}>',
        *(f"<{tag}>{content(text)}</{tag}>" for tag, text in _texts(puzzle) if text),
        "",
        *(f"<color name={_attribute(c.name)} char={_attribute(c.symbol)}>{c.rgb.upper()}</color>" for c in palette),
        *_clue_elements("columns", puzzle.columns, palette),
        *_clue_elements("rows", puzzle.rows, palette),
        *_goal_element(puzzle.goal, palette),
        *(line for grid in puzzle.saved for line in _saved_element(grid, palette)),
        "",
        "</puzzle>",
        "</puzzleset>",
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii", "xmlcharrefreplace")


def writable(palette: tuple[Color, ...]) -> tuple[Color, ...]:
    """The palette with distinct names, and with distinct symbols that an image can hold."""
    names = distinct([color.name for color in palette], (f"color{n}" for n in itertools.count(1)))
    plain = [c.symbol if len(c.symbol) == 1 and c.symbol.isprintable() else "" for c in palette]
    symbols = distinct(["" if symbol in NO_SYMBOLS else symbol for symbol in plain], SPARE_SYMBOLS)
    return tuple(Color(*triple) for triple in zip(names, symbols, (color.rgb for color in palette), strict=True))


def _source(puzzle: Puzzle) -> tuple[str, ...]:
    return ("<source>webpbn.com</source>", "") if puzzle.source == "webpbn" else ()


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
    tags = ["", "<count>", *(f"<count color={_attribute(color.name)}>" for color in palette[2:])]
    yield from ("", f'<clues type="{side}">')
    for clue in clues:
        yield "<line>" + "".join(f"{tags[block.color]}{block.length}</count>" for block in clue) + "</line>"
    yield "</clues>"


def _goal_element(goal: np.ndarray | None, palette: tuple[Color, ...]) -> Iterator[str]:
    if goal is not None:
        yield from ("", '<solution type="goal">', "<image>")
        for row in goal.tolist():
            yield content("|" + "".join(palette[cell].symbol for cell in row) + "|")
        yield from ("</image>", "</solution>")


def _saved_element(grid: np.ndarray, palette: tuple[Color, ...]) -> Iterator[str]:
    """A partly solved grid: of each cell what it may be, `?` for anything."""
    yield from ("", '<solution type="saved">', "<image>")
    for row in grid:
        cells = [
            "".join([color.symbol for color, may in zip(palette, cell, strict=True) if may]) for cell in row.tolist()
        ]
        texts = ["?" if len(text) == len(palette) else text if len(text) == 1 else f"[{text}]" for text in cells]
        yield content("|" + "".join(texts) + "|")
    yield from ("</image>", "</solution>")


def _attribute(text: str) -> str:
    spaces = {ord(space): f"&#{ord(space)};" for space in "\t\n\r"}  # or else they would be read as blanks
    return f'"{html.escape(_allowed(text)).translate(spaces)}"'


def content(text: str) -> str:
    """A text as the content of an element: escaped, and without what XML can't hold."""
    return html.escape(_allowed(text), quote=False).replace("\r", "&#13;")


def _allowed(text: str) -> str:
    """The text without the characters that XML can't hold at all."""
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)

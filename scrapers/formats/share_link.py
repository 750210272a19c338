"""Links of `nonocensus serve` that hold a puzzle, one per line.

    http://127.0.0.1:8765/#puzzle?share=eJyrVirKLy9WslJKV...

The code is JSON in base64url, deflated. A block is its length, unless that is 1, and a letter for its colour; spaces
separate lines. The solution is left out. reports/templates/serve/sharing.js is the page's version.
"""

import base64
import binascii
import json
import re
import zlib
from string import ascii_letters

from nonocensus.scrapers.formats import jsonl
from nonocensus.scrapers.formats.game_ids import LineFormat
from nonocensus.scrapers.formats.parsing import FormatError
from nonocensus.solver.model.puzzle import MAX_COLORS, Clue, Puzzle

LINK = re.compile(r"\S*#puzzle\?share=([\w-]+)")
ADDRESS = "http://127.0.0.1:8765/"
"""The default of `nonocensus serve`."""

FIELDS = ("puzzle_id", "title", "author", "copyright", "license", "palette")
LETTERS = ascii_letters[:MAX_COLORS]
BLOCK = re.compile(r"([0-9]{0,4})([a-zA-E])")
LINES = re.compile(r"(?:[0-9]{0,4}[a-zA-E]| )*")
MAX_SHARED = 1 << 20
"""Bytes of a puzzle as JSON: a few bytes may inflate to very many."""


def _link(puzzle: Puzzle) -> str:
    record = json.loads(jsonl.write(puzzle))
    shared = {name: record[name] for name in FIELDS if record.get(name)}
    shared |= {side: " ".join(map(_line, getattr(puzzle, side))) for side in ("rows", "columns")}
    text = json.dumps(shared, ensure_ascii=False, separators=(",", ":"))
    code = base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")
    return f"{ADDRESS}#puzzle?share={code}"


def _line(clue: Clue) -> str:
    return "".join(f"{'' if length == 1 else length}{LETTERS[color - 1]}" for length, color in clue)


def _parse(found: re.Match[str]) -> Puzzle:
    code = found[1]
    try:
        text = zlib.decompressobj().decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)), MAX_SHARED)
        shared = json.loads(text)
        sides = {side: _clues(shared[side]) for side in ("rows", "columns")}
        record = {name: shared[name] for name in FIELDS if name in shared} | sides
    except (binascii.Error, zlib.error, ValueError, KeyError, TypeError, RecursionError):
        raise FormatError("this link is damaged or cut off: copy all of it again") from None
    return jsonl.read_line(json.dumps(record).encode())


def _clues(text: str) -> list[list[tuple[int, int]]]:
    if not LINES.fullmatch(text):
        raise ValueError("not lines of blocks")
    lines = map(BLOCK.findall, text.split(" "))
    return [[(int(length or 1), LETTERS.index(letter) + 1) for length, letter in line] for line in lines]


SHARE = LineFormat(
    "share",
    "Links of `nonocensus serve` that hold a puzzle, one per line.",
    LINK,
    _parse,
    _link,
    frozenset({"colors", "blots", "rgb", "names", "title", "author", "copyright", "license"}),
)

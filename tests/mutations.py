"""Puzzle files with random mutations, to fuzz the readers."""

import random

import numpy as np

from scrapers.formats import Format, FormatError, netpbm, png, taai
from scrapers.formats.writing import REQUIRED_FEATURES, missing_features
from solver.model.puzzle import BLACK_ON_WHITE, Color, InvalidPuzzle, Puzzle, from_picture

USUAL = (
    *BLACK_ON_WHITE,
    Color("red", "r", "ff0000"),
    Color("dark green", "%", "00b000"),
)


def can_hold(puzzle: Puzzle, known: Format) -> bool:
    """Return whether a format can hold all that is part of a puzzle."""
    if known is taai and puzzle.width != puzzle.height:
        return False
    only_black = puzzle.colors <= 1 and puzzle.palette[1].rgb == BLACK_ON_WHITE[1].rgb
    if (
        known in (netpbm, png)
        and not (only_black and known is netpbm)
        and puzzle.goal is not None
        and puzzle.goal.all()
    ):
        return False  # its background is nowhere to be seen
    return not any(word in REQUIRED_FEATURES for word in missing_features(puzzle, known.HOLDS))


def drawn() -> list[Puzzle]:
    """Return some small puzzles, a third of them black on white."""
    cells = np.random.default_rng(3).integers(0, 4, (6, 5, 5)).astype(np.uint8)
    return [from_picture(picture * (picture <= k % 3 + 1), USUAL) for k, picture in enumerate(cells)]


def samples(known: Format) -> list[bytes]:
    """Return some sound files of a format."""
    return [known.write(puzzle) for puzzle in drawn() if can_hold(puzzle, known)]


def refusal(known: Format, data: bytes) -> str | None:
    """Return what a reader says is wrong with a file."""
    try:
        for puzzle in known.read(data):
            assert puzzle.width * puzzle.height > 0
    except (FormatError, InvalidPuzzle) as error:
        return str(error)
    return None


def mutated(data: bytes, source: random.Random) -> bytes:
    """Return a file with some of its bytes changed, lost, moved or repeated."""
    changed = bytearray(data)
    for _ in range(source.randint(1, 4)):
        place = source.randrange(len(changed) + 1)
        match source.randrange(5):
            case 0:
                changed[place : place + 1] = bytes([source.randrange(256)])
            case 1:
                del changed[place : place + source.randint(1, 9)]
            case 2:
                changed[place:place] = changed[source.randrange(len(changed) + 1) :][: source.randint(1, 30)]
            case 3:
                changed[place:place] = source.choice(
                    [b"0", b"99999999999", b"-1", b"\n", b"\n\n", b"{", b"[", b'"', b"\xff"]
                )
            case 4:
                changed[place:place] = b"1 " * source.choice([1, 3, 2000])
    return bytes(changed)

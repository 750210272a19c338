"""What a site itself says of a puzzle, in words that can be held against our verdict."""

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc


class Claim(NamedTuple):
    """A site's verdict and the rows of ours that agree with it; None agrees with everything."""

    words: str
    solutions: tuple[str, ...]
    techniques: tuple[str, ...] | None


UNIQUE = ("unique",)
CLAIMS = (
    Claim("several solutions", ("multiple",), None),
    Claim("unique, by line logic", UNIQUE, ("line",)),
    Claim("unique, needs looking ahead", UNIQUE, ("depth-2", "probe", "search")),
    Claim("unique", UNIQUE, None),
)
"""The verdicts that webpbn.com's notes hold and that nonograms.org's solver implies, the most telling first."""

PATTERNS = (
    r"\b(multiple|several|not unique)\b",
    r"\bdefinitely line",
    r"\bdefinitely requires\b",
    r"\bdefinitely unique\b",
)
"""What a note must hold for each (webpbn.com: "published,definitely unique,definitely line/color solvable")."""


def claims(note: pa.Array, steps: pa.Array) -> pa.Array:
    """The site's verdict of each row in the words of CLAIMS, null where it says none.

    note, steps   the columns site_note and site_steps; a number of steps means that the site's line solver came through
    """
    lower = pc.utf8_lower(note)
    found = pa.nulls(len(note), pa.string())
    if note.null_count + steps.null_count == 2 * len(note):
        return found
    for claim, pattern in reversed(list(zip(CLAIMS, PATTERNS, strict=True))):
        found = pc.if_else(pc.fill_null(pc.match_substring_regex(lower, pattern), False), claim.words, found)
    by_line = pc.and_(pc.is_null(note), pc.fill_null(pc.greater(steps, 0), False))
    return pc.if_else(by_line, CLAIMS[1].words, found)


def contradicts(words: str | None, solutions: str | None, technique: str | None) -> bool:
    """Whether our verdict is another than the site's; where either says nothing, it is not."""
    claim = next((claim for claim in CLAIMS if claim.words == words), None)
    if claim is None or solutions in (None, "unknown"):
        return False
    if solutions not in claim.solutions:
        return True
    return claim.techniques is not None and technique is not None and technique not in claim.techniques

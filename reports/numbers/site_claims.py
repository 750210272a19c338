"""Claims of sites about their puzzles, in a form comparable with our verdicts."""

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc


class Claim(NamedTuple):
    """A site's claim, and the solutions and techniques of verdicts that agree with it; None: any."""

    words: str
    solutions: tuple[str, ...] | None
    techniques: tuple[str, ...] | None


SEVERAL = "several solutions"
UNIQUE = ("unique",)
CLAIMS = (
    Claim(SEVERAL, ("multiple",), None),
    Claim("unique, by line logic", UNIQUE, ("line",)),
    Claim("unique, needs more than line logic", UNIQUE, ("depth-2", "probe", "search")),
    Claim("unique", UNIQUE, None),
    Claim("uniqueness not known", None, None),
)
"""Claims in webpbn.com's notes, and the one implied by nonograms.org's solver, in order of precedence."""

_, BY_LINE, HARDER, ONLY_UNIQUE, OPEN = (claim.words for claim in CLAIMS)


def claims(note: pa.Array, steps: pa.Array) -> pa.Array:
    """Return each row's claim, the `words` of one of CLAIMS; null where the site makes none.

    webpbn.com's notes are phrases between commas, one on uniqueness and one on difficulty ("published,definitely
    unique,definitely line/color solvable"). Only "definitely" claims anything: "may require" does not, and a puzzle
    that requires guessing may have one solution or several. Other phrases are ignored.

    note    the column site_note
    steps   the column site_steps; a number of steps means that the site's line solver solved the puzzle
    """
    result = pa.nulls(len(note), pa.string())
    if note.null_count + steps.null_count == 2 * len(note):
        return result
    lower = pc.utf8_lower(note)

    def says(phrase: str) -> pa.Array:
        return pc.fill_null(pc.match_substring_regex(lower, rf"(^|,)\s*{phrase}\s*(,|$)"), False)

    unique = says("definitely unique")
    found = (
        (says("definitely non-unique"), SEVERAL),
        (pc.and_(unique, says("definitely (line/color solvable|trivial)")), BY_LINE),
        (pc.and_(unique, says("definitely requires (moderate lookahead|deep lookahead|some guessing|much guessing)")),
         HARDER),
        (unique, ONLY_UNIQUE),
        (says("may be (non-)?unique"), OPEN),
        (pc.and_(pc.is_null(note), pc.fill_null(pc.greater(steps, 0), False)), BY_LINE),
    )  # fmt: skip
    for which, words in reversed(found):
        result = pc.if_else(which, words, result)
    return result


def contradicts(words: str | None, solutions: str | None, technique: str | None) -> bool:
    """Return whether our verdict and the site's claim can't both be true."""
    claim = next((claim for claim in CLAIMS if claim.words == words), None)
    if claim is None or claim.solutions is None or solutions in (None, "unknown"):
        return False
    if solutions not in claim.solutions:
        return True
    return claim.techniques is not None and technique is not None and technique not in claim.techniques


def is_unmarked(words: str | None, solutions: str | None) -> bool:
    """Return whether a puzzle has several solutions, and its site makes a claim but not that one."""
    return solutions == "multiple" and words not in (None, SEVERAL)


def is_marked(words: str | None, solutions: str | None) -> bool:
    """Return whether a puzzle has several solutions, as its site says."""
    return solutions == "multiple" and words == SEVERAL

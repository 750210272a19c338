"""Claims of sites about their puzzles, in a form comparable with our verdicts."""

from typing import NamedTuple

from nonocensus.reports.numbers.row_classes import sql_words


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


def _says(phrase: str) -> str:
    """Return the SQL of whether a note has a phrase between commas."""
    return f"regexp_matches(lower(site_note), '(^|,)\\s*{phrase}\\s*(,|$)')"


CLAIM_SQL = f"""
    case
        when site_note is null then case when site_steps > 0 then '{BY_LINE}' end
        when {_says("definitely non-unique")} then '{SEVERAL}'
        when {_says("definitely unique")} then case
            when {_says("definitely (line/color solvable|trivial)")} then '{BY_LINE}'
            when {_says("definitely requires (moderate lookahead|deep lookahead|some guessing|much guessing)")}
            then '{HARDER}'
            else '{ONLY_UNIQUE}'
        end
        when {_says("may be (non-)?unique")} then '{OPEN}'
    end
"""
"""SQL of a row's claim, the `words` of one of CLAIMS; null where the site makes none.

webpbn.com's notes are phrases between commas, one on uniqueness and one on difficulty ("published,definitely
unique,definitely line/color solvable"). Only "definitely" claims anything: "may require" does not, and a puzzle that
requires guessing may have one solution or several. Other phrases are ignored. A number of `site_steps` means that the
site's line solver solved the puzzle.
"""


def _differs(claim: Claim) -> str:
    """Return the SQL of a verdict that can't be true if the claim is."""
    if claim.solutions is None:
        return "false"
    solutions = f"solutions not in {sql_words(claim.solutions)}"
    return solutions if claim.techniques is None else f"{solutions} or technique not in {sql_words(claim.techniques)}"


_CASES = " ".join(f"when '{claim.words}' then {_differs(claim)}" for claim in CLAIMS)

DISPUTED_SQL = f"coalesce(solutions <> 'unknown' and case claim {_CASES} end, false)"
"""SQL of whether our verdict and the site's claim can't both be true, from solutions, technique and claim."""

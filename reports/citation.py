"""Citation of a run in BibTeX."""

from nonocensus.reports.family_words import FamilyWords

AUTHOR = "The nonocensus authors"
"""As in CITATION.cff."""


def cite(family: FamilyWords, run_id: str, finished: str | None, solver_version: str) -> str:
    """Return the citation of a run in BibTeX.

    finished   time in ISO 8601, of which the year is kept
    """
    return (
        f"@misc{{nonocensus-{run_id},\n"
        f"  title = {{A census of {family.many}: verdicts and measures of difficulty}},\n"
        f"  author = {{{{{AUTHOR}}}}},\n"
        f"  year = {{{(finished or '')[:4]}}},\n"
        f"  note = {{nonocensus {solver_version}, run {run_id}}}\n"
        "}"
    )

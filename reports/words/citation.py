"""Citation of a run: in BibTeX, and as metadata for a DOI."""

from collections.abc import Mapping
from typing import Any

AUTHOR = "The nonocensus authors"
"""As in CITATION.cff."""


TITLE = "A census of nonograms: verdicts and measures of difficulty"
"""The title of a run's dataset."""


def cite(
    run_id: str, finished: str | None, solver_version: str, title: str | None = None, by: str | None = None
) -> str:
    """Return the citation of a run in BibTeX, or of its dataset of a title and an author.

    finished   time in ISO 8601, of which the year is kept
    """
    return (
        f"@misc{{nonocensus-{run_id},\n"
        f"  title = {{{title or TITLE}}},\n"
        f"  author = {{{{{by or AUTHOR}}}}},\n"
        f"  year = {{{(finished or '')[:4]}}},\n"
        f"  note = {{nonocensus {solver_version}, run {run_id}}}\n"
        "}"
    )


def deposit(croissant: Mapping[str, Any], license_id: str, title: str | None = None) -> dict[str, Any]:
    """Return what Zenodo needs to register a DOI with DataCite: the content of .zenodo.json.

    croissant    the dataset's Croissant metadata
    license_id   the Hub's name of its licence, which Zenodo uses too
    """
    return {
        "title": title or TITLE,
        "upload_type": "dataset",
        "description": croissant["description"],
        "creators": [{"name": croissant["creator"]["name"]}],
        "license": license_id,
        "version": croissant["version"],
        "publication_date": croissant["datePublished"][:10],
        "keywords": croissant["keywords"],
        "related_identifiers": [
            {"identifier": address, "relation": "isDerivedFrom"} for address in croissant["isBasedOn"]
        ],
    }

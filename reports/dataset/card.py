"""The dataset card: README.md with YAML front matter for the Hugging Face Hub."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import pyarrow as pa
from markupsafe import Markup

from nonocensus.reports.dataset.dataset_columns import CHECKSUM, SPLITS, Content
from nonocensus.reports.page.templating import environment, markdown
from nonocensus.reports.rights import HOME_PAGES, MADE_BY_RULE, TERMS, shareable
from nonocensus.reports.words.citation import cite
from nonocensus.reports.words.formatting import count_text
from nonocensus.solver.people.minutes import parameters

MEASURES_LICENSE = "cc0-1.0"
"""Measures are facts; any rights in them are waived."""

SPDX = (
    *("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0"),
    *("CC-BY-SA-3.0", "CC-BY-SA-4.0", "MIT", "Unlicense"),
)
LICENSES = {name.lower(): f"https://spdx.org/licenses/{name}.html" for name in SPDX}
"""Licences by the Hub's names, with the addresses of their texts."""

KEYWORDS = ["nonogram", "picross", "paint-by-numbers", "puzzles", "difficulty", "tabular", "nonocensus"]

LISTED = 30
"""Most lines of a table."""

SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B", "10B<n<100B")
"""The Hub's size categories: up to 1,000 rows, then by powers of ten."""


class DatasetOrigin(NamedTuple):
    """Provenance of a dataset, and whose content it holds."""

    content: Content
    manifest: Mapping[str, Any]  # the run's run.json
    summary: Mapping[str, Any]  # its summary.json
    minutes_model: str = ""  # of its grades
    checksum: str = ""  # of its puzzles: CHECKSUM
    unique: int = 0  # puzzles with one solution
    graded: int = 0  # those of them that have a grade
    title: str | None = None
    by: str | None = None  # its author or publisher

    @property
    def citation(self) -> str:
        """Its citation in BibTeX."""
        version = self.manifest["versions"]["nonocensus"]
        return cite(self.summary["run_id"], self.summary["last_finished"], version, self.title, self.by)


class RowCount(NamedTuple):
    """Number of rows with these properties."""

    split: str
    source: str | None
    license: str | None
    label: str  # the status of a row without a label
    rows: int


class SourceTerms(NamedTuple):
    """The puzzles of a source under one licence, and the terms of use."""

    name: str | None
    license: str | None
    terms: str
    content: bool  # whether the dataset holds their content
    rows: int


def licenses_of(content: Content, counts: Sequence[RowCount]) -> list[str]:
    """Return the Hub's names of the dataset's licences; none if one is unknown, or for what sites state."""
    if content == Content.measures:
        return [MEASURES_LICENSE]
    if content == Content.everything or any(count.source in HOME_PAGES for count in counts):
        return []
    stated = {MEASURES_LICENSE if count.source in MADE_BY_RULE else (count.license or "").lower() for count in counts}
    return sorted(stated) if stated <= LICENSES.keys() else []


def license_of(content: Content, counts: Sequence[RowCount]) -> str:
    """Return the Hub's name of the dataset's licence, "other" if it has several or unknown ones."""
    known = licenses_of(content, counts)
    return known[0] if len(known) == 1 else "other"


def card(origin: DatasetOrigin, columns: pa.Schema, counts: Sequence[RowCount], duplicates: int) -> bytes:
    """Return the dataset card.

    columns      of `reports.dataset.dataset_columns.schema`
    duplicates   number of rows that repeat the clues of an earlier one
    """
    total = sum(count.rows for count in counts)
    splits = _totals(counts, "split")
    sources = _sources(origin.content, counts)
    return (
        environment(finalize=markdown)
        .get_template("card.md.j2")
        .render(
            head=Markup(_head(origin, counts, total, splits)),
            origin=origin,
            total=total,
            cite=Markup(origin.citation),
            checksum=Markup(CHECKSUM),
            dates=[(origin.summary[name] or "")[:10] for name in ("first_started", "last_finished")],
            splits={name: splits[name] for name in SPLITS if splits[name]},
            labels=_totals(counts, "label"),
            sources=sources[:LISTED],
            more_sources=len(sources) - LISTED,
            names={source.name for source in sources},
            made_by_rule=any(source.name in MADE_BY_RULE for source in sources),
            with_content=sum(source.rows for source in sources if source.content),
            duplicates=duplicates,
            columns=[
                (Markup(field.name), _type(field.type), field.metadata[b"description"].decode()) for field in columns
            ],
            measures=[
                (Markup(field.name), Markup(field.metadata[b"source"].decode()))
                for field in columns
                if b"source" in field.metadata
            ],
            validations=_validations(),
        )
        .encode()
    )


def _validations() -> list[list[str]]:
    """Return how well minutes and stars agree with what people say: a row for each kind of puzzles and each of them."""
    said = {"seconds": ("minutes", "times of griddlers.net"), "stars": ("stars", "ratings of webpbn.com")}
    rows = []
    for kind, validations in parameters().validations.items():
        for what, one in validations.items():
            is_time = one.in_interval is not None
            error = f"{one.median_error:.1%}" if is_time else f"{one.median_error:.2f}"
            inside = f"{one.in_interval:.1%}" if is_time else ""
            rows.append(
                [*said[what], kind, f"{one.puzzles:,}", f"{one.rho:.4f}", f"{one.within_sizes:.4f}", error, inside]
            )
    return rows


def _head(origin: DatasetOrigin, counts: Sequence[RowCount], total: int, splits: Mapping[str, int]) -> str:
    """Return the YAML front matter; values are JSON, which is valid YAML."""
    data_files = [{"split": name, "path": f"data/{name}-*.parquet"} for name in SPLITS if splits[name]]
    license_id = license_of(origin.content, counts)
    several = {
        "license_name": "as-stated-in-the-card" if origin.content.may_be_public else "private",
        "license_link": "README.md",
    }
    entries = {
        "pretty_name": origin.title or f"Nonogram census: {count_text(total, 'puzzle')}",
        "license": license_id,
        **(several if license_id == "other" else {}),
        "tags": KEYWORDS,
        "size_categories": [_size(total)],
        "configs": [{"config_name": "default", "data_files": data_files}],
    }
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in entries.items())


def _size(total: int) -> str:
    return SIZES[min(len(str(max(total, 1) - 1)) - 3, len(SIZES) - 1)] if total > 1000 else SIZES[0]


def _totals(counts: Iterable[RowCount], *of: str) -> Counter[Any]:
    """Sum rows by one or more fields of RowCount, most frequent first."""
    fields = attrgetter(*of)
    totals = Counter[Any]()
    for count in counts:
        totals[fields(count)] += count.rows
    return Counter(dict(totals.most_common()))


def _sources(content: Content, counts: Iterable[RowCount]) -> list[SourceTerms]:
    """Return sources and licences, those with most rows first."""
    totals = _totals(counts, "source", "license")
    names, licenses = (pa.array([pair[k] for pair in totals], pa.string()) for k in range(2))
    free = shareable(pa.record_batch({"source": names, "license": licenses})).to_pylist()
    return [
        SourceTerms(
            name, license_, TERMS.get(name or "", ""), content.has_puzzles and (held or not content.may_be_public), rows
        )
        for ((name, license_), rows), held in zip(totals.items(), free, strict=True)
    ]


def _type(kind: pa.DataType) -> str:
    """Format an Arrow type: list<list<struct<length: uint16, color: uint8>>>."""
    if pa.types.is_list(kind):
        return f"list<{_type(kind.value_type)}>"
    return str(kind)

"""The dataset's columns and splits, its card and its Croissant; and what may be passed on."""

import logging
from dataclasses import replace
from typing import Any

import mlcroissant
import numpy as np
import pyarrow as pa
import pytest
import yaml
from census_figures import PAIRS, known, pairs, solved
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import PALETTE, puzzles

from nonocensus.reports.dataset.card import LICENSES, DatasetOrigin, RowCount, card, license_of
from nonocensus.reports.dataset.croissant import croissant
from nonocensus.reports.dataset.dataset_columns import (
    DUPLICATE,
    SPLITS,
    Content,
    DataFile,
    needed_columns,
    rows_of,
    schema,
    splits_of,
)
from nonocensus.reports.numbers.derived_measures import DERIVED
from nonocensus.reports.rights import CONTENT, MADE_BY_RULE, shareable, withhold
from nonocensus.reports.words.citation import deposit
from nonocensus.solver.model.puzzle import Puzzle, from_picture, normalize_palette
from nonocensus.solver.model.tables import PUZZLES, RESULTS, puzzle_batch
from nonocensus.solver.people.minutes import parameters

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # mlcroissant's, of rdflib

LEFT_OUT = {"raw_sha256", "solver_version", "config_hash", "run_id", "part", "host"}
"""Columns of the tables that no dataset has: constant, or private."""


def origin(content: Content = Content.none) -> DatasetOrigin:
    versions = {"nonocensus": "1"} | ({} if content is Content.measures else {"commit": "abc1234"})
    manifest = {"config": {"cpu_limit": 60.0, "rung": "search"}, "config_hash": "abc", "versions": versions}
    days = {"first_started": "2026-01-02T03:04:05+00:00", "last_finished": "2026-01-03T03:04:05+00:00"}
    return DatasetOrigin(content, manifest, {"run_id": "r1", "puzzles": 10, "hosts": ["a", "b"], **days})


def batch(table: pa.Table) -> pa.RecordBatch:
    return table.to_batches()[0]


def front(text: bytes) -> dict[str, Any]:
    head = yaml.safe_load(text.decode().split("---\n")[1])
    assert isinstance(head, dict)
    return head


def test_every_column_is_accounted_for() -> None:
    everything = set(schema(Content.everything).names)
    assert everything == (set(PUZZLES.names) | set(RESULTS.names) | set(DERIVED.names) | {DUPLICATE.name}) - LEFT_OUT
    assert set(schema(Content.none).names) == everything - set(CONTENT)
    assert schema(Content.licensed) == schema(Content.everything)
    for field in schema(Content.everything, {"run_id": "r1"}):
        assert field.metadata[b"description"], field.name
    assert schema(Content.none, {"run_id": "r1"}).metadata == {b"nonocensus.run_id": b"r1"}
    assert b"Batenburg" in schema(Content.none).field("sweeps").metadata[b"source"]


@pytest.mark.parametrize("content", Content)
def test_rows(content: Content) -> None:
    [(results, some)] = pairs(
        (solved("webpbn/1", 0.1, solution=b"\1"), known("webpbn/1", title="Cat", license="CC-BY-3.0")),
        (solved("webpbn/2", 0.2, solution=b"\2"), known("webpbn/2", title="Dog")),
    )
    tables = (batch(table.select(needed_columns(table.schema, content))) for table in (results, some))
    rows = rows_of(*tables, content)
    assert [*rows.schema.names[:7], DUPLICATE.name, *rows.schema.names[7:]] == schema(content).names
    assert rows["cpu_seconds"].to_pylist() == [0.1, 0.2]
    assert any(name.startswith("site_") for name in rows.schema.names) == (content != Content.measures)
    if not content.has_puzzles:
        assert not set(CONTENT) & set(rows.schema.names)
    else:
        kept = content == Content.everything
        assert rows["title"].to_pylist() == ["Cat", "Dog" if kept else None]
        assert rows["solution"].to_pylist() == [b"\1", b"\2" if kept else None]
    ((results, some),) = PAIRS
    assert len(rows_of(batch(results), batch(some), content)) == len(results)


@settings(deadline=None)
@given(st.lists(st.text("0123456789abcdef", min_size=32, max_size=32)), st.integers(0, 3))
def test_splits(hashes: list[str], start: int) -> None:
    names = ["train"] * 8 + ["validation", "test"]
    expected = [names[int(text[-8:], 16) % 10] for text in hashes]
    assert [SPLITS[k] for k in splits_of(pa.array(hashes, pa.string())).to_pylist()] == expected
    assert [SPLITS[k] for k in splits_of(pa.array(hashes, pa.string()).slice(start)).to_pylist()] == expected[start:]


@settings(deadline=None)
@given(puzzles(most=6))
def test_turned_and_mirrored_puzzles_share_a_split(puzzle: Puzzle) -> None:
    turned = replace(puzzle, rows=puzzle.columns, columns=puzzle.rows, goal=None)
    mirrored = replace(puzzle, rows=puzzle.rows[::-1], columns=tuple(clue[::-1] for clue in puzzle.columns), goal=None)
    twins = puzzle_batch([puzzle, normalize_palette(turned), normalize_palette(mirrored)])
    assert len(set(splits_of(twins["canonical_hash"]).to_pylist())) == 1


def test_recoloured_puzzles_share_a_split() -> None:
    picture = np.array([[1, 2, 0], [0, 2, 1]], np.uint8)
    other = from_picture(np.array([0, 3, 1, 2], np.uint8)[picture], PALETTE)
    assert len(set(splits_of(puzzle_batch([from_picture(picture, PALETTE), other])["canonical_hash"]).to_pylist())) == 1


def test_card() -> None:
    counts = [
        RowCount("train", "webpbn", None, "unique line", 7),
        RowCount("train", "webpbn", "mine | *all* <b>\nmine", "timeout", 2),
        RowCount("test", "local", "MIT", "multiple", 1),
    ]
    text = card(origin(), schema(Content.none), counts, 3).decode()
    assert "| nonocensus | 1, commit abc1234 |" in text
    head = front(text.encode())
    assert (head["license"], head["license_name"]) == ("other", "as-stated-in-the-card")
    assert "what the puzzles' sites state" in text
    assert "CC0-1.0 does not cover" in text
    assert head["size_categories"] == ["n<1K"]
    assert [entry["split"] for entry in head["configs"][0]["data_files"]] == ["train", "test"]
    assert "| train | 9 | 90.0 % |" in text.replace("\u00a0", " ")
    assert r"mine \| \*all\* &lt;b&gt; mine" in text
    assert "of 3 rows is the first row" in text
    assert "nonocensus crawl webpbn" in text
    for field in schema(Content.none):
        assert f"| `{field.name}` |" in text
    assert "Private" not in text
    assert "/tmp" not in text


def test_card_of_measures_says_so() -> None:
    counts = [RowCount("test", "griddlers", None, "timeout", 2)]
    text = card(origin(Content.measures), schema(Content.measures), counts, 0)
    assert "no ratings, no times." in text.decode()
    assert b"| nonocensus | 1 |" in text  # the run of an installed package has no commit
    assert b"dataset RUN --out DIR --measures" in text
    assert b"all rights are reserved" in text
    assert b"site_" not in text
    assert b"what the puzzles' sites state" not in text
    assert front(text)["license"] == "cc0-1.0"


def test_card_has_correlations_as_the_model_has_them() -> None:
    text = card(origin()._replace(graded=1), schema(Content.none), [RowCount("test", "webpbn", None, "timeout", 2)], 0)
    for validation in (one for kind in parameters().validations.values() for one in kind.values()):
        assert f"| {validation.rho:.4f} | {validation.within_sizes:.4f} |" in text.decode(), "rounded only once"
    assert "from about 20 % below it to 25 % above" in text.decode()


@pytest.mark.parametrize("title", [None, "Owls"])
def test_deposit_repeats_the_croissant(title: str | None) -> None:
    counts = [RowCount("train", "webpbn", None, "multiple", 1)]
    about = origin(Content.measures)._replace(title=title, by=title and "Ada")
    columns = schema(Content.measures)
    described = croissant(about, counts, columns, [])
    made = deposit(described, license_of(Content.measures, counts), title)
    assert made["license"] == front(card(about, columns, counts, 0))["license"] == "cc0-1.0"
    assert made["title"] in about.citation
    assert made["creators"][0]["name"] in about.citation
    assert described["name"] == (title or "nonocensus-r1")
    assert (b"\n# Owls\n\nBy Ada.\n\n" in card(about, columns, counts, 0)) == bool(title)
    assert (made["upload_type"], made["publication_date"]) == ("dataset", "2026-01-03")
    assert made["related_identifiers"] == [{"identifier": "https://webpbn.com", "relation": "isDerivedFrom"}]
    for name in ("description", "version", "keywords"):
        assert made[name] == described[name]


@pytest.mark.parametrize(
    ("content", "source", "licenses", "expected"),
    [
        (Content.measures, "webpbn", [None, "MIT"], "cc0-1.0"),
        (Content.none, "webpbn", [None, "MIT"], "other"),  # ratings and times are the site's
        (Content.licensed, "webpbn", ["MIT"], "other"),
        (Content.licensed, "local", ["Apache-2.0", "Apache-2.0"], "apache-2.0"),
        (Content.none, "local", ["Apache-2.0"], "apache-2.0"),
        (Content.licensed, "local", ["Apache-2.0", "MIT"], "other"),
        (Content.licensed, "local", ["Apache-2.0", None], "other"),
        (Content.licensed, "local", ["words"], "other"),
        (Content.everything, "local", ["MIT"], "other"),
        (Content.licensed, "random", [None], "cc0-1.0"),
    ],
)
def test_licence_of_the_whole(content: Content, source: str, licenses: list[str | None], expected: str) -> None:
    counts = [RowCount("train", source, text, "multiple", 1) for text in licenses]
    assert license_of(content, counts) == expected
    other = [LICENSES["apache-2.0"], LICENSES["mit"]] if licenses == ["Apache-2.0", "MIT"] else "README.md#licence"
    assert croissant(origin(content), counts, schema(content), [])["license"] == LICENSES.get(expected, other)


def test_size() -> None:
    sizes = {1: "n<1K", 1000: "n<1K", 1001: "1K<n<10K", 10_000: "1K<n<10K", 33_554_432: "10M<n<100M"}
    counts = ([RowCount("train", "exhaustive", None, "multiple", rows)] for rows in sizes)
    found = [front(card(origin(), schema(Content.none), each, 0))["size_categories"] for each in counts]
    assert found == [[size] for size in sizes.values()]


@pytest.mark.parametrize("content", Content)
def test_croissant_is_valid(content: Content, caplog: pytest.LogCaptureFixture) -> None:
    files = [DataFile("data/train-00000.parquet", "train", 3, 1000, "0" * 64)]
    counts = [RowCount("train", source, "MIT", "multiple", 1) for source in ("webpbn", "local")]
    with caplog.at_level(logging.WARNING):
        read = mlcroissant.Dataset(jsonld=croissant(origin(content), counts, schema(content), files))
    issues = read.metadata.issues
    assert (set(issues.errors), set(issues.warnings), caplog.text) == (set(), set(), "")
    fields = {field.name for field in read.metadata.record_sets[0].fields}
    assert fields == {"split", *schema(content).names} - {"rows", "columns", "palette"}


def licensed(*licenses: str | None, source: str = "webpbn") -> pa.RecordBatch:
    rows = [
        known(f"{source}/{k}", license=text, title="Cat", author="Jan", copyright="(c) Jan", description="Mine")
        | {"site_note": "published", "rows": [[{"length": 2, "color": 1}]], "columns": [[]], "goal": b"\0\1"}
        for k, text in enumerate(licenses)
    ]
    return pa.RecordBatch.from_pylist(rows, schema=PUZZLES)


FREE = (
    *("CC0", "CC0-1.0", "cc-by-3.0", "CC BY 4.0", "CC-BY-SA-4.0", "CC-BY-3.0-US", "CC-BY", "Public Domain"),
    *("MIT", " MIT License\n", "Apache-2.0", "Apache License 2.0", "BSD-3-Clause", "The Unlicense", "PDDL-1.0"),
    *("https://creativecommons.org/licenses/by-sa/4.0/", "http://creativecommons.org/publicdomain/zero/1.0/"),
)
NOT_FREE = (
    *(None, "", "CC-BY-NC-4.0", "CC-BY-ND-3.0", "CC-BY-NC-SA-4.0", "CC-BY-3.0-NC", "CC-BY-4.0-ND", "GPL-3.0"),
    *("not MIT", "MIT for friends", "CC-BY-4.0\nbut ask me", "CC-BY-4.0 except pictures", "free", "copyright"),
    *("All rights reserved", "https://creativecommons.org/licenses/by-nc/4.0/", "mitigated", "unknown"),
)


def test_free_licences_are_told_from_others_and_from_none() -> None:
    for texts, is_free in ((FREE, True), (NOT_FREE, False)):
        assert dict(zip(texts, shareable(licensed(*texts)).to_pylist(), strict=True)) == dict.fromkeys(texts, is_free)
    for source in MADE_BY_RULE:
        assert shareable(licensed(None, source=source)).to_pylist() == [True]


def test_content_is_withheld() -> None:
    rows = licensed("MIT", None, "CC-BY-NC-4.0", "CC0")
    left = withhold(rows, shareable(rows))
    assert left.schema.equals(PUZZLES, check_metadata=True)
    for name in PUZZLES.names:
        missing = [left[name][k] != rows[name][k] for k in range(4)]
        assert missing == ([False, True, True, False] if name in CONTENT else [False] * 4), name
    assert left["rows"].to_pylist() == [[[{"length": 2, "color": 1}]], None, None, [[{"length": 2, "color": 1}]]]
    results = pa.RecordBatch.from_pylist([{"puzzle_id": "a/1", "solution": b"\1", "score": 1.0}] * 4, schema=RESULTS)
    solutions = withhold(results, shareable(rows))
    assert solutions["solution"].to_pylist() == [b"\1", None, None, b"\1"]
    assert solutions["score"].null_count == 0
    assert len(withhold(rows.slice(0, 0), shareable(rows.slice(0, 0)))) == 0

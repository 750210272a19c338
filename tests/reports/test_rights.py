"""What may be passed on: a licence as a whole, not words that look like one."""

import pyarrow as pa
import pytest
from census_figures import known

from nonocensus.reports.rights import CONTENT, MADE_BY_RULE, shareable, withheld
from nonocensus.solver.model.tables import PUZZLES, RESULTS


def puzzles(*licenses: str | None, source: str = "webpbn") -> pa.RecordBatch:
    rows = [
        known(f"{source}/{k}", license=text, title="Cat", author="Jan", copyright="(c) Jan", description="Mine")
        | {"site_note": "published", "rows": [[{"length": 2, "color": 1}]], "columns": [[]], "goal": b"\0\1"}
        for k, text in enumerate(licenses)
    ]
    return pa.RecordBatch.from_pylist(rows, schema=PUZZLES)


@pytest.mark.parametrize(
    "text",
    [
        *("CC0", "CC0-1.0", "cc-by-3.0", "CC BY 4.0", "CC-BY-SA-4.0", "CC-BY-3.0-US", "CC-BY", "Public Domain"),
        *("MIT", " MIT License\n", "Apache-2.0", "Apache License 2.0", "BSD-3-Clause", "The Unlicense", "PDDL-1.0"),
        *("https://creativecommons.org/licenses/by-sa/4.0/", "http://creativecommons.org/publicdomain/zero/1.0/"),
    ],
)
def test_free_licences(text: str) -> None:
    assert shareable(puzzles(text)).to_pylist() == [True]


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "CC-BY-NC-4.0", "CC-BY-ND-3.0", "CC-BY-NC-SA-4.0", "CC-BY-3.0-NC", "CC-BY-4.0-ND", "GPL-3.0"),
        *("not MIT", "MIT for friends", "CC-BY-4.0\nbut ask me", "CC-BY-4.0 except pictures", "free", "copyright"),
        *("All rights reserved", "https://creativecommons.org/licenses/by-nc/4.0/", "mitigated", "unknown"),
    ],
)
def test_what_is_not_free_or_not_known(text: str | None) -> None:
    assert shareable(puzzles(text)).to_pylist() == [False]


@pytest.mark.parametrize("source", MADE_BY_RULE)
def test_what_is_made_by_rule(source: str) -> None:
    assert shareable(puzzles(None, source=source)).to_pylist() == [True]


def test_content_is_withheld() -> None:
    rows = puzzles("MIT", None, "CC-BY-NC-4.0", "CC0")
    left = withheld(rows, shareable(rows))
    assert left.schema.equals(PUZZLES, check_metadata=True)
    for name in PUZZLES.names:
        missing = [left[name][k] != rows[name][k] for k in range(4)]
        assert missing == ([False, True, True, False] if name in CONTENT else [False] * 4), name
    assert left["rows"].to_pylist() == [[[{"length": 2, "color": 1}]], None, None, [[{"length": 2, "color": 1}]]]
    results = pa.RecordBatch.from_pylist([{"puzzle_id": "a/1", "solution": b"\1", "score": 1.0}] * 4, schema=RESULTS)
    solutions = withheld(results, shareable(rows))
    assert solutions["solution"].to_pylist() == [b"\1", None, None, b"\1"]
    assert solutions["score"].null_count == 0


def test_no_rows() -> None:
    rows = puzzles()
    assert len(withheld(rows, shareable(rows))) == 0

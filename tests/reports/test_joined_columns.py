"""What was found of puzzles, beside their results, against looking each row up."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonocensus.reports.joined_columns import KEY, first_bits, indexed, join_columns

COLUMNS = pa.schema([("grade", pa.uint8()), ("hardest", pa.string())])
SCHEMA = pa.schema([*((name, pa.string()) for name in KEY), *COLUMNS])
HASHES = st.none() | st.text("0123456789abcdef", max_size=40)


@given(st.lists(HASHES), st.integers(0, 3))
def test_first_bits(hashes: list[str | None], skipped: int) -> None:
    wanted = [int(digits[:16], 16) if digits and len(digits) >= 16 else 0 for digits in hashes]
    assert first_bits(pa.array(hashes, pa.string())[skipped:]).tolist() == wanted[skipped:]


ROWS = st.lists(st.tuples(st.sampled_from(["a/1", "a/2", None]), st.sampled_from(["0" * 32, "f" * 32, None])))


@given(ROWS, ROWS)
def test_each_row_has_the_first_that_was_found_of_it(rows: list[tuple[str, str]], found: list[tuple[str, str]]) -> None:
    made = [dict(zip(KEY, key, strict=True)) | {"grade": k, "hardest": f"no. {k}"} for k, key in enumerate(found)]
    results = pa.RecordBatch.from_pylist([dict(zip(KEY, key, strict=True)) for key in rows], schema=SCHEMA)
    columns = join_columns(results, indexed(pa.Table.from_pylist(made, SCHEMA)), COLUMNS)
    assert columns.schema == COLUMNS
    for key, row in zip(rows, columns.to_pylist(), strict=True):
        k = found.index(key) if key in found and None not in key else None
        assert row == {"grade": k, "hardest": None if k is None else f"no. {k}"}


@pytest.mark.parametrize("rows", [0, 3])
def test_nothing_was_found(rows: int) -> None:
    results = pa.RecordBatch.from_pylist([{"puzzle_id": "a/1", "clue_hash": "0" * 32}] * rows, schema=SCHEMA)
    assert (
        join_columns(results, indexed(SCHEMA.empty_table()), COLUMNS).to_pylist()
        == [dict.fromkeys(COLUMNS.names)] * rows
    )

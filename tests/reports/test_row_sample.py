"""A sample of rows that pass by, against the lowest numbers of all."""

import numpy as np
import pyarrow as pa
import pytest

from nonocensus.reports.census import Sample


@pytest.mark.parametrize("cuts", [[], [1, 2, 3], [500, 501, 900], list(range(7, 1000, 7))])
@pytest.mark.parametrize("size", [1, 10, 333, 999, 1000, 2000])
def test_the_lowest_numbers_stay_however_rows_come(size: int, cuts: list[int]) -> None:
    sample = Sample(size, lambda rows: rows)
    for start, end in zip([0, *cuts], [*cuts, 1000], strict=True):
        sample.add(pa.table({"row": range(start, end)}))
    drawn = np.random.default_rng(0).random(1000)
    assert sample.table()["row"].to_pylist() == sorted(np.argsort(drawn)[:size].tolist())


def test_no_rows() -> None:
    sample = Sample(3, lambda rows: rows)
    sample.add(pa.table({"row": pa.array([], pa.int64())}))
    assert len(sample.table()) == 0

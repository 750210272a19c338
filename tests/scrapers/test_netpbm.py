"""Netpbm's text pictures: what is read at once is what is read number by number."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nonocensus.scrapers.formats import FormatError, netpbm
from nonocensus.scrapers.formats.netpbm import write
from nonocensus.solver.model.puzzle import InvalidPuzzle, from_picture

numbers = st.sampled_from(["0", "1", "9", "255", "256", "65535", "65536", "00001", "0000000001", "9" * 10, "9" * 30])
blanks = st.sampled_from([" ", "  ", "\n", "\t", "\r\n", "\v", "\f", "\x1c", "", "# 1\n", "-", "P2 ", "P1 1 1 1", "."])
rasters = st.lists(numbers | blanks, max_size=12).map("".join)
heads = st.sampled_from(["P1 1 1", "P1 2 2", "P2 1 1 9", "P2 2 1 255", "P3 1 1 255", "P3 1 2 65535"])


@given(heads, st.lists(numbers, min_size=1, max_size=6), blanks, rasters)
@settings(max_examples=400, deadline=None)
@example("P1 1 1", [" "], " ", "")
@example("P2 1 1 9", [" "], " ", "")
@example("P2 2 1 255", ["0000000001"], " ", "1")
def test_vectorized_and_plain_readers_agree(head: str, values: list[str], end: str, rest: str) -> None:
    data = f"{head}\n{' '.join(values)}{end}{rest}".encode()
    at_once = readings(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(netpbm, "_regular_values", lambda *_, **__: None)
        assert at_once == readings(data)


def readings(data: bytes) -> list[object]:
    """Return the pictures of a file, and what is wrong with it."""
    found: list[object] = []
    try:
        for puzzle in netpbm.read(data):
            assert puzzle.goal is not None
            found.append((puzzle.goal.tolist(), puzzle.palette))
    except (FormatError, InvalidPuzzle) as error:
        found.append(str(error))
    return found


def test_regular_files_are_read_vectorized(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are written, and without blanks between the digits."""
    monkeypatch.setattr(netpbm, "_plain_values", None)
    puzzle = from_picture(np.eye(9, dtype=np.uint8))
    for data in (write(puzzle), write(puzzle).replace(b"  ", b""), b"P2 2 1 9\n0 9\nP3 1 1 9\n9 0 0\n"):
        assert not isinstance(readings(data)[-1], str)

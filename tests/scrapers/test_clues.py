"""Clues as lines of numbers."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.scrapers.formats.parsing import FormatError, _clue, _unusual_clue
from nonocensus.solver.model.puzzle import MAX_CELLS, Clue

words = st.sampled_from(
    ["1", "12", "1023", "1024", "0", "00", "007", "x", "-1", "\N{SUPERSCRIPT TWO}", "", "1 " * 1023]
)
gaps = st.sampled_from([" ", ",", ", ", " ,", ",,", "\t", "\x1c", "\N{NO-BREAK SPACE}", "\N{ZERO WIDTH SPACE}"])


@given(st.lists(st.tuples(words, gaps), max_size=5), words)
@settings(max_examples=400, deadline=None)
def test_fast_path_equals_general_parser(parts: list[tuple[str, str]], last: str) -> None:
    text = "".join(word + gap for word, gap in parts) + last
    assert said(_clue, text) == said(_unusual_clue, text.strip())


def said(read: Callable[[str], Clue], text: str) -> Clue | str:
    """Return a clue, or what is wrong with it."""
    try:
        return read(text)
    except FormatError as error:
        return str(error)


def test_number_count_is_limited_to_cells() -> None:
    for gap in (" ", ","):
        assert len(_clue(gap.join(["1"] * MAX_CELLS))) == MAX_CELLS
        assert said(_clue, gap.join(["1"] * (MAX_CELLS + 1))) == f"it has more than {MAX_CELLS} numbers"

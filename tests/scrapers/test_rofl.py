"""ROFL: clues that are as they should be, or not."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.scrapers.formats import FormatError, rofl

WIDTH, HEIGHT = 5, 4


@given(st.data(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_clue_is_read_only_if_it_fits_into_line(data: st.DataObject, colored: bool) -> None:
    """Each of its numbers is as it should be, and none is missing: or else the file is refused."""
    numbers = st.integers(1, 2) | st.integers(0, 6) | st.integers(0, 255)
    group = st.tuples(numbers, st.sampled_from([1, 2, 2, 1, 0, 3])) if colored else st.tuples(numbers)
    clues = data.draw(st.lists(st.lists(group, max_size=3), min_size=WIDTH + HEIGHT, max_size=WIDTH + HEIGHT))
    cut = data.draw(st.sampled_from([None, None, -1, -2]))
    head = b"ROFL" + bytes([WIDTH, HEIGHT]) + (b"\2\0\0\0\xff\0\0" if colored else b"\1\0\0\0")
    parts = [bytes([len(clue), *(number for group in clue for number in group)]) for clue in clues]
    file = (head + b"".join(parts))[:cut]
    cells = [WIDTH] * HEIGHT + [HEIGHT] * WIDTH
    fits = cut is None and all(
        all(length > 0 and all(1 <= color <= 2 for color in rest) for length, *rest in clue)
        and sum(length for length, *_ in clue) <= line
        for clue, line in zip(clues, cells, strict=True)
    )
    try:
        (puzzle,) = rofl.read(file)
    except FormatError:
        assert not fits
        return
    assert fits
    read = [[(block.length,) for block in clue] for clue in puzzle.rows + puzzle.columns]
    assert read == [[group[:1] for group in clue] for clue in clues]

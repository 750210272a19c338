"""Drawings in pixels: sizes, the colours of cells, bounds; and steps as frames, few of long solutions."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageSequence

from nonocensus.reports.drawings import raster
from nonocensus.reports.drawings.geometry import CELL, geometry
from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState, thin_states
from nonocensus.reports.drawings.raster import LAST, MOST_FRAMES, MOST_PIXELS, SCALE, gif, images, most_frames, png
from nonocensus.reports.drawings.svg import drawing
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture

PALETTE = (Color("white", ".", "ffffff"), Color("near white", "n", "fefefe"), Color("brown", "b", "663311"))


def solution(height: int = 6, width: int = 9, seed: int = 1) -> Puzzle:
    return from_picture(np.random.default_rng(seed).integers(0, 3, (height, width), np.uint8), PALETTE)


def steps(puzzle: Puzzle, count: int, words: str = "") -> list[GridState]:
    """Return an empty grid, and then `steps` steps to the solution, each of which finds some cells."""
    assert puzzle.goal is not None
    cells = np.full(puzzle.goal.size, UNKNOWN, np.uint8)
    found = [GridState(cells.reshape(puzzle.goal.shape).copy())]
    for part in np.array_split(np.random.default_rng(2).permutation(cells.size), count):
        marked = np.zeros(cells.size, bool)
        cells[part], marked[part] = puzzle.goal.ravel()[part], True
        shape = puzzle.goal.shape
        found.append(
            GridState(cells.reshape(shape).copy(), marked.reshape(shape), (int(part[0]) // shape[1],), (), words)
        )
    return found


def cells_in(picture: Image.Image, puzzle: Puzzle, captioned: bool = False) -> list[list[str]]:
    """Return the colours of the cells, at a place where there is neither a mark nor a cross."""
    place = geometry(puzzle, captioned)
    scale = picture.width / place.width
    pixels = np.asarray(picture.convert("RGB"))
    ys = [int((place.top + (y + 0.31) * CELL) * scale) for y in range(puzzle.height)]
    xs = [int((place.left + (x + 0.31) * CELL) * scale) for x in range(puzzle.width)]
    return [[pixels[y, x].tobytes().hex() for x in xs] for y in ys]


def wanted(puzzle: Puzzle, cells: np.ndarray) -> list[list[str]]:
    colors = {entry: color.rgb for entry, color in enumerate(puzzle.palette)} | {UNKNOWN: puzzle.palette[0].rgb}
    return [[colors[cell] for cell in row] for row in cells.tolist()]


@pytest.mark.parametrize("words", ["", "row 3: line logic"])
def test_each_step_is_a_frame_and_the_last_one_the_solution(words: str) -> None:
    puzzle = solution()
    assert puzzle.goal is not None
    states = [state._replace(rows=()) for state in steps(puzzle, 12, words)]
    animation = Image.open(BytesIO(gif(puzzle, states)))
    assert (animation.n_frames, animation.info["loop"]) == (13, 0)  # type: ignore[attr-defined]
    for frame, state in zip(ImageSequence.Iterator(animation), states, strict=True):
        assert cells_in(frame, puzzle, bool(words)) == wanted(puzzle, state.cells)
    assert frame.info["duration"] == LAST
    assert cells_in(frame, puzzle, bool(words)) == wanted(puzzle, puzzle.goal)


@pytest.mark.slow
def test_frames_are_shorter_the_more_there_are_and_only_changes_are_kept() -> None:
    puzzle = solution(20, 20)
    few, many = gif(puzzle, steps(puzzle, 3)), gif(puzzle, steps(puzzle, 30))
    times = [Image.open(BytesIO(data)).info["duration"] for data in (few, many)]
    assert times[0] > times[1] >= 60
    assert len(many) - len(few) < 27 * len(gif(puzzle, steps(puzzle, 30)[-1:])) / 3
    assert many.count(bytes.fromhex("663311")) == 1, "one palette for all"


def test_one_cell_and_one_frame() -> None:
    puzzle = from_picture(np.ones((1, 1), np.uint8))
    assert puzzle.goal is not None
    animation = Image.open(BytesIO(gif(puzzle, [GridState(puzzle.goal)])))
    assert cells_in(animation, puzzle, False) == [["000000"]]
    twice = Image.open(BytesIO(gif(puzzle, [GridState(puzzle.goal)] * 2)))
    assert cells_in(twice, puzzle, False) == [["000000"]], "frames that are the same become one"


def test_frames_are_bounded() -> None:
    puzzle = solution()
    for states in ([], steps(puzzle, 1) * MOST_FRAMES):
        with pytest.raises(ValueError, match=rf"{len(states)} frames; a GIF of 9x6 has 1 to {MOST_FRAMES}"):
            gif(puzzle, states)
    assert most_frames(from_picture(np.ones((1023, 1023), np.uint8))) < 70


def test_steps_as_images() -> None:
    puzzle = solution()
    states = steps(puzzle, 3, "words")
    made = dict(images(puzzle, states))
    assert list(made) == ["0001.png", "0002.png", "0003.png", "0004.png"]
    sizes = {Image.open(BytesIO(data)).size for data in made.values()}
    assert len(sizes) == 1, "the first one has no words, but room for them"
    for data, state in zip(made.values(), states, strict=True):
        plain = cells_in(Image.open(BytesIO(data)), puzzle, captioned=True)
        colors = wanted(puzzle, state.cells)
        untinted = [y for y in range(puzzle.height) if y not in state.rows]
        assert [plain[y] for y in untinted] == [colors[y] for y in untinted]


# One picture


def test_a_png_has_its_size_and_each_cell_its_colour() -> None:
    puzzle = solution()
    assert puzzle.goal is not None
    state = np.where(puzzle.goal == 2, UNKNOWN, puzzle.goal).astype(np.uint8)
    drawn = drawing(puzzle, GridState(state))
    picture = Image.open(BytesIO(png(drawn)))
    assert (picture.mode, picture.size) == ("RGB", (SCALE * drawn.width, SCALE * drawn.height))
    assert cells_in(picture, puzzle) == wanted(puzzle, state)
    assert picture.getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.slow
def test_the_largest_puzzle_is_drawn_alone_and_small() -> None:
    puzzle = from_picture(np.random.default_rng(1).integers(0, 2, (1023, 1023), np.uint8))
    assert puzzle.goal is not None
    picture = Image.open(BytesIO(png(drawing(puzzle, GridState(puzzle.goal)))))
    assert 3 * 1023 < picture.width == picture.height < MOST_PIXELS**0.5
    assert cells_in(picture, puzzle) == wanted(puzzle, puzzle.goal)


def test_a_large_drawing_is_scaled_down_to_cells_of_whole_pixels() -> None:
    puzzle = from_picture(np.random.default_rng(1).integers(0, 2, (40, 60), np.uint8))
    drawn = drawing(puzzle)
    scale = raster.fit_scale(drawn, 300_000)
    assert scale * CELL == round(scale * CELL) > 1
    assert drawn.width * drawn.height * scale**2 <= 300_000
    assert drawn.width * drawn.height * (scale + 1 / CELL) ** 2 > 300_000
    assert 0 < raster.fit_scale(drawn, 100) * CELL < 1, "smaller than a pixel a cell if it must be"


def test_numbers_are_drawn_without_a_font_of_the_machine() -> None:
    """vl-convert brings the font: there is ink in the place of a number."""
    puzzle = from_picture(np.ones((1, 8), np.uint8))
    place = geometry(puzzle)
    pixels = np.asarray(Image.open(BytesIO(png(drawing(puzzle)))).convert("L"))
    number = pixels[int(SCALE * place.top) + 4 : int(SCALE * place.bottom) - 4, 20 : int(SCALE * place.left) - 4]
    assert (number < 80).sum() > 20


def line_states(count: int) -> list[GridState]:
    """Return a state a cell of a line, each of which finds one."""
    every = np.arange(max(count, 1))
    return [
        GridState((every <= k)[None].astype(np.uint8), (every == k)[None], (k % 3,), (k,), f"step {k}")
        for k in range(count)
    ]


@pytest.mark.parametrize("most", [3, 4, 5, 10, 11])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 20, 100, 101])
def test_steps_are_joined_evenly(count: int, most: int) -> None:
    given = line_states(count)
    kept, every = thin_states(iter(given), most)
    assert len(kept) <= most
    assert [state.words for state in kept[:1]] == [state.words for state in given[:1]]
    assert [state.words for state in kept[-1:]] == [state.words for state in given[-1:]]
    known = [state.decided for state in kept]
    marks = [np.count_nonzero(state.marked) for state in kept if state.marked is not None]
    assert sum(marks) == count, "each found cell is pointed out once"
    assert set(marks[1:-1]) <= {every}, "each stands for as many steps"
    assert not marks[1:] or 1 <= marks[-1] <= every
    assert sorted(column for state in kept for column in state.columns) == list(range(count))
    assert known == sorted(known)
    if count <= most - 1:
        assert every == 1
        assert len(kept) == count


def test_states_that_point_nothing_out_are_joined_too() -> None:
    plain = [GridState(np.full((1, 1), k, np.uint8)) for k in range(9)]
    kept, every = thin_states(plain, 3)
    assert [int(state.cells[0, 0]) for state in kept] == [0, 4, 8]
    assert (every, [state.marked for state in kept]) == (4, [None] * 3)

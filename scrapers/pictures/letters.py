"""Pictures of letters and digits in a font of 5x7 cells."""

from functools import cache

import numpy as np

FONT = """
.###. ####. .#### ####. ##### ##### .###. #...# .###. ..### #...# #.... #...# #...# .###. ####. .###. ####. .#### #####
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.## ##..# #...# #...# #...# #...# #.... ..#..
#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.# #.#.# #...# #...# #...# #...# #.... ..#..
##### ####. #.... #...# ####. ####. #.### ##### ..#.. ...#. ##... #.... #.#.# #..## #...# ####. #...# ####. .###. ..#..
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...# #...# #...# #.... #.#.# #.#.. ....# ..#..
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...# #...# #...# #.... #..#. #..#. ....# ..#..
#...# ####. .#### ####. ##### #.... .###. #...# .###. .##.. #...# ##### #...# #...# .###. #.... .##.# #...# ####. ..#..

#...# #...# #...# #...# #...# ##### .###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# #...# #...# #...# #...# ....# #...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#...# #...# #...# .#.#. #...# ...#. #..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#...# #...# #.#.# ..#.. .#.#. ..#.. #.#.# ..#.. ..##. ..##. #..#. ....# ####. ..#.. .###. .####
#...# #...# #.#.# .#.#. ..#.. .#... ##..# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....#
#...# .#.#. ##.## #...# ..#.. #.... #...# ..#.. #.... #...# ...#. #...# #...# .#... #...# ....#
.###. ..#.. #...# #...# ..#.. ##### .###. .###. ##### .###. ...#. .###. .###. .#... .###. .###.
"""
"""A to Z, then 0 to 9."""

WIDTH, HEIGHT = 5, 7


@cache
def glyphs() -> np.ndarray:
    """Return the letters and digits, uint8[36, HEIGHT, WIDTH]."""
    found = []
    for band in FONT.strip().split("\n\n"):
        lines = [line.split() for line in band.split("\n")]
        found += [[[cell == "#" for cell in line[k]] for line in lines] for k in range(len(lines[0]))]
    return np.array(found, np.uint8)


def letters(width: int, height: int, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1: lines of letters of random size and position."""
    made = np.zeros((last - first, height, width), np.uint8)
    largest = min(width // WIDTH, height // HEIGHT)
    for picture, number in zip(made, range(first, last), strict=True):
        draw = np.random.default_rng([seed, number])
        size = int(draw.integers(1, largest + 1))
        across, down = (width // size + 1) // (WIDTH + 1), (height // size + 1) // (HEIGHT + 1)
        lines = glyphs()[draw.integers(len(glyphs()), size=(down, across))]
        spaced = np.pad(lines, ((0, 0), (0, 0), (0, 1), (0, 1))).transpose(0, 2, 1, 3)
        text = spaced.reshape(down * (HEIGHT + 1), across * (WIDTH + 1))[:-1, :-1].repeat(size, 0).repeat(size, 1)
        top, left = (int(draw.integers(room + 1)) for room in (height - text.shape[0], width - text.shape[1]))
        picture[top : top + text.shape[0], left : left + text.shape[1]] = text
    return made

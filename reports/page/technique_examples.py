"""What each technique finds on a line, and small puzzles that need an assumption: for pages and tests."""

from nonocensus.solver.model import techniques
from nonocensus.solver.model.puzzle import BLOT, Block, Clue

COLORS = {".": {0}, "#": {1}, "r": {2}, "?": {0, 1}, "*": {0, 1, 2}, "-": {0, 2}, "+": {1, 2}}
"""Cells of the examples: . background, # black, r red, ? background or black, * any of the three."""


def clue_of(text: str) -> Clue:
    """Return a clue like `3 1r x`: a red block with its letter, a blot as x."""
    blocks = []
    for word in text.split():
        number = word.rstrip("r")
        blocks.append(Block(BLOT if number == "x" else int(number), 2 if word.endswith("r") else 1))
    return tuple(blocks)


EXAMPLES = [
    (techniques.CLUE, "2 1", "????", "##.#"),
    (techniques.CLUE, "", "????", "...."),
    (techniques.CLUE, "2", "****", "????"),
    (techniques.CLUE, "2 2r", "****", "##rr"),
    (techniques.CLUE, "2", "???", "???"),
    (techniques.COUNTING, "1 1", "#??#", "#..#"),
    (techniques.COUNTING, "3", "??.?", "##.#"),
    (techniques.COUNTING, "x 1", "#??#", "#??#"),
    (techniques.OVERLAP, "2 2", "??????", "?#??#?"),
    (techniques.OVERLAP, "3", "????", "?##?"),
    (techniques.OVERLAP, "2 2r", "*****", "*#*r*"),
    (techniques.OVERLAP, "1 3", "#.????", "#.?##?"),
    (techniques.OVERLAP, "3", "??????", "??????"),
    (techniques.GLUE, "3 1", "?#??????", "?##?????"),
    (techniques.GLUE, "1 3", ".#.??????#?", ".#.?????##?"),
    (techniques.GLUE, "x", "?#??", "?#??"),
    (techniques.PUNCTUATING, "1 2", "???#???", "???#???"),
    (techniques.PUNCTUATING, "1 2", "???##??", "??.##.?"),
    (techniques.PUNCTUATING, "2 2", "??##???", "?.##.??"),
    (techniques.PUNCTUATING, "x", "?#?", "?#?"),
    (techniques.MERCURY, "3", "???#??", ".??#??"),
    (techniques.MERCURY, "1 2", "????#??", "????#?."),
    (techniques.SPACES, "2", "???#??", "..?#?."),
    (techniques.SPACES, "1 1", "???#????", "???#????"),
    (techniques.SPACES, "2 2", "?#???#??", "?#?.?#?."),
    (techniques.FORCING, "3", "??.????", "...?##?"),
    (techniques.FORCING, "3", "??.???", "...###"),
    (techniques.FORCING, "2 3", "???.?.????", "?#?...?##?"),
    (techniques.SPLITTING, "1 2 1", "???#?#???", "???#.#???"),
    (techniques.SPLITTING, "2 2", "?????##?????", "????.##.????"),
    (techniques.JOINING, "2 2", "?????.#?????", "?????.##????"),
    (techniques.JOINING, "5", "??#??#??", "??####??"),
    (techniques.REACH, "1 2", "?#?????", ".#.????"),
    (techniques.REACH, "3 1 3", "?????#?????????", "?????#?????????"),
    (techniques.LINE, "2 1", "??.?#??", "??.?#.?"),
]  # fmt: skip
"""Technique, clue, the cells before, and the cells after. The first of each that changes something is the technique's
picture, and the first in colour another one."""

PUZZLES = {
    techniques.EDGE: ("..##", "##..", ".#..", "...#"),
    techniques.CHAIN: (
        ".#.#....", "##.#.##.", ".##...#.", "....##.#", "#.#...#.", "#..###.#", "....#...", ".#..#.#.",
    ),
    techniques.LONG_CHAIN: (
        "#....#.....####", "###.....###..#.", "#...#.........#", "#...#.###...#.#", "#.#...#..##....",
        "#.###...###.#.#", "...#..####.#...", ".##..###......#", ".#.#...#.#..#.#", "#..#...#.......",
    ),
}  # fmt: skip
"""Pictures whose puzzles need just that technique, and none harder."""

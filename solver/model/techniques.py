"""People's techniques for nonograms, in order of difficulty: names, grades, explanations and sources."""

from typing import NamedTuple

# On one line. The numbers are their order of difficulty, and identify them in kernels.
CLUE, COUNTING, OVERLAP, GLUE, PUNCTUATING, MERCURY, SPACES, FORCING, SPLITTING, JOINING, REACH, LINE = range(12)
LINE_TECHNIQUES = 12

# By a refuted assumption, in order of the propagation it needs.
EDGE, CHAIN, LONG_CHAIN, SEARCH = range(12, 16)

WIKIPEDIA = "https://en.wikipedia.org/wiki/Nonogram#Solution_techniques"
YU = "Yu, Lee, Chen: An efficient algorithm for solving nonograms, Applied Intelligence 35 (2011), rule"
SIMPSON = "Simpson: nonogram solver, https://www.comp.lancs.ac.uk/~ss/nonogram/"
WOLTER = "Wolter: pbnsolve, look ahead, https://webpbn.com/pbnsolve.html"
BATENBURG = "Batenburg, Kosters: Solving nonograms by combining relaxations, Pattern Recognition 42 (2009)"


class Technique(NamedTuple):
    """A technique.

    name     its name in columns and options
    grade    1 to 8, or 9 for search; a puzzle's grade is that of the hardest technique that it needs
    says     its argument, in one sentence
    source   publications that describe it, and its name there
    """

    name: str
    grade: int
    says: str
    source: str

    @property
    def column(self) -> str:
        """Column of a table of grades that counts its finds."""
        return f"steps_{self.name.replace('-', '_')}"


TECHNIQUES = (
    Technique("clue", 1, "The clue is 0, its blocks and gaps fill the line, or it lacks a colour.", WIKIPEDIA),
    Technique("counting", 1, "All cells of a colour are found, or no more can have it than are needed.", "folklore"),
    Technique(
        "overlap",
        1,
        "Push a block to one end and to the other: the cells that it covers both times are its own.",
        f"Simple boxes: {WIKIPEDIA}; {YU} 1.1",
    ),
    Technique(
        "glue",
        2,
        "A painted cell near the edge can only belong to the first block, which reaches farther from the edge.",
        f"Glue: {WIKIPEDIA}",
    ),
    Technique(
        "punctuating",
        2,
        "Painted cells as long as the longest block they can be are complete: next to them its colour ends.",
        f"Punctuating: {WIKIPEDIA}",
    ),
    Technique(
        "mercury",
        2,
        "If the first block began at the edge, it would run into a painted cell and be too long.",
        f"Mercury: {WIKIPEDIA}",
    ),
    Technique(
        "spaces",
        2,
        "Count where each block begins at the earliest and ends at the latest: no block reaches the cells between.",
        f"Simple spaces: {WIKIPEDIA}; {YU} 1.2",
    ),
    Technique(
        "forcing",
        3,
        "A gap that is too short for a block stays empty, and the block is where it has room.",
        f"Forcing: {WIKIPEDIA}; {YU} 3.2",
    ),
    Technique(
        "splitting",
        3,
        "If this cell were painted, it would join others to a block longer than any there.",
        f"Splitting: {WIKIPEDIA}; {YU} 1.4",
    ),
    Technique(
        "joining",
        3,
        "Painted cells belong to a block that reaches over more cells, or that covers all between them.",
        f"Joining: {WIKIPEDIA}; {YU} 1.5, 3.1",
    ),
    Technique(
        "reach",
        4,
        "Fit all blocks in as near to one end as they go, then to the other: that bounds where each can be.",
        SIMPSON,
    ),
    Technique("line", 5, "Every way to fit all blocks into the line has, or lacks, the colour there.", BATENBURG),
    Technique(
        "edge",
        6,
        "Assume a colour: within two crossings from its cell a line has no arrangement, so the cell lacks it.",
        f"Edge logic: {WIKIPEDIA}",
    ),
    Technique(
        "chain",
        7,
        "Assume a colour: within four crossings from its cell a line has no arrangement, so the cell lacks it.",
        f"Contradictions: {WIKIPEDIA}; {WOLTER}",
    ),
    Technique(
        "long-chain",
        8,
        "Assume a colour: after more crossings a line has no arrangement, so the cell lacks it.",
        f"Contradictions: {WIKIPEDIA}; probing",
    ),
    Technique("search", 9, "Only assumptions inside assumptions lead on.", f"Deeper recursion: {WIKIPEDIA}"),
)
"""All techniques, indexed by number."""

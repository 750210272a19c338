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
    says     its justification, in one sentence
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
    Technique("clue", 1, "The clue has a single arrangement, or lacks a colour.", WIKIPEDIA),
    Technique("counting", 1, "All cells of a colour are found, or all that can have it are needed.", "folklore"),
    Technique("overlap", 1, "A block covers these cells wherever it stands.", f"Simple boxes: {WIKIPEDIA}; {YU} 1.1"),
    Technique("glue", 2, "A block that begins this near to the edge goes on.", f"Glue: {WIKIPEDIA}"),
    Technique("punctuating", 2, "The block is as long as it can be.", f"Punctuating: {WIKIPEDIA}"),
    Technique("mercury", 2, "A block at the edge would run into its own colour.", f"Mercury: {WIKIPEDIA}"),
    Technique("spaces", 2, "No block comes this far.", f"Simple spaces: {WIKIPEDIA}; {YU} 1.2"),
    Technique("forcing", 3, "Blocks stand only where there is room for them.", f"Forcing: {WIKIPEDIA}; {YU} 3.2"),
    Technique("splitting", 3, "Painted here, the block would be too long.", f"Splitting: {WIKIPEDIA}; {YU} 1.4"),
    Technique("joining", 3, "The block has to reach over these cells.", f"Joining: {WIKIPEDIA}; {YU} 1.5, 3.1"),
    Technique("reach", 4, "The line's first and last arrangements say so.", SIMPSON),
    Technique("line", 5, "All arrangements of the line say so.", BATENBURG),
    Technique("edge", 6, "Else a line two crossings away would have no arrangement.", f"Edge logic: {WIKIPEDIA}"),
    Technique("chain", 7, "Else a short chain ends in a contradiction.", f"Contradictions: {WIKIPEDIA}; {WOLTER}"),
    Technique("long-chain", 8, "Else a chain ends in a contradiction.", f"Contradictions: {WIKIPEDIA}; probing"),
    Technique("search", 9, "Assumptions inside assumptions say so.", f"Deeper recursion: {WIKIPEDIA}"),
)
"""All techniques, indexed by number."""

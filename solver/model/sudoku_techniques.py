"""People's techniques for Sudokus, in order of difficulty: names, grades, explanations and sources."""

from nonocensus.solver.model.techniques import Technique

LAST_CELL, HIDDEN_SINGLE, NAKED_SINGLE, LOCKED, NAKED_PAIR, HIDDEN_PAIR, NAKED_TRIPLE, HIDDEN_TRIPLE = range(8)
X_WING, NAKED_QUAD, SWORDFISH, HIDDEN_QUAD, XY_WING, XYZ_WING, W_WING, JELLYFISH = range(8, 16)
X_CHAIN, CHAIN, FORCING, LONG_FORCING, SEARCH = range(16, 21)

SUDOPEDIA = "Sudopedia, https://www.sudopedia.org/wiki/Solving_Technique"
HODOKU = "Hobiger: HoDoKu, https://hodoku.sourceforge.net/en/techniques.php"
STUART = "Stuart: SudokuWiki, https://www.sudokuwiki.org/Strategy_Families"

TECHNIQUES = (
    Technique("last-cell", 1, "The unit has one open cell.", f"Full house: {HODOKU}"),
    Technique("hidden-single", 1, "The digit has one place left in a unit.", SUDOPEDIA),
    Technique("naked-single", 2, "The cell has one digit left.", SUDOPEDIA),
    Technique("locked-candidates", 3, "In a unit the digit is only where another unit crosses it.", SUDOPEDIA),
    Technique("naked-pair", 3, "Two cells of a unit have two digits between them.", SUDOPEDIA),
    Technique("hidden-pair", 4, "Two digits have two places of a unit between them.", SUDOPEDIA),
    Technique("naked-triple", 4, "Three cells of a unit have three digits between them.", SUDOPEDIA),
    Technique("hidden-triple", 4, "Three digits have three places of a unit between them.", SUDOPEDIA),
    Technique("x-wing", 5, "In two rows the digit is in two columns, or the other way round.", SUDOPEDIA),
    Technique("naked-quad", 5, "Four cells of a unit have four digits between them.", SUDOPEDIA),
    Technique("swordfish", 6, "In three rows the digit is in three columns, or the other way round.", SUDOPEDIA),
    Technique("hidden-quad", 6, "Four digits have four places of a unit between them.", SUDOPEDIA),
    Technique("xy-wing", 6, "Whatever of two digits a cell has, one of two others has the third.", SUDOPEDIA),
    Technique("xyz-wing", 6, "Whatever of three digits a cell has, it or one of two others has the third.", SUDOPEDIA),
    Technique("w-wing", 6, "Of two equal cells one has the digit, since the other digit's place decides.", HODOKU),
    Technique("jellyfish", 6, "In four rows the digit is in four columns, or the other way round.", SUDOPEDIA),
    Technique("x-chain", 7, "Of the ends of a chain of one digit's places one is right.", STUART),
    Technique("chain", 7, "Of the ends of a chain of places and digits one is right.", f"AIC: {STUART}"),
    Technique("forcing-chain", 8, "Else singles end in a contradiction in three rounds.", f"Digit forcing: {STUART}"),
    Technique("long-forcing-chain", 8, "Else singles end in a contradiction.", f"Digit forcing: {STUART}"),
    Technique("search", 9, "Assumptions inside assumptions say so.", "Deeper recursion"),
)
"""All techniques, indexed by number. A grade is 1 to 8, or 9 for search.

The grades follow HoDoKu's levels, mostly two grades for each. Sudoku Explainer 1.2.1 has the same order except that it
orders fish and subsets by their size, and so x-wing and swordfish before hidden triples.
"""

LEVELS = ("easy", "easy", "medium", "medium", "hard", "hard", "unfair", "extreme", "extreme")
"""HoDoKu's level of each grade, from 1 on."""

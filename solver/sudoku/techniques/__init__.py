"""How people solve Sudokus: named techniques, from the last cell of a unit to forcing chains.

`ladder` has their names, grades and what they say; each is a small exact rule on the record `desk.Desk`. `person` works
through a puzzle, always with the easiest technique that finds something, and `grade` grades puzzles of a table. No rule
here decides a verdict.
"""

"""How people solve nonograms: named techniques on single lines, and assumptions above them.

`line_rules` holds one small exact rule per technique, on the record `line_state.LineState`; solver.model.techniques has
names, grades and sources. `person` applies the easiest technique that makes progress. `puzzle_grade` grades puzzles of
a table, `explanation` records each step, `hints` finds the next one. `rounds` counts what all lines offer at a moment,
`features` what explains how long people take, from which `minutes` estimates minutes and stars.

Techniques never decide a verdict: tests check that none finds more than complete line logic.
"""

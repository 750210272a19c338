"""How people solve: named techniques on one line, from the easiest to complete line logic, and assumptions above them.

`ladder` has their names, grades and sources; each technique on a line is a small exact rule in a file of its own, on
the record `desk.Desk`. `person` works through a puzzle as a person would: always with the easiest technique that finds
something. `grade` grades puzzles of a table; solver.people.explanation tells each step.

No rule here decides a verdict: what a technique finds is less than complete line logic finds, or as much, and tests
hold it to that.
"""

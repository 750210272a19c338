"""Human techniques for Sudokus, from the last cell of a unit to forcing chains.

solver.model.sudoku_techniques has names, grades and explanations; each technique is a small exact rule on the record
`sudoku_desk.SudokuDesk`. `sudoku_person` applies the easiest technique that makes progress, `sudoku_grade` grades
puzzles of a table, `sudoku_minutes` estimates people's times from the counts of `sudoku_rounds`. Techniques never
decide a verdict.
"""

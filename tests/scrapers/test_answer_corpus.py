"""A corpus of answers: notations of models and people, each with right and faulty grids, and its known reading.

A grid that is read must be the one that was written. A fault must be refused; a wrong cell must be read as it is.
"""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest

from nonocensus.scrapers.formats import FormatError
from nonocensus.scrapers.formats.answer_text import read_answer
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture

Rows = list[list[int]]
Notation = Callable[[Rows, Puzzle], str]

ARROW = from_picture([[0, 0, 1, 0, 0], [0, 1, 1, 1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]])
SMALL = from_picture([[0, 1, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0]])
GAPS = from_picture(
    [[0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 1], [0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 1, 0], [1, 1, 1, 1, 1, 0]]
)
"""Empty rows, and a clue of three numbers for six cells."""

WIDE = from_picture((np.add.outer(np.arange(10) * 3, np.arange(12) * 5) % 7 < 4).astype(np.uint8))
RED, GREEN, BLUE = Color("red", "r", "e02020"), Color("green", "g", "20a030"), Color("blue", "b", "2060e0")
FLAG = from_picture(
    [[1, 1, 0, 2, 2], [1, 3, 3, 3, 2], [1, 1, 3, 2, 2], [0, 1, 3, 2, 0]],
    (Color("white", ".", "ffffff"), RED, GREEN, BLUE),
)
MONO = {"arrow": ARROW, "small": SMALL, "gaps": GAPS, "wide": WIDE}


def words(rows: Rows, signs: str | list[str], separator: str = "") -> list[str]:
    return [separator.join(signs[cell] for cell in row) for row in rows]


def lines(signs: str | list[str], before: str = "", separator: str = "", after: str = "") -> Notation:
    """Return a notation of a line for each row; {y}, {z} are its number from 1 and 0, {clue} its clue."""

    def write(rows: Rows, puzzle: Puzzle) -> str:
        clues = [" ".join(str(block.length) for block in clue) or "0" for clue in puzzle.rows] + ["1"]
        return "\n".join(
            before.format(y=y + 1, z=y, clue=clue) + row + after.format(clue=clue)
            for y, (row, clue) in enumerate(zip(words(rows, signs, separator), clues, strict=False))
        )

    return write


def joined(separator: str, before: str = "", after: str = "", signs: str = "01") -> Notation:
    return lambda rows, _: before + separator.join(words(rows, signs)) + after


def table(head: Callable[[Puzzle], list[str]], label: str = "", signs: str = ".#") -> Notation:
    """Return a notation as a table with a head, and a label before each row or none."""

    def write(rows: Rows, puzzle: Puzzle) -> str:
        clues = [" ".join(str(block.length) for block in clue) or "0" for clue in puzzle.rows] + ["1"]
        cells = [head(puzzle), ["---"] * len(head(puzzle))]
        cells += [
            [label.format(y=y, clue=clue)] * bool(label) + [signs[cell] for cell in row]
            for y, (row, clue) in enumerate(zip(rows, clues, strict=False), 1)
        ]
        return "\n".join(f"| {' | '.join(row)} |" for row in cells)

    return write


def names(puzzle: Puzzle) -> list[str]:
    return ["", *(f"C{x + 1}" for x in range(puzzle.width))]


def numbers(puzzle: Puzzle) -> list[str]:
    return [str(x + 1) for x in range(puzzle.width)]


def column_clues(puzzle: Puzzle) -> list[str]:
    return ["", *(" ".join(str(block.length) for block in clue) for clue in puzzle.columns)]


def latex(rows: Rows, _: Puzzle) -> str:
    body = " \\\\\n".join(words(rows, "01", " & "))
    return f"$$\\begin{{array}}{{{'c' * len(rows[0])}}}\n{body}\n\\end{{array}}$$"


def html(rows: Rows, _: Puzzle) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n{body}</table>"


def framed(rows: Rows, _: Puzzle) -> str:
    border = "+" + "---+" * len(rows[0])
    return "\n".join([border, *(f"| {' | '.join('.#'[cell] for cell in row)} |\n{border}" for row in rows)])


NOTATIONS: dict[str, Notation] = {
    "lines": lines(".#"),
    "digits": lines("01"),
    "stars": lines(".*"),
    "emoji": lines("⬜⬛"),
    "squares with blanks": lines("□■", separator=" "),
    "wide blocks": lines(["░░", "██"]),
    "commas": lines("01", separator=", "),
    "tabs": lines("01", separator="\t"),
    "row labels": lines("01", "Row {y}: "),
    "bold row labels": lines("01", "**Row {y}:** "),
    "backticks": lines("01", "Row {y}: `", after="`"),
    "quotes": lines("01", 'row{y}: "', after='"'),
    "labelled lists": lines("01", "Row {y}: [", ", ", "]"),
    "clues after": lines("01", "Row {y}: ", after=" ({clue})"),
    "clues after an arrow": lines("01", "Row {y}: ", after=" → {clue} ✓"),
    "an arrow": lines("01", "Row {y}: [{clue}] → "),
    "an arrow in ASCII": lines(".#", "R{y} -> ", " "),
    "numbered": lines(".#", "{y}. "),
    "numbers from 0": lines("01", "{z}: "),
    "numbers and blanks": lines("01", "{y} ", " "),
    "clues and a bar": lines(".#", "{clue} | ", " "),
    "clues and blanks": lines("01", "{clue}  ", " "),
    "clues at the end": lines("_X", "|", "|", "| {clue}"),
    "quote marks": lines("01", "> "),
    "bullets": lines("01", "- "),
    "bullets of rows": lines("01", "- Row {y}: ", " "),
    "slashes": joined("/"),
    "slashes with blanks": joined(" / ", "Answer: "),
    "semicolons": joined(";"),
    "breaks": joined("<br>"),
    "breaks and lines": joined("<br/>\n"),
    "a fence": joined("\n", "Here:\n```text\n", "\n```\nDone.", ".#"),
    "an answer tag": joined("\n", "I think\n<answer>\n", "\n</answer>"),
    "prose around": joined("\n", "The grid is:\n\n", "\n\nEach row fits its clue.", ".#"),
    "JSON": lambda rows, _: json.dumps(rows),
    "indented JSON": lambda rows, _: json.dumps({"solution": rows}, indent=2),
    "JSON of texts": lambda rows, _: json.dumps({"grid": words(rows, ".#")}),
    "a tool call": lambda rows, _: json.dumps({"name": "submit", "arguments": json.dumps({"cells": rows})}),
    "objects of rows": lambda rows, _: json.dumps([{"row": y, "cells": row} for y, row in enumerate(rows, 1)]),
    "rows as fields": lambda rows, _: json.dumps({f"row{y}": row for y, row in enumerate(words(rows, "01"), 1)}),
    "a fence of JSON": lambda rows, _: f"Sure:\n```json\n{json.dumps(rows)}\n```",
    "Python": lambda rows, _: "solution = [\n" + "".join(f"    {tuple(row)},\n" for row in rows) + "]",
    "Python in prose": lambda rows, _: f"So the grid is {rows}, which fits.",
    "NumPy": lambda rows, _: "[" + "\n ".join(f"[{row}]" for row in words(rows, "01", " ")) + "]",
    "YAML": lambda rows, _: "solution:\n" + "\n".join(f'  - "{row}"' for row in words(rows, "01")),
    "YAML of lists": lambda rows, _: "solution:\n" + "\n".join(f"  - [{row}]" for row in words(rows, "01", ", ")),
    "YAML's block": lambda rows, _: "grid: |\n" + "\n".join(f"  {row}" for row in words(rows, ".#")),
    "LaTeX": latex,
    "HTML": html,
    "a frame": framed,
    "table": table(names, "R{y}"),
    "table without labels": table(numbers, signs="01"),
    "table with clues": table(column_clues, "{clue}", "01"),
    "table without rule": lambda rows, puzzle: table(names, "R{y}", "01")(rows, puzzle).split("\n", 2)[2],
    "words": lines(["empty", "filled"], separator=" "),
    "booleans": lines(["False", "True"], "[", ", ", "],"),
    "a legend": lambda rows, puzzle: "Legend: P = painted, Q = empty\n\n" + lines("QP")(rows, puzzle),
}

STRINGS: dict[str, Notation] = {
    "one string": joined(""),
    "a sentence": joined("", "The answer is ", "."),
    "Solution:": joined("", "The clues leave one grid.\n\nSolution: "),
    "boxed": joined("", "\\boxed{", "}"),
    "boxed text": joined("", "The grid follows.\n\n$$\\boxed{\\text{", "}}$$"),
    "backticks": joined("", "Answer: `", "`"),
    "bold": joined("", "**Final answer:** "),
    "after ####": joined("", "Row 3 is full.\n#### "),
    "prose in the tag": joined("", "<answer>The solution is ", "</answer>"),
    "a list in one": lambda rows, _: str([cell for row in rows for cell in row]),
}

COLORED: dict[str, Notation] = {
    "numbers": lines("0123"),
    "symbols": lines(".rgb"),
    "capitals": lines(".RGB", separator=" "),
    "emoji": lines("⬜🟥🟩🟦"),
    "circles": lines("⚪🔴🟢🔵", "Row {y}: "),
    "colour words": lines(["white", "red", "green", "blue"], separator=" "),
    "words with commas": lines(["empty", "red", "green", "blue"], "[", ", ", "],"),
    "quoted words": lambda rows, _: json.dumps(
        [[["empty", "red", "green", "blue"][cell] for cell in row] for row in rows]
    ),
    "a legend": lambda rows, puzzle: "A = red, B = green, C = blue, - = empty\n\n" + lines("-ABC")(rows, puzzle),
    "a legend below": lambda rows, puzzle: lines(".#@%")(rows, puzzle) + "\n\n# = red\n@ = green\n% = blue",
    "table": table(names, "R{y}", "0123"),
}


class Case(NamedTuple):
    """An answer, and its grid; None if it is to be refused."""

    puzzle: Puzzle
    answer: str
    grid: Rows | None


def cases(notation: Notation, puzzle: Puzzle) -> Iterator[tuple[str, Case]]:
    """Yield the answers of a notation: right, with faults, and corrected."""
    assert puzzle.goal is not None
    right: Rows = puzzle.goal.tolist()
    wrong = [[*row] for row in right]
    wrong[-1][0] = 1 - min(wrong[-1][0], 1)
    long, missing = [[*row] for row in right], right[:-1]
    long[1].append(1)
    short = [[*row] for row in right]
    short[-1].pop()
    yield "right", Case(puzzle, notation(right, puzzle), right)
    yield "a cell wrong", Case(puzzle, notation(wrong, puzzle), wrong)
    yield "a row missing", Case(puzzle, notation(missing, puzzle), None)
    yield "a cell too many", Case(puzzle, notation(long, puzzle), None)
    yield "a cell missing", Case(puzzle, notation(short, puzzle), None)
    corrected = "{}\n\nWait, that is not right. Corrected:\n\n{}"
    yield "corrected", Case(puzzle, corrected.format(notation(wrong, puzzle), notation(right, puzzle)), right)
    yield "badly corrected", Case(puzzle, corrected.format(notation(right, puzzle), notation(long, puzzle)), None)
    thought = f"<think>\n{notation(wrong, puzzle)}\n</think>\n\n"
    yield "after thoughts", Case(puzzle, thought + notation(right, puzzle), right)


CORPUS = [
    (name, notation, puzzles)
    for notations, puzzles in ((NOTATIONS, MONO), (STRINGS, MONO), (COLORED, {"flag": FLAG}))
    for name, notation in notations.items()
]


def reading(case: Case) -> list[list[int]] | str:
    try:
        return [[int(cell) for cell in row] for row in read_answer(case.answer, case.puzzle)]
    except FormatError as error:
        return str(error)


@pytest.mark.parametrize(("name", "notation", "puzzles"), CORPUS, ids=[name for name, *_ in CORPUS])
def test_corpus(name: str, notation: Notation, puzzles: dict[str, Puzzle]) -> None:
    for shape, puzzle in puzzles.items():
        for fault, case in cases(notation, puzzle):
            found = reading(case)
            is_right = found == case.grid if case.grid is not None else isinstance(found, str)
            assert is_right, f"{name}, {shape}, {fault}: read {found}\n{case.answer}"


A = "00100\n01110\n11111\n00100\n00100"
"""The arrow in digits."""

B = "00100\n01110\n11111\n00100\n01000"
"""Another grid."""

S = A.replace("\n", "")
H = A.replace("0", ".").replace("1", "#")
ROWS = A.split("\n")
CLUED = {
    "rows": [
        {"row": y, "clue": [int(clue)], "cells": [int(sign) for sign in row]}
        for y, (row, clue) in enumerate(zip(ROWS, "13511", strict=True), 1)
    ]
}
COLUMNS = "\n".join(f"Column {x}: {line}" for x, line in enumerate(["00100", "01100", "11111", "01100", "00100"], 1))

READ = {
    "a greeting and a closing": f"Sure! Here is the solved nonogram:\n\n{H}\n\nLet me know if you want the steps.",
    "steps before": "Step 1: row 3 is 5 of 5: 11111.\nStep 2: column 3 is full.\n"
    f"Row 1 could be 10000 or 00100.\n\nFinal grid:\n{A}",
    "a draft before": f"First try:\n{B}\n\nColumn 2 has 1 1, so row 5 is wrong. The solution:\n\n{A}",
    "thoughts with a draft": f"<thinking>{B}</thinking>\n{A}",
    "thoughts without an opening tag": f"{B}\nHm, no.\n</think>\n\n{A}",
    "thoughts of another template": f"◁think▷{B}◁/think▷{A}",
    "a channel": f"<|channel|>analysis<|message|>{B}<|end|><|start|>assistant<|channel|>final<|message|>{A}",
    "a tag named in prose": f"I'll put it between <answer> and </answer>.\n\n{A}",
    "a tag that points up": f"{A}\n\n<answer>see above</answer>",
    "arrangements before": f"Row 1 (1): 10000, 01000, 00100, 00010, 00001\nRow 3 (5): 11111\n\n{A}",
    "a state and its end": "\n".join(f"Row {y}: ??1?? → {row}" for y, row in enumerate(ROWS, 1)),
    "a sentence in Chinese": f"答案是 {S}。",
    "a fence of JSON with clues": f"Here it is:\n```json\n{json.dumps(CLUED, indent=2)}\n```\nThat is the solution.",
    "checkboxes": "\n".join("".join("[x]" if sign == "1" else "[ ]" for sign in row) for row in ROWS),
    "crosses": A.replace("0", "✕").replace("1", "■"),
    "decimals": str(np.array([[float(sign) for sign in row] for row in ROWS])),
    "HTML over many lines": "<table>\n"
    + "".join(f"  <tr>\n{''.join(f'    <td>{cell}</td>{chr(10)}' for cell in row)}  </tr>\n" for row in ROWS)
    + "</table>",
    "comments after lists": "[\n"
    + "\n".join(f"  [{', '.join(row)}],  # row {y}" for y, row in enumerate(ROWS, 1))
    + "\n]",
    "words after a dash": "\n".join(f"Row {y}: {row} - {row.count('1')} filled" for y, row in enumerate(ROWS, 1)),
    "a table of rows": "| Row | Clue | Cells |\n|---|---|---|\n"
    + "\n".join(f"| {y} | {clue} | `{row}` |" for y, (row, clue) in enumerate(zip(ROWS, "13511", strict=True), 1)),
    "a table of columns below": f"{A}\n\n| Column | Cells |\n|---|---|\n| 1 | 00100 |\n| 2 | 01100 |\n| 3 | 11111 |",
    "rows in lists of Lisp": "(" + " ".join(f"({' '.join(row)})" for row in ROWS) + ")",
    "two tags": f"<answer>{B}</answer>\nWait.\n<answer>{A}</answer>",
    "a tag in brackets": f"Some lines.\n[answer]\n{H}\n[/answer]",
    "a check of rows below": f"{A}\n\nCheck:\n" + "\n".join(f"- Row {y}: {row} ✓" for y, row in enumerate(ROWS, 1)),
    "a check of columns below": f"{A}\n\n{COLUMNS}".replace("\nCol", " ✓\nCol"),
    "columns under a heading": f"{A}\n\nChecking the columns:\n1: 00100\n2: 01100\n3: 11111\n4: 01100\n5: 00100",
    "an explanation of each row": "\n\n".join(
        f"**Row {y}:** `{row}`\nThe clue is {clue}, and column 3 is full."
        for y, (row, clue) in enumerate(zip(ROWS, "13511", strict=True), 1)
    ),
    "rows in the wrong order": "\n".join(f"Row {y}: {ROWS[y - 1]}" for y in (3, 1, 2, 5, 4)),
    "rows in one line": " ".join(f"Row {y}: {row}" for y, row in enumerate(ROWS, 1)),
    "rows after commas": ", ".join(f"Row {y}: {row}" for y, row in enumerate(ROWS, 1)),
    "a list of rows in prose": f"The rows are {', '.join(ROWS)}.",
    "quoted rows in prose": "The rows are " + ", ".join(f'"{row}"' for row in ROWS) + ".",
    "a summary in one string": f"Row by row:\n{A}\n\nAs one string: {S}",
    "an open grid first": f"{'?????' * 5}\n\nSolved:\n{H}",
    "the clues in front": "Rows: [[1], [3], [5], [1], [1]]\nColumns: [[1], [2], [5], [2], [1]]\n\n" + A,
    "the clues around": "    1 2 5 2 1\n"
    + "\n".join(f"{clue} | {' '.join(row)}" for clue, row in zip("13511", H.split("\n"), strict=True)),
    "column letters and row numbers": "  A B C D E\n"
    + "\n".join(f"{y} {' '.join(row)}" for y, row in enumerate(H.split("\n"), 1)),
    "column numbers": "   1 2 3 4 5\n" + "\n".join(f"{y}: {' '.join(row)}" for y, row in enumerate(H.split("\n"), 1)),
    "a table whose head is a row": "\n".join(
        f"| {' | '.join(row)} |" + ("\n|---|---|---|---|---|" if not y else "") for y, row in enumerate(H.split("\n"))
    ),
    "a table of emoji": "\n".join(
        [
            "| | 1 | 2 | 3 | 4 | 5 |",
            "|:-:|:-:|:-:|:-:|:-:|:-:|",
            *(
                f"| **{y}** | {' | '.join(row)} |"
                for y, row in enumerate(H.replace("#", "⬛").replace(".", "⬜").split("\n"), 1)
            ),
        ]
    ),
    "a table with blanks": "|   | 1 | 2 | 3 | 4 | 5 |\n|---|---|---|---|---|---|\n"
    + "\n".join(
        f"| R{y} | {' | '.join(row)} |" for y, row in enumerate(A.replace("0", " ").replace("1", "X").split("\n"), 1)
    ),
    "a frame of boxes": "┌─┬─┬─┬─┬─┐\n"
    + "\n├─┼─┼─┼─┼─┤\n".join(f"│{'│'.join(row)}│" for row in A.replace("0", " ").replace("1", "█").split("\n"))
    + "\n└─┴─┴─┴─┴─┘",
    "a frame around": "+-----+\n"
    + "\n".join(f"|{row}|" for row in A.replace("0", " ").replace("1", "#").split("\n"))
    + "\n+-----+",
    "LaTeX of squares": "\\[\n\\begin{array}{|c|c|c|c|c|}\n\\hline\n"
    + " \\\\ \\hline\n".join(" & ".join("\\square" if sign == "0" else "\\blacksquare" for sign in row) for row in ROWS)
    + " \\\\ \\hline\n\\end{array}\n\\]",
    "LaTeX's matrix": "$\\begin{pmatrix} " + " \\\\ ".join(" & ".join(row) for row in ROWS) + " \\end{pmatrix}$",
    "MATLAB": "grid = [" + "; ".join(" ".join(row) for row in ROWS) + "];",
    "HTML with classes": "<table class='grid'><tr>"
    + "</tr><tr>".join("".join(f'<td class="c">{cell}</td>' for cell in row) for row in ROWS)
    + "</tr></table>",
    "XML": "<grid>" + "".join(f"<row>{row}</row>" for row in ROWS) + "</grid>",
    "a tool call with text": json.dumps({"tool": "final_answer", "arguments": {"board": A, "confidence": 0.9}}),
    "a tool call with a nested text": json.dumps(
        [{"type": "function", "function": {"name": "submit", "arguments": json.dumps({"solution_grid": ROWS})}}]
    ),
    "a tool call in prose": "Calling the tool.\n<tool_call>\n"
    + json.dumps({"name": "submit", "arguments": {"matrix": [[int(sign) for sign in row] for row in ROWS]}})
    + "\n</tool_call>",
    "a message": json.dumps(
        [{"role": "user", "content": "Solve it."}, {"role": "assistant", "content": f"Here:\n{A}"}]
    ),
    "JSON with clues": json.dumps(
        {"rows": [[1], [3], [5], [1], [1]], "columns": [[1], [2], [5], [2], [1]], "picture": ROWS}
    ),
    "JSON with emoji escaped": json.dumps({"grid": H.replace("#", "⬛").replace(".", "⬜")}),
    "JSON within prose and quotes": 'My answer is {"reasoning": "row 3 is full", "grid": "'
    + A.replace("\n", "\\n")
    + '"}. Done.',
    "JSON rows with clues": json.dumps(CLUED),
    "JavaScript": "const grid = [\n" + ",\n".join(f"  [{', '.join(row)}]" for row in ROWS) + "\n];",
    "Python's text": 'answer = """\n' + A + '\n"""',
    "TOML": "grid = [\n" + "\n".join(f'  "{row}",' for row in ROWS) + "\n]",
    "CSV with a head": "c1,c2,c3,c4,c5\n" + "\n".join(",".join(row) for row in ROWS),
    "O and X by legend": "X = empty, O = filled\n\n" + A.replace("0", "X").replace("1", "O"),
    "letters by legend": "(F: filled, E: empty)\n"
    + "\n".join(" ".join(row) for row in A.replace("0", "E").replace("1", "F").split("\n")),
    "signs by a legend below": A.replace("0", "~").replace("1", "@") + "\n\nwhere `@` is filled and `~` is empty.",
    "a legend as a list": "- `@`: filled\n- `~`: empty\n\n" + A.replace("0", "~").replace("1", "@"),
    "B and W": A.replace("0", "W").replace("1", "B"),
    "wide digits": A.replace("0", "０").replace("1", "１"),
    "line ends of Windows": A.replace("\n", "\r\n"),
    "old line ends and a mark": "\ufeff" + A.replace("\n", "\r"),
    "escaped Markdown": A.replace("0", "\\_").replace("1", "\\#"),
    "bold rows": "\n".join(f"**{row}**" for row in ROWS),
    "a nested quote": "\n".join(f"> > {row}" for row in ROWS),
    "a rule below": f"{H}\n---\nDone.",
    "rows with dashes": A.replace("0", "-").replace("1", "#"),
    "French labels": "\n".join(f"Ligne {y} : {row}" for y, row in enumerate(ROWS, 1)),
    "Chinese labels": "\n".join(f"第{y}行：{row}" for y, row in enumerate(ROWS, 1)),
    "labels before a bar": "\n".join(f"R{y}|{' '.join(row)}|" for y, row in enumerate(ROWS, 1)),
    "labels above": "\n".join(
        f"Row {y} ({clue}):\n{row}" for y, (row, clue) in enumerate(zip(ROWS, "13511", strict=True), 1)
    ),
    "a table with numbers and clues": "| Row | a | b | c | d | e | Clue |\n|---|---|---|---|---|---|---|\n"
    + "\n".join(
        f"| {y} | {' | '.join(row)} | {clue} |" for y, (row, clue) in enumerate(zip(ROWS, "13511", strict=True), 1)
    ),
    "a drawing with blanks between": "```\n"
    + "\n".join(" ".join(row) for row in H.replace(".", " ").split("\n"))
    + "\n```",
    "an HTML table with empty fields": "<table>"
    + "".join(f"<tr>{''.join(f'<td>{sign}</td>' for sign in row)}</tr>" for row in A.replace("0", " ").split("\n"))
    + "</table>",
    "a box before another string": f"\\boxed{{{S}}}\n\nIn a second string, row 5 is off: 0010001110111110010001000",
    "the answer after numbers in a line": f"Row 1 is 1, column 3 is 5. Final answer: {' '.join(ROWS)}",
    "blocks of content": json.dumps([{"type": "thinking", "thinking": B}, {"type": "text", "text": f"So:\n{A}"}]),
    "a fence for each row": "\n".join(f"Row {y}:\n```\n{row}\n```" for y, row in enumerate(ROWS, 1)),
    "comments after rows of #": "\n".join(f"    '{row}',  # row {y}" for y, row in enumerate(H.split("\n"), 1)),
    "YAML, a cell a line": "grid:" + "".join("\n  -" + "".join(f"\n    - {sign}" for sign in row) for row in ROWS),
    "CSV with semicolons": "\n".join(";".join(row) for row in ROWS),
    "check marks and crosses": "\n".join(" ".join("✗✓"[int(sign)] for sign in row) for row in ROWS),
    "LaTeX, a formula a cell": A.replace("0", "$\\square$ ").replace("1", "$\\blacksquare$ "),
    "numbers of two digits": "\n".join(f"{y:02} {row}" for y, row in enumerate(ROWS, 1)),
    "rows as numbers from the last": json.dumps([{"row": y, "cells": ROWS[y - 1]} for y in (5, 4, 3, 2, 1)]),
    "a draft called final": f"Final answer:\n{B}\n\nWait, row 5 breaks column 2. Let me fix that.\n\n{A}",
    "a second attempt": f"First attempt:\n{B}\nThis fails in column 2.\n\nSecond attempt:\n{A}",
    "a legend of fields": json.dumps(
        {"legend": {"A": "empty", "B": "filled"}, "cells": A.replace("0", "A").replace("1", "B")}
    ),
    "rows said to be full": f"Row 3 is filled and row 1 is empty but for a cell.\n\n{A}",
    "doubts without a fault": f"{A}\n\nWait, let me check column 3: it is 5, and nothing is wrong.",
    "a checkmark and words after": "\n".join(
        f"{row} ← row {y}, clue {clue}" for y, (row, clue) in enumerate(zip(ROWS, "13511", strict=True), 1)
    ),
}
"""Answers to the arrow."""

REFUSED = {
    "nothing": "",
    "no answer": "I could not find a solution that fits all clues.",
    "only clues": "Rows: [[1], [3], [5], [1], [1]]\nColumns: [[1], [2], [5], [2], [1]]",
    "only columns": COLUMNS,
    "a row corrected below": f"{A}\n\nWait, row 5 should be 01000.",
    "the last grid is cut": f"{A}\n\nActually, that fails. New grid:\n\n" + "\n".join(ROWS[:4]),
    "the last grid is hardly begun": f"{A}\n\nThat fails. Second attempt:\n\n01000\n11100",
    "the last grid is turned": f"{A}\n\nThe same, transposed:\n\n00100\n01100\n11111\n01100\n00100",
    "the last grid has a sign too many": f"{A}\n\nCorrected:\n\n" + B.replace("11111", "111111"),
    "the last grid has unknown signs": f"{A}\n\nCorrected:\n\n" + B.replace("0", "~").replace("1", "@"),
    "the last string is cut": f"{A}\n\nFinal answer: {S[:-1]}",
    "a tag with a row missing": f"{A}\n<answer>\n" + "\n".join(ROWS[:4]) + "\n</answer>",
    "a row twice": "\n".join(f"Row {y}: {row}" for y, row in zip((1, 2, 2, 4, 5), ROWS, strict=True)),
    "alternatives": "\n".join(f"Row {y}: {row}" + " or 10000" * (y == 1) for y, row in enumerate(ROWS, 1)),
    "the arrangements of a row": "Row 1 (1): 10000, 01000, 00100, 00010, 00001",
    "the arrangements in prose": "It could be 10000, 01000, 00100, 00010 or 00001.",
    "a row with another version": A.replace("01110", "01110 → 01100 → 01110"),
    "thoughts alone": f"<think>\n{A}\n",
    "two objects": json.dumps({"draft": ROWS, "final": B.split("\n")}),
    "a contrary legend": ". = filled, # = empty\n" + H,
    "signs that mean the same": H.replace(".", "0", 1),
    "six columns": "\n".join(f"{row}0" for row in ROWS),
    "rows of a string unlike": "001000 0111 11111 00100 00100",
    "lengths that even out": json.dumps(["001000", "1110", *ROWS[2:]]),
    "nothing but rules": "-----\n" * 5,
    "an example of a wrong one after the solution": f"Solution:\n{A}\n\nA wrong solution would be:\n{B}",
    "a grid without a word of correction after": f"**Solution**\n\n{A}\n\nWith row 5 moved, as in\n\n{B}\n\nit breaks.",
    "a template after": f"My answer:\n{A}\n\nA template to print:\n" + "\n".join(["....."] * 5),
    "options": f"Option A:\n{A}\n\nOption B:\n{B}",
    "two solutions": f"I see two solutions.\n\n{A}\n\n{B}",
    "this or that": f"{A}\n\nor\n\n{B}",
    "values, and not": f"Solution:\n{json.dumps(ROWS)}\n\nMy first attempt was:\n{json.dumps(B.split(chr(10)))}",
    "a grid taken back": f"{B}\n\nHmm, this doesn't fit column 2.",
    "a row replaced in words": f"{B}\n\nCorrection: row 5 should be `00100`, not `01000`.",
    "candidates for a row": "Candidates for row 2:\n" + "\n".join(["11100", "01110", "00111", "01110", "11100"]),
    "cells by style": "<table>" + ("<tr>" + '<td class="on"></td>' * 5 + "</tr>") * 5 + "</table>",
}
K = from_picture([[1, 1, 1, 1, 0], [1, 0, 0, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]])
"""A puzzle that no turn leaves the same."""

assert K.goal is not None
TURNED = {
    name: words(grid.tolist(), "01") for name, grid in {"T": K.goal.T, "V": K.goal[::-1], "I": 1 - K.goal}.items()
}
CONTRARY = {
    **{
        f"label {label}": (label + "{y}: {row}", "T")
        for label in ("Col. ", "Kolumna ", "Colonne ", "Sütun ", "列", "c")
    },
    "ordinals": ("Column no. {y} = {row}", "T"),
    "a table's": ("| {y} | {row} |", "T", "| Column | From top to bottom |\n|---|---|\n"),
    "a heading": ("{row}", "T", "Columns, from left to right:\n"),
    "column by column": ("{row}", "T", "Here it is, column by column:\n"),
    "YAML": ("  - '{row}'", "T", "columns:\n"),
    "Python": ("  '{row}',", "T", "columns = [\n"),
    "numbers that descend": ("{z}. {row}", "V"),
    "a table that descends": ("| {z} | {row} |", "V"),
    "from below": ("{row}", "V", "From the bottom up:\n"),
    "a contrary legend": ("{row}", "I", "With 0 for filled and 1 for empty:\n"),
    "a legend in prose": ("{row}", "I", "0s are painted, 1s are not.\n"),
    "a legend as a list": ("{row}", "I", "- 0: filled\n- 1: empty\n\n"),
}
"""A line, how the grid is turned, and what stands above."""


@pytest.mark.parametrize("case", CONTRARY.values(), ids=CONTRARY)
def test_turned_grids_are_refused(case: tuple[str, ...]) -> None:
    line, turn, *above = case
    rows = enumerate(TURNED[turn], 1)
    answer = "".join(above) + "\n".join(line.format(y=y, z=6 - y, row=row) for y, row in rows)
    assert isinstance(reading(Case(K, answer, None)), str), answer


@pytest.mark.parametrize("turn", "TI")
@pytest.mark.parametrize("key", ["legend", "encoding"])
def test_turned_fields_are_refused(turn: str, key: str) -> None:
    answer = {"columns": TURNED["T"]} if turn == "T" else {key: {"0": "filled", "1": "empty"}, "grid": TURNED["I"]}
    with pytest.raises(FormatError):
        read_answer(answer, K)


def test_legends_of_colors_in_another_order_are_refused() -> None:
    assert FLAG.goal is not None
    with pytest.raises(FormatError, match="could be"):
        read_answer({"palette": ["white", "green", "red", "blue"], "grid": FLAG.goal.tolist()}, FLAG)


@pytest.mark.parametrize("answer", READ.values(), ids=READ)
def test_answers_as_models_write_them(answer: str) -> None:
    assert ARROW.goal is not None
    found = reading(Case(ARROW, answer, None))
    assert found == ARROW.goal.tolist(), f"{found}\n{answer}"


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
def test_uncertain_answers_are_refused(answer: str) -> None:
    found = reading(Case(ARROW, answer, None))
    assert isinstance(found, str), answer

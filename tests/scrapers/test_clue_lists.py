"""Clues as lists under any usual name, in JSON, programs and posts; what could be two puzzles is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import pictures

import nonocensus as nc
from nonocensus.reports.words.task_prompts import prompt_of
from nonocensus.scrapers.archives.source_file import SourceFile
from nonocensus.scrapers.file_batches import Problem, read_files, read_in_bulk
from nonocensus.scrapers.formats import FormatError, clue_lists, detect, jsonl
from nonocensus.scrapers.formats.clue_text import side_of
from nonocensus.solver.model.puzzle import Block, Color, InvalidPuzzle, Puzzle, from_picture

ROWS, COLUMNS = [[2], [], [1, 1]], [[1, 1], [1], [1]]
BOW = Puzzle.from_clues(ROWS, COLUMNS)
A, B = json.dumps(ROWS), json.dumps(COLUMNS)


def read(text: str, name: str = "") -> list[Puzzle]:
    data = text.encode()
    return list(detect(name, data).read(data))


def clues(puzzle: Puzzle) -> tuple[object, object]:
    return puzzle.rows, puzzle.columns


def reason(text: str, name: str = "") -> str:
    with pytest.raises(FormatError) as caught:
        read(text, name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


NAMES = """rows columns, rows cols, row_clues column_clues, rowClues colClues, RowHints ColumnHints, rowclues colclues,
row-hints col-hints, rowsDef colsDef, rowRules colRules, hint_rows hint_cols, ROW_CLUES COL_CLUES, hor ver, r c,
horizontal vertical, horizontalClues verticalClues, left top, leftClues topClues, across down,
level3_rows level3_cols, Zeilen Spalten, filas columnas, lignes colonnes, 行 列"""


@pytest.mark.parametrize("names", [pair.split() for pair in NAMES.replace("\n", " ").split(",")], ids="-".join)
def test_names_of_the_sides(names: list[str]) -> None:
    (row, column), (rows, columns) = names, (ROWS, COLUMNS)
    for values in ({row: rows, column: columns}, {column: columns, row: rows}):
        for text in (
            json.dumps(values),
            json.dumps(values, indent=1),
            json.dumps({"data": {"puzzle": values}}, indent=2),
        ):
            (puzzle,) = read(text)
            assert clues(puzzle) == clues(BOW)


def test_side_of_other_names() -> None:
    assert side_of("arrow") is None
    assert side_of("rows_and_columns") is None
    assert side_of("rows, from the top") == ("rows", "from the top", True)
    assert side_of("row" * 100) is None


JSON = {
    "two lists": f'{{"clues": [{A}, {B}]}}',
    "array of sides": f"[{A}, {B}]",
    "sizes as rows": f'{{"rows": 3, "cols": 3, "rowClues": {A}, "colClues": {B}}}',
    "picture as rows": f'{{"rows": ["##.", "...", "#.#"], "row_clues": {A}, "col_clues": {B}}}',
    "numbers alone": '{"rows": [2, 0, [1, 1]], "columns": [[1, 1], 1, 1]}',
    "zeros and null": '{"rows": [[2], [0], [1, 1]], "columns": [[1, 1, 0], [0, 1], [1]], "x": null}',
    "texts": '{"rows": ["2", "", "1 1"], "columns": ["1,1", "1", "1"]}',
    "texts in lists": '{"rows": [["2"], ["0"], ["1", "1"]], "columns": [["1 1"], ["1"], ["1"]]}',
    "one text": '{"rows": "2;0;1 1", "columns": "1 1; 1; 1"}',
    "lines": '{"rows": "2\\n0\\n1 1", "columns": "1 1\\n1\\n1\\n"}',
    "objects": '{"rows": [[{"length": 2}], [], [{"length": 1}, {"length": 1}]], "columns": [[1, 1], [1], [1]]}',
    "values": '{"rows": [[{"value": 2}], [], [{"num": 1, "done": 0}, {"num": 1}]], "columns": [[1, 1.0], [1], [1]]}',
    "joined texts": '{"rows": ["2", "", "1-1"], "columns": "1-1, 1, 1"}',
    "objects of lists": '{"rows": [{"clues": [2]}, {"clues": []}, {"hint": "1 1"}], "cols": {"clues": [[1, 1], 1, 1]}}',
    "numbered": '{"rows": {"1": [2], "2": [], "3": [1, 1]}, "columns": {"0": "1 1", "1": "1", "2": "1"}}',
    "byte order mark": f'\ufeff{{"rows": {A}, "columns": {B}}}',
    "line ends": f'{{\r\n "rows": {A},\r\n "columns": {B}\r\n}}\r\n',
    "comments, trailing comma": f'{{\n // a bow\n rows: {A},\n "cols": {B},\n}}',
    "single quotes": f"{{'rows': {A}, 'cols': {B}}}",
}

PROGRAMS = {
    "lists": f"{A} {B}",
    "Python": f"import sys\n# bow\nrows = {A}\ncols = {B}\n\ndef solve(rows, cols):\n    print(rows[0], cols)\n",
    "typed": f"row_clues: list[list[int]] = {A}\ncol_clues: list[list[int]] = {B}",
    "several lines": "ROWS = [\n  [2],  # first\n  [],\n  [1, 1],\n]\nCOLS = [\n  [1, 1],\n  [1], [1],\n]",
    "tuples": "rows = ((2,), (), (1, 1))\ncols = ((1, 1), (1,), (1,))",
    "call": f"puzzle = Nonogram({A}, {B})",
    "keywords": f"Nonogram(rows={A}, cols={B}).solve()",
    "arrays": f"self.rows = np.array({A}, dtype=object)\nself.cols = np.array({B}, dtype=object)",
    "quoted lines": 'rows = """\n2\n0\n1 1\n"""\ncols = """\n1 1\n1\n1\n"""',
    "sizes before clues": f"Puzzle(\n  rows: 3,\n  cols: 3,\n  rowClues: {A},\n  colClues: {B},\n)",
    "JavaScript": f"const rows = {A};\nconst cols = {B};",
    "TypeScript": f"export const rowHints: number[][] = {A};\nexport const colHints: number[][] = {B};",
    "options": f"new Puzzle({{rowRules: {A}, colRules: {B}}});",
    "Java": "int[][] rows = {{2}, {}, {1, 1}};\nint[][] cols = {{1, 1}, {1}, {1}};",
    "C": "int rows[3][2] = {{2, 0}, {0, 0}, {1, 1}};\nint cols[3][2] = {{1, 1}, {1, 0}, {1, 0}};",
    "C++": "vector<vector<int>> rows{{2}, {0}, {1, 1}};\nstd::vector<std::vector<int>> cols = {{1, 1}, {1}, {1}};",
    "C#": "var rows = new int[][] { new[] {2}, new[] {0}, new[] {1, 1} };\n"
    "var cols = new[] { new[] {1, 1}, new[] {1}, new[] {1} };",
    "C#, columns first": "a.Col_Hints = new int[][]\n{ new int[]{1, 1}, new int[]{1}, new int[]{1} };\n\n"
    "a.Row_Hints = new int [][]\n{ new int []{2}, new int[0], new int[]{1, 1} };",
    "C#, new []": "var cols = new[]\n{\n new []{1, 1},\n new []{1},\n new []{1},\n};\n"
    "var rows = new[]\n{\n new []{2},\n new []{0},\n new []{1, 1},\n};",
    "Julia": "rows = [[2], Int[], [1, 1]]\ncols = [[1, 1], [1], [1]]",
    "slices": "const ROWS: &[&[u8]] = &[&[2], &[], &[1, 1]];\nconst COLS: &[&[u8]] = &[&[1, 1], &[1], &[1]];",
    "Rust": "let rows = vec![vec![2], vec![], vec![1, 1]];\nlet cols = vec![vec![1, 1], vec![1], vec![1]];",
    "Go": "rows := [][]int{{2}, {}, {1, 1}}\ncols := [][]int{{1, 1}, {1}, {1}}",
    "Kotlin": "val rows = listOf(listOf(2), listOf(0), listOf(1, 1))\n"
    "val cols = listOf(listOf(1, 1), listOf(1), listOf(1))",
    "R": "rows <- list(c(2), c(0), c(1, 1))\ncols <- list(c(1, 1), c(1), c(1))",
    "Mathematica": "rows = {{2}, {}, {1, 1}}; cols = {{1, 1}, {1}, {1}};",
    "association": '<|"rows" -> {{2}, {}, {1, 1}}, "cols" -> {{1, 1}, {1}, {1}}|>',
    "one list": "{{{2}, {}, {1, 1}}, {{1, 1}, {1}, {1}}}",
    "Lisp": "'((2) (0) (1 1))\n'((1 1) (1) (1))",
    "Racket": "#lang racket\n(define rows '((2) () (1 1)))\n(define cols '((1 1) (1) (1)))",
    "Common Lisp": "(defvar *rows* '((2) nil (1 1)))\n(defvar *cols* '((1 1) (1) (1)))",
    "Clojure": "{:rows [[2] [] [1 1]] :cols [[1 1] [1] [1]]}",
    "Haskell": f"nonogram {A} {B}",
    "Prolog": f"rows({A}).\ncolumns({B}).",
    "99 problems": "p(\n [[2], [], [1, 1]],  % the rows\n [[1, 1], [1], [1]], % others\n 'bow').",
    "PHP file": f"<?php\n$rows = {A};\n$cols = {B};",
    "PHP": "$rows = array(array(2), array(), array(1, 1));\n$cols = [[1, 1], [1], [1]];",
    "Ruby": f'{{ rows: {A}, "cols" => {B} }}',
}

POSTS = {
    "labels": "Row 1: 2\nRow 2: 0\nRow 3: 1 1\n\nColumn 1: 1 1\nColumn 2: 1\nColumn 3: 1\n",
    "tabs": "Row 1\t2\nRow 2\t0\nRow 3\t1 1\nColumn 1\t1 1\nColumn 2\t1\nColumn 3\t1\n",
    "bold": "**Row 1:** 2\n**Row 2:** -\n**Row 3:** 1, 1\n**Col 1:** 1, 1\n**Col 2:** 1\n**Col 3:** 1",
    "short": "R1: 2, R2: 0, R3: 1 1\nC1: 1 1, C2: 1, C3: 1",
    "one line": "Row 1: 2; Row 2: (empty); Row 3: 1 1; Column 1: 1 1; Column 2: 1; Column 3: 1",
    "from 0, lists": "Row 0: [2]\nRow 1: []\nRow 2: [1, 1]\nColumn 0: [1, 1]\nColumn 1: [1]\nColumn 2: [1]",
    "table": "| Row 1 | 2 |\n| Row 2 | 0 |\n| Row 3 | 1 1 |\n| Column 1 | 1 1 |\n| Column 2 | 1 |\n| Column 3 | 1 |",
    "headings": "Rows:\n2\n0\n1 1\n\nColumns:\n1 1\n1\n1\n",
    "directions": "Horizontal:\n2\n0\n1 1\nVertical:\n1 1\n1\n1",
    "Markdown": "## Row clues\n- 2\n- 0\n- 1 1\n\n## Column clues\n1. 1 1\n2. 1\n3. 1\n",
    "after headings": "Rows (top to bottom): 2; 0; 1 1\nColumns (left to right): 1 1; 1; 1",
    "joined": "Rows: 2, 0, 1-1\nColumns: 1-1, 1, 1",
    "joined by plus": "Row 1: 2\nRow 2: 0\nRow 3: 1+1\nColumn 1: 1+1\nColumn 2: 1\nColumn 3: 1",
    "by places": "Top: 1 1, 1, 1\nLeft: 2, 0, 1 1",
    "slashes": "Rows: 2 / 0 / 1 1\nColumns: 1 1 / 1 / 1",
    "brackets": "Rows: [2], [], [1, 1]\nColumns: [1, 1], [1], [1]",
    "YAML": 'rows:\n  - [2]\n  - []\n  - "1 1"\ncolumns:\n  - [1, 1]\n  - 1\n  - [1]\n',
    "in prose": f"I can't solve this one, who can?\n```python\nrows = {A}\ncols = {B}\n```\nThanks!",
}


@pytest.mark.parametrize("text", [*JSON.values(), *PROGRAMS.values(), *POSTS.values()], ids=[*JSON, *PROGRAMS, *POSTS])
def test_notations(text: str) -> None:
    (puzzle,) = read(text)
    assert clues(puzzle) == clues(BOW)


def test_several_puzzles() -> None:
    pair = f'{{"name": "a", "rows": {A}, "columns": {B}}}'
    for text in (
        f"[{pair},\n{pair}]",
        f'{{"levels": [{pair}, {pair}]}}',
        f'{{"b": {pair}, "a": {pair}}}',
        f"{pair}\n{pair}\n",
    ):
        assert [(clues(puzzle), puzzle.title) for puzzle in read(text)] == [(clues(BOW), "a")] * 2
    text = f"rows = {A}\ncols = {B}\nsolve(rows, cols)\n"
    assert [clues(puzzle) for puzzle in read(text * 3)] == [clues(BOW)] * 3
    assert [clues(puzzle) for puzzle in read(POSTS["labels"] * 2)] == [clues(BOW)] * 2
    assert [clues(puzzle) for puzzle in read(POSTS["headings"] * 2)] == [clues(BOW)] * 2


def test_colours() -> None:
    palette = [["white", ".", "ffffff"], ["red", "r", "ff0000"], ["blue", "b", "0000ff"]]
    red, blue = (Color(*color) for color in palette[1:])
    for values in (
        {"rows": [[[2, "red"]], [[1, "#0000ff"]]], "columns": [[[1, "red"], [1, "#0000ff"]], [[1, "red"]]]},
        {"rows": [["2r"], ["1b"]], "columns": ["1r 1b", "1r"], "palette": {"r": "#f00", "b": "blue"}},
        {"rows": [["2x1"], ["1x2"]], "columns": ["1x1 1x2", "1x1"], "colors": ["white", "red", "blue"]},
        {"rows": [["2x1"], ["1x2"]], "columns": ["1x1 1x2", "1x1"], "colors": ["red", "blue"]},
        {"rows": [["2x1"], ["1x2"]], "columns": ["1x1 1x2", "1x1"], "palette": [[255, 0, 0], [0, 0, 255]]},
        {"rows": [[[2, 1]], [[1, 2]]], "columns": [[[1, 1], [1, 2]], [[1, 1]]], "palette": palette, "more": 1},
        {
            "rows": [{"clues": [2], "colours": ["red"]}, [{"num": 1, "colour": "blue"}]],
            "columns": [[{"n": 1, "c": "red"}, {"n": 1, "c": "blue"}], [{"n": 1, "c": "red"}]],
        },
    ):
        (puzzle,) = read(json.dumps(values))
        assert puzzle.rows == ((Block(2, 1),), (Block(1, 2),))
        assert puzzle.columns == ((Block(1, 1), Block(1, 2)), (Block(1, 1),))
        assert [color.rgb for color in puzzle.palette[1:]] == [red.rgb, blue.rgb]


def test_metadata_and_goal() -> None:
    text = {
        "title": "Bow",
        "by": "me",
        "rows": ROWS,
        "columns": COLUMNS,
        "width": 3,
        "solution": [[1, 1, 0], [0, 0, 0], [1, 0, 1]],
    }
    (puzzle,) = read(json.dumps(text))
    assert (puzzle.title, puzzle.author) == ("Bow", "me")
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == text["solution"]
    (other,) = read(json.dumps(text | {"solution": [[1, 1, 0], [0, 0, 0], [1, 1, 0]]}))
    assert other.goal is None
    assert reason(json.dumps(text | {"height": 4})).endswith("it has 3 columns and 3 rows, but its height is 4")


def test_pictures_in_json() -> None:
    picture = [[1, 1, 0], [0, 0, 0], [1, 0, 1]]
    for value in (
        picture,
        {"grid": picture},
        {"rows": ["##.", "...", "#.#"]},
        {"a": {"solution": ["110", "000", "101"]}},
    ):
        (puzzle,) = read(json.dumps(value))
        assert clues(puzzle) == clues(BOW)
        assert puzzle.goal is not None
    (puzzle,) = read(str(np.array(picture)))
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == picture


REFUSED = {
    '{"x": [[1], [1]], "y": [[1], [1]]}': "no clues in it: expected rows and columns",
    '{"rows": [[[1, 1]]], "columns": [[[1, 1]]], "fetched_at": "never"}': "Invalid RFC3339 encoded datetime",
    '{"rows": [[1, 1, 0], [0, 1, 1], [0, 1, 1]], "columns": [[1, 0, 0], [1, 1, 1], [0, 1, 1]]}': "clues or cells of a",
    '{"rows": [[1, 1, 0], [0, 1, 1], [0, 1, 1]], "columns": [[1], [3], [2]]}': "clues or cells of a picture",
    '{"rows": "3 1", "columns": "1,1,1,0,1"}': "clues or several lines or a single one",
    '{"rows": "2-1-1,1", "columns": "1 1/1/1"}': "row 1: its blocks need 6 cells, the line has 3; 2 rows and 3 col",
    '{"rows": [{"clues": [2], "colors": ["red", "blue"]}], "columns": [1, 1]}': "row 1: it has 1 numbers and 2 colours",
    '{"rows": ["2x1"], "columns": ["1x1", "1x1"], "colors": ["red", [300]]}': "the colour [300] of its palette is no",
    '{"rows": [[{"is": 1}]], "columns": [1]}': "row 1: {'is': 1} is not a number, nor an object with its length",
    "Row 1: 3\nColumn 1: 1": "row 1: its blocks need 3 cells, the line has 1; 1 rows and 1 columns were read",
    "rows: 1 1, 5, 5, 3, 1\ncols: 2, 4, 4, 4": "row 2: its blocks need 5 cells, the line has 4; 5 rows and 4 columns w",
    "rows: 1 1, 5, 5, 3, 1\ncolums: 2, 4, 4, 4, 2": "line 2: 'colums' is not a number, nor rows or columns",
    '{"rows": [[1, 1], [5], [5], [3], [1]]}': "line 1: columns are missing (its keys: rows)",
    '{"rows": [[1, 1], [5]], "colums": [[2], [4]]}': "line 1: columns are missing (its keys: rows, colums)",
    '{"rows": [[1, 1], [5]], "columns": []}': "line 1: columns are empty (its keys: rows, columns)",
    '{"left": [[1], [2]], "x": [[1]]}': "no clues in it: expected rows and columns",
    '{"rows": null, "columns": [[1]]}': "line 1: rows are empty (its keys: rows, columns)",
    '{"puzzle": {"rws": [[2], [1]], "cols": [2, 1]}}': "line 1: rows are missing (its keys: rws, cols)",
    '[{"rows": [[1, 1], [5]], "colums": [[2], [4]]}]': "line 1: 'colums' is not a number, nor rows or columns",
    "Row 1: 1\nRow 2: ...\nColumn 1: 1": "row 2: '..' is not a list of numbers",
    "Rows:\n1\n...\nColumns:\n1\n": "row 2: '...' is not a list of numbers",
    "[[1], [3]] [[1], [1]]": "could be rows and columns, but no picture has these clues",
    '{"across": [{"number": 1, "clue": "a"}], "down": [{"number": 3, "clue": "b"}]}': "row 1: 'a' is not a list of",
    '{"rows": [[1, 0, 2], [3]], "columns": [[1], [1]]}': "row 1: there is a 0 between its numbers",
    '{"rows": [[1.5]], "columns": [[1]]}': "row 1: 1.5 is not a number",
    '{"rows": [[1]], "columns": [[-1]]}': "column 1: the number -1 is negative",
    '{"rows": [["1 a b"]], "columns": [[1]]}': "row 1: '1 a b' is not a list of numbers",
    "rows = [[x, 3], [1]]\ncols = [[1], [1]]": "row 1: 'x' is not a list of numbers",
    '{"left": [[1], [3]], "top": [[1], [1]]}': "left and top could be rows and columns, but no picture has these clues",
    "Rows: [1], [3], [x]\nColumns: [1], [1], [1]": "line 1: 'x' is not a number",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals(text: str) -> None:
    assert REFUSED[text] in reason(text)


def test_documents_that_are_no_puzzle() -> None:
    styles = "<html><style>a {left: 3; top: 1;}</style><script>c = {left: [[1]], top: [[1]]}</script>"
    assert reason(styles).startswith("unknown format")
    assert reason(styles[6:], "x.json").startswith("no clues in it")
    assert reason(".a {\n grid-row: 1;\n grid-column: 1;\n left: 1;\n top: 1;\n}", "x.json").startswith(
        "no clues in it"
    )
    assert reason('{\n "a": 1,\n "b": [1]\n}', "x.json").startswith("no clues in it: expected rows and columns")
    assert reason('{\n "rows": [[1],\n', "x.json") == "it is not JSON: Input data was truncated"
    assert reason('{\n "rows": [[1],\n', "x.jsonl") == "it is one object on several lines, not an object on each line"
    assert reason("Row 1: 1\nRow 3: 1\nColumn 1: 1", "x.json") == "row 1: 'only lines 1, 3' is not a list of numbers"
    assert reason("[" * 100_000, "x.json") == "its lists and objects are nested too deep"
    for text in (
        "HELLO WORLD\nTHIS IS\n",
        "The rows are left. Columns: 3 of them.\n",
        '{"a": [1, 2]}',
        "[]",
        "f(x)[1]",
    ):
        assert reason(text)


@given(pictures(2, 8))
@settings(max_examples=30, deadline=None)
def test_prompts_of_tasks_are_read(picture: np.ndarray) -> None:
    puzzle = from_picture(picture, (BOW.palette[0], Color("red", "r", "ff0000"), Color("blue", "b", "0000ff")))
    prompts = [str(prompt_of(puzzle, "clues")), str(prompt_of(puzzle, "grid"))]
    for prompt in [*prompts, *(message["content"] for message in prompt_of(puzzle, "chat")[1:])]:  # type: ignore[index]
        (back,) = read(prompt)
        assert clues(back) == clues(puzzle)


def test_large_files_of_other_names_are_read_line_by_line() -> None:
    lines = f'{{"rowClues": {A}, "colClues": {B}}}\n' * 5 + '{"rowClues": 3}\n'
    file = SourceFile("many.jsonl", lines.encode())
    for items in (list(read_files([file])), list(read_in_bulk([file], None, 0))):
        assert isinstance(items[-1], Problem)
        assert items[-1].reason.startswith("line 6: columns are missing (its keys: rowClues)")
    assert [clues(item) for item in read_files([file]) if isinstance(item, Puzzle)] == [clues(BOW)] * 5


def test_own_format_is_not_taken_for_another() -> None:
    own = jsonl.write(Puzzle(((Block(1),),), ((Block(1),),)))
    assert detect("x.json", own) is jsonl
    tasks = own.replace(b"{", b'{"prompt": "...", "palette": [["white", ".", "ffffff"], ["black", "X", "000000"]], ', 1)
    (puzzle,) = read(tasks.decode())
    assert puzzle.rows == ((Block(1),),)
    assert detect("", clue_lists.write(BOW)) is clue_lists


def test_from_clues() -> None:
    assert clues(nc.Puzzle.from_clues(((2,), None, np.array([1, 1])), np.array([[1, 1], [0, 1], [1, 0]]))) == clues(BOW)
    assert nc.Puzzle.from_clues([[1]], ["?"], title="a").columns == ((Block(0),),)
    colored = nc.Puzzle.from_clues([[(2, "red"), (1, "Blue")]], [[(1, "red")], [(1, "#ff0000")], [(1, "blue")]])
    assert colored.rows == ((Block(2, 1), Block(1, 2)),)
    assert [(color.name, color.symbol, color.rgb) for color in colored.palette[1:]] == [
        ("red", "r", "ff0000"),
        ("Blue", "B", "0000ff"),
    ]
    entries = nc.Puzzle.from_clues([[(1, 2), (1, 1)]], [[(1, 2)], [(1, 1)]], colored.palette)
    assert [color.name for color in entries.palette] == ["white", "Blue", "red"]
    many = nc.Puzzle.from_clues([[(1, k) for k in range(31)]], [[(1, k)] for k in range(31)])
    assert len({color.rgb for color in many.palette}) == len({color.symbol for color in many.palette}) == 32


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (5, [[1]], "the rows: 5 is no list"),
        (["3 1"], [[1]], "row 1: '3 1' is not a number"),
        ([[1]], [[1.0]], "column 1: 1.0 is not a number"),
        ([[True]], [[1]], "row 1: True is not a number"),
        ([[1024]], [[1]], "row 1: the number 1024 is more than 1023"),
        ([[1, 0, 1]], [[1]], "row 1: there is a 0 between its numbers"),
        ([[(0, "red")]], [[1]], "row 1: (0, 'red') is not a number ('?' if it is hidden), or a pair"),
        ([[(1, k) for k in range(32)]], [[1]], "it has 33 colours; the most is 31"),
        ([], [[1]], "it has no rows"),
    ],
)
def test_from_clues_names_what_is_wrong(rows: object, columns: object, message: str) -> None:
    with pytest.raises(InvalidPuzzle) as caught:
        nc.Puzzle.from_clues(rows, columns)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_colour_outside_of_the_palette() -> None:
    with pytest.raises(InvalidPuzzle, match=r"^the colour 'green' is not in the palette$"):
        nc.Puzzle.from_clues([[(1, "green")]], [[1]], BOW.palette)
    with pytest.raises(InvalidPuzzle, match=r"Puzzle\.from_clues takes lists of numbers"):
        nc.Puzzle([[1]], [[1]])  # type: ignore[arg-type]


FUNCTIONS: list[Callable[..., object]] = [
    lambda puzzle: nc.solve(puzzle).label,
    lambda puzzle: nc.grade(puzzle)["grade"],
    lambda puzzle: nc.explain(puzzle).steps,
    lambda puzzle: bool(nc.check(puzzle, "##.\n...\n#.#")),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=["solve", "grade", "explain", "check"])
def test_functions_take_lists_and_mappings(function: Callable[..., object]) -> None:
    wanted = function(BOW)
    for puzzle in ((ROWS, COLUMNS), [ROWS, COLUMNS], {"rows": ROWS, "cols": COLUMNS}, {"clues": {"top": B, "left": A}}):
        assert function(puzzle) == wanted
    with pytest.raises(InvalidPuzzle, match=r"columns are missing \(its keys: rows, 2\)"):
        function({"rows": ROWS, 2: COLUMNS})
    with pytest.raises(InvalidPuzzle, match="no clues in it: expected rows and columns"):
        function({"x": ROWS})
    with pytest.raises(InvalidPuzzle, match="could be clues or cells of a picture"):
        function({"rows": [[1, 0, 1]], "columns": [[1], [0], [1]]})


@pytest.mark.parametrize(
    "rows",
    [
        *(
            "[[1]] * 3",
            "[[1] for _ in range(3)]",
            "[[1]].concat([[1], [1]])",
            "[[1], [2 + 1]]",
            "[[1], ...]",
            "[[1], …]",
            "[[1], x[0], Int]",
            "[[1], emptyList()]",
            "[[n * 2]]",
            "[[1.5]]",
            "array2d(1..1, 1..1, [1])",
        ),
        *("[[1], *rest]", "[[1], ...rest]", "[[1] + [1]]", "np.array([[1, 1]]).T", "[[1]]\nrows += [[1]]", "[[x]]"),
    ],
)
def test_expressions_are_not_computed(rows: str) -> None:
    """What a program computes is unknown: no puzzle is better than a wrong one."""
    assert reason(f"rows = {rows}\ncols = [[1]]")


def test_a_picture_of_two_rows_stays_a_picture() -> None:
    puzzle = nc.solve([[1, 0, 1], [1, 1, 1]]).puzzle
    assert puzzle.goal is not None
    assert clues(puzzle) == clues(from_picture([[1, 0, 1], [1, 1, 1]]))


FIELD = Path(__file__).parents[3] / "shared" / "data" / "field"


@pytest.mark.parametrize("folder", ["json-rows-columns", "json-pretty-error", "text-picture"])
def test_real_files(folder: str) -> None:
    files = [path for path in (FIELD / folder).glob("*") if path.name != "README.txt"]
    if not files:
        pytest.skip(f"{FIELD / folder} is absent")
    for path in files:
        (puzzle,) = read(path.read_text(), path.name)
        assert nc.solve(puzzle).label.startswith("unique"), path.name

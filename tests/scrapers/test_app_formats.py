"""Files of apps, contests and other programs, as people have them: each variant gives one puzzle, or a true reason."""

import re
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import FormatError, detect, named
from nonocensus.solver.model.named_colors import parse_rgb
from nonocensus.solver.model.puzzle import BLOT, Block, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

ARROW = from_picture(
    [[0, 0, 1, 0, 0, 0], [0, 1, 1, 1, 0, 0], [1, 1, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]
)
"""Of 6x5, with an empty row, an empty column, and clues of two numbers."""

ROWS = ["1", "3", "2 2", "0", "1"]
COLUMNS = ["1", "2", "2 1", "2", "1", "0"]
CELLS = ["001000", "011100", "110110", "000000", "001000"]


def lines(*parts: str | list[str]) -> str:
    return "".join(f"{line}\n" for part in parts for line in ([part] if isinstance(part, str) else part))


def spaced(cells: list[str], marks: str) -> list[str]:
    return [" ".join(marks[int(cell)] for cell in row) for row in cells]


def padded(clues: list[str], pad: str, width: int, first: bool) -> list[str]:
    """Return clues padded with a number to a width, before or after their numbers."""
    split = [clue.split() if clue != "0" else [] for clue in clues]
    pads = [[pad] * (width - len(clue)) for clue in split]
    return [",".join([*p, *clue] if first else [*clue, *p]) for p, clue in zip(pads, split, strict=True)]


def cells_of(clues: list[str], width: int) -> str:
    """Return clues as those of MiniZinc's benchmarks: cells with gaps, padded with -1."""
    split = ["0".join("1" * int(number) for number in clue.split()) for clue in clues]
    return "".join(f"|{', '.join([*line, *['-1'] * (width - len(line))])}\n" for line in split)


GNO_HEAD = ["[Description]", "Arrow ", "Ann", "2024-01-01", "3", "[License]", "CC-BY-SA"]
GNO_CLUES = [
    *("[Dimensions]", "5", "6", "[Row clues]", *(clue.replace(" ", ",") for clue in ROWS)),
    *("[Column clues]", *(clue.replace(" ", ", ") for clue in COLUMNS)),
]
SOLUTION = spaced(CELLS, "12")

ARROWS = {
    "gno": lines(GNO_HEAD, GNO_CLUES, "[Solution grid]", SOLUTION, "[Locked]", "true"),
    "gno of older versions": lines(GNO_HEAD, GNO_CLUES, "[Solution]", [f"{row} " for row in SOLUTION], "[State]", "0"),
    "gno without clues": lines("[dimensions]", "5", "6", "[solution]", SOLUTION),
    "gno without solution": lines(GNO_CLUES),
    "gno with sizes on a line": lines(GNO_CLUES).replace("5\n6\n", "5 6\n"),
    "gno with blank lines": lines(GNO_HEAD, GNO_CLUES).replace("[", "\n["),
    "freenono": lines(
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<FreeNono><Nonograms><Nonogram desc="" difficulty="0" height="5" id="arrow" name="Arrow" width="6">',
        [f"<line> {row} </line>" for row in spaced(CELLS, "_x")],
        "</Nonogram></Nonograms></FreeNono>",
    ),
    "freenono, dense": lines(
        "<FreeNono><Nonograms><Nonogram>",
        [f"<line>{row.translate({48: '_', 49: 'X'})}</line>" for row in CELLS],
        "</Nonogram></Nonograms></FreeNono>",
    ),
    "minizinc": lines(
        "% an arrow = [1]",
        "rows = 5;\nrow_rule_len = 2;\nrow_rules = array2d(1..rows, 1..row_rule_len, [",
        [f"  {clue}, % a row" for clue in padded(ROWS, "0", 2, first=True)],
        "]);\ncols=6; col_rule_len=2;",
        f"col_rules=array2d(1..6,1..2,[{','.join(padded(COLUMNS, '0', 2, first=False))}]);",
    ),
    "minizinc, tables": lines(
        f"row_clues = [|{'|'.join(padded(ROWS, '0', 2, first=False))}|];",
        f"col_clues = [|{'|'.join(padded(COLUMNS, '0', 3, first=True))}|];",
    ),
    "minizinc, cells": lines(
        f"X = 6;\nY = 5;\nmaxlen = 6;\nrows = [{cells_of(ROWS, 6)}|];\ncols = [{cells_of(COLUMNS, 6)}|];"
    ),
    "minizinc, other names": lines(
        f"Left = [|{'|'.join(padded(ROWS, '0', 2, first=False))}|];",
        f"top_clues = [|{'|'.join(padded(COLUMNS, '-1', 3, first=False))}|];",
    ),
    "contest": lines("5 6", ROWS, COLUMNS),
    "contest, closing zeros": lines("5 6", [clue if clue == "0" else f"{clue} 0" for clue in ROWS + COLUMNS]),
    "contest, padded": lines("5 6", [c.replace(",", " ") for c in padded(ROWS + COLUMNS, "0", 3, first=True)]),
    "contest, blank empty clues": lines("5 6", [clue if clue != "0" else "" for clue in ROWS + COLUMNS[:-1]]) + "0\n",
    "contest, blank line between": lines("5 6", "", ROWS, "", COLUMNS),
    "contest, sizes on two lines": lines("5", "6", ROWS, COLUMNS),
    "non, picture only": lines("width 6", "height 5", f'goal "{"".join(CELLS)}"'),
    "non, picture in lines": lines("title Arrow", "height 5", "width 6", "goal", CELLS),
    "non, commas at the end": lines(
        *("width 6\nheight 5\nrows", [f"{c.replace(' ', ',')}," for c in ROWS]),
        *("columns", [f"{c.replace(' ', ',')} ," for c in COLUMNS]),
    ),
}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("variant", ARROWS)
def test_variant_is_detected_and_read(variant: str, end: str) -> None:
    text = ARROWS[variant].replace("\n", end)
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode()):
        known = detect("x.txt", data)
        assert re.split(r"\W", variant)[0] == known.NAME
        (puzzle,) = known.read(data)
        assert (puzzle.rows, puzzle.columns) == (ARROW.rows, ARROW.columns)
        if puzzle.goal is not None:
            assert puzzle.goal.tolist() == ARROW.goal.tolist()  # type: ignore[union-attr]


def one(name: str, text: str) -> Puzzle:
    (puzzle,) = named(name).read(text.encode())
    return puzzle


def test_square_contest_has_one_size() -> None:
    data = b"2\n2\n0\n1\n1\n"
    assert detect("", data).NAME == "contest"
    assert one("contest", data.decode()).rows == ((Block(2),), ())
    with pytest.raises(FormatError, match=r"line 2: 2 could be the number of columns, or the first clue"):
        one("contest", "3\n2\n1\n1\n1\n1\n2\n")


def test_contest_of_several_puzzles() -> None:
    """An empty clue is an empty line, as is what stands between two puzzles."""
    data = b"2\n2\n\n1\n1\n\n2\n1\n1\n1\n1\n\n\n1 3\n1 1\n1\n\n1\n"
    assert detect("", data).NAME == "contest"
    first, second, third = named("contest").read(data)
    assert (first.rows, first.columns) == (((Block(2),), ()), ((Block(1),),) * 2)
    assert second.rows == second.columns == ((Block(1),),) * 2
    assert (third.rows, third.columns) == (((Block(1),) * 2,), ((Block(1),), (), (Block(1),)))


def test_smallest_and_empty_puzzles() -> None:
    for name, text in (
        ("gno", "[Dimensions]\n1\n1\n[Row clues]\n0\n[Column clues]\n0\n"),
        ("gno", "[Dimensions]\n1\n1\n[Solution]\n1\n"),
        ("freenono", "<FreeNono><Nonogram><line>_</line></Nonogram></FreeNono>"),
        ("minizinc", "row_rules = [|0|]; col_rules = [|0|];"),
        ("minizinc", "X = 1; Y = 1; maxlen = 1; rows = [|0|]; cols = [|0|];"),
        ("contest", "1 1\n0\n0\n"),
        ("contest", "1\n1\n0\n0\n"),
        ("non", "width 1\nheight 1\ngoal 0\n"),
        ("tatham", "1x1:/\n"),
    ):
        puzzle = one(name, text)
        assert (puzzle.rows, puzzle.columns) == (((),), ((),)), (name, text)
    blank = from_picture(np.zeros((3, 2), np.uint8))
    for name in ("gno", "freenono", "minizinc", "contest"):
        data = named(name).write(blank)
        (back,) = detect("", data).read(data)
        assert (back.rows, back.columns) == (blank.rows, blank.columns), name


def test_gno_and_freenono_have_titles_and_grids() -> None:
    puzzle = one("gno", ARROWS["gno"] + "[Working grid]\n" + "2 0 0 0 0 1\n" * 5)
    assert (puzzle.title, puzzle.author, puzzle.license) == ("Arrow", "Ann", "CC-BY-SA")
    (saved,) = puzzle.saved
    assert saved[:, 0].tolist() == [[False, True]] * 5
    assert saved[:, 1].tolist() == [[True, True]] * 5
    assert saved[:, 5].tolist() == [[True, False]] * 5
    two = ARROWS["freenono"].replace("</Nonograms>", '<Nonogram name="B"><line>x</line></Nonogram></Nonograms>')
    assert [puzzle.title for puzzle in named("freenono").read(two.encode())] == ["Arrow", "B"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gno", "[Row clues]\n1\n", "it has no [Dimensions]"),
        ("gno", "[Dimensions]\n1\n2\n[Row clues]\n1\n", "width is 2, but there are 0 column clues"),
        ("gno", "[Dimensions]\n1\n1\n[Solution]\n3\n", "line 5: '3' is not a row of 1 cells, each 0, 1 or 2"),
        ("gno", "[Dimensions]\n1\n1\n[Solution]\n1\n1\n", "line 5: the grid below it has 2 rows, not 1"),
        ("gno", "[Dimensions]\n1\n1\n[Solution]\n0\n", "height is 1, but there are 0 row clues"),
        ("gno", "[Dimensions]\n1\n1\n[Dimensions]\n", "line 4: '[Dimensions]' occurs twice"),
        ("freenono", "<FreeNono/>", "it holds no puzzle"),
        ("freenono", "<FreeNono><Nonogram/></FreeNono>", "its picture is 0x0; a side has 1 to 1023 cells"),
        ("freenono", "<a><Nonogram><line>xo</line></Nonogram></a>", "row 1: 'o' is neither x nor _"),
        ("freenono", "<a><Nonogram><line>xx</line><line>x</line></Nonogram></a>", "row 2 has 1 cells, the first one 2"),
        ("freenono", '<a><Nonogram width="3"><line>xx</line></Nonogram></a>', "its width is '3', but that of its"),
        ("minizinc", "row_rules = [|1|];", "it has no array for its columns; one of clues is read"),
        ("minizinc", "row_a = [|1|]; row_b = [1]; col = [|1|];", "it has several arrays, 'row_a, row_b', for its rows"),
        ("minizinc", "rows = 2; row_r = [|1|]; col_r = [|1|];", "rows is '2', but 'row_r' has 1 lines"),
        ("minizinc", "row_r = array2d(1..2,1..2,[1,1,1]); col_r = [|1|];", "'row_r' has 3 numbers, not 2 lines of 2"),
        ("minizinc", "row_r = array2d(1..n,1..2,[1,1]); col_r = [|1|];", "'row_r': its bounds are '1, n, 1, 2'; each"),
        ("minizinc", "row_r = [|1,0,1|]; col_r = [|1|];", "row 1: 0 is not a number from 1 to 1023"),
        ("minizinc", "row_r = [|1,a|]; col_r = [|1|];", "'row_r': '1,a' is not a list of numbers"),
        ("minizinc", "row_r = [{1}]; col_r = [|1|];", "'row_r': '{1}' is not a list of numbers"),
        ("minizinc", "X=3;Y=1;maxlen=2; rows=[|1,1|]; cols=[|1|0|1|];", "its clues of 1s only could be lengths of"),
        ("contest", "2 2\n1\n1\n1\n", "it ends after 3 of 4 clues"),
        ("contest", "1 1\n1 0\n0 1\n", "it could be a picture of 2x3 cells, or a puzzle of one cell"),
        ("contest", "2 2\n1 0 1\n1\n1\n1\n", "line 2: '1 0 1' has a 0 among its numbers"),
        ("non", "width 2\nheight 2\ngoal 011\n", "line 3: the goal has 3 cells, but 2x2 are 4"),
        ("non", "width 2\ngoal 011\n", "it has no clues, nor a picture with its width and height"),
        ("non", "rows\n1;1\ncolumns\n1\n", "line 2: '1;1' is not a list of numbers: it has ';'"),
        ("non", 'rows\n1\ncolumns\n1\nsaved "0?"\n', "line 5: the saved grid has 2 cells, but 1x1 are 1"),
        ("tatham", "1x1:1/1,\n", "line 1: its given cells are 0, not 1x1"),
        ("tatham", "1x1:1/1,AA\n", "line 1: its given cells are more, not 1x1"),
        ("tatham", "1x1:1/1,c\n", "line 1: its given cells are more, not 1x1"),
    ],
)
def test_unreadable_file_has_a_reason(name: str, text: str, said: str) -> None:
    with pytest.raises(FormatError, match=f"^{re.escape(said)}"):
        one(name, text)


def test_saved_grids_of_non_are_kept() -> None:
    text = 'rows\n1\ncolumns\n1\n0\nsaved "1?"\nsaved\n?\n0\nsaved yes\n'
    puzzle = one("non", text)
    assert [grid.tolist() for grid in puzzle.saved] == [[[[False, True], [True] * 2]], [[[True] * 2, [True, False]]]]
    assert [grid.tolist() for grid in one("non", named("non").write(puzzle).decode()).saved] == [
        grid.tolist() for grid in puzzle.saved
    ]
    colored = one("non", 'color a #ff0000\ncolor b #00ff00\nrows\n1b\ncolumns\n1b\nsaved "a"\n')
    assert [color.rgb for color in colored.palette] == ["ffffff", "00ff00", "ff0000"]
    assert colored.saved[0].tolist() == [[[False, False, True]]], "a colour that no clue has"
    full = one("non", 'rows\n1\n1\ncolumns\n1\n1\nsaved "1000"\nsaved "1001"\n').saved
    assert [grid.all(axis=2).sum() for grid in full] == [3, 0], "a 0 is open where all as white would be wrong"


NONNY = """title "Two"
width 3
height 2

color red FF0000 #
color blue 0000FF $

rows
red 1 blue 1
{row}

columns
red 2
{column}
0
"""


@pytest.mark.parametrize(
    ("row", "column"), [("red 1", "blue 1"), ("red: 1", "blue: 1"), ("red:1,", "blue 1,"), ("red : 1", "blue, 1")]
)
def test_colours_of_nonny_have_no_background_line(row: str, column: str) -> None:
    puzzle = one("non", NONNY.format(row=row, column=column))
    assert [color.rgb for color in puzzle.palette] == ["ffffff", "ff0000", "0000ff"]
    assert puzzle.rows == ((Block(1, 1), Block(1, 2)), (Block(1, 1),))
    assert puzzle.columns == ((Block(2, 1),), (Block(1, 2),), ())


def test_name_of_nonny_holds_up_to_the_next_one() -> None:
    puzzle = one("non", "color red FF0000 #\nrows\n1, red: 1, 2\n0\ncolumns\n1\nred 1\nred 1\nred 1\n")
    assert [color.name for color in puzzle.palette] == ["background", "black", "red"]
    assert puzzle.rows[0] == (Block(1, 1), Block(1, 2), Block(2, 2))
    assert puzzle.columns[1:] == ((Block(1, 2),),) * 3
    ground = one("non", "color black 000000 X\ncolor background FFFF00 .\nrows\n1\ncolumns\n1\n")
    assert [(color.name, color.rgb) for color in ground.palette] == [("background", "ffff00"), ("black", "000000")]


def test_letters_without_declaration_are_colours() -> None:
    puzzle = one("non", "rows\n1b,1a,1\ncolumns\n1b\n1a\n1\n")
    assert puzzle.rows == ((Block(1, 1), Block(1, 2), Block(1, 3)),)
    assert [color.symbol for color in puzzle.palette[1:3]] == ["b", "a"]
    assert len({color.rgb for color in puzzle.palette}) == 4
    assert puzzle.palette[3].rgb == "000000"
    picture = one("non", 'width 2\nheight 1\ngoal "ab"\n')
    assert picture.rows == ((Block(1, 1), Block(1, 2)),)


def test_hidden_lengths_of_links() -> None:
    text = "https://puzz.link/p?nonogram/2/1/..1"
    assert one("puzzlink", text).rows == ((Block(1),),)
    assert one("puzzlink", text).columns == ((Block(BLOT),),) * 2
    assert named("puzzlink").write(one("puzzlink", text)).decode().strip() == text


def test_given_cells_of_pattern_are_a_saved_grid() -> None:
    (saved,) = one("tatham", "3x2:1/1/1/1/2,bAac\n").saved
    decided = np.where(saved.all(axis=2), -1, saved[:, :, 1])
    assert decided.tolist() == [[-1, 0, 1], [0, -1, -1]]
    wide = one("tatham", f"30x1:{'/' * 29}1/1,zdA\n").saved[0]
    assert np.flatnonzero(~wide.all(axis=2)).tolist() == [28, 29]


@pytest.mark.parametrize(
    "text",
    [
        "width(3). height(1).\nrow(1,1,3).\ncol(1,1,1). col(2,1,1). col(3,1,1).\n",
        "% a picture\n#const w = 3.\nrow_hint(1,1,3).\ncol_hint(1,1,1).\ncol_hint(2,1,1).",
        "row_clue(0, 0, 1, 10).   row_clue(0, 1, 2, 4).",
        "row_clue(1, [2]).\r\nrow_clue(2, [1, 1]).\r\n",
    ],
)
@pytest.mark.parametrize("name", ["facts.lp", "facts.pl", "facts.txt"])
def test_facts_are_refused_as_what_they_are(name: str, text: str) -> None:
    with pytest.raises(FormatError, match=r"^unknown format: facts of a logic program"):
        detect(name, text.encode())


def test_unknown_format_has_an_example_and_the_page() -> None:
    with pytest.raises(FormatError, match=r"^unknown format; .* \(3 1\).*; docs/FORMATS\.md lists all$"):
        detect("x.txt", b"once upon a time")


# Batches.


def test_named_colours_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    for name, rgb in (("red", "ff0000"), ("Dark Slate Grey", "2f4f4f"), ("rebeccapurple", "663399"), ("nosuch", None)):
        assert parse_rgb(name) == rgb


def test_file_that_needs_a_missing_library_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    (tmp_path / "a.bmp").write_bytes(b"BM" + bytes(60))
    (tmp_path / "b.non").write_text("rows\n1\ncolumns\n1\n")
    picture, puzzle = read_files(files_in([tmp_path]))
    assert isinstance(puzzle, Puzzle)
    assert isinstance(picture, Problem)
    assert picture.reason == "PIL is not installed: pip install 'nonocensus[pictures]'"


def test_fault_of_a_reader_is_a_problem_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.taai").write_text("$1\n1\n1\n")
    (tmp_path / "b.non").write_text("rows\n1\ncolumns\n1\n")
    monkeypatch.setattr(named("taai"), "read", lambda _: [][0])
    broken, puzzle = read_files(files_in([tmp_path]))
    assert isinstance(puzzle, Puzzle)
    assert isinstance(broken, Problem)
    assert broken.reason.startswith("it can't be read, by a fault of this program (IndexError: ")


# Parquet.


def parquet(path: Path, table: pa.Table) -> Path:
    pq.write_table(table, path)
    return path


def test_parquet_of_a_table_is_read(tmp_path: Path) -> None:
    colored = from_picture([[1, 2], [0, 1]], (*ARROW.palette, ARROW.palette[1]._replace(name="red", rgb="ff0000")))
    table = pa.table(puzzle_batch([ARROW, colored]))
    path = parquet(tmp_path / "x.parquet", table.append_column("label", pa.array(["unique", None])))
    for read, puzzle in zip(read_files(files_in([path])), (ARROW, colored), strict=True):
        assert isinstance(read, Puzzle)
        assert (read.rows, read.columns, read.palette) == (puzzle.rows, puzzle.columns, puzzle.palette)
        assert read.goal is not None
        assert puzzle.goal is not None
        assert read.goal.tolist() == puzzle.goal.tolist()
    (read,) = read_files(files_in([parquet(path, table.select(["rows", "columns", "palette"]).slice(1))]))
    assert isinstance(read, Puzzle)
    assert read.rows == colored.rows


def test_rows_of_parquet_without_clues_are_one_problem(tmp_path: Path) -> None:
    table = pa.table(puzzle_batch([ARROW] * 3))
    place = table.schema.get_field_index("rows")
    some = pa.chunked_array([pa.array([None, *table["rows"].to_pylist()[1:]], table["rows"].type)])
    path = parquet(tmp_path / "x.parquet", table.set_column(place, "rows", some))
    *puzzles, problem = read_files(files_in([path]))
    assert len(puzzles) == 2
    assert problem == Problem("x.parquet", "1 of its 3 rows have no clues, which the dataset withholds")
    for broken, reason in (
        (table.drop(["rows"]), "it has no clues; a dataset has them if written with --with-clues"),
        (pa.table({"rows": [[{"n": 1}]], "columns": [[{"n": 1}]]}), "column 'rows' is list"),
        (pa.table({"rows": [[-1]], "columns": [[2]]}), "row 1: the number -1 is negative"),
    ):
        (problem,) = read_files(files_in([parquet(path, broken)]))
        assert isinstance(problem, Problem)
        assert reason in problem.reason
    path.write_bytes(path.read_bytes()[:-9])
    (problem,) = read_files(files_in([path]))
    assert isinstance(problem, Problem)
    assert problem.reason.startswith("it is a damaged Parquet file: ")


@pytest.mark.parametrize("names", [("rows", "columns"), ("row_clues", "col_clues"), ("left", "top")])
def test_parquet_of_others_is_read_by_its_names(tmp_path: Path, names: tuple[str, str]) -> None:
    sides = ([[[2], [], [1, 1]]] * 2, [[[1, 1], [1], [1]]] * 2)
    for rows, columns in (sides, [[*map(str, side)] for side in sides]):
        values = {"id": [1, 2], names[0]: rows, names[1]: columns, "day": pa.array([0, 1], pa.date32())}
        puzzles = list(read_files(files_in([parquet(tmp_path / "x.parquet", pa.table(values))])))
        assert [puzzle.rows for puzzle in puzzles if isinstance(puzzle, Puzzle)] == [
            ((Block(2),), (), (Block(1),) * 2)
        ] * 2


def test_large_parquet_is_read_in_chunks(tmp_path: Path) -> None:
    table = pa.table(puzzle_batch(list(chain.from_iterable(repeat([ARROW], 3000)))))
    path = parquet(tmp_path / "x.parquet", table)
    chunks = list(files_in([path]))
    assert all(chunk.is_chunk for chunk in chunks)
    assert len(list(read_files(chunks))) == 3000

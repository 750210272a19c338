"""webpbn's XML: real files, what the format allows, attacks, refusals, round trips."""

import time
from contextlib import suppress
from dataclasses import replace
from xml.etree.ElementTree import XMLParser
from xml.parsers import expat

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import PALETTE, pictures, puzzles

from nonocensus.scrapers.formats import FormatError, webpbn_xml
from nonocensus.solver.model.puzzle import BLACK, BLACK_ON_WHITE, WHITE, Block, Color, Puzzle, from_picture

RED = Color("red", "r", "ff0000")

COLORED = """<?xml version="1.0"?>
<!DOCTYPE pbn SYSTEM "https://webpbn.com/pbn-0.3.dtd">
<puzzleset>
<source>webpbn.com</source>

<puzzle type="grid" defaultcolor="red">
<title>A &quot;small&quot; one</title>
<author>Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}</author>
<authorid>zoe</authorid>
<copyright>(c) Copyright 2009 by Zoe</copyright>
<id>#42 (v.7)</id>
<description>Nothing much.</description>
<note>published,definitely unique</note>

<color name="white" char=".">FFFFFF</color>
<color name="black" char="X">000</color>
<color name="red" char="r">f00</color>

<clues type="columns">
<line><count>0</count></line>
<line></line>
<line><count color="black">1</count><count>1</count></line>
</clues>

<clues type="rows">
<line><count>1</count><count color="black">1</count></line>
<line><count>1</count></line>
</clues>

<solution type="goal">
<image>
|r.X|
|..r|
</image>
</solution>

</puzzle>
</puzzleset>
"""


def one(text: str | bytes) -> Puzzle:
    (puzzle,) = webpbn_xml.read(text.encode() if isinstance(text, str) else text)
    return puzzle


def grid(inner: str, attributes: str = "") -> Puzzle:
    return one(f"<puzzleset><puzzle {attributes}>{inner}</puzzle></puzzleset>")


def side(name: str, *lines: str) -> str:
    return f'<clues type="{name}">' + "".join(f"<line>{line}</line>" for line in lines) + "</clues>"


ONE = side("rows", "<count>1</count>") + side("columns", "<count>1</count>")


def test_all_elements_are_read() -> None:
    puzzle = one(COLORED)
    assert puzzle.palette == (WHITE, RED, BLACK)
    assert puzzle.rows == ((Block(1, 1), Block(1, 2)), (Block(1, 1),))
    assert puzzle.columns == ((Block(0, 1),), (), (Block(1, 2), Block(1, 1)))
    assert puzzle.blotted
    assert puzzle.kind == "color"
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == [[1, 0, 2], [0, 0, 1]]
    assert puzzle.goal.dtype == np.uint8
    assert (puzzle.puzzle_id, puzzle.source, puzzle.source_id) == ("webpbn/42", "webpbn", "42")
    assert puzzle.url == "https://webpbn.com/play.cgi?id=42"
    assert (puzzle.title, puzzle.author) == ('A "small" one', "Zoë")
    assert puzzle.copyright == "(c) Copyright 2009 by Zoe"
    assert (puzzle.site_note, puzzle.site_version) == ("published,definitely unique", "7")


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (COLORED.replace("small", "crème").encode(), 'A "crème" one'),
        (COLORED.replace("small", "crème ’n’").encode("cp1252"), 'A "crème ’n’" one'),
        (COLORED.replace("small", "crème").encode("utf-8-sig"), 'A "crème" one'),
        (COLORED.replace("small", "crème").encode("utf-16"), 'A "crème" one'),
        (f"<puzzle><title>&copy; 2004</title>{ONE}</puzzle>".encode(), "© 2004"),
        (b"\n\n" + COLORED.replace("small", "&eacute;&#232;&amp;lt;").encode(), 'A "éè&lt;" one'),
        (COLORED.replace("\n", "\r\n").encode(), 'A "small" one'),
        (
            COLORED.replace('"1.0"', '"1.0" encoding="ISO-8859-2"').replace("small", "ő").encode("iso8859-2"),
            'A "ő" one',
        ),
        (COLORED.replace('"1.0"', "'1.0' encoding='utf-8'").replace("small", "ő").encode(), 'A "ő" one'),
    ],
)
def test_encodings_and_entities_are_resolved(data: bytes, title: str) -> None:
    assert one(data).title == title


@pytest.mark.parametrize(
    ("author", "name"), [("Ada B ()", "Ada B"), ("Ada (ab)", "Ada (ab)"), ("()", "()"), ("", None)]
)
def test_nickname_that_the_site_leaves_empty_is_left_out(author: str, name: str | None) -> None:
    assert one(f"<puzzle><author>{author}</author>{ONE}</puzzle>").author == name


def test_black_and_white_need_no_declaration() -> None:
    assert grid(ONE).palette == BLACK_ON_WHITE
    assert grid(ONE, 'defaultcolor="red"><color name="red" char="r">f00</color').palette == (WHITE, RED)
    assert grid(ONE + '<color name="black" char="#">112233</color>').palette == (WHITE, Color("black", "#", "112233"))
    assert grid('<color name="red" char="r">f00</color><solution><image>|rX.|</image></solution>').palette == (
        *(WHITE, RED, BLACK),
    )


def test_background_may_have_other_colour() -> None:
    attributes = 'backgroundcolor="red" defaultcolor="white"'
    puzzle = grid('<color name="red" char="r">f00</color><solution><image>|r.|</image></solution>', attributes)
    assert puzzle.palette == (RED, WHITE)
    assert puzzle.rows == ((Block(1, 1),),)
    assert grid(side("rows", "<count>1</count>") + side("columns", "<count>1</count>"), 'backgroundcolor="white"')


def test_colours_without_char_get_symbols() -> None:
    colors = '<color name="red">f00</color><color name="blue">00f</color>'
    line = '<count color="red">1</count><count color="blue">1</count>'
    puzzle = grid(colors + side("rows", line) + side("columns", '<count color="red">1</count>', ""))
    symbols = [color.symbol for color in puzzle.palette]
    assert len(set(symbols)) == 3
    assert all(len(symbol) == 1 for symbol in symbols)


@pytest.mark.parametrize("clues", ["", side("rows", "<count>2</count>"), side("columns", "<count>1</count>", "")])
def test_missing_clues_are_derived_from_goal(clues: str) -> None:
    puzzle = grid(clues + '<solution type="goal"><image>|X.|</image></solution>')
    assert puzzle.columns == ((Block(1),), ())
    assert puzzle.rows == (((Block(2),),) if "rows" in clues else ((Block(1),),))


def test_other_solutions_are_ignored() -> None:
    others = "".join(f'<solution type="{kind}"><image>|?|</image></solution>' for kind in ("solution", "saved"))
    assert grid(ONE + others).goal is None
    puzzle = grid(ONE + others + "<solution><image>\n|X|\n</image></solution>")
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == [[1]]


def test_a_goal_need_not_fit_its_clues() -> None:
    puzzle = grid(ONE + "<solution><image>|.|</image></solution>")
    assert puzzle.rows == ((Block(1),),)


def test_puzzles_inherit_metadata_of_puzzleset() -> None:
    text = "<puzzleset><source>webpbn.com</source><author>A</author><copyright>C</copyright>{}</puzzleset>"
    first, second = webpbn_xml.read(
        text.format(
            f"<puzzle><id>#7</id>{ONE}</puzzle><puzzle><source>mine</source><id>8</id><author>B</author>{ONE}</puzzle>"
        ).encode()
    )
    assert (first.puzzle_id, first.site_version, first.author, first.copyright) == ("webpbn/7", None, "A", "C")
    assert (second.puzzle_id, second.source, second.author, second.copyright) == ("", None, "B", "C")


def test_valid_puzzles_are_yielded_before_error() -> None:
    bad, good = '<puzzle type="triddler"></puzzle>', f"<puzzle>{ONE}</puzzle>"
    read = webpbn_xml.read(f"<puzzleset>{bad}{good}<puzzle/>{good}</puzzleset>".encode())
    assert next(read).width == next(read).width == 1
    with pytest.raises(FormatError) as error:
        next(read)
    assert str(error.value) == (
        "puzzle 1: puzzles of type 'triddler' are not supported, only 'grid'; "
        "puzzle 3: it has neither clues for its rows nor a goal"
    )


@pytest.mark.parametrize(
    "words",
    ["Puzzle 5 does not exist", "Puzzle 5 has not been published", "The ss format cannot handle multicolor puzzles."],
)
def test_refusals_of_webpbn_are_errors(words: str) -> None:
    data = f"{words}\n".encode()
    assert webpbn_xml.recognizes(data)
    assert webpbn_xml.refusal(data) == words.rstrip(".")
    with pytest.raises(FormatError, match=f"^webpbn sent no puzzle: '{words.rstrip('.')}'$"):
        one(data)
    assert webpbn_xml.refusal(b"Puzzle 5 does not exist, or does it?\n") is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type="grid"', 'type="triddler"', "puzzles of type 'triddler' are not supported, only 'grid'"),
        ('type="rows"', 'type="topleft"', "clues of type 'topleft' are not supported, only 'rows' and 'columns'"),
        ("<count>0<", "<count>x<", "column 1: 'x' is not a number"),
        ("<count>0<", "<count><", "column 1: '' is not a number"),
        ("<count>0<", "<count>1_0<", "column 1: '1_0' is not a number"),
        ("<count>0<", "<count>-1<", "column 1: the number -1 is negative"),
        ("<count>0<", "<count>1024<", "column 1: the number 1024 is more than 1023"),
        ("<count>0<", f"<count>{'9' * 5000}<", f"column 1: '{'9' * 37}...' is not a number"),
        ('"black">1</count></line>', '"blue">1</count></line>', "row 1: 'blue' is not a colour"),
        ('"black">1</count></line>', '"white">1</count></line>', "row 1: 'white' is the background"),
        ('defaultcolor="red"', 'defaultcolor="blue"', "column 1: 'blue' is not a colour"),
        ('defaultcolor="red"', 'backgroundcolor="blue"', "its background 'blue' is not among its colours"),
        (">f00<", ">f0<", "the colour 'red' is 'f0', not three or six hexadecimal digits"),
        (">f00<", ">red/black<", "the colour 'red' is 'red/black', not three or six hexadecimal digits"),
        ('char="r"', 'char="X"', "two of its colours have the char 'X'"),
        ('char="r"', 'char="rr"', "the colour 'red' has the char 'rr', more than one character"),
        ('name="red"', 'name="black"', "two of its colours have the name 'black'"),
        ("|..r|", "|..b|", "row 2 of the goal: 'b' is not a colour symbol"),
        ("|..r|", "|.[.X]r|", "row 2 of the goal leaves cells open"),
        ("|..r|", "|...r|", "row 2 of the goal has 4 cells, those before it have 3"),
        ("|..r|", "", "its goal is 3x1, its clues are 3x2"),
        ("</puzzleset>", "", "it is not well-formed XML: no element found: line 39, column 0"),
        ("<title>", "<title>&nosuch;", "it is not well-formed XML: undefined entity &nosuch;: line 7, column 7"),
        ("<title>", "<title>\x02", "it is not well-formed XML: not well-formed (invalid token): line 7, column 7"),
        ('"1.0"', '"1.0" encoding="utf-7"', "its encoding 'utf-7' is not supported"),
        ('"1.0"', '"1.0" encoding="punycode"', "its encoding 'punycode' is not supported"),
        ('"1.0"', '"1.0" encoding="x"', "its encoding 'x' is not supported"),
        ('"1.0"', '"1.0" encoding="us-ascii"', "it declares itself ascii but is not (byte 0xc3 at offset 227)"),
    ],
)  # fmt: skip
def test_invalid_files_give_reasons(old: str, new: str, message: str) -> None:
    assert old in COLORED
    with pytest.raises(FormatError) as error:
        one(COLORED.replace(old, new, 1))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<puzzleset/>", "it holds no puzzle"),
        (b"<puzzleset>" + b"<a>" * 200_000 + b"</a>" * 200_000 + b"</puzzleset>", "it holds no puzzle"),
        (b"<puzzleset>" + b"<a>" * 200_000, "it is not well-formed XML: no element found: line 1, column 600011"),
        (b"<html><body>500</body></html>", "it holds <html>, not <puzzleset>"),
        (b"syntax error", "it is not well-formed XML: syntax error: line 1, column 0"),
    ],
)
def test_file_without_puzzle_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        one(data)
    assert str(error.value) == message


def test_too_many_colours_are_an_error() -> None:
    colors = "".join(f'<color name="c{n}">{n:06x}</color>' for n in range(400))
    with pytest.raises(FormatError, match=r"^it has 399 colours; the most is 31$"):
        grid(colors + ONE)
    colors = "".join(f'<color name="c{n}">{n:06x}</color>' for n in range(31))
    assert len(grid(colors + side("rows", "") + side("columns", "")).palette) == 32


BILLION_LAUGHS = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    "subset",
    [
        f'<!ENTITY e0 "ha">{BILLION_LAUGHS}',
        f'<!ENTITY e11 "{"a" * 100_000}">',
        '<!ENTITY e11 SYSTEM "file:///etc/passwd">',
        '<!ENTITY % e11 SYSTEM "http://127.0.0.1:9/x.dtd"> %e11;',
        '<!ATTLIST count color CDATA "red">',
        "<!ELEMENT puzzleset ANY>",
    ],
)
def test_declarations_in_the_doctype_are_refused(subset: str) -> None:
    began = time.thread_time()
    with pytest.raises(FormatError, match=r"^its DOCTYPE has declarations, such as entities, which are refused$"):
        one(f"<!DOCTYPE pbn [{subset}]><puzzleset><title>{'&e11;' * 1000}</title></puzzleset>")
    assert time.thread_time() - began < 1


@pytest.mark.parametrize("doctype", ['SYSTEM "file:///etc/passwd"', 'PUBLIC "-//x" "http://127.0.0.1:9/x.dtd"'])
def test_doctype_target_is_not_fetched(doctype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.open", lambda *_: pytest.fail("a file was opened"))
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("a connection was opened"))
    assert one(f"<!DOCTYPE pbn {doctype}><puzzleset><puzzle>{ONE}</puzzle></puzzleset>").width == 1


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1)
titles = st.none() | texts.map(str.strip).filter(bool) | st.sampled_from(["&amp;", "<b>", "]]>", "a\nb", "a\rb", '"'])


@given(
    puzzle=puzzles(),
    about=st.fixed_dictionaries(dict.fromkeys(("title", "author", "copyright", "license", "site_note"), titles)),
    number=st.none() | st.integers(1, 99999),
    version=st.none() | st.integers(1, 20),
)
def test_written_puzzle_is_read_back(puzzle: Puzzle, about: dict, number: int | None, version: int | None) -> None:
    puzzle = replace(puzzle, puzzle_id="", **about)
    if number:
        puzzle = replace(
            puzzle,
            puzzle_id=f"webpbn/{number}",
            source="webpbn",
            source_id=str(number),
            url=f"https://webpbn.com/play.cgi?id={number}",
            site_version=version and str(version),
        )
    data = webpbn_xml.write(puzzle)
    assert webpbn_xml.recognizes(data)
    again = one(data)
    assert vars(replace(again, goal=None)) == vars(replace(puzzle, goal=None))
    assert again.goal is not None
    assert (again.goal == puzzle.goal).all()


@given(
    picture=pictures(3),
    symbols=st.lists(st.sampled_from(["", ".", "X", "|", "[", "\n", "ab", " ", "<", '"', "é"]), min_size=4, max_size=4),
    names=st.lists(st.sampled_from(["", "white", "black", "a b", '"', "color1", "<", "é"]), min_size=4, max_size=4),
)
def test_any_palette_can_be_written(picture: np.ndarray, symbols: list[str], names: list[str]) -> None:
    palette = [Color(name, symbol, f"{n}" * 6) for n, (name, symbol) in enumerate(zip(names, symbols, strict=True))]
    puzzle = from_picture(picture, palette)
    again = one(webpbn_xml.write(puzzle))
    assert (again.rows, again.columns) == (puzzle.rows, puzzle.columns)
    assert (again.goal == puzzle.goal).all()
    assert [color.rgb for color in again.palette] == [color.rgb for color in puzzle.palette]
    assert len({color.symbol for color in again.palette}) == len({color.name for color in again.palette}) == 4


def test_characters_not_in_xml_are_replaced() -> None:
    puzzle = replace(from_picture(np.ones((1, 1), np.uint8), PALETTE[:2]), title="a\0b\x1b\ufffec")
    assert one(webpbn_xml.write(puzzle)).title == "a\ufffdb\ufffd\ufffdc"


def test_saved_grids_follow_the_palette() -> None:
    """A cell of one colour, of several in brackets, of any; the palette is put into another order on reading."""
    image = '<solution type="saved"><image>|?.[rX]|\n|[.]r?|</image></solution>'
    puzzle = one(COLORED.replace("</puzzle>", image + "</puzzle>"))
    (saved,) = puzzle.saved
    assert saved.shape == (2, 3, 3)
    assert [[np.flatnonzero(cell).tolist() for cell in row] for row in saved] == [
        [[0, 1, 2], [0], [1, 2]],
        [[0], [1], [0, 1, 2]],
    ]


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("|??|\n|??|", "saved grid 1 is 2x2, its clues are 3x2"),
        ("|??b|\n|???|", "row 1 of saved grid 1: 'b' is not a colour symbol"),
        ("|???|\n|??|", "row 2 of saved grid 1 has 2 cells"),
    ],
)
def test_invalid_saved_grids_are_errors(image: str, reason: str) -> None:
    text = COLORED.replace("</puzzle>", f'<solution type="saved"><image>{image}</image></solution></puzzle>')
    with pytest.raises(ValueError, match=reason.replace("(", "\\(")):
        one(text)


@given(st.data())
def test_saved_grids_survive_round_trip(data: st.DataObject) -> None:
    """Whatever a cell may be: one colour, several, any, or none."""
    puzzle = data.draw(puzzles(5))
    shape = (2, puzzle.height, puzzle.width, len(puzzle.palette))
    bits = data.draw(st.lists(st.booleans(), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    grids = np.array(bits, np.bool_).reshape(shape)
    again = one(webpbn_xml.write(replace(puzzle, saved=tuple(grids))))
    assert [grid.tolist() for grid in again.saved] == grids.tolist()


MARKUP = r"""
<!DOCTYPE pbn>
<!DOCTYPE pbn SYSTEM "x">
<!DOCTYPE pbn []>
<!DOCTYPE pbn [<!ENTITY e '1'>]>
<!DOCTYPE pbn SYSTEM "a>b" [<!ENTITY e '1'>]>
<!DOCTYPE pbn SYSTEM 'a"b' [%e;]>
<&excl;DOCTYPE pbn &lbrack;<&excl;ENTITY e '1'>]>
<?xml version='1.0'?>
<?xml version='1.0' encoding='utf-16'?>
<?a [?>
<!-- [ -->
<![CDATA[<]]>
<a>
</a>
<a b='&e;'/>
&e;
&amp;
&nosuch;
&#1;
]
"""
markup = st.sampled_from([*MARKUP.strip().split("\n"), "\n"])


@given(st.lists(markup, max_size=4).map("".join), st.lists(markup, max_size=6).map("".join))
@settings(max_examples=300, deadline=None)
@example("<&excl;DOCTYPE pbn [<&excl;ENTITY e '1'>]>", "&e;")
def test_parser_never_sees_a_declaration(before: str, inside: str) -> None:
    """However it is written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(webpbn_xml, "CHECKED_PIECE", 16)
        patch.setattr(webpbn_xml, "XMLParser", WatchedParser)
        with suppress(FormatError):
            webpbn_xml.parse_xml(f"{before}<a>{inside}</a>")


class WatchedParser:
    """A parser that has declarations in its text reported by expat."""

    def __init__(self) -> None:
        self.parser = XMLParser()
        self.close = self.parser.close

    def feed(self, text: str) -> None:
        found: list[object] = []
        watching = expat.ParserCreate()
        watching.EntityDeclHandler = watching.AttlistDeclHandler = watching.ElementDeclHandler = lambda *declared: (
            found.append(declared)
        )
        with suppress(expat.ExpatError):
            watching.Parse(text, True)
        assert not found
        self.parser.feed(text)

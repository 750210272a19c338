"""Packs: which puzzles they have, in what order, as what files, and what they never overwrite."""

import csv
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pyarrow as pa
import pytest
from pypdf import PdfReader
from runs import run_of, run_serially
from stores import Nonocensus, Refused, random_store

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings import puzzle_pack
from nonocensus.pipeline.findings.pack_index import Pack
from nonocensus.pipeline.findings.sample import difficulty_class
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.reports.drawings.sheet_colors import color_names
from nonocensus.scrapers.formats import named
from nonocensus.scrapers.pictures.recipe import Recipe
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzles_of

PALETTE = (*BLACK_ON_WHITE, Color("red", "R", "ff0000"))
L = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 1]], np.uint8)


def notched(height: int, width: int) -> np.ndarray:
    """Return a painted rectangle without a corner."""
    return 1 - np.pad([[np.uint8(1)]], ((0, height - 1), (0, width - 1)))


@pytest.fixture
def odd(tmp_path: Path) -> Run:
    """One picture in two positions, one without a single solution, and two whose licences say what may be done."""
    pictures = {
        "odd/l": (L, None),
        "odd/turned": (np.rot90(L).copy(), "CC0-1.0"),
        "odd/switch": (np.eye(3, dtype=np.uint8), "CC0-1.0"),
        "odd/full": (notched(3, 4), "all rights reserved"),
        "odd/colors": (np.array([[1, 2, 2]] * 3, np.uint8), "CC-BY-4.0"),
    }
    made = [
        from_picture(cells, PALETTE[: cells.max() + 1], puzzle_id=name, license=terms)
        for name, (cells, terms) in pictures.items()
    ]
    return run_of(tmp_path, made)


def listed(place: Path) -> list[dict[str, str]]:
    with (place / "pack.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def ids(place: Path) -> list[str]:
    return [row["puzzle_id"] for row in listed(place)]


def rate(monkeypatch: pytest.MonkeyPatch, stars_of: Callable[[str], float | None]) -> None:
    """Set the stars of the puzzles of a run by their ids."""
    joined = puzzle_pack.joined_rows

    def rated(*given: object) -> pa.RecordBatch:
        rows = joined(*given)  # type: ignore[arg-type]
        stars = pa.array(map(stars_of, rows["puzzle_id"].to_pylist()), pa.float64())
        return rows.set_column(rows.schema.names.index("stars"), "stars", stars)

    monkeypatch.setattr(puzzle_pack, "joined_rows", rated)


def wanted(count: int, to: str = "non", **others: object) -> puzzle_pack.PackOptions:
    return puzzle_pack.PackOptions(count, to=named(to), **others)  # type: ignore[arg-type]


def test_a_pack_is_what_its_list_says(demo_run: Run, tmp_path: Path) -> None:
    done = puzzle_pack.write_pack(demo_run, str(tmp_path / "pack"), wanted(12, "jsonl"))
    rows = listed(tmp_path / "pack")
    assert done.puzzles == len(rows) == 12
    assert sorted(path.name for path in (tmp_path / "pack").iterdir()) == sorted(
        ["pack.csv", "pack.json", *(row["file"] for row in rows)]
    )
    assert [row["file"] for row in rows] == sorted(row["file"] for row in rows), "numbers in their names"
    assert [float(row["difficulty"]) for row in rows] == sorted(float(row["difficulty"]) for row in rows)
    store = {puzzle.puzzle_id: puzzle for puzzle in puzzles_of(demo_run.store.batches())}
    results = {row["puzzle_id"]: row for row in demo_run.table(["puzzle_id", "solutions", "solution"]).to_pylist()}
    for row in rows:
        (puzzle,) = named("jsonl").read((tmp_path / "pack" / row["file"]).read_bytes())
        original, result = store[row["puzzle_id"]], results[row["puzzle_id"]]
        assert isinstance(puzzle, Puzzle)
        assert (puzzle.rows, puzzle.columns, puzzle.palette) == (original.rows, original.columns, original.palette)
        assert (row["title"], row["author"], row["license"]) == (original.title, original.author, original.license)
        assert result["solutions"] == "unique"
        assert puzzle.goal is not None
        assert puzzle.goal.tobytes() == result["solution"]


def test_the_same_run_gives_the_same_pack(demo_run: Run, tmp_path: Path) -> None:
    options = wanted(9, spread="difficulty", pdf=puzzle_pack.parse_layout("2"))
    for name in "ab":
        puzzle_pack.write_pack(demo_run, str(tmp_path / name), options)
    files = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "ab"]
    assert files[0] == files[1]


def test_as_many_of_each_class_of_difficulty_as_can_be(demo_run: Run, tmp_path: Path) -> None:
    place = tmp_path / "pack"
    puzzle_pack.write_pack(demo_run, str(place), wanted(1000))
    there = Counter(difficulty_class(np.array([float(row["difficulty"]) for row in listed(place)])).tolist())
    most = 3
    count = sum(min(most, number) for number in there.values())
    puzzle_pack.write_pack(demo_run, str(place), wanted(count, spread="difficulty"))
    drawn = Counter(difficulty_class(np.array([float(row["difficulty"]) for row in listed(place)])).tolist())
    assert drawn == {group: min(most, number) for group, number in there.items()}


@pytest.mark.parametrize(
    ("options", "drawn"),
    [
        ({}, [{"odd/turned", "odd/colors"}]),
        ({"private": True}, [{"odd/l", "odd/full", "odd/colors"}, {"odd/turned", "odd/full", "odd/colors"}]),
        ({"private": True, "where": "width > 3"}, [{"odd/full"}]),
        (
            {"to": "taai", "where": "width = height", "private": True},
            [{"odd/l"}, {"odd/turned"}],
        ),  # it has squares only
    ],
    ids=["licensed for redistribution", "private", "where", "a format without colours"],
)
def test_what_may_be_drawn(odd: Run, tmp_path: Path, options: dict[str, object], drawn: list[set[str]]) -> None:
    puzzle_pack.write_pack(odd, str(tmp_path / "pack"), wanted(10, **options))  # type: ignore[arg-type]
    assert set(ids(tmp_path / "pack")) in drawn
    assert len(ids(tmp_path / "pack")) == len(drawn[0])


def test_wrong_solution_is_skipped_and_replaced(odd: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = puzzle_pack.pairs

    def wrong(*asked: object) -> object:
        for results, puzzles in pairs(*asked):  # type: ignore[arg-type]
            if "solution" not in results.column_names:
                yield results, puzzles
                continue
            ids, cells = (results[name].to_pylist() for name in ("puzzle_id", "solution"))
            cells = [own[::-1] if name == "odd/full" else own for name, own in zip(ids, cells, strict=True)]
            column = pa.array(cells, pa.binary())
            yield results.set_column(results.column_names.index("solution"), "solution", column), puzzles

    monkeypatch.setattr(puzzle_pack, "pairs", wrong)
    done = puzzle_pack.write_pack(odd, str(tmp_path / "pack"), wanted(2, private=True))
    assert (done.puzzles, done.skipped) == (2, {"odd/full": "its solution does not fit its clues"})
    assert "odd/full" not in ids(tmp_path / "pack")
    with pytest.raises(UserError, match="no chosen puzzle can be packed: odd/full: its solution does not fit"):
        puzzle_pack.write_pack(odd, str(tmp_path / "none"), wanted(9, private=True, where="width = 4"))


def test_index_fits_its_schema_and_puzzles(demo_run: Run, tmp_path: Path) -> None:
    place = tmp_path / "pack"
    puzzle_pack.write_pack(demo_run, str(place), wanted(9, "jsonl"))
    text = (place / "pack.json").read_text()
    index = json.loads(text)
    jsonschema.validate(index, msgspec.json.schema(Pack))
    assert index["files"] == [each["file"] for each in index["puzzles"]]
    assert [each["number"] for each in index["puzzles"]] == [*range(1, 10)]
    assert text.count("\n") == 9 + 2, "one line per puzzle"
    for each, row in zip(index["puzzles"], listed(place), strict=True):
        (puzzle,) = named("jsonl").read((place / each["file"]).read_bytes())
        assert puzzle.goal is not None
        assert each["solution"] == ["".join(map(str, cells)) for cells in puzzle.goal.tolist()]
        for lines, clues in ((each["rows"], puzzle.rows), (each["columns"], puzzle.columns)):
            assert lines == [[[block.length, block.color] for block in clue] for clue in clues]
        assert each["palette"] == [f"#{color.rgb}" for color in puzzle.palette]
        assert each["color_names"] == [*color_names(puzzle.palette)]
        assert (each["id"], each["title"], each["author"]) == (row["puzzle_id"], row["title"], row["author"])


def test_limit_per_author(tmp_path: Path, nonocensus: Nonocensus) -> None:
    puzzles = [
        from_picture(notched(3, 3 + k), puzzle_id=f"a/{k}", license="MIT", author=author)
        for k, author in enumerate(["Ann", "Ann", "Ann", "Ben", None, None, None])
    ]
    run = run_of(tmp_path, puzzles)
    for options, counts in (((), [1, 2, 3]), (("--spread", "difficulty"), [1, 2, 3])):
        done = nonocensus("pack", run.folder.name, "--out", str(tmp_path / "pack"), "--per-author", "2", *options)
        assert done.code == 1
        assert sorted(Counter(row["author"] for row in listed(tmp_path / "pack")).values()) == counts
        assert "mirrored or recoloured; 6 with at most 2 by one author (--per-author)." in done.out


def test_best_rated_puzzles_of_each_site_are_taken_first(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """Sites rate on scales of their own; unrated puzzles come last, as do copies that are rated lower."""
    rated = {f"webpbn/{k}": 1 + k / 10 for k in range(20)} | {f"griddlers/{k}": 1 + 4.0 * k for k in range(19)}
    puzzles = [
        from_picture(
            notched(3 + k, 5),
            puzzle_id=name,
            source=name.split("/")[0],
            source_id=name.split("/")[1],
            site_quality=quality,
            license="MIT",
        )
        for k, (name, quality) in enumerate([*rated.items(), ("own/1", None)])
    ]
    copy = from_picture(notched(22, 5), puzzle_id="griddlers/99", source="griddlers", site_quality=0.0, license="MIT")
    run = run_of(tmp_path, [*puzzles, copy])
    best = {"webpbn/18", "webpbn/19", "griddlers/17", "griddlers/18"}
    for count, more in ((4, set()), (39, rated.keys()), (40, {*rated, "own/1"})):
        place = tmp_path / f"{count}"
        done = nonocensus("pack", run.folder.name, "--out", str(place), "--count", str(count))
        assert (done.code, set(ids(place))) == (0, best | more)
    about = {each["id"]: each for each in json.loads((place / "pack.json").read_text())["puzzles"]}
    assert about["webpbn/7"]["url"] == "https://webpbn.com/play.cgi?id=7", "by its number"
    assert {row["puzzle_id"]: row["url"] for row in listed(place)} == {name: about[name]["url"] or "" for name in about}
    scales = {"webpbn/7": [1, 5], "griddlers/7": [0, 100], "own/1": None}
    assert {name: about[name]["quality_scale"] for name in scales} == scales
    assert {row["quality_scale"] for row in listed(place)} == {"[1, 5]", "[0, 100]", ""}
    mixed = "--where compares site_quality of different scales, griddlers 0 to 100, webpbn 1 to 5; add: and source = "
    for where, notes in (("Site_Quality > 2", [f"{mixed}'griddlers'"]), ("site_quality > 2 and source = 'webpbn'", [])):
        assert puzzle_pack.write_pack(run, str(place), wanted(9, where=where)).notes == notes


def test_original_of_equal_puzzles_is_packed(tmp_path: Path) -> None:
    """By date, then the first source of the run, though none of its puzzles may be passed on, then by number."""
    turns = {"b/1": None, "a/10": None, "a/9": None, "a/8": "2024-01-02", "a/7": "2024-01-01", "b/2": "2024-01-01"}
    private = from_picture(notched(3, 4), puzzle_id="b/0", source="b", source_id="0", license="all rights reserved")
    made = [
        from_picture(
            np.rot90(L, k).copy(),
            puzzle_id=name,
            source=name[0],
            source_id=name[2:],
            site_date=day and date.fromisoformat(day),
            site_quality=float(k),
            license="MIT",
        )
        for k, (name, day) in enumerate(turns.items())
    ]
    run = run_of(tmp_path, [private, *made])
    for among, original in (
        (turns, "b/2"),
        (("a/7", "a/8", "a/9"), "a/7"),
        (("a/8", "a/9", "b/1"), "a/8"),
        (("a/9", "a/10", "b/1"), "b/1"),
        (("a/10", "a/9"), "a/9"),
    ):
        done = puzzle_pack.write_pack(run, str(tmp_path / "pack"), wanted(2, ids=tuple(among)))
        assert ids(tmp_path / "pack") == [original]
        reason = "equal to an older one, perhaps rotated, mirrored or recoloured"
        assert done.skipped == dict.fromkeys({*among} - {original}, reason)
        assert done.considered["without copies, also rotated, mirrored or recoloured"] == 1


def test_nearly_equal_pictures_are_left_out(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """The original stays, as do small pictures, and what is near a picture that is left out itself."""
    pictures = {f"a/{k + 1}": np.tri(16, 20, k, np.uint8) for k in range(3)}  # neighbours differ in 16 of 136 cells
    pictures |= {f"a/small{k}": np.tri(4, 5, k, np.uint8) for k in range(2)}
    made = [
        from_picture(
            cells, puzzle_id=name, source="a", source_id=name[2:], license="MIT", site_quality=float(name == "a/2")
        )
        for name, cells in pictures.items()
    ]
    run, place = run_of(tmp_path, made[::-1]), tmp_path / "pack"
    options = "pack", run.folder.name, "--out", str(place), "--count"
    done = nonocensus(*options, "4")
    assert (done.code, sorted(ids(place))) == (0, ["a/1", "a/3", "a/small0", "a/small1"])
    assert done.out.splitlines()[-1] == "Skipped a/2: nearly the picture of an older one."
    done = nonocensus(*options, "1", "--ids", "a/2,a/3")
    assert (done.code, ids(place), done.out[:37]) == (0, ["a/2"], "1 puzzle, index pack.json: " + str(place)[:10])


def test_what_is_not_ours_stays(demo_run: Run, tmp_path: Path) -> None:
    place = tmp_path / "pack"
    puzzle_pack.write_pack(demo_run, str(place), wanted(5))
    (place / "cover.png").write_bytes(b"mine")
    (tmp_path / "1-other").write_bytes(b"not the pack's")
    about = json.loads((place / "pack.json").read_text())
    about["files"] += ["../1-other", "cover.png", 7]
    (place / "pack.json").write_text(json.dumps(about))
    puzzle_pack.write_pack(demo_run, str(place), wanted(2))
    names = {path.name for path in place.iterdir()}
    assert names == {"pack.csv", "pack.json", "cover.png", *(row["file"] for row in listed(place))}
    assert (tmp_path / "1-other").exists()


def test_full_disk_leaves_previous_pack(demo_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, write = tmp_path / "pack", puzzle_pack.Folder.write
    puzzle_pack.write_pack(demo_run, str(place), wanted(3, "jsonl"))
    former = {path.name: path.read_bytes() for path in place.iterdir()}

    def full(folder: puzzle_pack.Folder, name: str, data: bytes) -> None:
        if name.startswith("003"):
            raise OSError(28, "No space left on device")
        write(folder, name, data)

    monkeypatch.setattr(puzzle_pack.Folder, "write", full)
    with pytest.raises(OSError, match="No space"):
        puzzle_pack.write_pack(demo_run, str(tmp_path / "new"), wanted(3, "jsonl"))
    assert not (tmp_path / "new").exists()
    with pytest.raises(OSError, match="No space"):
        puzzle_pack.write_pack(demo_run, str(place), wanted(5))
    assert {path.name: path.read_bytes() for path in place.iterdir()} == former
    monkeypatch.undo()
    puzzle_pack.write_pack(demo_run, str(place), wanted(4))
    assert len(list(place.iterdir())) == 4 + 2


def test_a_folder_with_something_else_is_refused(demo_run: Run, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "pack.json").write_text("[]")
    line = refused("pack", demo_run.folder.name, "--out", str(tmp_path))
    assert "is not empty and not a nonocensus pack" in line
    assert [path.name for path in tmp_path.iterdir()] == ["pack.json"]


def test_a_puzzle_that_the_format_can_not_hold_is_skipped(tmp_path: Path, nonocensus: Nonocensus) -> None:
    pink = (Color("pink", ".", "ffc0cb"), BLACK_ON_WHITE[1])
    puzzles = [
        from_picture(np.array(cells, np.uint8), palette, puzzle_id=name, license="CC0-1.0")
        for name, cells, palette in (
            ("a/white", L, BLACK_ON_WHITE),
            ("a/pink", [[1, 0, 1], [1, 1, 1], [1, 1, 1]], pink),
            ("a/full", notched(3, 4), BLACK_ON_WHITE),
        )
    ]
    run = run_of(tmp_path, puzzles)
    done = nonocensus("pack", run.folder.name, "--out", str(tmp_path / "pack"), "--count", "3")
    assert done.code == 1
    reason = "the format non has only white backgrounds; --to jsonl keeps it"
    assert done.out.splitlines()[-1] == f"Skipped a/pink: {reason}."
    assert json.loads((tmp_path / "pack" / "pack.json").read_text())["skipped"] == {"a/pink": reason}
    assert sorted(ids(tmp_path / "pack")) == ["a/full", "a/white"]
    assert [row["file"][:4] for row in listed(tmp_path / "pack")] == ["001-", "002-"]
    done = nonocensus("pack", run.folder.name, "--out", str(tmp_path / "pack"), "--count", "2")
    assert (done.code, sorted(ids(tmp_path / "pack"))) == (0, ["a/full", "a/white"])
    assert "\nDrawn at random, but the same each time, as no site rates them: 2 puzzles.\n" in done.out


def test_pictures_with_hardly_a_painted_cell_are_left_out(tmp_path: Path, nonocensus: Nonocensus) -> None:
    dot = np.zeros((5, 5), np.uint8)
    dot[2, 2] = 1
    made = {"a/dot": dot, "a/full": notched(3, 3)}
    run = run_of(tmp_path, [from_picture(cells, puzzle_id=name, license="MIT") for name, cells in made.items()])
    for options, drawn in (((), ["a/full"]), (("--min-density", "0"), ["a/dot", "a/full"])):
        done = nonocensus("pack", run.folder.name, "--out", str(tmp_path / "pack"), *options)
        assert sorted(ids(tmp_path / "pack")) == drawn, done.out


def test_a_pack_is_read_without_its_index(odd: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    puzzle_pack.write_pack(odd, str(tmp_path / "pack"), wanted(2))
    done = nonocensus("convert", str(tmp_path / "pack"), str(tmp_path / "x.jsonl"))
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "x.jsonl").read_bytes().count(b"\n") == 2


def test_selection_of_a_page_is_packed(demo_run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    """The report's list exports its ids, one per line."""
    puzzle_pack.write_pack(demo_run, str(tmp_path / "all"), wanted(9))
    chosen = sorted(ids(tmp_path / "all"))[:3]
    (tmp_path / "puzzles.txt").write_text("\n".join([*chosen, "other/1"]))
    options = "--out", str(tmp_path / "pack"), "--ids", f"@{tmp_path / 'puzzles.txt'}"
    assert nonocensus("pack", demo_run.folder.name, *options, "--count", "3").code == 0
    assert sorted(ids(tmp_path / "pack")) == chosen
    done = nonocensus("pack", demo_run.folder.name, *options)
    assert (done.code, "3 that --ids names" in done.out) == (1, True)


def test_book_has_the_puzzles_of_the_pack(demo_run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    place = tmp_path / "pack"
    options = "pack", demo_run.folder.name, "--out", str(place), "--count", "5"
    assert nonocensus(*options, "--pdf", "4").code == 0
    index = json.loads((place / "pack.json").read_text())
    assert index["files"][-1] == "book.pdf"
    cover, how, *unsolved, answers = (page.extract_text() for page in PdfReader(place / "book.pdf").pages)
    assert "5 nonograms" in cover
    assert "How to solve" in how
    assert "All puzzles may be passed on" in answers
    assert unsolved
    for each in index["puzzles"]:
        assert re.sub(r"\s", "", each["title"]) in re.sub(r"\s", "", answers)
        assert not any(each["title"] in page for page in unsolved)
    assert nonocensus(*options).code == 0
    assert not (place / "book.pdf").exists()


def test_puzzles_too_large_for_a_page_are_replaced_by_others(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """However many there are; numbers of less than 6.5 pt are printed nowhere, but of puzzles that --ids names."""
    sizes = {f"a/wide{n}": (3, 70 + n) for n in range(30)} | {"a/small": (3, 4)}
    run = run_of(
        tmp_path, [from_picture(notched(*size), puzzle_id=name, license="MIT") for name, size in sizes.items()]
    )
    options = "pack", run.folder.name, "--out", str(tmp_path / "pack"), "--pdf", "1-letter"
    done = nonocensus(*options, "--count", "1")
    assert (done.code, ids(tmp_path / "pack")) == (0, ["a/small"])
    pages = [page.extract_text() for page in PdfReader(tmp_path / "pack" / "book.pdf").pages]
    assert re.search(r"1\s+4x3", "".join(pages))
    done = nonocensus(*options, "--count", "2")
    assert (done.code, ids(tmp_path / "pack")) == (1, ["a/small"])
    assert re.search(
        r"Skipped( a/wide\d+,){9} a/wide\d+ and 20 more: numbers of less than 6\.5 pt in the book\.", done.out
    )
    assert "\nThe largest puzzle in the book is 4x3.\n" in done.out
    before = (tmp_path / "pack" / "pack.json").read_bytes()
    refused = nonocensus(*options, "--where", "width > 9")
    assert (refused.code, ": numbers of less than 6.5 pt in the book" in refused.err) == (2, True)
    assert (tmp_path / "pack" / "pack.json").read_bytes() == before
    done = nonocensus(*options, "--count", "2", "--ids", "a/wide0,a/small")
    assert done.out.splitlines()[-1] == "Small print in the book, numbers of less than 6.5 pt: a/wide0 (5.2 pt)."


def test_numbers_of_a_book_are_those_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of pack.json, in the order of the pages, on which a small puzzle fills a page before a large one."""
    sides = {"a/1": (30, 30), "a/2": (50, 30), "a/3": (12, 12), "a/4": (12, 13), "a/5": (12, 14)}
    run = run_of(
        tmp_path, [from_picture(notched(*side), puzzle_id=name, license="MIT") for name, side in sides.items()]
    )
    rate(monkeypatch, lambda name: 1 + int(name[-1]) / 20)
    place = tmp_path / "pack"
    puzzle_pack.write_pack(run, str(place), wanted(5, pdf=puzzle_pack.parse_layout("4")))
    assert ids(place) == ["a/1", "a/3", "a/4", "a/5", "a/2"]
    words = "".join(page.extract_text() for page in PdfReader(place / "book.pdf").pages)
    printed = re.findall(r"(\d)\s+(\d+x\d+), 1\.", words)
    assert {int(number): size for number, size in printed} == {
        each["number"]: f"{each['width']}x{each['height']}"
        for each in json.loads((place / "pack.json").read_text())["puzzles"]
    }
    assert [int(number) for number, _ in printed] == [1, 2, 3, 4, 5]


def test_puzzles_without_stars_are_in_no_book_of_a_graded_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonocensus: Nonocensus
) -> None:
    """But --ids takes them."""
    run = run_of(tmp_path, [from_picture(notched(5, k), puzzle_id=f"a/{k}", license="MIT") for k in (5, 6, 7)])
    assert nonocensus("grade", run.folder.name, "--serial").code == 0
    rate(monkeypatch, lambda name: None if name == "a/6" else 1.5)
    place, pdf = tmp_path / "pack", puzzle_pack.parse_layout("4")
    for options, expected in (
        (wanted(3, pdf=pdf), ["a/5", "a/7"]),
        (wanted(3), ["a/5", "a/6", "a/7"]),
        (wanted(3, pdf=pdf, ids=("a/6",)), ["a/6"]),
    ):
        puzzle_pack.write_pack(run, str(place), options)
        assert sorted(ids(place)) == expected


def test_title_and_author_of_a_pack(odd: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    place = tmp_path / "pack"
    options = "--title", "Owls <#at> night", "--by", 'Ada "A." Miller', "--pdf", "2", "--count", "2"
    assert nonocensus("pack", odd.folder.name, "--out", str(place), *options).code == 0
    index = json.loads((place / "pack.json").read_text())
    assert (index["title"], index["by"]) == ("Owls <#at> night", 'Ada "A." Miller')
    reader = PdfReader(place / "book.pdf")
    assert reader.metadata is not None
    assert (reader.metadata.title, reader.metadata.author) == ("Owls <#at> night", 'Ada "A." Miller')
    cover, imprint = (reader.pages[k].extract_text() for k in (0, -1))
    assert cover.startswith('Owls <#at> night\nAda "A." Miller\n')
    assert "2 nonograms · " in cover
    assert 'Owls <#at> night, by Ada "A." Miller. Selected' in re.sub(r"\s+", " ", imprint)


def test_puzzles_without_a_decision_are_left_out(tmp_path: Path, nonocensus: Nonocensus) -> None:
    pictures = {
        "a/good": L,
        "a/one": np.ones((1, 1), np.uint8),
        "a/flat": notched(2, 9),
        "a/line": notched(1, 5),
        "a/full": np.ones((4, 5), np.uint8),
        "a/red": np.full((3, 3), 2, np.uint8),
        "a/empty": np.zeros((6, 5), np.uint8),
        "a/flag": np.array([[1] * 4, [2] * 4, [2] * 4], np.uint8),
    }
    made = [
        from_picture(cells, PALETTE[: max(2, cells.max() + 1)], puzzle_id=name, license="MIT")
        for name, cells in pictures.items()
    ]
    run, place = run_of(tmp_path, made), tmp_path / "pack"
    options = "pack", run.folder.name, "--out", str(place), "--min-density", "0"
    done = nonocensus(*options, "--count", "2")
    assert (done.code, sorted(ids(place))) == (0, ["a/flag", "a/good"]), "no background, but two colours"
    assert "Left out 6 without a decision: fewer than 3 rows or columns, or all cells alike." in done.out
    done = nonocensus(*options, "--where", "Height < 3", "--count", "2")
    assert (done.code, sorted(ids(place))) == (0, ["a/flat", "a/line"])
    assert "Left out 1 without" in done.out
    done = nonocensus(*options, "--ids", "a/one,a/full", "--count", "2")
    assert (sorted(ids(place)), "Left out" in done.out) == (["a/full", "a/one"], False)


def test_titles_of_a_pack_are_decoded_and_letters_that_no_font_has_are_named(tmp_path: Path) -> None:
    about = {"title": "PeikkotyttÃƒÂ¶", "author": "Mak Ä\x90uraÅ¡ek", "copyright": "© Ö\U0010fffd"}
    run = run_of(tmp_path, [from_picture(L, puzzle_id="a/1", license="MIT", **about)])
    made = puzzle_pack.write_pack(run, str(tmp_path / "pack"), wanted(1, pdf=puzzle_pack.parse_layout("1")))
    assert made.notes == ["Boxes in the book stand for 1 character that no installed font has: \\u{10fffd}"]
    (each,), (row,) = json.loads((tmp_path / "pack" / "pack.json").read_text())["puzzles"], listed(tmp_path / "pack")
    for shown in (each, row):
        assert (shown["title"], shown["author"], shown["copyright"]) == ("Peikkotyttö", "Mak Đurašek", "© Ö\U0010fffd")
    assert 'title "Peikkotytt&#246;"' in (tmp_path / "pack" / each["file"]).read_text()


def test_five_stars_are_in_the_class_below() -> None:
    classes = puzzle_pack.CLASSES["stars"](np.array([1.0, 1.49, 1.5, 4.5, 4.99, 5.0]))
    assert classes.tolist() == [2, 2, 3, 9, 9, 9]


def test_too_few_are_told(odd: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    done = nonocensus("pack", odd.folder.name, "--out", str(tmp_path / "pack"))
    assert done.code == 1
    assert "Fewer than 100 qualify: 5 in the run; 4 with one solution; 2 licensed" in done.out
    done = nonocensus("pack", odd.folder.name, "--out", str(tmp_path / "pack"), "--count", "2", "--json")
    assert done.code == 0
    assert json.loads(done.out)["puzzles"] == 2


def test_by_grade(odd: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    assert nonocensus("grade", odd.folder.name, "--serial").code == 0
    puzzle_pack.write_pack(odd, str(tmp_path / "pack"), wanted(2, spread="grade", private=True))
    grades = [int(row["grade"]) for row in listed(tmp_path / "pack")]
    assert grades == sorted(grades)
    assert all(row["hardest"] for row in listed(tmp_path / "pack"))


def test_by_minutes(demo_run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    place = tmp_path / "run"
    shutil.copytree(demo_run.folder.path, place)
    shutil.copytree(Path(demo_run.folder.path).parent / "store", tmp_path / "store")
    assert nonocensus("grade", str(place), "--serial").code == 0
    graded = open_run(str(place))
    puzzle_pack.write_pack(graded, str(tmp_path / "all"), wanted(1000, spread="minutes"))
    rows = listed(tmp_path / "all")
    assert [float(row["stars"]) for row in rows] == sorted(float(row["stars"]) for row in rows)
    minutes = sorted(float(row["minutes"]) for row in rows)
    low, high = minutes[5], minutes[-6]
    done = nonocensus(
        *("pack", str(place), "--out", str(tmp_path / "some"), "--count", str(len(minutes) - 10)),
        *("--spread", "minutes", "--minutes", f"{low}-{high}"),
    )
    assert done.code == 0
    assert sorted(float(row["minutes"]) for row in listed(tmp_path / "some")) == minutes[5:-5]
    refused = nonocensus("pack", str(place), "--out", str(tmp_path / "none"), "--minutes", "900-999")
    assert (refused.code, "0 that take people 900 to 999 minutes (--minutes)" in refused.err) == (2, True)
    assert "--minutes takes two numbers" in nonocensus("pack", str(place), "--out", "x", "--minutes", "9-1").err


@pytest.mark.slow
@pytest.mark.people
def test_two_hundred_puzzles_for_an_app_and_a_book(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """Puzzles of 15x15 that take 3 to 10 minutes, as JSON and as a book, by one command."""
    recipe = Recipe("random", 15, 15, 0.65, 1, 300)
    graded = run_serially(random_store(tmp_path, recipe), tmp_path / "run")
    assert nonocensus("grade", graded.folder.name, "--serial").code == 0
    of_size, place = ("--where", "width = 15 and height = 15"), tmp_path / "pack"
    choice = "--minutes", "3-10", *of_size, "--count", "200", "--per-author", "200"
    done = nonocensus("pack", graded.folder.name, "--out", str(place), *choice, "--pdf", "4")
    assert done.code == 0, done.err
    index = json.loads((place / "pack.json").read_text())
    jsonschema.validate(index, msgspec.json.schema(Pack))
    assert len({str(each["rows"]) for each in index["puzzles"]}) == 200
    assert all(3 <= each["minutes"] <= 10 and each["width"] == each["height"] == 15 for each in index["puzzles"])
    chapters = Counter(min(4, int(each["stars"])) for each in index["puzzles"])
    pages = [page.extract_text() for page in PdfReader(place / "book.pdf").pages]
    solutions = -(-200 // 20)
    first = 2 + (len(chapters) > 1)  # contents of several chapters
    assert len(pages) == first + sum(-(-number // 4) for number in chapters.values()) + solutions + 1
    assert "200 nonograms" in pages[0]
    assert "How to solve" in pages[first - 1]
    assert pages[first].count("15x15, about") == 4
    assert ("Puzzles" in pages[first]) == (len(chapters) == 1)
    named = re.sub(r"\s", "", "".join(pages[-1 - solutions :]))
    assert all(each["id"] in named for each in index["puzzles"])
    assert "All puzzles may be passed on" in pages[-1]

"""The command convert: files, archives and stores to any format, to one file or many, atomically."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from archived import zip_of
from misbehaving import Site, answer
from stores import Nonocensus, Refused

from nonocensus.pipeline.callbacks import SILENT
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.conversion import ConversionOptions, convert, read_puzzles
from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.scrapers.archives.source_file import ReadLimits
from nonocensus.scrapers.file_batches import read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import named
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch

RED = Color("red", "r", "ff0000")


def drawn(count: int, **about: object) -> list[Puzzle]:
    cells = np.random.default_rng(1).random((count, 6, 5)) < 0.6
    return [
        from_picture(
            each.astype(np.uint8), BLACK_ON_WHITE, puzzle_id=f"local/p{k}", source="local", source_id=f"p{k}", **about
        )
        for k, each in enumerate(cells)
    ]


def clues(path: Path) -> list[object]:
    return [(item.rows, item.columns) for item in read_files(files_in([path])) if isinstance(item, Puzzle)]


def test_store_converted_to_a_folder_and_imported_again_is_equal(tmp_path: Path, nonocensus: Nonocensus) -> None:
    puzzles = drawn(7, title="a title")
    append(create_store(str(tmp_path / "store")), [puzzle_batch(puzzles)])
    done = nonocensus("convert", str(tmp_path / "store"), f"{tmp_path}/files/", "--to", "nin", "--lossy")
    assert done.code == 0
    assert "7 puzzles written to" in done.out
    assert "Left out: its author's picture (7), its title (7)." in done.out
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == [f"p{k}.nin" for k in range(7)]
    assert clues(tmp_path / "files") == [(puzzle.rows, puzzle.columns) for puzzle in puzzles]
    done = nonocensus("convert", str(tmp_path / "files"), str(tmp_path / "all.jsonl"), "--json")
    assert json.loads(done.out) == {"puzzles": 7, "files": 1, "left_out": {}, "problems": []}
    assert clues(tmp_path / "all.jsonl") == [(puzzle.rows, puzzle.columns) for puzzle in puzzles]


def test_format_of_single_puzzles_refuses_several(tmp_path: Path, nonocensus: Nonocensus, refused: Refused) -> None:
    (tmp_path / "two.jsonl").write_bytes(b"".join(map(named("jsonl").write, drawn(2))))
    line = refused("convert", "two.jsonl", "out.mk", "--lossy")
    assert "a file of the format mk holds one puzzle; name a folder" in line
    assert not (tmp_path / "out.mk").exists()
    assert nonocensus("convert", str(tmp_path / "two.jsonl"), str(tmp_path / "out.mk"), "--lossy", "-n", "2").code == 0
    assert clues(tmp_path / "out.mk") == [(puzzle.rows, puzzle.columns) for puzzle in drawn(2)[1:]]
    assert nonocensus("convert", str(tmp_path / "two.jsonl"), str(tmp_path / "out.non")).code == 0
    assert len(clues(tmp_path / "out.non")) == 2
    (tmp_path / "ids").write_text("local/p1\nlocal/p9\n")
    done = nonocensus("convert", "two.jsonl", "out.mk", "--lossy", "--ids", "@ids")
    assert (done.code, "local/p9: no puzzle has this id" in done.err, len(clues(tmp_path / "out.mk"))) == (1, True, 1)


def test_inexpressible_puzzles_are_reported_and_others_written(tmp_path: Path, nonocensus: Nonocensus) -> None:
    colored = from_picture(np.array([[1, 2]], np.uint8), (*BLACK_ON_WHITE, RED), puzzle_id="local/colored")
    (tmp_path / "in.jsonl").write_bytes(b"".join(map(named("jsonl").write, [*drawn(1), colored])))
    done = nonocensus("convert", str(tmp_path / "in.jsonl"), f"{tmp_path}/out/", "--to", "mk", "--lossy")
    assert done.code == 1
    assert "local/colored: the format mk has no colours" in " ".join(done.err.split())
    assert len(clues(tmp_path / "out")) == 1
    done = nonocensus("convert", str(tmp_path / "in.jsonl"), str(tmp_path / "out.nin"), "-n", "1")
    assert done.code == 2
    assert "can't hold its author's picture; --lossy leaves that out" in done.err
    assert not (tmp_path / "out.nin").exists()


def test_file_too_large_to_read_back_is_refused(tmp_path: Path) -> None:
    options = ConversionOptions(named("non"), max_bytes=500)
    with pytest.raises(UserError, match="would be larger than"):
        convert(drawn(20), str(tmp_path / "out.non"), options)
    assert list(tmp_path.iterdir()) == []
    convert(drawn(20), f"{tmp_path}/out/", options)
    assert len(list((tmp_path / "out").iterdir())) == 20


def test_file_names_are_safe(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """Ids are untrusted."""
    ids = ["../../etc/passwd", "/abs", "a b\n", "", "x" * 500, "webpbn/1", "webpbn/1", "..", "-rf"]
    puzzles = [from_picture(np.ones((1, k + 1), np.uint8), puzzle_id=name) for k, name in enumerate(ids)]
    (tmp_path / "in.jsonl").write_bytes(b"".join(map(named("jsonl").write, puzzles)))
    assert nonocensus("convert", str(tmp_path / "in.jsonl"), f"{tmp_path}/out/", "--to", "non").code == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(names) == len(ids)
    assert all(name.endswith(".non") and not name.startswith((".", "-")) and len(name) < 140 for name in names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out"]


def test_output_to_devices_links_and_standard_output(tmp_path: Path, nonocensus: Nonocensus) -> None:
    """A device stays a device, a link's target is replaced, - is standard output."""
    (tmp_path / "in.jsonl").write_bytes(named("jsonl").write(drawn(1)[0]))
    assert nonocensus("convert", "in.jsonl", "/dev/null", "--to", "jsonl").code == 0
    assert Path("/dev/null").is_char_device()
    full = nonocensus("convert", "in.jsonl", "/dev/full", "--to", "jsonl")
    assert (full.code, full.err) == (
        4,
        "nonocensus: No space left on device; free some space, then run the command again\n",
    )
    assert Path("/dev/full").is_char_device()
    (tmp_path / "real").mkdir()
    (tmp_path / "real/there.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("real/there.jsonl")
    assert nonocensus("convert", "in.jsonl", "link.jsonl").code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert clues(tmp_path / "real") == clues(tmp_path / "in.jsonl")
    command = [sys.executable, "-m", "nonocensus", "convert", "in.jsonl", "-", "--to", "jsonl"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=True)
    assert done.stdout == (tmp_path / "real/there.jsonl").read_bytes()


def test_missing_pictures_are_solved_on_request(tmp_path: Path, nonocensus: Nonocensus) -> None:
    (tmp_path / "one.nin").write_text("2 2\n2\n1\n2\n1\n")
    (tmp_path / "two.nin").write_text("2 2\n1\n1\n1\n1\n")
    (tmp_path / "none.nin").write_text("2 2\n2\n0\n0\n2\n")
    refused = nonocensus("convert", "one.nin", "one.png")
    assert (refused.code, "has none; --solve finds one" in refused.err) == (2, True)
    assert nonocensus("convert", "one.nin", "one.png", "--solve", "unique").code == 0
    assert clues(tmp_path / "one.png") == clues(tmp_path / "one.nin")
    refused = nonocensus("convert", "two.nin", "two.png", "--solve", "unique")
    assert (refused.code, "it has several solutions" in refused.err) == (2, True)
    assert nonocensus("convert", "two.nin", "two.png", "--solve", "any").code == 0
    assert clues(tmp_path / "two.png") == clues(tmp_path / "two.nin")
    refused = nonocensus("convert", "none.nin", "none.png", "--solve", "any")
    assert (refused.code, "no picture was found: its label is" in refused.err) == (2, True)


def test_urls_are_read(tmp_path: Path, nonocensus: Nonocensus) -> None:
    files = {f"{k}.jsonl": named("jsonl").write(puzzle) for k, puzzle in enumerate(drawn(3))}
    site = Site()
    site.answers["/some.zip"] = [answer(200, zip_of({"in.zip": zip_of(files)}))]
    url = site.url
    done = nonocensus("convert", f"{url}/some.zip", str(tmp_path / "all.jsonl"))
    assert done.code == 0
    assert "3 puzzles written to" in done.out
    done = nonocensus("import", f"{url}/some.zip", str(tmp_path / "all.jsonl"), "--out", str(tmp_path / "store"))
    assert done.code == 0
    assert "3 puzzles added" in done.out
    assert "3 were there already" in done.out
    done = nonocensus("import", f"{url}/none.zip", "--out", str(tmp_path / "none"))
    assert done.code == 2
    assert f"none.zip: {url}/none.zip: 404 Not Found" in " ".join(done.err.split())
    site.close()


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_large_json_lines_round_trip(suffix: str, tmp_path: Path, nonocensus: Nonocensus) -> None:
    data = b"".join(map(named("jsonl").write, drawn(100)))
    assert len(data) > 20_000
    (tmp_path / "in.jsonl").write_bytes(data)
    out = str(tmp_path / f"out.jsonl{suffix}")
    assert nonocensus("import", str(tmp_path / "in.jsonl"), "--out", str(tmp_path / "store")).code == 0
    stored = read_puzzles([str(tmp_path / "store")], None, SILENT)
    convert(stored, out, ConversionOptions(named("jsonl"), max_bytes=500))
    back = [*read_files(files_in([out], limits=ReadLimits(max_bytes=20_000)))]
    assert b"".join(named("jsonl").write(replace(puzzle, raw_sha256=None)) for puzzle in back) == data
    assert (Path(out).stat().st_size < len(data)) is bool(suffix)

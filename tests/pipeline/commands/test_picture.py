"""The command picture: images converted, repaired and written; failures reported, the others done."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from stores import Nonocensus

import nonocensus as nc
from nonocensus.pipeline.commands import picture as commands
from nonocensus.scrapers.formats import named
from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import clues_of

SWITCH = np.eye(4, dtype=np.uint8)
"""Its puzzle has 24 solutions."""


def png(picture: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray((255 * (1 - picture)).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "switch.png"
    path.write_bytes(png(SWITCH))
    return path


def test_image_is_drawn_with_its_verdict(nonocensus: Nonocensus, image: Path) -> None:
    done = nonocensus("picture", str(image), "--size", "4x4")
    assert done.code == 0
    assert "local/switch 4x4: multiple" in done.out
    assert "X...\n.X..\n..X.\n...X" in done.out


@pytest.mark.parametrize(("options", "label"), [(["--unique"], "unique"), (["--rung", "line"], "unique line")])
def test_image_is_changed_until_unique(nonocensus: Nonocensus, image: Path, options: list[str], label: str) -> None:
    done = nonocensus("picture", str(image), "--size", "4x4", *options, "--out", str(image.with_name("out.non")))
    assert done.code == 0
    assert label in done.out
    assert "of 16 cells changed" in done.out
    assert "before   after" in done.out
    assert "1 file written: " in done.out
    (written,) = named("non").read(image.with_name("out.non").read_bytes())
    assert solve(written)["solutions"] == "unique"
    told = json.loads(nonocensus("picture", str(image), "--size", "4x4", *options, "--json").out)
    assert told["files"] == 0
    assert told["problems"] == []
    (one,) = told["pictures"]
    assert written.goal is not None
    assert one["picture"] == written.goal.tolist()
    assert one["before"] == SWITCH.tolist()
    assert one["changed"] == int((written.goal != SWITCH).sum()) > 0


def test_folder_gets_a_file_an_image(nonocensus: Nonocensus, image: Path, tmp_path: Path) -> None:
    (tmp_path / "no.png").write_bytes(b"no image")
    (tmp_path / "plain.gif").write_bytes(png(np.zeros((3, 3))))
    (tmp_path / "folder.png").mkdir()
    other = tmp_path / "other.png"
    other.write_bytes(png(1 - SWITCH))
    paths = [str(tmp_path / name) for name in ("no.png", "plain.gif", "folder.png")]
    done = nonocensus("picture", *paths, str(image), str(other), "--out", f"{tmp_path}/out/", "--to", "webpbn-xml")
    assert done.code == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["other.xml", "switch.xml"]
    assert "3 could not be made into puzzles" in done.err
    assert "no.png: unknown kind of picture" in done.err
    assert "plain.gif: it has one colour only" in done.err
    assert "folder.png: Is a directory; name its images, like " in done.err


def test_enlarged_pixel_art_is_reported(nonocensus: Nonocensus, tmp_path: Path) -> None:
    picture = np.random.default_rng(1).integers(0, 2, (6, 6), np.uint8)
    (tmp_path / "big.png").write_bytes(png(picture.repeat(20, 0).repeat(20, 1)))
    note = "enlarged pixel art, 20 times: 6x6 pixels, a cell each"
    assert f"\n{note}\n" in nonocensus("picture", "big.png").out
    assert json.loads(nonocensus("picture", "big.png", "--json").out)["pictures"][0]["notes"] == [note]


def test_dash_writes_to_standard_output(nonocensus: Nonocensus, image: Path) -> None:
    done = nonocensus("picture", str(image), "--size", "4x4", "--out", "-", "--to", "mk")
    assert done.code == 0
    assert [len(list(named("mk").read(done.out.encode())))] == [1]


def test_image_that_stays_ambiguous_is_not_written(nonocensus: Nonocensus, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    (tmp_path / "noise.png").write_bytes(png(draw.random((60, 60)) < 0.2))
    done = nonocensus(
        *("picture", str(tmp_path / "noise.png"), "--size", "60x60", "--unique"),
        *("--cpu-limit", "0.01", "--out", str(tmp_path / "out.non")),
    )
    assert done.code == 1
    assert "noise.png: not solvable within 0.01 CPU seconds" in done.err
    assert not (tmp_path / "out.non").exists()


def test_large_image_file_is_refused(nonocensus: Nonocensus, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MAX_IMAGE_BYTES", 50)
    done = nonocensus("picture", str(image))
    assert done.code == 1
    assert "switch.png: it is larger than" in done.err


def test_images_from_python(image: Path, tmp_path: Path) -> None:
    puzzle = nc.from_image(image, (4, 4))
    assert (puzzle.rows, puzzle.columns) == clues_of(SWITCH)
    assert nc.from_image(image.read_bytes(), (4, 4)).rows == puzzle.rows
    made = nc.make_unique(puzzle, "line")
    assert nc.solve(made).label == "unique line"
    assert nc.solve(nc.make_unique(SWITCH)).row["solutions"] == "unique"
    with pytest.raises(nc.UserError, match=r"nothing\.png: No such file"):
        nc.from_image(tmp_path / "nothing.png")
    with pytest.raises(nc.UserError, match="the image: unknown kind of picture"):
        nc.from_image(b"nothing")
    with pytest.raises(ValueError, match="has no picture"):
        nc.make_unique(nc.Puzzle(puzzle.rows, puzzle.columns))
    with pytest.raises(TimeoutError, match="no such picture was found in 0"):
        nc.make_unique(np.random.default_rng(1).random((60, 60)) < 0.2, cpu_limit=0)

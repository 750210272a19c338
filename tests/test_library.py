"""The library, as programs and notebooks use it."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pyarrow.dataset as ds
import pytest
from stores import DIAMOND

import nonocensus as nc
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.twin import TwinServer, build_archive
from tools.census_notebook import NOTEBOOK, execute

HEART = [
    [0, 1, 1, 0, 1, 1, 0],
    [1, 1, 1, 1, 1, 1, 1],
    [0, 1, 1, 1, 1, 1, 0],
    [0, 0, 1, 1, 1, 0, 0],
    [0, 0, 0, 1, 0, 0, 0],
]


# A script as anyone writes it, without a main guard; ADDRESS serves a site's puzzles.
SCRIPT = """
import sys
from pathlib import Path
import numpy as np
import nonocensus as nc

print("script begins")
address, heart, ring = sys.argv[1], [[0, 1, 0, 1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 0, 0]], np.ones((3, 3), np.uint8)
ring[1, 1] = 0
puzzle = nc.from_picture(heart, title="a heart")
assert nc.solve(puzzle).label == "unique line" and len(list(nc.iter_solutions(puzzle))) == 1
assert nc.check(puzzle, ".#.#.\\n#####\\n..#..") and nc.check_each(puzzle, np.array([heart, heart])).all()
assert nc.explain(puzzle).steps and nc.hint(puzzle, np.full((3, 5), 255)).kind == "step" and nc.grade(puzzle)["grade"]
assert nc.solve(nc.make_unique(np.eye(3, dtype=np.uint8))).row["solutions"] == "unique"
assert nc.mend(np.eye(3, dtype=np.uint8))
nc.write(puzzle, "heart.non")
nc.write(nc.from_picture(ring), "ring.png", lossy=True)
assert len(nc.read(["heart.non"]).puzzles) == 1 and nc.from_image("ring.png", (3, 3)).goal is not None
cover = nc.cover_of([[0, 1], [0], [1]], 2)
assert nc.exact_cover(cover).count == len(list(nc.iter_exact_covers(cover))) == 2
assert nc.exact_cover(np.array([[1, 1], [1, 0], [0, 1]])).count == 2
with nc.bar() as bar:
    assert nc.warm(progress=bar)
    assert nc.import_files("heart.non", "imported", progress=bar).added == 1
assert nc.crawl_site("crawled", "webpbn", "1-2", base_urls=[address], rate=0).store.rows() == 2
assert nc.reparse_store("crawled").errors == []
two = nc.Resources(cpus=2)
assert nc.generate_store("many", nc.Recipe("random", 4, 4, 0.5, 1, 20_000), two) == 20_000
print("every kind of process was started")
assert nc.generate_store("store", nc.Recipe("random", 6, 5, 0.5, 1, 300), two) == 300
assert nc.classify_store("store", "run", cpu_limit=5.0, where="true", resources=two).rows == 300
assert nc.retry_run("run", 9.0, resources=two).rows == 0
assert nc.remove_puzzles("imported", "local/heart") == 0 == nc.open_store("imported").rows()
nc.retry_changed("run", two)
assert nc.summary_of("run")["rows"] == nc.open_run("run").rows == nc.open_store("store").rows() == 300
assert nc.grade_run("run", resources=two).grades
assert nc.certify_run("run", sample=40, resources=two).proved == 40
assert Path(nc.make_report("run", "report")).exists()
assert nc.make_dataset("run", "dataset")["rows"] == nc.export_run("run", "run.csv") == 300
assert nc.make_pack("run", "pack", 3, private=True).puzzles == 3
assert nc.compare_runs("run", "run").changes == []
nc.find_duplicates("store")
counted = nc.features(next(nc.open_store("store").batches()))
assert counted.num_rows == 300 and {*counted["cells"].drop_null().to_pylist()} == {30} and counted["cells"].null_count
assert nc.query("run", "select count(*) as n from results")["n"].to_pylist() == [300]
assert nc.verify("run") == []
print("script ends")
"""


def test_it_takes_no_time_to_import_and_needs_no_ray() -> None:
    code = (
        "import sys; import nonocensus as nc; heavy = {'numba', 'pyarrow', 'ray'} & sys.modules.keys(); "
        "assert not heavy, heavy; nc.solve, nc.classify_store, nc.crawl_site; assert 'ray' not in sys.modules; "
        "assert 'altair' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


WITHOUT_EXTRAS = """
import sys
for library in "dratify cdclkit_native obstore fsspec PIL typst fastapi h11 pebble pydantic starlette uvicorn".split():
    sys.modules[library] = None
import nonocensus as nc
from nonocensus.pipeline.commands.app import FUNCTIONS, load_command
names = [getattr(nc, name) for name in nc.__all__]
commands = [load_command(name) for name in FUNCTIONS]
for use in (nc.certify_run, lambda run: nc.make_pack(run, f"{run}/pack", count=1, private=True, pdf="1")):
    try:
        use(sys.argv[1])
    except ModuleNotFoundError as error:
        print(error)
"""


def test_without_extras_every_name_and_command_can_be_imported(tmp_path: Path) -> None:
    """Only what needs an extra says so, when it is called."""
    (tmp_path / "a.non").write_text(DIAMOND)
    nc.import_files([tmp_path / "a.non"], tmp_path / "store")
    nc.classify_store(tmp_path / "store", tmp_path / "run")
    code = [sys.executable, "-c", WITHOUT_EXTRAS, str(tmp_path / "run")]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    extras = {"dratify": "checkers", "typst": "pictures"}
    said = [f"{library} is not installed: pip install 'nonocensus[{name}]'\n" for library, name in extras.items()]
    assert (done.stdout, done.stderr) == ("".join(said), "")


@pytest.mark.parametrize("picture", [HEART, np.array(HEART), nc.from_picture(HEART)])
def test_pictures_and_puzzles_are_solved_and_drawn(picture: object) -> None:
    solved = nc.solve(picture)  # type: ignore[arg-type]
    assert "unique" in solved.label
    assert solved.solution is not None
    assert solved.solution.tolist() == HEART
    assert solved.second_solution is None
    drawn = solved._repr_html_()
    assert drawn.count("<svg") == 1
    assert ">7</text>" in drawn
    assert [found.tolist() for found in nc.iter_solutions(picture)] == [HEART]  # type: ignore[arg-type]


def test_puzzles_are_written_and_read(tmp_path: Path) -> None:
    puzzle = nc.from_picture(HEART, title="a heart")
    written = nc.write(puzzle, tmp_path / "heart.nin", lossy=True)
    assert (written.puzzles, dict(written.left_out)) == (1, {"its author's picture": 1, "its title": 1})
    (back,) = nc.read(tmp_path / "heart.nin").puzzles
    assert (back.rows, back.columns) == (puzzle.rows, puzzle.columns)
    nc.write([puzzle, back], f"{tmp_path}/both/", to="png", lossy=True, solve="unique")
    assert len(nc.read(f"{tmp_path}/both/puzzle.png").puzzles) == len(list((tmp_path / "both").iterdir())) - 1 == 1
    with pytest.raises(nc.UserError, match="unknown format 'xyz'"):
        nc.write(puzzle, tmp_path / "x", to="xyz")


def test_two_solutions_are_drawn_both() -> None:
    solved = nc.solve([[1, 0], [0, 1]])
    assert repr(solved) == "<a puzzle 2x2: multiple>"
    assert solved._repr_html_().count("<svg") == 2


def test_a_puzzle_draws_itself_with_clues_of_strangers() -> None:
    palette = (nc.Color("white", ".", "ffffff"), nc.Color("<b>", "X", "zz"), nc.Color("pale", "p", "ffffcc"))
    puzzle = nc.Puzzle(
        ((nc.Block(0, 1), nc.Block(1, 2)),), ((nc.Block(1, 1),), (nc.Block(1, 2),)), palette, puzzle_id="<x>"
    )
    drawn = puzzle._repr_html_()  # type: ignore[attr-defined]
    assert "?</text>" in drawn
    assert "&lt;x&gt;" in drawn
    assert "zz" not in drawn
    assert 'fill="#ffffcc" stroke=' in drawn, "light colours have an outline"


def test_errors_are_named(tmp_path: Path) -> None:
    with pytest.raises(nc.UserError, match="is not a store of puzzles"):
        nc.open_store(tmp_path / "nowhere")
    with pytest.raises(nc.UserError, match="does not exist"):
        nc.read(tmp_path / "nothing.non")
    with pytest.raises(nc.UserError, match=r'^\{"rows": \[\[1\].{187} does not exist; clues as lists: nc\.Puzzle'):
        nc.read('{"rows": [' + "[1], " * 100)
    with pytest.raises(ValueError, match=r"a Puzzle or a picture is wanted|a picture is a grid"):
        nc.solve("heart")
    with pytest.raises(nc.UserError, match="site"):
        nc.crawl_site(tmp_path / "s", "example.com", "1-3")
    with pytest.raises(nc.UserError, match="--contact"):
        nc.crawl_site(tmp_path / "s", "webpbn", "1-3")
    assert list(tmp_path.iterdir()) == []


def test_files_and_reading(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from nonocensus.scrapers.formats import non

    (tmp_path / "a.non").write_bytes(non.write(nc.from_picture(HEART, title="A")))
    (tmp_path / "b.non").write_text("width x")
    reading = nc.read(tmp_path)
    assert ([puzzle.title for puzzle in reading.puzzles], len(reading.problems)) == (["A"], 1)
    report = nc.import_files([tmp_path / "a.non"], tmp_path / "store")
    assert (report.added, nc.open_store(tmp_path / "store").rows()) == (1, 1)
    terms = {"license": "CC0-1.0", "owner": "Ann"}
    assert nc.import_files([tmp_path / "a.non"], tmp_path / "own", **terms).licensed == 1  # type: ignore[arg-type]
    assert capsys.readouterr() == ("", ""), "functions print nothing"


def test_the_script_calls_every_function() -> None:
    functions = {name for name in nc.__all__ if inspect.isfunction(getattr(nc, name))}
    assert {name for name in functions if f"nc.{name}(" not in SCRIPT} == set()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["file", "argument", "thread"])
def test_a_plain_script_runs_once(way: str, tmp_path: Path) -> None:
    """Whatever processes the library starts: none of them imports the caller's main module."""
    (tmp_path / "script.py").write_text(SCRIPT)
    beginning = SCRIPT.partition('assert nc.generate_store("store"')[0]
    command = {
        "file": ["script.py"],
        "argument": ["-c", beginning],
        "thread": [
            "-c",
            f"import threading as t; t = t.Thread(target=exec, args=({beginning!r}, {{}})); t.start(); t.join()",
        ],
    }[way]
    with TwinServer(build_archive(demo_puzzles()[:2])).running() as address:
        ended = subprocess.run(
            [sys.executable, *command, address],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert (ended.returncode, ended.stdout.count("script begins")) == (0, 1), ended.stderr
    assert ended.stdout.endswith("script ends\n" if way == "file" else "every kind of process was started\n")


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path) -> None:
    """docs/census.ipynb, every cell, and each shows what it shows there."""
    notebook = execute(tmp_path)
    assert notebook.cells == nbformat.read(NOTEBOOK, as_version=4).cells, "run python -m tools.census_notebook"
    shown = json.dumps([cell.get("outputs", []) for cell in notebook.cells])
    assert shown.count("<svg") >= 4
    assert "is not a store of puzzles" in shown
    assert "overlap" in shown, "explained"
    assert shown.count("[], []") + shown.count("([], [])") >= 1, "verify finds nothing"


@pytest.mark.slow
def test_the_example_of_ray_data_runs(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[1] / "docs/decisions/ray-data.md"
    lines = page.read_text().splitlines()
    example = "\n".join(line[4:] for line in lines if line.startswith("    "))
    nc.generate_store(tmp_path / "store", nc.Recipe("random", 8, 8, 0.5, 1, 100))
    # a Ray of its own, which does not start in time on a busy machine
    started = "import ray, nonocensus.pipeline.executors.ray_executor as own\nown.retry_start(ray.init, 'local')\n"
    done = subprocess.run([sys.executable, "-c", started + example], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    labels = ds.dataset(tmp_path / "labels").to_table().sort_by("puzzle_id")
    nc.classify_store(tmp_path / "store", tmp_path / "run", resources=nc.Resources(serial=True))
    assert labels.equals(nc.open_run(tmp_path / "run").table(["puzzle_id", "label"]).sort_by("puzzle_id"))


def test_arguments_that_make_no_sense_leave_nothing(tmp_path: Path) -> None:
    """What the command line refuses the library refuses too, before anything is written."""
    serial = nc.Resources(serial=True)
    nc.generate_store(tmp_path / "store", nc.Recipe("random", 5, 5, 0.5, 1, 20), serial)
    for wrong in ({"rung": "foo"}, {"depth": 10**20}, {"cpu_limit": -1}, {"cpu_limit": float("nan")}):
        with pytest.raises(ValueError, match=r"must be (one of|an integer)|is a number of CPU"):
            nc.classify_store(tmp_path / "store", tmp_path / "run", resources=serial, **wrong)  # type: ignore[arg-type]
    with pytest.raises(nc.UserError):
        nc.Resources(cpus=0)
    for wrong in ({"limit": 0}, {"limit": -1}, {"ids": "random/unknown"}):
        with pytest.raises(nc.UserError):
            nc.classify_store(tmp_path / "store", tmp_path / "run", resources=serial, **wrong)  # type: ignore[arg-type]
    for recipe, reason in (
        (nc.Recipe("random", 5000, 5, 0.5, 1, 2), "is not a valid recipe"),
        (nc.Recipe("random", 5, 5, 7.0, 1, 2), "is not a valid recipe"),
        (nc.Recipe("random", 5, 5, 0.5, 1, -2), "is not a valid recipe"),
        (nc.Recipe("random", 5, 5, None, 1, 2), "is not a valid recipe"),
        (nc.Recipe("random", 5, 5, 0.5, 1, 2, 32), "colours 1 to 31"),
        (nc.Recipe("cycles", 5, 5, 0.5, 1, 2), "is not a valid recipe"),
        (nc.Recipe("dominoes", 5, 5, None, None, 2), "there are 1 dominoes of 5x5"),
        (nc.Recipe("foo", 5, 5, 0.5, 1, 2), "is not a kind of pictures"),
    ):
        with pytest.raises(nc.UserError, match=reason):
            nc.generate_store(tmp_path / "other", recipe, serial)
    with pytest.raises(nc.UserError, match=r"--kind .foo.: one of mono, color"):
        nc.crawl_site(tmp_path / "crawled", "nonograms", "1", kind="foo")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]

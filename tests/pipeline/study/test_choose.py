"""Which puzzles a study has: balanced, held against all possible choices, or by id."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import run_serially
from stores import Result
from studies import gallery

from pipeline.errors import InputError, UserError
from pipeline.run.folder import Run, open_run
from pipeline.run.grades import read_grades
from pipeline.run.sample import balanced
from pipeline.store.parts import append, create_store
from pipeline.study import choose
from pipeline.study.choose import choose_balanced, choose_named, read_ids
from pipeline.study.folder import STUDY_PUZZLES
from reports.batch import SIZES
from solver.puzzle import from_picture
from solver.tables import puzzle_batch

Nonocensus = Callable[..., Result]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return gallery(tmp_path_factory.mktemp("gallery"))


@pytest.fixture
def graded(archive: Run, tmp_path: Path, nonocensus: Nonocensus) -> Run:
    """A copy of the run, with grades."""
    shutil.copytree(Path(archive.folder.path).parent, tmp_path / "archive")
    assert nonocensus("grade", str(tmp_path / "archive" / "run"), "--serial").code == 0
    return open_run(str(tmp_path / "archive" / "run"))


def squares(groups: list[tuple[int, int]]) -> tuple[int, int]:
    """How unequal numbers are: of each hardness, and then of each size in it. The least is the most balanced."""
    both = Counter(groups)
    first = Counter(hardness for hardness, _ in groups)
    return sum(n * n for n in first.values()), sum(n * n for n in both.values())


def choices(there: list[tuple[tuple[int, int], int]], count: int) -> Iterator[list[tuple[int, int]]]:
    """Every choice of so many, of groups that have so many each."""
    if not there:
        if count == 0:
            yield []
        return
    (group, size), *rest = there
    for taken in range(min(size, count) + 1):
        for others in choices(rest, count - taken):
            yield [group] * taken + others


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), max_size=9), st.integers(1, 8))
def test_none_of_all_choices_is_more_balanced(groups: list[tuple[int, int]], count: int) -> None:
    drawn = balanced(groups, count)
    wanted = min(count, len(groups))
    assert len(set(drawn)) == len(drawn) == wanted
    every = choices(sorted(Counter(groups).items()), wanted)
    assert squares([groups[place] for place in drawn]) == min(map(squares, every))
    for group in set(groups):
        there = [place for place, other in enumerate(groups) if other == group]
        chosen = sorted(place for place in drawn if groups[place] == group)
        assert chosen == there[: len(chosen)], "the first ones"


def test_fewer_are_the_beginning_of_more() -> None:
    groups = [(k % 3, k % 2) for k in range(20)]
    assert balanced(groups, 7) == balanced(groups, 20)[:7]


def unique_ids(run: Run) -> list[str]:
    table = run.table(["puzzle_id", "solutions"])
    return [row["puzzle_id"] for row in table.to_pylist() if row["solutions"] == "unique"]


def test_only_what_is_fit_each_picture_once(archive: Run) -> None:
    selection = choose_balanced(archive, 1000)
    puzzles = selection.puzzles
    assert selection.chosen == {"by": "difficulty", "count": 1000}
    assert puzzles.schema.equals(STUDY_PUZZLES, check_metadata=True)
    assert set(puzzles["puzzle_id"].to_pylist()) <= set(unique_ids(archive))
    assert len(set(puzzles["canonical_hash"].to_pylist())) == len(puzzles) > 20
    solutions = dict(zip(*archive.table(["puzzle_id", "solution"]).to_pydict().values(), strict=True))
    assert [solutions[name] for name in puzzles["puzzle_id"].to_pylist()] == puzzles["solution"].to_pylist()


def test_the_same_run_gives_the_same_puzzles(archive: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = choose_balanced(archive, 8).puzzles
    assert first.equals(choose_balanced(archive, 8).puzzles)
    pairs = choose.pairs

    def one_by_one(*asked: object) -> Iterator[tuple[pa.Table, pa.Table]]:
        rows = [(a.slice(row, 1), b.slice(row, 1)) for a, b in pairs(*asked) for row in range(len(a))]
        yield from ((results.slice(1), puzzles.slice(1)) for results, puzzles in rows[:1])  # none at all
        yield from reversed(rows)

    monkeypatch.setattr(choose, "pairs", one_by_one)
    assert first.equals(choose_balanced(archive, 8).puzzles), "however the rows come"


def test_by_grade_where_there_are_grades(graded: Run) -> None:
    grade = {row["puzzle_id"]: row["grade"] for row in read_grades(graded).to_pylist()}
    there = Counter(grade[name] for name in unique_ids(graded))
    selection = choose_balanced(graded, 2 * len(there))
    assert selection.chosen["by"] == "grade"
    chosen = Counter(grade[name] for name in selection.puzzles["puzzle_id"].to_pylist())
    assert chosen.keys() == there.keys()
    assert all(chosen[each] >= min(2, there[each]) for each in there)


def run_of(place: Path, pictures: dict[str, np.ndarray]) -> Run:
    store = create_store(str(place / "store"))
    puzzles = [from_picture(picture, puzzle_id=name) for name, picture in pictures.items()]
    append(store, [puzzle_batch(puzzles)])
    return run_serially(store, place / "run")


L = np.array([[1, 0], [1, 1]], np.uint8)


@pytest.fixture
def odd(tmp_path: Path) -> Run:
    """Two turned pictures, one without a single solution, one that is too large, one that is just not."""
    return run_of(
        tmp_path,
        {
            "odd/l": L,
            "odd/turned": np.rot90(L).copy(),
            "odd/switch": np.eye(2, dtype=np.uint8),
            "odd/large": np.ones((41, 3), np.uint8),
            "odd/just": np.ones((40, 3), np.uint8),
        },
    )


def test_turned_ambiguous_and_large_ones_are_left_out(odd: Run) -> None:
    chosen = choose_balanced(odd, 40).puzzles["puzzle_id"].to_pylist()
    assert sorted(chosen) in (["odd/just", "odd/l"], ["odd/just", "odd/turned"])


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["odd/l", "odd/nobody"], "has no result of odd/nobody"),
        (["odd/switch"], "--ids: more or less than one solution have odd/switch"),
        (["odd/large"], "--ids: larger than 40x40 are odd/large"),
        (["odd/l", "odd/turned"], "--ids: the same picture as another one, .* have odd/turned"),
    ],
)
def test_ids_that_are_not_fit(odd: Run, ids: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        choose_named(odd, ids)


def test_ids_give_their_order(odd: Run) -> None:
    selection = choose_named(odd, ["odd/turned", "odd/just"])
    assert selection.chosen == {"by": "ids", "count": 2}
    assert selection.puzzles["puzzle_id"].to_pylist() == ["odd/turned", "odd/just"]


def test_files_of_ids(tmp_path: Path) -> None:
    path = tmp_path / "ids"
    path.write_bytes("\ufeffa/1\r\n\r\n  ä/2 \n".encode())
    assert read_ids(path) == ["a/1", "ä/2"]
    for content, said in (
        (b"a\nb\na\n", f"--ids {path} names twice a"),
        (b" \n", f"--ids {path} names no puzzle"),
        (b"a\n\xff", f"--ids {path}: byte 2 is not UTF-8; save it as UTF-8 text"),
    ):
        path.write_bytes(content)
        with pytest.raises(UserError) as raised:
            read_ids(path)
        assert str(raised.value) == said
    with pytest.raises(UserError, match="can't be read: No such file"):
        read_ids(tmp_path / "nothing")


def test_a_run_without_a_fit_puzzle(tmp_path: Path) -> None:
    run = run_of(tmp_path, {"odd/switch": np.eye(2, dtype=np.uint8)})
    with pytest.raises(UserError, match="run has no puzzle for a study: exactly one solution and at most 40x40 cells"):
        choose_balanced(run, 3)


def test_a_solution_that_does_not_fit_is_not_frozen(odd: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = choose.pairs

    def wrong(*asked: object) -> Iterator[tuple[pa.Table, pa.Table]]:
        for results, puzzles in pairs(*asked):
            if "solution" in results.column_names:
                blank = pa.array([bytes(len(cells)) for cells in results["solution"].to_pylist()])
                results = results.set_column(results.schema.get_field_index("solution"), "solution", blank)
            yield results, puzzles

    monkeypatch.setattr(choose, "pairs", wrong)
    with pytest.raises(InputError, match=r"the solution of odd/l does not fit its clues; nonocensus verify"):
        choose_named(odd, ["odd/l"])


def test_sizes_are_the_classes_of_reports(archive: Run) -> None:
    there = choose.candidates(archive, None, 1000)
    sides = {
        row["puzzle_id"]: max(row["width"], row["height"])
        for batch in archive.store.batches(["puzzle_id", "width", "height"])
        for row in batch.to_pylist()
    }
    for name, size in zip(there.puzzle_id, there.size, strict=True):
        assert sum(sides[name] > limit for limit in SIZES) == size

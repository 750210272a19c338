"""Cubes at the end of a run: the verdicts of a run without, whatever is lost, and whoever is first."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from runs import CONFIG, lasting, run_serially, work_on
from stores import SMALL_GROUPS

from pipeline.classify import conquer, driver, helping
from pipeline.classify.cube_task import agreed, decide_cube, write_conquered
from pipeline.classify.schedule import Schedule
from pipeline.classify.task import Unreadable, Unwritable, chunks_of, classify_rows
from pipeline.executors.crew import NODE, WORKER, Fault
from pipeline.executors.ray_crew import ray_crew
from pipeline.executors.serial import Serial
from pipeline.run.folder import Run, start_run
from pipeline.store.parts import Store, append, create_store
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver import tail
from solver.conquest import Conquest
from solver.cubes import Answer, Cube
from solver.ladder import handover, memory
from solver.ladder.question import FROM_NOTHING
from solver.tail import CADICAL

LIMITS = [1e-6, 10.0]


@pytest.fixture
def puzzles(tmp_path: Path) -> Store:
    """Ten puzzles: five that need clause learning where there are no beliefs, five with fewer solutions."""
    recipes = [Recipe("random", 24, 24, density, 8, 5) for density in (0.37, 0.56)]
    place = create_store(str(tmp_path / "store"))
    append(place, [recipe_batch(recipe, 0, 5) for recipe in recipes], SMALL_GROUPS)
    return place


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that has not been decided at once is handed over, a puzzle a task, and helped with at once."""
    monkeypatch.setattr(memory, "BELIEF_BYTES", 0)
    monkeypatch.setattr(handover, "ALONE", 0.0)
    monkeypatch.setattr(tail, "SLICE", 50)
    monkeypatch.setattr(conquer, "cube_turns", lambda *_: ((CADICAL, 1),))
    monkeypatch.setattr(helping, "AFTER", 0.0)
    monkeypatch.setattr(Schedule, "_seconds", lambda *_: 0.0)


class Idle(Serial):
    """A crew with idle cores: tasks of the last level end when nothing else is left, or after so many cubes.

    spoil    is asked what becomes of a task of cubes before it is done: None, or the outcome it has instead
    """

    def __init__(self, spoil: Callable[[Any, int], Any] = lambda *_: None, cpus: int = 16) -> None:
        super().__init__()
        self.many, self.spoil = cpus, spoil
        self.done: list[Any] = []  # functions, as they were called
        self.cancelled: list[int] = []

    def cpus(self) -> int:
        return self.many

    def submit(self, function: Any, *arguments: Any) -> int:
        ticket = super().submit(function, *arguments)
        self._queue.sort(key=lambda task: (task[1] is classify_rows and task[2][2] == LIMITS[-1], task[0]))
        return ticket

    def cancel(self, ticket: int) -> None:
        self.cancelled.append(ticket)
        super().cancel(ticket)

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        ticket, function, _ = self._queue[0]
        spoilt = self.spoil(function, self.done.count(function))
        self.done.append(function)
        if spoilt is not None:
            self._queue.pop(0)
            return [(ticket, spoilt)]
        return super().wait(seconds)


def helped(run: Run, event: str = "cubes decided") -> list[str]:
    """The puzzles of which the log says this."""
    log = [
        json.loads(line)
        for path in Path(run.folder.path, "log").iterdir()
        for line in path.read_text().split("\n")[:-1]
    ]
    return [line["puzzle"] for line in log if line["event"] == event]


def worked_on(store: Store, place: Path, crew: Serial) -> Run:
    run = start_run(store, str(place), CONFIG)
    assert work_on(run, crew, limits=LIMITS) == []
    return run


def verdicts(run: Run) -> pa.Table:
    """What of rows neither time nor who has learned decides. Of several solutions any two may stand there."""
    rows = lasting(run).drop_columns(["conflicts", "engine"])
    for name in ("solution", "second_solution"):
        several = pc.if_else(pc.equal(rows["solutions"], "multiple"), None, rows[name])
        rows = rows.set_column(rows.schema.get_field_index(name), name, several)
    return rows


def test_rows_are_those_of_a_run_without_cubes(puzzles: Store, tmp_path: Path) -> None:
    alone = run_serially(puzzles, tmp_path / "alone")
    run = worked_on(puzzles, tmp_path / "run", crew := Idle())
    assert verdicts(run).equals(verdicts(alone))
    decided = helped(run)
    assert len(decided) >= 5
    assert crew.done.count(decide_cube) > len(decided), "some had more than one cube"
    assert len(crew.cancelled) >= len(decided), "their wholes are not needed"
    kinds = {row["solutions"] for row in run.table().to_pylist() if row["puzzle_id"] in decided}
    assert kinds == {"unique", "multiple"}
    assert sum(piece.rows for piece in run.pieces()) == 10
    assert helped(alone, "cubes begun") == [], "one core has nothing idle"


@pytest.mark.slow
def test_time_is_that_of_all(puzzles: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cube says that it took a hundred seconds. They count where the ladder has not decided without learners."""
    real = helping.take_in

    def dear(conquest: Conquest, answer: Answer) -> Conquest:
        return real(conquest, answer._replace(cpu_seconds=100.0))

    monkeypatch.setattr(helping, "take_in", dear)
    run = worked_on(puzzles, tmp_path / "run", Idle())
    decided = helped(run)
    learned = [row for row in run.table().to_pylist() if row["cpu_sat"] is not None]
    assert len(learned) >= 5
    for row in learned:
        assert (row["cpu_seconds"] > 100) == (row["puzzle_id"] in decided)
        assert row["wall_seconds"] < 100
    spent = sum(piece.about["cpu_task"] for piece in run.pieces())
    assert spent > 100 * len(decided)
    assert spent >= sum(piece.about["cpu_solver"] for piece in run.pieces())


def lost(kind: str, function: Any, times: int) -> Callable[[Any, int], Any]:
    """The first tasks with a function are lost."""
    return lambda asked, number: Fault(kind, "gone") if asked is function and number < times else None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "given_up"),
    [
        (lost(WORKER, decide_cube, 2), False),
        (lost(NODE, decide_cube, 50), False),
        (lost(WORKER, decide_cube, 10_000), True),
        (lost(WORKER, write_conquered, 1), True),
        (lambda asked, _: Unwritable("full") if asked is write_conquered else None, True),
        (lambda asked, _: Unreadable("part-00000", "gone") if asked is decide_cube else None, True),
    ],
    ids=["cube", "node", "every cube", "row", "full disk", "unreadable"],
)
def test_what_is_lost_costs_no_row(
    puzzles: Store, tmp_path: Path, spoil: Callable[[Any, int], Any], given_up: bool
) -> None:
    alone = run_serially(puzzles, tmp_path / "alone")
    run = worked_on(puzzles, tmp_path / "run", Idle(spoil))
    assert verdicts(run).equals(verdicts(alone))
    assert helped(run, "cubes begun")
    assert bool(helped(run, "cubes given up")) == given_up
    assert set(run.table()["status"].to_pylist()) == {"ok"}


def test_the_whole_may_be_first(puzzles: Store, tmp_path: Path) -> None:
    """Though its cubes are at work, or its row is being written: it has one row all the same."""
    alone = run_serially(puzzles, tmp_path / "alone")

    class Late(Idle):
        """The whole ends first once the row of its cubes is to be written, which then is written too."""

        def wait(self, seconds: float) -> list[tuple[int, Any]]:
            if any(function is write_conquered for _, function, _ in self._queue):
                self._queue.sort(key=lambda task: task[1] is not classify_rows)
                return Serial.wait(self, seconds)
            return super().wait(seconds)

        def cancel(self, ticket: int) -> None:
            """Too late."""

    run = worked_on(puzzles, tmp_path / "run", Late())
    assert helped(run)
    assert verdicts(run).equals(verdicts(alone))
    assert sum(piece.rows for piece in run.pieces()) == 10


@pytest.mark.slow
def test_a_whole_that_is_lost_begins_anew(puzzles: Store, tmp_path: Path) -> None:
    """With what there was of its cubes."""
    alone = run_serially(puzzles, tmp_path / "alone")

    class Dying(Idle):
        """The first wholes are lost when a cube of theirs is at work."""

        lost = 0

        def wait(self, seconds: float) -> list[tuple[int, Any]]:
            wholes = [task for task in self._queue if task[1] is classify_rows and task[2][2] == LIMITS[-1]]
            if wholes and self._queue[0][1] is decide_cube and self.lost < 2:
                self.lost += 1
                self._queue.remove(wholes[0])
                return [(wholes[0][0], Fault(WORKER, "gone"))]
            return super().wait(seconds)

    run = worked_on(puzzles, tmp_path / "run", crew := Dying())
    assert crew.lost == 2
    assert crew.cancelled, "cubes of a whole that is gone"
    assert verdicts(run).equals(verdicts(alone))


class StoppedError(Exception):
    """The driver is no more."""


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on(puzzles: Store, tmp_path: Path) -> None:
    """Killed after some cubes, or after the first row of cubes has been written."""
    alone = run_serially(puzzles, tmp_path / "alone")

    def stopping(function: Any) -> Callable[[Any, int], Any]:
        def spoil(asked: Any, number: int) -> Any:
            if asked is function and number == 2:
                raise StoppedError
            return None

        return spoil

    run = start_run(puzzles, str(tmp_path / "run"), CONFIG)
    for function in (decide_cube, write_conquered):
        with pytest.raises(StoppedError):
            work_on(run, Idle(stopping(function)), limits=LIMITS)
    assert 0 < len(run.table()) < 10
    assert work_on(run, Idle(), limits=LIMITS) == []
    assert verdicts(run).equals(verdicts(alone))


def test_too_many_cubes_are_given_up(puzzles: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helping, "MOST_CUBES", 1)
    run = worked_on(puzzles, tmp_path / "run", Idle())
    assert helped(run, "cubes given up")
    assert set(run.table()["status"].to_pylist()) == {"ok"}


def test_cubes_that_do_not_agree_with_the_ladder_decide_nothing() -> None:
    one, two, three = (np.full(4, k, np.uint8) for k in range(3))
    begun = Conquest(FROM_NOTHING, [one], [Cube((), FROM_NOTHING)])
    for solutions, agrees in (([one], True), ([two, three], True), ([], False), ([two], False)):
        ended = Conquest(FROM_NOTHING, solutions, [])
        assert agreed(begun, ended) is (ended if agrees else begun)


STUCK = "random/24x24-0.37-8-0"


def classify_rows_or_pause(rows: Any, parts: Any, limit: float, name: str, job: Any, *others: Any) -> Any:
    """As the real one, but the whole of one puzzle never ends on the last level."""
    ids = [name for chunk in chunks_of(rows, parts, job) for name in chunk.batch["puzzle_id"].to_pylist()]
    if limit == LIMITS[-1] and STUCK in ids:
        signal.pause()
    return classify_rows(rows, parts, limit, name, job, *others)


def decide_cube_or_die(rows: Any, parts: Any, limit: float, job: Any, *others: Any) -> Any:
    """As the real one, but the first cube of all kills its worker."""
    mark = Path(job.run, "killed")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return decide_cube(rows, parts, limit, job, *others)


@pytest.mark.faults
def test_over_ray_cubes_decide_what_a_whole_would_not(
    puzzles: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker that has the whole is killed then; one that has a cube dies by itself."""
    import ray.cloudpickle

    alone = run_serially(puzzles, tmp_path / "alone")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(driver, "classify_rows", classify_rows_or_pause)
    monkeypatch.setattr(helping, "decide_cube", decide_cube_or_die)
    run = start_run(puzzles, str(tmp_path / "run"), CONFIG)
    with ray_crew(cpus=2) as crew:
        assert work_on(run, crew, limits=LIMITS) == []
    same = [
        "puzzle_id",
        "status",
        "solutions",
        "technique",
        "label",
    ]  # workers have beliefs, which count
    assert lasting(run).select(same).equals(lasting(alone).select(same))
    assert STUCK in helped(run)
    assert (tmp_path / "run/killed").exists()

"""Simulated runs on many cores: the real schedule, with measured times of puzzles, tasks and driver.

A puzzle's time is drawn, with replacement, from puzzles that were classified on this machine. A task costs what its
puzzles take, each at most the limit of its level, and what reading and writing take beside. Cores take tasks in the
order in which the driver gives them; the driver does one thing at a time, as long as it was measured to take. Tasks
that share cores have equal parts of all of them. What is left out: Ray's own scheduling over many machines, machines
that come late or go, and that no two cores are alike.
The driver's time is that of the thread with its loop; Ray's threads in its process work beside it.
"""

import heapq
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from pipeline.classify import driver as drivers
from pipeline.classify import helping
from pipeline.classify import schedule as schedules
from pipeline.classify import task as tasks
from pipeline.classify.driver import AT_ONCE, drive
from pipeline.classify.metrics import Metrics
from pipeline.classify.schedule import AHEAD, Schedule, Work, levels
from pipeline.classify.session import NOBODY, PROGRESS_EVERY, Session
from pipeline.classify.task import Job, classify_rows
from pipeline.executors.ray_crew import Ray, ray_crew
from pipeline.findings.bench import measure, random_batches
from pipeline.findings.figures_page import Table
from pipeline.run.beside import read_beside, write_beside
from pipeline.run.configuration import configuration
from pipeline.run.folder import start_run
from pipeline.run.results import Effort, Left, Piece
from pipeline.settings import default_settings
from pipeline.store import spans
from pipeline.store.folder import READERS, Folder, folder
from pipeline.store.parts import Part, Store, open_store
from pipeline.store.spans import Spans

CPU_LIMIT = 60.0
CORES = (8, 64, 512, 4096, 10_000)
CORES_OF_A_HOST = 64
ENDLESS = 5_000
"""One puzzle in so many is assumed to need more than the limit. None of the measured ones does."""

MANY = 10**8
"""So many puzzles would take few cores days."""

HARD = 1_000
"""Random 25x25, 45 % black, about as hard as those of tournaments."""

LOOK = 0.030
"""Seconds that S3 is taken to need for a small request."""

REMOTE = {"part": 0.100, "task": 0.050, "beside": 2 * LOOK}
"""Seconds that S3 is taken to add: for opening and reading a part, for writing two files, for reading one that was
written beside them, sixteen of these at a time."""

TICK = 3 * LOOK
"""The driver's for telling how far it is, each time."""

LEFT_TOGETHER = 40
"""Puzzles that a task leaves to the next level, about."""

TASKS = 1_000
"""Tasks that do nothing, to measure the driver by, beside those that fill all cores."""


class Sample(NamedTuple):
    """Puzzles that were measured: CPU seconds, and cells open after probing."""

    seconds: np.ndarray
    cells: np.ndarray


class Costs(NamedTuple):
    """Seconds of a task beside its puzzles'.

    task, row           for itself and for each puzzle
    part, group         for each part of the store that it reads and for each row group: in the sweep
    beside              for each file of RUN/beside: on the other levels
    """

    task: float
    part: float
    group: float
    row: float
    beside: float


class Driver(NamedTuple):
    """CPU seconds of the driver for a task, with up to `in_flight` tasks in flight.

    task     of the thread that has its loop
    threads  of all threads of its process
    memory   most bytes of its process
    """

    in_flight: int
    task: float
    threads: float
    memory: int


class Cubes(NamedTuple):
    """What cubes bring a puzzle that takes long: CPU time of all beside the whole's; how many times as fast at most."""

    cost: float
    most: float


CUBES = Cubes(760 / 385, 385 / 39.8)
"""As 60 cubes of webpbn 25820 are beside the whole (docs/decisions/cubes.md)."""


class Outcome(NamedTuple):
    """What became of a simulated run, in seconds.

    useful    time that the puzzles need, each at most the limit of the run
    wasted    time that was given to puzzles on levels that were not enough
    busy      time that cores had a task
    swept     when the last task of the sweep began
    before    time that cores had a task until then
    idle      mean time that cores have nothing to do after the last task has begun
    driver    time that the driver was at work
    """

    makespan: float
    useful: float
    wasted: float
    busy: float
    swept: float
    before: float
    idle: float
    driver: float
    tasks: int


def run(archive: Path) -> list[Table]:
    if not archive.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (["import", str(archive), "--out", "store"], ["classify", "store", "--out", "real"]):
            arguments = [f"{folder}/{word}" if word in ("store", "real") else word for word in arguments]
            subprocess.run([sys.executable, "-m", "nonocensus", *arguments], check=True, capture_output=True)
        store = open_store(f"{folder}/store")
        with ray_crew(2):
            drivers = {cores: driver_of(store, f"{folder}/run-{cores}", cores) for cores in CORES}
        samples = [
            (archive.name, sample_of(list(store.batches()))),
            ("random 25x25", sample_of(random_batches(HARD, 25, 25, 0.45, 1))),
        ]
        costs = costs_of(store, f"{folder}/run", Path(folder, "real"))
    return [
        *inputs(samples, costs, drivers),
        runs_by_size(samples, costs, drivers),
        runs_with_cubes(samples[0], costs, drivers),
        *runs_by_schedule(samples, costs, drivers),
    ]


def sample_of(batches: list[pa.RecordBatch]) -> Sample:
    """Classify puzzles to draw from."""
    results = measure(batches, CPU_LIMIT, False, lambda _: None).results
    known = np.zeros(len(results), np.int64)
    for name in ("cells_after_line", "cells_after_depth2", "cells_after_probe"):
        known = np.maximum(known, results[name].fill_null(0).to_numpy())
    return Sample(results["cpu_seconds"].fill_null(0.0).to_numpy(), results["cells"].to_numpy() - known)


def draw_puzzles(sample: Sample, number: int, endless: int | None = ENDLESS) -> Sample:
    """Draw puzzles from a sample; one in `endless` of them needs more than the limit.

    Those have the open cells of the puzzles that took longest, so the schedule cannot tell them apart.
    """
    rng = np.random.default_rng(1)
    which = rng.integers(0, len(sample.seconds), number, np.int32)
    seconds, cells = sample.seconds[which], sample.cells[which].astype(np.int32)
    if endless is not None:
        late = rng.random(number, np.float32) < 1 / endless
        slowest = np.argsort(sample.seconds)[-len(sample.seconds) // 100 :]
        seconds[late], cells[late] = np.inf, sample.cells[rng.choice(slowest, late.sum())]
    return Sample(seconds, cells)


def costs_of(store: Store, uri: str, real: Path) -> Costs:
    """What tasks cost beside their puzzles.

    Row groups and rows by tasks in this process, the best of several and a plane through them; the task itself by those
    of a real run over Ray that had a single puzzle, which is dearer. What a part costs on a disk is in that.
    CPU seconds, since the wall's grow many times where others use the machine: waiting for the disk is left out.
    """
    rows = default_settings().rows_per_group
    shapes: list[Spans] = [
        [(0, 1)],
        [(k * rows, k * rows + 1) for k in range(6)],
        [(0, rows)],
        [(0, 6 * rows)],
    ]
    job = job_of(store, uri)
    part = store.parts()[0]
    seconds = []
    for shape in shapes:
        tries = []
        for number in range(5):
            piece = classify_rows({part.name: shape}, {part.name: part}, 0.001, f"part-0001-{number:06d}", job)
            assert isinstance(piece, Piece)
            tries.append(piece.about["cpu_task"] - piece.about["cpu_solver"])
        seconds.append(min(tries))
    plane = np.array([[1, spread, spans.size(shape)] for shape, spread in zip(shapes, (1, 6, 1, 6), strict=True)])
    _, group, row = np.linalg.lstsq(plane.astype(float), np.array(seconds))[0].tolist()
    events = [json.loads(line) for log in (real / "log").iterdir() for line in log.read_text().splitlines()]
    alone = [event["cpu_task"] - event["cpu_solver"] for event in events if event.get("level") and event["rows"] == 1]
    beside = cost_of_beside(store, folder(uri))
    return Costs(float(np.median(alone)) - beside - row, 0.0, group, row, beside)


def cost_of_beside(store: Store, place: Folder) -> float:
    """CPU seconds of reading a puzzle in a file of a few that a task has left to the next level."""
    part, (_, puzzles) = store.parts()[0], next(store.read(store.parts()[0], [(0, LEFT_TOGETHER)]))
    write_beside(place, "part", [(part, np.arange(LEFT_TOGETHER), puzzles)], store.family)
    tries = []
    for _ in range(20):
        start = time.thread_time()
        assert read_beside(place, ["part"], {part.name: [(3, 4)]}, {part.name: part}, store.family)
        tries.append(time.thread_time() - start)
    return min(tries)


def job_of(store: Store, uri: str) -> Job:
    """What tasks need to know of a run, which is begun."""
    run = start_run(store, uri, configuration(CPU_LIMIT))
    return tasks.job_of(run, run.about["config"], apart=False)


def do_nothing(rows: dict[str, Spans], _: dict[str, Part], limit: float, name: str, *__: Any) -> Piece:
    """A task that does nothing."""
    number, now = sum(map(spans.size, rows.values())), "2026-01-01T00:00:00.000000+00:00"
    about: Effort = {
        "seconds": 1.0,
        "cpu_solver": 1.0,
        "cpu_task": 1.0,
        "started": now,
        "finished": now,
        "hosts": ["here"],
    }
    return Piece(rows, limit, [], {"ok": number}, {"unique line": number}, about, name)


class IdleCrew(Ray):
    """Ray's workers on as many cores as it is told, whose tasks do nothing."""

    def __init__(self, cores: int) -> None:
        super().__init__(None)
        self.cores = cores

    def cpus(self) -> int:
        return self.cores

    def submit(self, function: Any, *arguments: Any) -> Any:  # noqa: ARG002
        return super().submit(do_nothing, *arguments)


def driver_of(store: Store, uri: str, cores: int) -> Driver:
    """CPU time of the real driver with so many tasks in flight; most of it is Ray's."""
    job, in_flight = job_of(store, uri), AHEAD * cores
    tasks = in_flight + TASKS
    run = start_run(store, uri, configuration(CPU_LIMIT))
    session = Session(run, NOBODY, Metrics(uri))
    schedule = Schedule([("part-00000", [tasks], [(0, tasks)])], tasks, [], [CPU_LIMIT])
    start, all_threads = time.thread_time(), time.process_time()
    with (
        patch.multiple(schedules, FIRST=1, MOST_ROWS=1),
        patch.object(helping, "AFTER", math.inf),  # none of them needs help
        patch.object(drivers.Driver, "_see", lambda *_: None),  # nor do they write a file to see
    ):
        drive(run, IdleCrew(cores), schedule, job, session)
    task, threads = (time.thread_time() - start) / tasks, (time.process_time() - all_threads) / tasks
    session.close(Schedule([], 0, [], [CPU_LIMIT]), 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Driver(in_flight, task, threads, memory)


def bytes_waiting() -> float:
    """Memory of a puzzle that waits for more time."""
    number = 20_000
    tracemalloc.start()
    pool = schedules.Pool()
    for row in range(number):
        pool.add(Left(f"part-{row // 100:05d}", row, f"{row:064x}", row % 625, f"random/25x25-0.45-1-{row}"))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / number


class Cluster:
    """Cores and a driver, which do what a schedule says."""

    def __init__(self, puzzles: Sample, limits: list[float], costs: Costs) -> None:
        self.puzzles, self.limits, self.costs = puzzles, limits, costs
        self.remote = costs.part > 0
        self.group = default_settings().rows_per_group
        self.part = self.group * default_settings().groups_per_part
        self.sums = np.concatenate([[0.0], np.cumsum(np.minimum(puzzles.seconds, limits[0]))])
        self.late = [np.flatnonzero(puzzles.seconds > limit) for limit in limits[:-1]]
        self.useful = float(np.minimum(puzzles.seconds, limits[-1]).sum())

    def stretches(self) -> Iterator[tuple[str, list[int], Spans]]:
        """The store."""
        number = len(self.puzzles.seconds)
        for first in range(0, number, self.part):
            rows = min(self.part, number - first)
            groups = [min(self.group, rows - k) for k in range(0, rows, self.group)]
            yield f"part-{first // self.part:05d}", groups, [(0, rows)]

    def schedule(self, kind: type[Schedule] = Schedule) -> Schedule:
        """All that is to be done."""
        return kind(self.stretches(), len(self.puzzles.seconds), [], self.limits)

    def seconds(self, work: Work) -> float:
        """How long a task takes."""
        if work.level == 0:
            return self.costs.task + self._swept(work)
        files = len(work.beside)
        together = READERS if self.remote else 1
        took = self.costs.task + self.costs.beside * math.ceil(files / together) + self.costs.row * work.size
        for part, there in work.rows.items():
            base = self.part * int(part[5:])
            for start, stop in there:
                times = self.puzzles.seconds[base + start : base + stop]
                took += float(np.minimum(times, self.limits[work.level]).sum())
        return took

    def _swept(self, work: Work) -> float:
        """How long the puzzles of a task of the sweep take, with reading them."""
        ((part, there),) = work.rows.items()
        base, last, took = self.part * int(part[5:]), -1, self.costs.part
        for start, stop in there:
            first, end = start // self.group, (stop - 1) // self.group
            took += self.costs.group * (end - max(first, last + 1) + 1) + self.costs.row * (stop - start)
            last = end
            took += self.sums[base + stop] - self.sums[base + start]
        return float(took)

    def left(self, work: Work) -> list[Left]:
        """The puzzles of a task that need more time."""
        if work.level == len(self.limits) - 1:
            return []
        found, late = [], self.late[work.level]
        beside = f"{work.level} {next(iter(work.rows.items()))}"
        for part, there in work.rows.items():
            base = self.part * int(part[5:])
            for start, stop in there:
                first, last = np.searchsorted(late, (base + start, base + stop))
                found += [
                    Left(part, k - base, str(k), int(self.puzzles.cells[k]), "", beside)
                    for k in late[first:last].tolist()
                ]
        return found

    def run(self, schedule: Schedule, cores: int, driver: Driver, cubes: bool = False) -> Outcome:
        """Do all of it."""
        machines = Machines(cores, len(self.limits) - 1 if cubes else None)
        in_flight = tasks = 0
        now = wasted = at_work = ticked = swept = before = 0.0
        hosts = cores // CORES_OF_A_HOST
        while True:
            start = now
            more = True
            for _ in range(AT_ONCE):
                work = schedule.next(cores, in_flight)
                if work is None:
                    more = False
                    break
                now += driver.task / 2
                machines.until(now)
                machines.begin(self.seconds(work), work)
                in_flight, tasks = in_flight + 1, tasks + 1
                if work.level == 0:
                    swept, before = now, machines.used
            if not in_flight:
                break
            until = now if more else max(now, machines.next_end())
            at_work, now = at_work + now - start, until
            machines.until(until)
            new_hosts = min(len(machines.ended), hosts) if self.remote else 0
            now, hosts = now + math.ceil(new_hosts / READERS) * LOOK, hosts - new_hosts
            for took, work in machines.ended:
                in_flight -= 1
                now += driver.task / 2
                left = self.left(work)
                wasted += len(left) * self.limits[work.level]
                schedule.finished(work, took, left)
            machines.ended.clear()
            if self.remote and now > ticked + PROGRESS_EVERY:
                now, ticked = now + TICK, now
            at_work += now - until
        last, used = machines.last_begun
        idle = machines.last_end - last - (machines.used - used) / cores
        return Outcome(machines.last_end, self.useful, wasted, machines.used, swept, before, idle, at_work, tasks)


class Machines:
    """Cores and what they do. Tasks that share are at work at once, the others wait for a core each.

    What all tasks at work have of a core is the same. `served` is how many seconds of a core a task has had that has
    been at work from the begin: a task that begins now and takes so long ends when that is so much more.

    helped      the level whose puzzles have the help of idle cores (CUBES) when no others are at work
    now         as far as this has come; `used` are seconds of cores by then
    ended       tasks with how long they have taken by the wall, that the driver has not heard of
    last_begun  when the last task began, and `used` then
    """

    def __init__(self, cores: int, helped: int | None) -> None:
        self.cores, self.helped, self.others = cores, helped, 0
        self.now = self.served = self.used = self.last_end = 0.0
        self.at_work: list[tuple[float, int, float, Work]] = []  # a heap by when each ends, on the clock `served`
        self.alone = self.number = 0  # tasks at work with a core for themselves
        self.waiting: deque[tuple[float, Work]] = deque()
        self.ended: list[tuple[float, Work]] = []
        self.last_begun = (0.0, 0.0)

    def begin(self, seconds: float, work: Work) -> None:
        """Give a task to the cores that takes so long."""
        if not work.sharing and self.alone == self.cores:
            self.waiting.append((seconds, work))
            return
        self.alone += not work.sharing
        self.others += work.level != self.helped
        self.number += 1
        heapq.heappush(self.at_work, (self.served + seconds, self.number, self.now, work))
        self.last_begun = self.now, self.used

    @property
    def speed(self) -> float:
        """Seconds of a core that each task at work has in a second."""
        number = len(self.at_work)
        if 0 < number < self.cores and not self.others:
            return min(max((self.cores - number) / number / CUBES.cost, 1.0), CUBES.most)
        return min(1.0, self.cores / max(number, 1))

    def next_end(self) -> float:
        """When the next task ends; now, if there are some that the driver has not heard of."""
        return self.now if self.ended else self.now + (self.at_work[0][0] - self.served) / self.speed

    def until(self, until: float) -> None:
        """Go on with what there is."""
        while self.at_work and (end := self.now + (self.at_work[0][0] - self.served) / self.speed) <= until:
            self._pass(end)
            _, _, begun, work = heapq.heappop(self.at_work)
            self.ended.append((self.now - begun, work))
            self.last_end = self.now
            self.alone -= not work.sharing
            self.others -= work.level != self.helped
            if self.waiting:
                self.begin(*self.waiting.popleft())
        self._pass(max(until, self.now))

    def _pass(self, until: float) -> None:
        self.served += (until - self.now) * self.speed
        self.used += (until - self.now) * min(self.cores, len(self.at_work))
        self.now = until


def with_s3(costs: Costs) -> Costs:
    """The same with S3 in between."""
    return costs._replace(**{name: getattr(costs, name) + more for name, more in REMOTE.items()})


def figures_of(outcome: Outcome, cores: int) -> list[object]:
    """The figures of a run that the tables show."""
    best = max(outcome.useful / cores, CPU_LIMIT)  # there is a puzzle that takes so long
    return [
        outcome.tasks,
        outcome.makespan,
        best,
        f"{outcome.useful / (cores * outcome.makespan):.1%}",
        f"{outcome.wasted / outcome.busy:.1%}",
        f"{outcome.before / max(cores * outcome.swept, 1e-9):.1%}",
        outcome.swept,
        outcome.idle,
        f"{outcome.driver / outcome.makespan:.0%}",
    ]


FIGURES = [
    *("tasks", "wall s", "at best", "used", "wasted by levels", "busy in the sweep", "sweep s", "idle at the end s"),
    "driver busy",
]


def runs_by_size(samples: list[tuple[str, Sample]], costs: Costs, drivers: dict[int, Driver]) -> Table:
    """Numbers of puzzles by numbers of cores."""
    rows: list[list[object]] = []
    limits = levels(CPU_LIMIT, default_settings().sweep_limit, default_settings().limit_growth)
    for (name, sample), numbers in zip(samples, ((10**5, 10**6, 10**7, 10**8), (10**6,)), strict=True):
        for number in numbers:
            puzzles = draw_puzzles(sample, number)
            for cores in CORES if number < MANY else CORES[-3:]:
                cluster = Cluster(puzzles, limits, costs if cores == CORES[0] else with_s3(costs))
                outcome = cluster.run(cluster.schedule(), cores, drivers[cores])
                rows.append([name, number, cores, *figures_of(outcome, cores)])
    title = f"Runs, one puzzle of {ENDLESS:,} without end; {CORES[0]} cores with a disk, more of them with S3"
    return Table(title, ["puzzles", "number", "cores", *FIGURES], rows)


def runs_with_cubes(sample: tuple[str, Sample], costs: Costs, drivers: dict[int, Driver]) -> Table:
    """Runs whose hardest puzzles are like webpbn 25820, with and without the help of idle cores."""
    name, measured = sample
    number, seconds, cpu_limit = 1_000_000, 385.0, 600.0
    puzzles = draw_puzzles(measured, number)
    puzzles.seconds[np.isinf(puzzles.seconds)] = seconds
    limits = levels(cpu_limit, default_settings().sweep_limit, default_settings().limit_growth)
    cluster = Cluster(puzzles, limits, with_s3(costs))
    rows: list[list[object]] = []
    for cores in CORES[1:]:
        runs = [cluster.run(cluster.schedule(), cores, drivers[cores], cubes).makespan for cubes in (False, True)]
        rows.append([name, number, cores, *runs])
    title = f"One puzzle of {ENDLESS:,} that takes {seconds:.0f} s, a limit of {cpu_limit:.0f} s; wall seconds"
    return Table(title, ["puzzles", "number", "cores", "without cubes", "with cubes"], rows)


class HighestLevelFirst(Schedule):
    """The highest level first."""

    def next(self, slots: int, flying: int = 0) -> Work | None:
        for level in range(len(self.pools) - 1, 0, -1):
            if self.pools[level].order and not self.again:
                return self._of_level(level, self.pools[level], slots, flying)
        return super().next(slots, flying)


def runs_by_schedule(samples: list[tuple[str, Sample]], costs: Costs, drivers: dict[int, Driver]) -> list[Table]:
    """The same puzzles under other schedules."""
    as_it_is = levels(CPU_LIMIT, default_settings().sweep_limit, default_settings().limit_growth)
    kinds: list[tuple[str, type[Schedule], list[float], dict[str, Any]]] = [
        ("as it is", Schedule, as_it_is, {}),
        ("no levels: all time at once", Schedule, [CPU_LIMIT], {}),
        ("all time after 0.2 s", Schedule, [0.2, CPU_LIMIT], {}),
        ("levels that grow evenly", Schedule, [0.05, 1.732, CPU_LIMIT], {}),
        ("a puzzle a task", Schedule, as_it_is, {"FIRST": 1, "MOST_ROWS": 1}),
        ("highest level first", HighestLevelFirst, as_it_is, {}),
        ("tasks of a second at least", Schedule, as_it_is, {"SHORTEST": 1.0}),
        ("tasks as short on many cores as on few", Schedule, as_it_is, {"DRIVER": 0.0}),
        ("no core is shared", Schedule, as_it_is, {"WORTH_SHARING": math.inf}),
        ("sharing with twice as many as cores at most", Schedule, as_it_is, {"SHARED": 2.0}),
        ("... three times", Schedule, as_it_is, {"SHARED": 3.0}),
    ]
    tables = []
    for (name, sample), number, cores in (
        (samples[0], 10**6, 64),
        (samples[0], 10**6, 512),
        (samples[0], 10**7, 4096),
        (samples[0], MANY, 10_000),
        (samples[1], 10**5, 64),
        (samples[1], 10**6, 512),
        (samples[1], 10**6, 4096),
    ):
        puzzles, rows = draw_puzzles(sample, number), []
        for kind, schedule, limits, changes in kinds:
            if (changes.get("MOST_ROWS") and number * cores > 10**6 * 64) or (number == MANY and limits == [CPU_LIMIT]):
                continue  # it would take minutes
            cluster = Cluster(puzzles, limits, with_s3(costs))
            with patch.multiple(schedules, **({"FIRST": schedules.FIRST} | changes)):
                outcome = cluster.run(cluster.schedule(schedule), cores, drivers[cores])
            rows.append([kind, *figures_of(outcome, cores)])
        tables.append(
            Table(f"Ways to give out {number:,} puzzles of {name} to {cores:,} cores", ["way", *FIGURES], rows)
        )
    return tables


def inputs(samples: list[tuple[str, Sample]], costs: Costs, drivers: dict[int, Driver]) -> list[Table]:
    """What the simulation is calculated from."""
    sweep = default_settings().sweep_limit
    return [
        Table(
            "Puzzles, measured",
            ["puzzles", "number", "mean ms", "median ms", "p99 ms", "most s", f"over {sweep} s"],
            [
                [name, len(times), times.mean() * 1e3, np.median(times) * 1e3, np.quantile(times, 0.99) * 1e3,
                 times.max(), f"{np.mean(times > sweep):.2%}"]
                for name, (times, _) in samples
            ],
        ),
        Table(
            "A task beside its puzzles, ms: measured here, and taken to come to it with S3",
            ["", "task", "part", "row group", "row", "file beside"],
            [
                ["disk", *(cost * 1e3 for cost in costs)],
                ["S3", *(cost * 1e3 for cost in with_s3(costs))],
            ],
        ),
        Table(
            f"The driver with Ray on this machine, tasks that do nothing; a waiting puzzle takes {bytes_waiting():.0f} "
            "bytes",
            ["cores", "tasks in flight", "ms a task", "ms of all threads", "tasks a second", "most memory MB"],
            [
                [cores, driver.in_flight, driver.task * 1e3, driver.threads * 1e3, 1 / driver.task,
                 driver.memory / 1e6]
                for cores, driver in drivers.items()
            ],
        ),
    ]  # fmt: skip

"""Tasks for models: puzzles of a run with one solution as JSON lines, and scores of answers to them.

A line of a task file is a Task. A line of an answer file is an object with `id`, a task's, and `answer` in any notation
(scrapers.formats.answer_text); several answers to a task are samples.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import InputError, UserError
from nonocensus.pipeline.findings.pack_index import Side
from nonocensus.pipeline.findings.puzzle_pack import PackChoice, PackOptions, choose
from nonocensus.pipeline.run.job_tables import VERDICT, current_certificates, verdict_keys
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.paths import open_output
from nonocensus.reports.dataset.dataset_columns import SPLITS, splits_of
from nonocensus.reports.numbers.row_classes import SIZE_NAMES, size_class
from nonocensus.reports.words.answer_verdict import check_answer
from nonocensus.reports.words.task_prompts import Prompt, Style, key_of, prompt_of
from nonocensus.scrapers.formats.parsing import error_text
from nonocensus.solver.model.puzzle import Color, InvalidPuzzle, Puzzle
from nonocensus.solver.proofs import PROVED

VERIFIER = "nonocensus.check"

MAX_LINE = 64 << 20
"""Bytes of a line of tasks or answers."""

VERDICTS = ("solved", "wrong", "partial", "unreadable", "missing")
"""Columns of a score; an answer whose completion is unknown counts as partial."""


class Task(msgspec.Struct, kw_only=True):
    """A task; null is unknown. docs/TASKS.md describes the fields."""

    id: str
    prompt: Prompt
    answer: str
    rows: Side
    columns: Side
    width: int
    height: int
    palette: list[tuple[str, str, str]]
    split: str | None = None
    verifier: str = VERIFIER
    verdict: str = "unique"
    certified: bool = False
    technique: str | None = None
    difficulty: float | None = None
    grade: int | None = None
    hardest: str | None = None
    minutes: float | None = None
    source: str | None = None
    url: str | None = None
    author: str | None = None
    copyright: str | None = None
    license: str | None = None
    canonical_hash: str | None = None

    def puzzle(self) -> Puzzle:
        """Return the puzzle of the clues. Raises InvalidPuzzle."""
        return Puzzle(self.rows, self.columns, tuple(Color(*color) for color in self.palette), puzzle_id=self.id)


class TaskSet(NamedTuple):
    """Result of `write_tasks`: number of tasks by split, and of puzzles that remain after each condition."""

    splits: dict[str, int]
    considered: dict[str, int]


class TaskScore(NamedTuple):
    """Result of `score`.

    sizes     numbers of answers by size class and verdict of VERDICTS; missing are tasks without an answer
    solved    number of tasks that an answer solves
    tasks     number of tasks
    unknown   number of answers to other tasks
    damaged   number of lines that are not answers
    """

    sizes: dict[str, Counter[str]]
    solved: int
    tasks: int
    unknown: int
    damaged: int


def write_tasks(
    run: Run, path: str, options: PackOptions, style: Style, progress: ProgressCallbacks = SILENT
) -> TaskSet:
    """Write tasks, easiest first. No two are equal up to symmetry, and the split depends on the symmetry class alone.

    `options` choose the puzzles as those of a pack. Raises UserError as `choose`.
    """
    choice = choose(run, options, progress)
    splits = Counter[str]()
    with open_output(path) as stream:
        for task in tasks_of(run, choice, style):
            stream.write(msgspec.json.encode(task) + b"\n")
            splits[str(task.split)] += 1
    return TaskSet({name: splits[name] for name in SPLITS}, dict(choice.considered))


def tasks_of(run: Run, choice: PackChoice, style: Style) -> Iterator[Task]:
    """Yield the tasks of chosen puzzles."""
    names = ("technique", "difficulty", "grade", "hardest", "minutes", "canonical_hash")
    about = ("source", "url", "author", "copyright", "license")
    table = choice.rows.select([*names, *about])
    proved = {key for key, row in current_certificates(run).items() if row["status"] == PROVED}
    splits = splits_of(choice.rows["canonical_hash"].combine_chunks()).to_pylist()
    certified = [key in proved for key in verdict_keys(choice.rows.select(VERDICT))]
    for (puzzle, _), row, split, is_proved in zip(choice.puzzles, table.to_pylist(), splits, certified, strict=True):
        yield task_of(puzzle, style, split=SPLITS[split], certified=is_proved, **row)


def task_of(puzzle: Puzzle, style: Style, **about: Any) -> Task:
    """Return the task of a puzzle with its solution as goal; `about` are other fields."""
    assert puzzle.goal is not None
    return Task(
        id=str(puzzle.puzzle_id),
        prompt=prompt_of(puzzle, style),
        answer=key_of(puzzle, puzzle.goal),
        rows=puzzle.rows,
        columns=puzzle.columns,
        width=puzzle.width,
        height=puzzle.height,
        palette=[(*color,) for color in puzzle.palette],
        **about,
    )


def read_tasks(path: str) -> Iterator[Task]:
    """Yield the tasks of a file. Raises InputError for the first line that is none."""
    decoder = msgspec.json.Decoder(Task)
    return (_decode(decoder, path, number, line, "task") for number, line in _lines(path))


class TaskAnswer(msgspec.Struct):
    """A line of an answer file; the answer is decoded by itself, so that its faults are its own."""

    id: str
    answer: msgspec.Raw = msgspec.Raw(b"null")

    def value(self) -> Any:
        """Return the answer; its text if it is JSON that can't be decoded: nested too deeply, or a number too long."""
        try:
            return msgspec.json.decode(self.answer)
        except (ValueError, RecursionError):
            return bytes(self.answer)


def score(tasks: str, answers: str, cpu_limit: float, report: Callable[[dict[str, Any]], object]) -> TaskScore:
    """Check the answers to tasks; `report` is called with a row for each: id, verdict, reason.

    A line that is no answer is reported as unreadable, without id, and counted as damaged.
    """
    known = {task.id: task for task in read_tasks(tasks)}
    if not known:
        raise InputError(f"{tasks} has no tasks", "make some with: nonocensus tasks RUN --out FILE")
    sides = {k: pa.array([getattr(task, k) for task in known.values()], pa.int32()) for k in ("width", "height")}
    class_of = {name: SIZE_NAMES[k] for name, k in zip(known, size_class(pa.table(sides)).to_pylist(), strict=True)}
    counts = {name: Counter[str]() for name in SIZE_NAMES if name in class_of.values()}
    answered, solved, unknown, damaged = set[str](), set[str](), 0, 0
    decoder = msgspec.json.Decoder(TaskAnswer)
    for number, line in _lines(answers):
        try:
            answer = _decode(decoder, answers, number, line, "answer")
        except InputError as error:
            damaged += 1
            report({"id": None, "verdict": "unreadable", "reason": str(error)})
            continue
        task = known.get(answer.id)
        if task is None:
            unknown += 1
            continue
        checked = _check(task, answer.value(), cpu_limit)
        answered.add(task.id)
        solved.update([task.id] if checked["verdict"] == "solved" else [])
        counts[class_of[task.id]]["partial" if checked["verdict"] == "timeout" else checked["verdict"]] += 1
        report(checked)
    for name in known:
        if name not in answered:
            counts[class_of[name]]["missing"] += 1
            report({"id": name, "verdict": "missing", "reason": "no answer"})
    return TaskScore(counts, len(solved), len(known), unknown, damaged)


def _check(task: Task, answer: Any, cpu_limit: float) -> dict[str, Any]:
    """Return the row of an answer."""
    try:
        checked = check_answer(task.puzzle(), answer, cpu_limit=cpu_limit)
    except InvalidPuzzle as error:
        return {"id": task.id, "verdict": "wrong", "reason": f"no grid fits the task's clues: {error}"}
    return {"id": task.id, "verdict": checked.verdict, "reason": checked.reason}


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a local file that are not blank, with their numbers. Raises UserError, InputError."""
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise InputError(f"{path}, line {number:,}: it is longer than {MAX_LINE >> 20} MiB")
                if not line.isspace():
                    yield number, line
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def _decode(decoder: "msgspec.json.Decoder[Any]", path: str, number: int, line: bytes, what: str) -> Any:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}, line {number:,}: not a {what}: {error_text(error)}") from None

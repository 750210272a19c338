"""Output of all commands, options of every command, --help, usage errors."""

import json
import logging
import re
import subprocess
import sys
import threading
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress
from stores import Nonocensus

from nonocensus.pipeline.callbacks import ProgressCallbacks
from nonocensus.pipeline.commands import output
from nonocensus.pipeline.commands.app import FUNCTIONS, PANELS, load_command
from nonocensus.pipeline.commands.output import (
    ProgressLine,
    err,
    global_options,
    out,
    print_result,
    progress_callbacks,
    progress_line,
    seconds_left,
    show_progress,
    table,
)
from nonocensus.pipeline.store.conversion import ConversionOptions, convert, read_puzzles
from nonocensus.pipeline.store.file_import import import_paths
from nonocensus.pipeline.store.parts import Store
from nonocensus.reports.clean import UNSAFE
from nonocensus.scrapers.formats import jsonl
from nonocensus.solver.model.puzzle import from_picture

LONG = "a word " * 60


def test_pipe_output_is_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    words = table("name", "words")
    words.add_row("n", LONG.strip())
    print_result({}, [LONG, words])
    text, _, row = (line.strip() for line in capsys.readouterr().out.splitlines())
    assert text == LONG.strip()
    assert row == f"n     {LONG.strip()}"


def test_control_characters_are_removed_or_escaped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "\x1b]0;x\x07\x1b[2J \x9b31m \u202eabc\u2066 \udcff :warning:"
    words = table("name")
    words.add_row(hostile)
    print_result({}, [hostile, words])
    err.print(hostile)
    monkeypatch.setattr(global_options, "json", True)
    print_result({"a": hostile}, "")
    printed = capsys.readouterr()
    assert not UNSAFE.search(printed.out + printed.err)
    assert ":warning:" in printed.err
    assert json.loads(printed.out.splitlines()[-1]) == {"a": hostile}


def test_progress_is_logged_without_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = threading.Event()
    print_line = err.print
    monkeypatch.setattr(err, "print", lambda line: (print_line(line), printed.set()))
    monkeypatch.setattr(output, "LOG_INTERVAL", 0.001)
    with show_progress("") as progress:
        progress.on_start("classifying", 2000, 1000)
        progress.on_progress(234, "unique 7")
        printed.clear()
        assert printed.wait(60)
    assert re.fullmatch(r"classifying: 1,234/2,000, .*/s.*; unique 7", capsys.readouterr().err.splitlines()[-1])
    with show_progress("solving local/[x]"):
        printed.clear()
        assert printed.wait(60)
    assert "solving local/[x]: 0:00:00 spent\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("width", "shown", "dropped"),
    [
        (40, ["5,000/20,000", "0:01:31 left"], ["multiple"]),
        (60, ["5,000/20,000", "167/s", "0:01:31 left"], ["multiple"]),
        (80, ["classifying", "5,000/20,000", "167/s", "0:01:31 left"], ["multiple"]),
        (110, ["classifying", "━", "5,000/20,000", "167/s", "0:01:31 left", "unique line 4,0"], ["multiple"]),
        (200, ["classifying", "━", "5,000/20,000", "167/s", "0:01:31 left", "0:00:30 spent", "multiple 12"], []),
    ],
)
def test_progress_line_keeps_count_rate_and_time_left_before_verdicts(
    width: int, shown: list[str], dropped: list[str]
) -> None:
    now = 0.0
    bar = Progress(get_time=lambda: now, disable=True)
    words = "unique line 4,000  unique depth-2 900  trivial unique line 80  multiple 12"
    task = bar.add_task("classifying", total=20_000, status=words, begun=0)
    bar.update(task, advance=1)
    now = 30.0
    bar.update(task, advance=4_999)
    file = StringIO()
    terminal = Console(width=width, file=file, force_terminal=True, color_system=None)
    terminal.print(ProgressLine(bar.tasks[0]))
    (line,) = file.getvalue().splitlines()
    assert len(line.rstrip()) < width
    assert [part in line for part in (*shown, *dropped)] == [True] * len(shown) + [False] * len(dropped)


@pytest.mark.parametrize(
    ("total", "steps", "is_known"), [(122, 2, False), (122, 10, True), (30, 1, False), (9, 1, True)]
)
def test_time_left_needs_ten_steps_or_a_tenth_of_all(total: int, steps: int, is_known: bool) -> None:
    """The first ones include the start of workers."""
    now = 0.0
    bar = Progress(get_time=lambda: now, disable=True)
    progress = progress_callbacks(bar, bar.add_task("", total=None, status="", begun=0))
    progress.on_start("mending", total, 0)
    now = 10.0
    progress.on_progress(steps, "")
    assert ("to go" in progress_line(bar.tasks[0])) == is_known


def test_time_left_is_known_although_no_step_ends_for_long() -> None:
    now = 0.0
    bar = Progress(get_time=lambda: now, disable=True)
    progress = progress_callbacks(bar, bar.add_task("", total=None, status="", begun=0))
    progress.on_start("mending", 30, 10)
    left = list[float | None]()
    for moment, steps in ((20.0, 0), (40.0, 2), (100.0, 0), (200.0, 3)):
        now = moment
        progress.on_progress(steps, "")
        left.append(seconds_left(bar.tasks[0]))
        assert ("about" in progress_line(bar.tasks[0])) == (left[-1] is not None)
    assert left == [None, 360, 900, 600]
    assert ", 0.025/s, " in progress_line(bar.tasks[0])


def test_time_left_is_the_tasks_own_estimate_if_it_has_one() -> None:
    """Puzzles that wait for a retry take longer than those before them."""
    now = 0.0
    bar = Progress(get_time=lambda: now, disable=True)
    progress = progress_callbacks(bar, bar.add_task("", total=None, status="", begun=0))
    progress.on_start("classifying", 100, 0)
    now = 10.0
    progress.on_progress(90, "")
    assert seconds_left(bar.tasks[0]) == pytest.approx(10 / 9)
    progress.on_estimate(400.0)
    now = 25.0
    assert seconds_left(bar.tasks[0]) == 385
    progress.on_estimate(None)
    assert seconds_left(bar.tasks[0]) is None
    progress.on_start("writing", 100, 99)
    assert "estimate" not in bar.tasks[0].fields


def test_an_estimate_ends_with_the_steps_that_it_rests_on() -> None:
    """The last puzzles of a job may be the hardest."""
    now = 0.0
    bar = Progress(get_time=lambda: now, disable=True)
    task = bar.add_task("classifying", total=1000, status="", begun=0)
    progress = progress_callbacks(bar, task)
    progress.on_start("classifying", 1000, 0)
    for second in (1.0, 2.0, 3.0):
        now = second
        progress.on_progress(331, "")
    assert progress_line(bar.tasks[0]).endswith("about 0:00:01 to go")
    now = 7.0
    assert "to go" not in progress_line(bar.tasks[0])


def test_unknown_total_replaces_a_known_one(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        with show_progress("") as progress:
            progress.on_start("reading", 5, 0)
            progress.on_start("sorting", None, 0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "left" not in capsys.readouterr().err


def test_files_are_counted_as_files_and_stored_puzzles_as_puzzles(tmp_path: Path) -> None:
    place = tmp_path / "files"
    place.mkdir()
    (place / "three.jsonl").write_bytes(
        b"".join(jsonl.write(from_picture(picture)) for picture in np.eye(3, dtype=np.uint8)[:, None])
    )
    (place / "one.jsonl").write_bytes(jsonl.write(from_picture(np.ones((1, 2), np.uint8))))
    steps: list[int] = []
    totals: list[int | None] = []
    progress = ProgressCallbacks(lambda _, total, __: totals.append(total), lambda count, _: steps.append(count))
    import_paths([place], str(tmp_path / "store"), progress)
    assert (sum(steps), totals.pop()) == (2, 2)
    for source, count in ((place / "three.jsonl", 1), (tmp_path / "store", 4)):
        steps.clear()
        found = read_puzzles([str(source)], None, progress)
        report = convert(found, str(tmp_path / "out.jsonl"), ConversionOptions(jsonl), progress)
        assert (sum(steps), totals.pop(), report.files) == (count, count, 1)


@pytest.mark.usefixtures("store")
def test_quiet_prints_results_and_problems_only(nonocensus: Nonocensus) -> None:
    classified = nonocensus("--quiet", "classify", "store", "--out", "run", "--serial", "--limit", "3")
    assert (classified.code, classified.out, classified.err) == (0, "", "")
    assert "3 of 300 puzzles classified" in nonocensus("--quiet", "status", "run").out
    assert "nowhere does not exist" in nonocensus("--quiet", "status", "nowhere").err
    assert nonocensus("classify", "store", "--out", "run", "--serial", "--quiet").out == "", "after the command too"
    assert "No such option" not in nonocensus("status", "--", "--quiet").err, "a run of that name"
    assert "puzzles with" in nonocensus("export", "run", "--csv", "x.csv").out
    assert not out.quiet


@pytest.mark.usefixtures("tmp_path")
def test_debug_prints_tracebacks(nonocensus: Nonocensus) -> None:
    assert "Traceback" not in nonocensus("status", "nowhere").err
    printed = nonocensus("status", "nowhere", "--debug").err
    assert "Traceback" in printed
    assert "in open_place" in printed
    assert printed.splitlines()[-1].startswith("nonocensus: nowhere does not exist; ")


@pytest.mark.parametrize("options", [["--log-level", "debug"], ["--log-level=debug"]])
def test_log_level_debug_prints_records_below_warning(nonocensus: Nonocensus, options: list[str]) -> None:
    assert nonocensus("status", "nowhere", *options).code == 2
    logging.getLogger("nonocensus.jobs").debug("task [ended]")
    assert logging.getLogger("nonocensus").level == logging.DEBUG
    refused = nonocensus("status", "nowhere", "--log-level", "loud")
    assert (refused.code, "--log-level" in refused.err) == (2, True)
    assert nonocensus("status", "nowhere").err.startswith("nonocensus: nowhere")
    assert logging.getLogger("nonocensus").level == logging.WARNING


def test_importing_the_library_installs_no_log_handler() -> None:
    code = "import logging, nonocensus; nonocensus.__version__; print(logging.getLogger('nonocensus').handlers)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[<NullHandler (NOTSET)>]\n"


def test_internal_error_exits_with_status_70(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status 1 would mean that everything else is done."""
    monkeypatch.setattr("nonocensus.pipeline.commands.status.open_place", lambda *_: {}["missing"])
    result = nonocensus("status", "run")
    assert result.code == 70
    assert result.err.startswith("Traceback")
    assert result.err.splitlines()[-1].startswith("nonocensus: internal error: KeyError: 'missing'; please report it")


def test_help_lists_each_command_on_one_line_in_five_panels(
    nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert "Usage: nonocensus" in nonocensus().out
    lines = nonocensus("--help").out.splitlines()
    titles = [line.split()[1] for line in lines if line.startswith("╭─")]
    assert titles == ["Options", "Get", "Analyse", "Publish", "One", "Operate"]
    listed = lines[next(number for number, line in enumerate(lines) if "Get puzzles" in line) :]
    rows = [line[1:-1].split() for line in listed if line.startswith("│")]
    assert [words[0] for words in rows] == [name for commands in PANELS.values() for name in commands]
    assert all(words[-1].endswith(".") for words in rows)


def test_help_texts_have_at_most_twelve_words_and_name_their_values() -> None:
    commands = {name: load_command(name) for name in FUNCTIONS}
    options = [one for command in commands.values() for one in command.params if one.param_type_name == "option"]
    assert [one.opts[0] for one in options if one.type.name in ("text", "str") and not one.metavar] == []
    texts = {
        f"{name} {parameter.opts[0]}": re.sub(r" *\[default: .*", "", parameter.help)
        for name, command in commands.items()
        for parameter in command.params
        if parameter.param_type_name == "option"
    }
    assert [name for name, text in texts.items() if len(text.split()) > 12] == []
    assert [name for name, text in texts.items() if not text.endswith((".", ">."))] == []
    listed = {name: line for panel in PANELS.values() for name, (_, line) in panel.items()}
    assert {name: command.help.split("\n\n")[0] for name, command in commands.items()} == listed


def test_options_of_every_command_are_accepted_after_it(nonocensus: Nonocensus, store: Store) -> None:
    for arguments in (["--json", "status", "store"], ["status", "store", "--json"], ["status", "--json", "store"]):
        assert json.loads(nonocensus(*arguments).out)["puzzles"] == store.rows()
    assert "Store of 300 puzzles" in nonocensus("status", "store").out

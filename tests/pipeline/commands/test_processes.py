"""Commands as processes: signals, closed or limited streams, full disks, imports."""

import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from stores import Nonocensus

from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.scratch import PREFIX
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.verify.verification import verify_place

ENDLESS = "select count(*) from range(1_000_000_000_000)"
PAGES = ("report.html", "report.json")


def started(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Return a command that has begun."""
    environment = os.environ | options.pop("env", {})
    command = [sys.executable, "-m", "nonocensus", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, env=environment, **pipes, **options)


def is_locked(folder: Path) -> bool:
    """Return whether a process holds the lock of its temporary folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_terminated_command_leaves_no_temporary_files(store: Store, tmp_path: Path, number: int) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = started("query", store.folder.uri, ENDLESS, env={"TMPDIR": str(temporary)})
    while not any(map(is_locked, temporary.glob(f"{PREFIX}*"))):  # before, only the next process would delete it
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(number)
    while number == signal.SIGTERM and process.poll() is None:  # `timeout` sends it twice
        process.send_signal(number)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, "nonocensus: interrupted\n")
    assert list(temporary.iterdir()) == []


def test_no_command_imports_pandas(store: Store) -> None:
    """Arrow imports it wherever it is installed."""
    code = "import sys; sys.argv = sys.argv[1:]; from nonocensus.__main__ import run\n"
    code += "try: run()\nfinally: assert 'pandas' not in sys.modules"
    command = [sys.executable, "-c", code, "nonocensus", "query", store.folder.uri, "select 1"]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


@pytest.mark.slow
def test_characters_unknown_to_the_terminal_are_escaped(store: Store) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    query = "select 'café 日本' as title"
    process = started("query", store.folder.uri, query, env=ascii_only)
    assert process.communicate()[0] == "title\ncaf\\xe9 \\u65e5\\u672c\n"
    process = started("query", store.folder.uri, query, "--json", env=ascii_only)
    assert json.loads(process.communicate()[0]) == [{"title": "café 日本"}]


@pytest.mark.slow
def test_full_disk_is_reported_and_old_file_kept(run: Run, tmp_path: Path, nonocensus: Nonocensus) -> None:
    """The error names the file."""

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    env = {"PYTHONDONTWRITEBYTECODE": "1"}  # CPython truncates .pyc files at the limit, which breaks later tests

    assert nonocensus("report", run.folder.uri, "--out", "compiles").code == 0  # kernels are files too
    report = tmp_path / "report"
    report.mkdir()
    for name in PAGES:
        (report / name).write_text("the former one")
    process = started("--quiet", "report", run.folder.uri, "--out", str(report), preexec_fn=small_files, env=env)
    _, err = process.communicate()
    assert (process.returncode, len(err.splitlines())) == (4, 1), err
    assert f"nonocensus: {report}/report.html: File too large" in err
    assert {path.name: path.read_text() for path in report.iterdir()} == dict.fromkeys(PAGES, "the former one")
    process = started(
        "--quiet", "export", run.folder.uri, "--csv", str(tmp_path / "run.csv"), preexec_fn=small_files, env=env
    )
    _, err = process.communicate()
    assert (process.returncode, err.splitlines()) == (4, [f"nonocensus: {tmp_path}/run.csv: File too large"])
    assert not (tmp_path / "run.csv").exists()


NAMES = ("solver", "reports", "pipeline", "random", "csv", "email", "numpy", "queue", "typer")


@pytest.mark.slow
def test_modules_in_the_current_folder_are_not_imported(tmp_path: Path) -> None:
    """Neither by the command nor by Ray's workers."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('{name} of the user')\n")
    (tmp_path / "dot.non").write_text("width 1\nheight 1\n\nrows\n1\n\ncolumns\n1\n")
    program = Path(sys.executable).with_name("nonocensus")
    for command in ("import dot.non --out store", "classify store --out run --cpus 1", "status run --json"):
        done = subprocess.run([program, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["status"], summary["labels"]) == ({"ok": 1}, {"trivial unique line": 1})


@pytest.mark.slow
def test_closed_standard_streams(store: Store, tmp_path: Path) -> None:
    """No output goes into a file that got a closed stream's number, and Ray works without streams."""

    def close() -> None:
        for number in (1, 2):
            os.close(number)

    command = [sys.executable, "-m", "nonocensus", "classify", store.folder.uri, "--out", str(tmp_path / "run")]
    assert subprocess.run([*command, "--cpus", "1"], preexec_fn=close, check=False).returncode == 0
    run = open_run(str(tmp_path / "run"))
    assert len(run.table()) == 300
    assert verify_place(run) == []


def test_help_and_completion_import_no_heavy_library() -> None:
    """Keeps them fast: only the command that is called is imported."""
    heavy = "{'numpy', 'numba', 'pyarrow', 'ray', 'duckdb', 'aiohttp', 'PIL'}"
    code = f"""
import os, sys
from nonocensus.pipeline.commands.app import app
for arguments, words in ((["--help"], None), ([], "nonocensus c")):
    if words:
        os.environ |= {{"_NONOCENSUS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "1"}}
    try:
        app(arguments, prog_name="nonocensus")
    except SystemExit:
        pass
assert not (found := {heavy} & sys.modules.keys()), found
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.endswith("crawl\nconvert\nclassify\ncertify\ncompare\ncheck\n")

"""Ctrl-C during interactive work. The work itself sends the signal, so no test depends on timing."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from nonocensus.pipeline.commands.solve.attempt import run_interactively
from nonocensus.pipeline.errors import Interrupted
from nonocensus.scrapers.formats import webpbn_xml
from nonocensus.solver.model.puzzle import from_picture


class Keyboard:
    """Standard input with scripted answers, None for Ctrl-C; counts the questions."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = iter(answers)
        self.asked = threading.Semaphore(0)

    def readline(self) -> str:
        self.asked.release()
        answer = next(self.answers)
        if answer is None:
            signal.raise_signal(signal.SIGINT)
        return answer or ""


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Keyboard]]:
    def attach(*answers: str | None) -> Keyboard:
        made = Keyboard(*answers)
        monkeypatch.setattr("sys.stdin", made)
        return made

    former = signal.getsignal(signal.SIGINT)
    yield attach
    assert signal.getsignal(signal.SIGINT) is former


def press_ctrl_c(keyboard: Keyboard) -> None:
    """Send Ctrl-C once the handler is installed (again), and wait for the question."""
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
    keyboard.asked.acquire()


@pytest.mark.parametrize("answer", ["\n", "y\n", "Yes\n", "what?\n"])
def test_work_continues_unless_declined(
    keyboard: Callable[..., Keyboard], capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    typed = keyboard(answer, answer)
    reports: list[tuple[float, float]] = []

    def work() -> int:
        while time.thread_time() < 0.05:
            pass
        press_ctrl_c(typed)
        press_ctrl_c(typed)
        return 42

    def tell(wall: float, cpu: float) -> list[str]:
        reports.append((wall, cpu))
        return ["it is [bold]here[/bold]"]

    assert run_interactively(work, tell) == 42
    assert len(reports) == 2
    assert all(wall > 0 and cpu >= 0.05 for wall, cpu in reports)
    assert capsys.readouterr().err.count("it is here\nStill solving. Continue? [Y/n] ") == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [("n\n", Interrupted), (" No\n", Interrupted), ("", Interrupted), (None, KeyboardInterrupt)],
    ids=["n", "no", "end of input", "second Ctrl-C"],
)
def test_work_stops_unless_confirmed(
    keyboard: Callable[..., Keyboard], answer: str | None, error: type[BaseException]
) -> None:
    typed, ended = keyboard(answer), threading.Event()

    def work() -> None:
        press_ctrl_c(typed)
        ended.wait()

    with pytest.raises(error, match="stopped" if error is Interrupted else None):
        run_interactively(work, lambda *_: [])
    ended.set()


def test_work_stops_without_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    ended = threading.Event()

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        ended.wait()

    with pytest.raises(Interrupted):
        run_interactively(work, lambda *_: [])
    ended.set()


def test_exception_of_the_work_is_raised(keyboard: Callable[..., Keyboard]) -> None:
    keyboard()
    with pytest.raises(ZeroDivisionError):
        run_interactively(lambda: 1 // 0, lambda *_: [])


PRESS_WHEN_SOLVING = """
import os, signal, sys, threading, time
from nonocensus.__main__ import run
from nonocensus.solver import api

def press():
    while not any(thread.name == "solver" for thread in threading.enumerate()):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
run()
"""


@pytest.mark.parametrize("depth", ["2", "60"])
def test_process_exits_cleanly_while_a_kernel_runs(tmp_path: Path, depth: str) -> None:
    """The solver's thread can't be stopped; finalizing the interpreter under it would crash."""
    rng = np.random.default_rng(1)
    (tmp_path / "hard.xml").write_bytes(webpbn_xml.write(from_picture((rng.random((60, 60)) < 0.4).astype(np.uint8))))
    command = [sys.executable, "-c", PRESS_WHEN_SOLVING, "solve", "-i", "-x", "10000", "-d", depth]
    process = subprocess.run(
        [*command, str(tmp_path / "hard.xml")], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert process.returncode == 130, process.stderr
    assert process.stderr.splitlines()[-1].endswith("nonocensus: stopped")
    assert "the limit is 10000 s" in process.stderr

"""Substitutes for what only Linux has give what the originals give, or say that there is nothing."""

import os
import platform
import threading
import time
from pathlib import Path

import pytest

from nonocensus.solver.operating_system import address_space, cores_allowed, processor, thread_clock


@pytest.fixture(params=["Linux", "macOS"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The system whose functions and files there are."""
    if request.param == "macOS":
        for module, name in ((os, "sched_getaffinity"), (time, "pthread_getcpuclockid")):
            monkeypatch.delattr(module, name)
        exists = Path.exists
        monkeypatch.setattr(Path, "exists", lambda path: not str(path).startswith("/proc/") and exists(path))
    return str(request.param)


@pytest.mark.usefixtures("system")
def test_cores() -> None:
    assert 1 <= cores_allowed() <= (os.cpu_count() or 1)


def test_memory(system: str) -> None:
    assert (address_space() is None) == (system == "macOS")


def test_processor(system: str) -> None:
    assert (processor() == platform.machine()) == (system == "macOS")


@pytest.mark.usefixtures("system")
def test_clock_is_read_by_another_thread() -> None:
    clock = thread_clock()
    before = clock()
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
    seen: list[float] = []
    reader = threading.Thread(target=lambda: seen.append(clock()))
    reader.start()
    reader.join()
    assert seen[0] - before >= 0.05

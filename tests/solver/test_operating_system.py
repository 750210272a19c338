"""Substitutes for what only Linux has give what the originals give, or say that there is nothing."""

import os
import platform
import threading
import time
from pathlib import Path

import pytest

from nonocensus.solver.operating_system import address_space, cores, processor, thread_clock


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
    assert 1 <= cores() <= (os.cpu_count() or 1)


def test_memory_and_processor(system: str) -> None:
    assert (address_space() is None) == (system == "macOS")
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


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "150000 100000"}, 2),
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu.max": "max 100000"}, 5),
        ({"cpu.max": "900000 100000"}, 5),
        ({}, 5),
        ({"cpu/cpu.cfs_period_us": "100000\n", "cpu/cpu.cfs_quota_us": "150000\n"}, 2),
        ({"cpu/cpu.cfs_period_us": "100000\n", "cpu/cpu.cfs_quota_us": "-1\n"}, 5),
        ({"cpu/cpu.cfs_period_us": "100000\n"}, 5),
    ],
)
def test_cores_honour_cgroup_quota(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], expected: int
) -> None:
    """Of version 2, and of version 1."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(5)))
    (tmp_path / "cpu").mkdir()
    for name, quota in files.items():
        (tmp_path / name).write_text(quota)
    assert cores(tmp_path) == expected

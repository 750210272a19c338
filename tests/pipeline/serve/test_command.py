"""The command serve: its address, what is missing, and its end."""

import signal
import socket
import subprocess
import sys
from collections.abc import Callable

import psutil
import pytest
from serving import running
from stores import Result

MISSING = """
import sys
sys.modules["fastapi"] = None
sys.argv = ["nonocensus", "serve"]
from nonocensus.__main__ import run
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_server_and_workers(number: int) -> None:
    with running("--cpus", "2") as server:
        workers = server.workers
        assert len(workers) == 3
        server.process.send_signal(number)
        out, err = server.process.communicate()
        assert (server.process.returncode, out, err) == (0, "", "")
        psutil.wait_procs(workers)
        assert not any(worker.is_running() for worker in workers)


@pytest.mark.slow
def test_workers_end_with_a_killed_server() -> None:
    with running("--cpus", "2") as server:
        workers = server.workers
        server.process.kill()
        gone, alive = psutil.wait_procs(workers, timeout=60)
        assert (len(gone), alive) == (3, [])


def test_port_in_use_is_reported(nonocensus: Callable[..., Result]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = nonocensus("serve", "--port", port)
    assert result.code == 5
    assert (
        result.err == f"nonocensus: can't listen at 127.0.0.1:{port}: address already in use; choose another --port\n"
    )


def test_missing_extra_is_reported() -> None:
    done = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "nonocensus: fastapi is not installed: pip install 'nonocensus[serve]'\n"


@pytest.mark.slow
def test_warning_if_exposed_to_the_network() -> None:
    command = [sys.executable, "-m", "nonocensus", "serve", "--host", "0.0.0.0", "--port", "0", "--cpus", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert "0.0.0.0" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1] == "every client that reaches 0.0.0.0 can use this server\n"

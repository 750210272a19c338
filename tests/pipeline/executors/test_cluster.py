"""Two machines and an S3 server: whatever fails, each puzzle has one row, the same as in a run of this process.

`make test-cluster` prints the seconds in the table of docs/decisions/cluster-faults.md.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from machines import ROOT, Machine, Switch, obstacle
from runs import lasting, run_serially
from storage_servers import serve_bucket

from nonocensus import grade_run
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.run.job_tables import current_grades
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.store.parts import open_store
from nonocensus.pipeline.store.paths import folder

OBSTACLE = obstacle()
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(bool(OBSTACLE), reason=f"no machines as namespaces: {OBSTACLE}"),
]

PROGRAMS = Path(sys.executable).parent
STORE = "s3://census/store"
PAUSE = 60.0
"""Seconds for which a machine is paused or cut off."""

table: dict[str, tuple[float, Counter[str]]] = {}
"""By test: seconds from the first command to the end of the last one, and the events logged by both."""


class Cluster:
    """The machines `first`, Ray's head, and `second`, started as docs/CLUSTER.md says; and one run of theirs."""

    def __init__(self, switch: Switch, environment: dict[str, str], out: str) -> None:
        self.switch, self.out = switch, out
        ray = {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
        self.environment = environment | ray
        self.machines: dict[str, Machine] = {}
        self.token = ""
        self.began = 0.0

    def add(self, name: str, disk: int = 2048, clock: int = 0) -> Machine:
        """Start a machine, and Ray on it, with `disk` MiB for its /tmp, its clock some seconds ahead."""
        machine = self.machines[name] = Machine(name, self.environment, disk)
        self.switch.plug_in(machine)
        if clock:
            library, source = "/tmp/clock.so", str(ROOT / "tests/shifted_clock.c")
            machine.run("cc", "-shared", "-fPIC", f"-DSHIFT={clock}", "-o", library, source)
            machine.environment["LD_PRELOAD"] = library
        if self.token:
            write = f"mkdir -m 700 ~/.ray && umask 077 && printf %s {self.token} > ~/.ray/auth_token"
            machine.run("sh", "-c", write)
        else:
            machine.run(f"{PROGRAMS}/ray", "get-auth-token", "--generate")
            self.token = machine.run("cat", "/tmp/home/.ray/auth_token")
        self.start_ray(name, "--head" if name == "first" else "--address=first:6379")
        return machine

    def start_ray(self, name: str, place: str) -> None:
        """Start Ray on a machine, with one CPU: both machines share those of this one."""
        port = ["--port=6379"] if place == "--head" else []
        options = ["--metrics-export-port=8080", "--num-cpus=1"]
        self.machines[name].run(f"{PROGRAMS}/ray", "start", place, *port, *options)

    def begin(self) -> psutil.Popen:
        """Start both machines and a driver; returns it once both machines have written rows."""
        for name in ("first", "second"):
            if name not in self.machines:
                self.add(name)
        driver = self.classify("first")
        self.await_files(4, driver)
        return driver

    def unplug(self, name: str) -> None:
        """End a machine like a power cut."""
        self.switch.unplug(self.machines.pop(name))

    def classify(self, name: str) -> psutil.Popen:
        """Start a driver on a machine."""
        self.began = self.began or time.monotonic()
        command = ["classify", STORE, "--out", self.out, "--cpu-limit", "10", "--address", "auto"]
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        return self.machines[name].start(f"{PROGRAMS}/nonocensus", *command, **streams, text=True)

    def files(self) -> int:
        """Return the number of files of rows."""
        return sum(name.endswith(".json") for name in (folder(self.out) / "results").names())

    def await_files(self, count: int, driver: psutil.Popen) -> None:
        """Wait until there is a number of files of rows."""
        while self.files() < count:
            assert driver.poll() is None, driver.communicate()[1]
            time.sleep(0.1)

    def end(self, driver: psutil.Popen, alone: Run) -> Run:
        """Wait for the driver's end, and compare the run with one of this process."""
        errors = driver.communicate()[1]
        assert driver.returncode == 0, errors
        seconds, run = time.monotonic() - self.began, open_run(self.out)
        log = run.folder / "log"
        lines = [line for name in log.names() for line in log.open(name).read().splitlines()]
        table[self.out.rpartition("test_")[2]] = seconds, Counter(json.loads(line)["event"] for line in lines)
        assert lasting(run).equals(lasting(alone))
        return run


def hosts(run: Run) -> set[str]:
    return {host for file in run.result_files() for host in file.about["hosts"]}


@pytest.fixture(scope="module")
def switch() -> Iterator[Switch]:
    """A switch; in the end the table is printed."""
    switch = Switch()
    yield switch
    switch.close()
    print("\n| fault | seconds | nodes lost | tasks lost | cannot write |")
    for fault, (seconds, events) in table.items():
        print(f"| {fault} | {seconds:.0f} |", *(events[name] for name in ("node lost", "task lost", "cannot write")))


@pytest.fixture(scope="module")
def environment(switch: Switch) -> Iterator[dict[str, str]]:
    """The environment that leads clients to a bucket, also set here."""
    with serve_bucket(switch.here) as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield environment


@pytest.fixture(scope="module")
def alone(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A new store, classified in this process."""
    generate = ["generate", "random", "28x28", "--seed", "7", "--count", "6000", "--serial", "--quiet", "--out", STORE]
    subprocess.run([f"{PROGRAMS}/nonocensus", *generate], env=os.environ | environment, check=True)
    return run_serially(open_store(STORE), tmp_path_factory.mktemp("alone") / "run")


@pytest.fixture
def cluster(request: pytest.FixtureRequest, switch: Switch, environment: dict[str, str]) -> Iterator[Cluster]:
    """A cluster without machines, and without a run."""
    name = request.node.name.replace("[", "_").rstrip("]")
    cluster = Cluster(switch, environment, f"s3://census/{name}")
    yield cluster
    for name in [*cluster.machines]:
        cluster.unplug(name)


def test_undisturbed(cluster: Cluster, alone: Run) -> None:
    run = cluster.end(cluster.begin(), alone)
    assert hosts(run) == {"first", "second"}
    cluster.machines["second"].run(f"{PROGRAMS}/nonocensus", "grade", cluster.out, "--address", "auto")
    grade_run(alone.folder.path, resources=Resources(serial=True))
    graded, expected = (current_grades(one).drop_columns("cpu_seconds").sort_by("puzzle_id") for one in (run, alone))
    assert len(expected) > 100
    assert graded.equals(expected)


def test_node_lost(cluster: Cluster, alone: Run) -> None:
    driver = cluster.begin()
    cluster.unplug("second")
    cluster.end(driver, alone)


def test_node_added(cluster: Cluster, alone: Run) -> None:
    cluster.add("first")
    driver = cluster.classify("first")
    cluster.await_files(2, driver)
    cluster.add("second")
    assert hosts(cluster.end(driver, alone)) == {"first", "second"}


def test_node_paused(cluster: Cluster, alone: Run) -> None:
    driver = cluster.begin()
    cluster.machines["second"].signal(signal.SIGSTOP)
    time.sleep(PAUSE)
    cluster.machines["second"].signal(signal.SIGCONT)
    cluster.end(driver, alone)


def test_cable_pulled(cluster: Cluster, alone: Run) -> None:
    driver = cluster.begin()
    cluster.switch.switch_cable(cluster.machines["second"], "down")
    time.sleep(PAUSE)
    cluster.switch.switch_cable(cluster.machines["second"], "up")
    cluster.end(driver, alone)


def test_driver_paused(cluster: Cluster, alone: Run) -> None:
    """For less than a lease lasts."""
    driver = cluster.begin()
    cluster.machines["first"].signal(signal.SIGSTOP)
    time.sleep(PAUSE)
    cluster.machines["first"].signal(signal.SIGCONT)
    driver.resume()  # nsenter, which stops when its child does
    cluster.end(driver, alone)


def test_slow_link(cluster: Cluster, alone: Run) -> None:
    cluster.add("first")
    second = cluster.add("second")
    limit = ["root", "tbf", "rate", "4mbit", "burst", "32kb", "latency", "200ms"]
    second.run("tc", "qdisc", "add", "dev", "eth0", *limit)
    cluster.switch.run("tc", "qdisc", "add", "dev", "second", *limit)
    assert hosts(cluster.end(cluster.begin(), alone)) == {"first", "second"}


def test_lossy_link(cluster: Cluster, alone: Run) -> None:
    """By a filter, which kernels without netem have too: a random number at least a twentieth of all passes."""
    cluster.add("first")
    second = cluster.add("second")
    drops = f"4,32 0 0 4294963256,53 1 0 {(1 << 32) // 20},6 0 0 2,6 0 0 0"
    for machine, device in ((second, "eth0"), (cluster.switch, "second")):
        machine.run("tc", "qdisc", "add", "dev", device, "clsact")
        machine.run("tc", "filter", "add", "dev", device, "egress", "bpf", "direct-action", "bytecode", drops)
    assert hosts(cluster.end(cluster.begin(), alone)) == {"first", "second"}


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler for a shifted clock")
@pytest.mark.parametrize("seconds", [-600, 600], ids=["behind", "ahead"])
def test_clock(cluster: Cluster, alone: Run, seconds: int) -> None:
    cluster.add("first")
    second = cluster.add("second", clock=seconds)
    assert abs(int(second.run("date", "+%s")) - time.time() - seconds) < 5
    assert hosts(cluster.end(cluster.begin(), alone)) == {"first", "second"}


def test_disk_full(cluster: Cluster, alone: Run) -> None:
    """That of /tmp, where Ray has its logs, sockets and spilled objects."""
    cluster.add("first")
    second = cluster.add("second", disk=64)
    driver = cluster.begin()
    filled = subprocess.run(second.command("dd", "if=/dev/zero", "of=/tmp/full"), capture_output=True, check=False)
    assert b"No space left" in filled.stderr
    assert hosts(cluster.end(driver, alone)) == {"first", "second"}


def test_driver_killed_and_begun_elsewhere(cluster: Cluster, alone: Run) -> None:
    driver = cluster.begin()
    driver.children()[0].kill()
    driver.communicate()
    cluster.end(begin_again(cluster), alone)


def test_head_lost_and_begun_elsewhere(cluster: Cluster, alone: Run) -> None:
    cluster.begin()
    cluster.unplug("first")
    cluster.machines["second"].run(f"{PROGRAMS}/ray", "stop", "--force")
    cluster.start_ray("second", "--head")
    cluster.end(begin_again(cluster), alone)


def begin_again(cluster: Cluster) -> psutil.Popen:
    """Start a driver on `second`, again while it is refused because the killed one's lease lasts."""
    before = cluster.files()
    while True:
        driver = cluster.classify("second")
        while driver.poll() is None:
            if cluster.files() > before:
                return driver
            time.sleep(0.1)
        assert "if it was killed, try again in two minutes" in driver.communicate()[1]

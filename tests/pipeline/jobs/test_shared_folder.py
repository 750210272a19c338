"""A cluster of two machines, on one of which the shared folder is not mounted."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from runs import lasting, run_serially

from nonocensus.pipeline.executors.ray_executor import retry_start
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store.parts import open_store


def can_unshare() -> bool:
    """Return whether a process may have mounts of its own here."""
    tried = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(tried, capture_output=True, check=False).returncode == 0


@contextmanager
def machine_without(folder: Path, address: str) -> Iterator[None]:
    """Add a node to the cluster on which a folder is empty."""
    ray = str(Path(sys.executable).with_name("ray"))
    start = f"mount -t tmpfs none {folder} && exec {ray} start --address={address} --num-cpus=1 --block"
    process = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", start], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        yield
    finally:
        for one in [*psutil.Process(process.pid).children(recursive=True), process]:
            one.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.skipif(not can_unshare(), reason="this machine lets no process have mounts of its own")
@pytest.mark.usefixtures("store")
def test_node_without_the_shared_folder_is_refused_by_name(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    shared = tmp_path / "shared"
    shared.mkdir()
    (tmp_path / "store").rename(shared / "store")
    cluster = retry_start(Cluster, initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    command = [sys.executable, "-m", "nonocensus", "classify", str(shared / "store"), "--out", str(shared / "run")]
    command += ["--cpu-limit", "10", "--address", cluster.address]
    try:
        with machine_without(shared, cluster.address):
            wait_for(2, cluster.address)
            refused = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (refused.returncode, refused.stdout) == (6, "")
        (line,) = refused.stderr.splitlines()
        assert "can't take part" in line
        assert "the folder must be shared by all machines, under one path" in line
        assert len(open_run(str(shared / "run")).table()) == 0
    finally:
        cluster.shutdown()
    done = subprocess.run([*command[:-2], "--cpus", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    alone = run_serially(open_store(str(shared / "store")), tmp_path / "alone")
    assert lasting(open_run(str(shared / "run"))).equals(lasting(alone))


WAIT = """
import sys, time, ray
ray.init(sys.argv[1], log_to_driver=False, logging_level="ERROR")
while sum(node["Alive"] for node in ray.nodes()) != int(sys.argv[2]):
    time.sleep(0.1)
"""


def wait_for(machines: int, address: str) -> None:
    """Wait until the cluster has some number of machines."""
    subprocess.run([sys.executable, "-c", WAIT, address, str(machines)], check=True, stdout=subprocess.DEVNULL)

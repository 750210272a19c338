"""Servers of this machine for tests: one of S3 with an empty bucket, and any other that listens on a port."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pyarrow import fs


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port of an address on which no server listens."""
    with socket.create_server((host, 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, host: str = "127.0.0.1") -> Iterator[None]:
    """Run a server in the block, once it listens."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                try:
                    with socket.create_connection((host, port), timeout=1):
                        break
                except OSError:
                    time.sleep(0.1)
            yield
        finally:
            server.kill()


@contextmanager
def serve_bucket(host: str = "127.0.0.1") -> Iterator[dict[str, str]]:
    """Serve s3://census on a free port of an address; yields the environment that leads clients to it."""
    pytest.importorskip("moto.server")
    port = free_port(host)
    keys = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_REGION": "us-east-1"}
    with running([sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)], port, host):
        maker = fs.S3FileSystem(
            endpoint_override=f"{host}:{port}",
            scheme="http",
            allow_bucket_creation=True,
            access_key=keys["AWS_ACCESS_KEY_ID"],
            secret_key=keys["AWS_SECRET_ACCESS_KEY"],
            region=keys["AWS_REGION"],
        )
        maker.create_dir("census")
        yield keys | {"AWS_ENDPOINT_URL": f"http://{host}:{port}"}

"""Stores and runs on S3: the whole way against a server that speaks it, in a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from runs import lasting, run_serially
from stores import Result

from pipeline.run.folder import open_run
from pipeline.store.folder import folder
from pipeline.store.parts import Store, open_store


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URI of an empty bucket; credentials are where S3's users have them, in the environment."""
    pytest.importorskip("moto.server")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
            except OSError:
                time.sleep(0.1)
        endpoint = os.environ["AWS_ENDPOINT_URL"].removeprefix("http://")
        maker = fs.S3FileSystem(endpoint_override=endpoint, scheme="http", allow_bucket_creation=True)
        maker.create_dir("census")
        yield "s3://census"
        server.kill()


@pytest.mark.slow
def test_a_run_on_s3_from_store_to_dataset(
    bucket: str, hard: Store, tmp_path: Path, nonocensus: Callable[..., Result]
) -> None:
    alone = run_serially(hard, tmp_path / "serial")
    names = sorted(path.name for path in (tmp_path / "store/puzzles").iterdir())
    for name in ("store.json", *(f"puzzles/{name}" for name in names)):
        place, _, last = name.rpartition("/")
        (folder(f"{bucket}/store") / place if place else folder(f"{bucket}/store")).write(
            last, (tmp_path / "store" / name).read_bytes()
        )
    assert open_store(f"{bucket}/store").rows() == 80
    options = ["--cpu-limit", "10", "--serial"]
    begun = nonocensus("classify", f"{bucket}/store", "--out", f"{bucket}/run", "--limit", "30", *options)
    assert begun.code == 0, begun.err
    assert len(open_run(f"{bucket}/run").table()) == 30
    gone_on = nonocensus("classify", f"{bucket}/store", "--out", f"{bucket}/run", *options)
    assert gone_on.code == 0, gone_on.err
    assert lasting(open_run(f"{bucket}/run")).equals(lasting(alone))
    assert nonocensus("status", f"{bucket}/run").code == 0
    assert nonocensus("report", f"{bucket}/run", "--out", f"{bucket}/report").code == 0
    assert folder(f"{bucket}/report").has("report.html")
    published = nonocensus("dataset", f"{bucket}/run", "--out", f"{bucket}/dataset")
    assert published.code == 0, published.err
    assert folder(f"{bucket}/dataset").has("README.md")
    assert pq.ParquetFile(folder(f"{bucket}/dataset/data").open("train-00000.parquet")).metadata.num_rows > 40
    counted = nonocensus("query", f"{bucket}/run", "select count(*) as n from puzzles join results using (puzzle_id)")
    assert counted.out.split() == ["n", "80"]
    exported = nonocensus("export", f"{bucket}/run", "--csv", f"{bucket}/report/run.csv.gz")
    assert exported.code == 0, exported.err
    assert folder(f"{bucket}/report").has("run.csv.gz")
    assert nonocensus("compare", f"{bucket}/run", "serial").code == 0
    again = nonocensus("classify", f"{bucket}/store", "--out", f"{bucket}/run", *options, "--force", "--limit", "1")
    assert again.code == 0, again.err
    assert len(open_run(f"{bucket}/run").table()) == 1


def test_what_fails_leaves_nothing(bucket: str) -> None:
    place = folder(f"{bucket}/place?scheme=http")

    def fail_half_way() -> None:
        with (place / "below").create("a.txt") as stream:
            stream.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert (place / "below").names() == []
    place.write("b.txt", b"whole")
    assert place.names() == ["b.txt"]
    assert folder(place.uri).names() == ["b.txt"]


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_is_not_there(nonocensus: Callable[..., Result]) -> None:
    result = nonocensus("generate", "random", "5x5", "--count", "10", "--out", "s3://nosuch/store", "--serial")
    assert result.code == 4
    assert len(result.err.splitlines()) == 1
    assert "nosuch" in result.err

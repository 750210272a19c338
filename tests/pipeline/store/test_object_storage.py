"""Stores and runs on S3 and Azure, end to end against local servers: moto, and Azurite where npm has installed it."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from runs import lasting, run_serially
from storage_servers import free_port, running, serve_bucket
from stores import Nonocensus, Refused, import_twice_at_once

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.run.run_folder import open_run
from nonocensus.pipeline.store import lock
from nonocensus.pipeline.store.parts import Store, append, create_store, open_store
from nonocensus.pipeline.store.paths import folder
from nonocensus.scrapers.filesystems import open_filesystem
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch

AZURITE = shutil.which("azurite-blob")
AZURITE_ACCOUNT = "devstoreaccount1"
AZURITE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Those of its documentation; it accepts no others."""


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URI of an empty bucket, with credentials in the environment."""
    with serve_bucket() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield "s3://census"


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The URI of an empty container of Azure, with credentials in the environment."""
    port = free_port()
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", AZURITE_ACCOUNT)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", AZURITE_KEY)
    monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", f"http://127.0.0.1:{port}/{AZURITE_ACCOUNT}")
    options = ["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location", str(tmp_path / "azurite")]
    with running([str(AZURITE), *options, "--blobPort", str(port)], port):
        open_filesystem("az://census")[0].create_dir("census")
        yield "az://census"


@pytest.fixture(
    params=[
        "bucket",
        pytest.param("container", marks=pytest.mark.skipif(not AZURITE, reason="needs npm install -g azurite")),
    ]
)
def storage(request: pytest.FixtureRequest) -> str:
    """The URI of an empty bucket, of each kind."""
    return str(request.getfixturevalue(request.param))


@pytest.mark.slow
def test_run_from_store_to_dataset(storage: str, hard: Store, tmp_path: Path, nonocensus: Nonocensus) -> None:
    alone = run_serially(hard, tmp_path / "serial")
    names = sorted(path.name for path in (tmp_path / "store/puzzles").iterdir())
    for name in ("store.json", *(f"puzzles/{name}" for name in names)):
        place, _, last = name.rpartition("/")
        (folder(f"{storage}/store") / place if place else folder(f"{storage}/store")).write(
            last, (tmp_path / "store" / name).read_bytes()
        )
    assert open_store(f"{storage}/store").rows() == 80
    options = ["--cpu-limit", "10", "--serial"]
    begun = nonocensus("classify", f"{storage}/store", "--out", f"{storage}/run", "--limit", "30", *options)
    assert begun.code == 0, begun.err
    assert len(open_run(f"{storage}/run").table()) == 30
    gone_on = nonocensus("classify", f"{storage}/store", "--out", f"{storage}/run", *options)
    assert gone_on.code == 0, gone_on.err
    assert lasting(open_run(f"{storage}/run")).equals(lasting(alone))
    assert nonocensus("status", f"{storage}/run").code == 0
    assert nonocensus("report", f"{storage}/run", "--out", f"{storage}/report").code == 0
    assert folder(f"{storage}/report").has("report.html")
    published = nonocensus("dataset", f"{storage}/run", "--out", f"{storage}/dataset")
    assert published.code == 0, published.err
    assert folder(f"{storage}/dataset").has("README.md")
    assert pq.ParquetFile(folder(f"{storage}/dataset/data").open("train-00000.parquet")).metadata.num_rows > 40
    counted = nonocensus("query", f"{storage}/run", "select count(*) as n from puzzles join results using (puzzle_id)")
    assert counted.out.split() == ["n", "80"]
    exported = nonocensus("export", f"{storage}/run", "--csv", f"{storage}/report/run.csv.gz")
    assert exported.code == 0, exported.err
    assert folder(f"{storage}/report").has("run.csv.gz")
    assert nonocensus("compare", f"{storage}/run", "serial").code == 0
    again = nonocensus("classify", f"{storage}/store", "--out", f"{storage}/run", *options, "--force", "--limit", "1")
    assert again.code == 0, again.err
    assert len(open_run(f"{storage}/run").table()) == 1


def uploads() -> list[dict[str, Any]]:
    """Return the multipart uploads neither completed nor aborted."""
    client = pytest.importorskip("boto3").client("s3")
    return [
        client.list_parts(Bucket="census", Key=upload["Key"], UploadId=upload["UploadId"])
        for upload in client.list_multipart_uploads(Bucket="census").get("Uploads", [])
    ]


@pytest.mark.parametrize("size", [4, 20 << 20])
def test_failed_upload_leaves_no_object(bucket: str, size: int) -> None:
    place = folder(f"{bucket}/place?scheme=http")

    def fail_half_way() -> None:
        with (place / "below").create("a.txt") as stream:
            stream.write(bytes(size))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert (place / "below").names() == []
    assert uploads() == []
    place.write("b.txt", b"whole")
    assert place.names() == ["b.txt"]
    assert folder(place.uri).names() == ["b.txt"]


UPLOAD = """
import resource, sys
from nonocensus.pipeline.store.paths import folder
place, chunk = folder(sys.argv[1]), bytes(4 << 20)
place.write("first", chunk)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with place.create("large") as stream:
    for _ in range(64):
        stream.write(chunk)
    stream.close()
    assert not place.has("large")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_large_upload_uses_bounded_memory(storage: str) -> None:
    """In a subprocess, whose peak memory grows by less than half of the file."""
    command = [sys.executable, "-c", UPLOAD, f"{storage}/place"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 128 << 10
    assert folder(f"{storage}/place").sizes() == {"first": 4 << 20, "large": 256 << 20}


WRITER = """
import sys
from nonocensus.pipeline.store.lock import writer_lock
from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
store = create_store(sys.argv[1])
with writer_lock(store.folder):
    print("held", flush=True)
    sys.stdin.readline()
    try:
        append(store, [recipe_batch(Recipe("random", 5, 5, 0.5, 1, 9), 0, 9)])
    except Exception as error:
        print(error)
"""


@pytest.mark.slow
def test_writer_resumed_after_losing_its_lease_replaces_nothing(storage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGSTOP until another writer has taken over the lease and finished."""
    command = [sys.executable, "-c", WRITER, f"{storage}/store"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as loser:
        assert loser.stdout is not None
        assert loser.stdout.readline() == "held\n"
        loser.send_signal(signal.SIGSTOP)
        store = create_store(f"{storage}/store")
        with pytest.raises(UserError, match=f"is being written by .*process {loser.pid} on "):
            append(store, [recipe_batch(Recipe("random", 5, 5, 0.5, 1, 7), 0, 7)])
        monkeypatch.setattr(lock, "EXPIRY", -1.0)  # S3's times are whole seconds
        assert append(store, [recipe_batch(Recipe("random", 5, 5, 0.5, 1, 7), 0, 7)]) == 7
        loser.send_signal(signal.SIGCONT)
        said, _ = loser.communicate("\n")
    assert "store has been taken over by" in said
    assert len(said.splitlines()) == 1
    assert store.rows() == sum(map(len, store.batches())) == 7


@pytest.mark.slow
def test_two_imports_into_a_bucket_lose_nothing(storage: str, tmp_path: Path) -> None:
    import_twice_at_once(tmp_path, f"{storage}/store", 5)


@pytest.mark.usefixtures("bucket")
def test_missing_bucket_is_a_storage_error(refused: Refused) -> None:
    command = "generate", "random", "5x5", "--count", "10", "--out", "s3://nosuch/store", "--serial"
    assert "nosuch" in refused(*command, code=4)

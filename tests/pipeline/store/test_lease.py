"""Two writers on object storage: no row is lost under any interleaving or suspension."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nonocensus.pipeline.errors import StorageError, UserError
from nonocensus.pipeline.run.results import ResultFile, write_statistics
from nonocensus.pipeline.store import lock, objects
from nonocensus.pipeline.store import paths as folders
from nonocensus.pipeline.store.file_import import import_puzzles
from nonocensus.pipeline.store.lock import LOCK, borrow_lease, commit_under_lease, current_lease, writer_lock
from nonocensus.pipeline.store.objects import NEW, Bucket, ConflictError, open_bucket
from nonocensus.pipeline.store.parts import Store, append
from nonocensus.pipeline.store.paths import Folder
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.extras import MissingExtra

obstore = pytest.importorskip("obstore")
fsspec = pytest.importorskip("obstore.fsspec")


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Folder:
    """An object store in memory: obstore's, with conditional writes, read through Arrow."""
    return memory_folder(monkeypatch)


def memory_folder(monkeypatch: pytest.MonkeyPatch) -> Folder:
    memory = obstore.store.MemoryStore()

    class Memory(fsspec.FsspecStore):  # type: ignore[misc]
        protocol, cachable = "s3", False

        def _construct_store(self, _bucket: str) -> Any:
            return memory

    filesystem = pa.fs.PyFileSystem(pa.fs.FSSpecHandler(Memory("s3")))
    monkeypatch.setattr(folders, "open_bucket", lambda uri, *_: Bucket(memory, uri))
    return Folder(filesystem, "bucket/store", "s3://bucket/store")


class Stage:
    """Runs functions in threads, one at a time, switching at random at each storage request."""

    REQUESTS = ("names", "size", "open", "create", "delete", "read_object", "replace_object", "server_time")

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go: dict[int, threading.Semaphore] = {}
        self.paused = threading.Semaphore(0)
        for name in self.REQUESTS:
            monkeypatch.setattr(Folder, name, self._stepped(getattr(Folder, name)))

    def _stepped(self, request: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            if (mine := self.go.get(threading.get_ident())) is not None:
                self.paused.release()
                mine.acquire()
            return request(*arguments, **options)

        return step

    def play(self, rng: np.random.Generator, functions: list[Callable[[], Any]]) -> list[Any]:
        """Return what each function returns, or the UserError or OSError it raises."""
        outcomes: list[Any] = [None] * len(functions)
        gates = [threading.Semaphore(0) for _ in functions]

        def run(number: int) -> None:
            self.go[threading.get_ident()] = gates[number]
            gates[number].acquire()
            try:
                outcomes[number] = functions[number]()
            except (UserError, OSError) as error:
                outcomes[number] = error
            finally:
                del self.go[threading.get_ident()]
                alive.remove(number)
                self.paused.release()

        alive = list(range(len(functions)))
        threads = [threading.Thread(target=run, args=(number,)) for number in alive]
        for thread in threads:
            thread.start()
        while alive:
            gates[rng.choice(alive)].release()
            self.paused.acquire()
        for thread in threads:
            thread.join()
        return outcomes


def ids(store: Store) -> list[str]:
    return [name for batch in store.batches(["puzzle_id"]) for name in batch["puzzle_id"].to_pylist()]


@pytest.mark.parametrize(
    "dead_after", [pytest.param(120.0, id="alive"), pytest.param(0.0, id="taken over", marks=pytest.mark.slow)]
)
def test_every_interleaving_of_two_imports_keeps_all_rows(monkeypatch: pytest.MonkeyPatch, dead_after: float) -> None:
    """200 interleavings. "taken over": each writer assumes the other dead, so both continue without lease."""
    monkeypatch.setattr(lock, "EXPIRY", dead_after)
    stage = Stage(monkeypatch)
    some = recipe_batch(Recipe("random", 4, 4, 0.5, 1, 12), 0, 12)
    shares = [some[:8], some[4:]]  # four of them are in both
    both = one = 0
    for seed in range(100):
        store = Store(memory_folder(monkeypatch))

        def brought(share: pa.RecordBatch, store: Store = store) -> list[str]:
            report = import_puzzles(store, [share])
            assert report.added + report.known == len(share)
            names: list[str] = share["puzzle_id"].to_pylist()
            return names

        outcomes = stage.play(
            np.random.default_rng(seed), [lambda share=share: brought(share) for share in shares]  # type: ignore[misc]
        )  # fmt: skip
        there = ids(store)
        assert len(there) == len(set(there)), seed
        done = [outcome for outcome in outcomes if isinstance(outcome, list)]
        for names in done:
            assert set(names) <= set(there), seed
        assert all("taken over" in str(error) or "another command" in str(error) or "is being written" in str(error)
                   for error in outcomes if not isinstance(error, list)), outcomes  # fmt: skip
        assert len(there) == sum(map(len, store.batches()))
        both, one = both + (len(done) == 2), one + (len(done) == 1)
    assert one > 20, (both, one)


def test_second_lease_is_refused_with_name_of_holder(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The age of a lease is measured by the server's clock, not this machine's."""
    with writer_lock(far), ThreadPoolExecutor(1) as other:
        for skew in (0.0, 1e6, -1e6):
            monkeypatch.setattr("time.time", lambda skew=skew: 1.8e9 + skew)
            with pytest.raises(UserError, match=r"is being written by nonocensus .*try again in two minutes"):
                other.submit(writer_lock(far).__enter__).result()
    with writer_lock(far):
        assert far.names() == [LOCK], "a released lease is free at once, and nothing else is left"


def test_lease_of_killed_writer_expires_after_two_minutes(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    far.write(LOCK, b"of a killed process")
    with pytest.raises(UserError, match="is being written by another command"), writer_lock(far):
        pass
    monkeypatch.setattr(lock, "EXPIRY", 0.0)
    with writer_lock(far):
        pass


@pytest.fixture
def paused(far: Folder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """A folder whose lease this command held until another one took it over."""
    winner = writer_lock(far)
    with writer_lock(far):
        monkeypatch.setattr(lock, "EXPIRY", 0.0)
        with ThreadPoolExecutor(1) as other:
            other.submit(winner.__enter__).result()
            yield far
            other.submit(winner.__exit__, None, None, None).result()


def test_suspended_writer_fails_at_its_next_commit(paused: Folder) -> None:
    puzzles = recipe_batch(Recipe("random", 4, 4, 0.5, 1, 3), 0, 3)
    with pytest.raises(StorageError, match=r"store has been taken over by nonocensus .*; it stops here"):
        append(Store(paused), [puzzles])
    assert Store(paused).parts() == []
    about: Any = {"seconds": 0.0, "cpu_solver": 0.0, "cpu_task": 0.0, "waited": 0.0, "hosts": []}
    lease = current_lease(paused)

    def task() -> None:
        with borrow_lease(lease):
            write_statistics(paused / "results", ResultFile({}, 1.0, [], {}, {}, about, "part-1", {}))

    (paused / "results").write("part-1.parquet", b"")
    with ThreadPoolExecutor(1) as worker, pytest.raises(StorageError, match="taken over"):
        worker.submit(task).result()
    assert (paused / "results").names() == ["part-1.parquet"]


def test_suspended_writer_keeps_the_winners_lease(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    loser, winner = writer_lock(far), writer_lock(far)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other, ThreadPoolExecutor(1) as third:
        one.submit(loser.__enter__).result()
        monkeypatch.setattr(lock, "EXPIRY", 0.0)
        other.submit(winner.__enter__).result()
        monkeypatch.setattr(lock, "EXPIRY", 120.0)
        one.submit(loser.__exit__, None, None, None).result()
        with pytest.raises(UserError, match="is being written"):
            third.submit(writer_lock(far).__enter__).result()
        other.submit(winner.__exit__, None, None, None).result()


def test_commit_fails_if_the_lease_is_lost_during_it(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer suspended between check and write reports failure."""
    with writer_lock(far), ThreadPoolExecutor(1) as other:
        block = commit_under_lease(far)
        block.__enter__()
        monkeypatch.setattr(lock, "EXPIRY", 0.0)
        thief = writer_lock(far)
        other.submit(thief.__enter__).result()
        far.commit("part.json", {})
        with pytest.raises(StorageError, match="taken over"):
            block.__exit__(None, None, None)
        other.submit(thief.__exit__, None, None, None).result()


def test_lease_survives_lost_responses_to_renewals(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A retried renewal whose first response was lost looks like another's lease."""
    renewed = threading.Semaphore(0)
    real = Bucket.write

    def lossy(self: Bucket, key: str, data: bytes, over: Any) -> Any:
        version = real(self, key, data, over)
        if b"renewals" in data:
            renewed.release()
            raise OSError("no answer")
        return version

    monkeypatch.setattr(lock, "RENEWAL_INTERVAL", 0.01)
    monkeypatch.setattr(Bucket, "write", lossy)
    with writer_lock(far):
        for _ in range(3):
            assert renewed.acquire(timeout=60)
    with writer_lock(far), commit_under_lease(far):
        pass


def test_import_survives_lost_responses_to_all_writes(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written twice, and the lease is released."""
    real = Bucket.write

    def lossy(self: Bucket, key: str, data: bytes, over: Any) -> Any:
        real(self, key, data, over)
        raise OSError("no answer")

    monkeypatch.setattr(Bucket, "write", lossy)
    puzzles = recipe_batch(Recipe("random", 4, 4, 0.5, 1, 3), 0, 3)
    for added in (3, 0):
        assert import_puzzles(Store(far), [puzzles]).added == added
    assert ids(Store(far)) == puzzles["puzzle_id"].to_pylist()


def test_unverifiable_lease_is_released(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Bucket.write

    def write(self: Bucket, key: str, data: bytes, over: Any) -> Any:
        if b"again" in data:
            raise OSError("no answer")
        return real(self, key, data, over)

    monkeypatch.setattr(Bucket, "write", write)
    with pytest.raises(OSError, match="no answer"):
        writer_lock(far).__enter__()
    monkeypatch.setattr(Bucket, "write", real)
    with writer_lock(far):
        pass


def test_part_of_another_writer_is_not_replaced(far: Folder) -> None:
    version = far.version("a.json")
    far.commit("a.json", {"of": "another"})
    with pytest.raises(ConflictError):
        far.commit("a.json", {"of": "me"}, version)
    far.commit("a.json", {"of": "another"}, version)  # tried again, since its answer was lost
    assert far.read_record("a.json", dict) == {"of": "another"}
    far.commit("a.json", {"of": "me"}, far.version("a.json"))
    with pytest.raises(ConflictError):
        far.commit("a.json", {"of": "none"}, NEW)


@pytest.mark.parametrize(
    ("fault", "is_first"),
    [("all ignored", True), ("all ignored", False), ("If-Match ignored", True), ("If-Match refused", True)],
)
def test_storage_without_conditional_writes_is_refused(
    far: Folder, monkeypatch: pytest.MonkeyPatch, fault: str, is_first: bool
) -> None:
    """Ceph 16 refuses every If-Match, so leases could be neither renewed nor released."""
    if not is_first:
        with writer_lock(far):
            pass
    real: Callable[..., Any] = Bucket.write

    def write(self: Bucket, key: str, data: bytes, over: Any) -> Any:
        if over != NEW and fault == "If-Match refused":
            raise ConflictError
        return real(self, key, data, NEW if over == NEW and fault != "all ignored" else "overwrite")

    monkeypatch.setattr(Bucket, "write", write)
    for _ in range(2):
        with pytest.raises(StorageError, match=r"ignores conditional writes .* or refuses them all"), writer_lock(far):
            pass
        assert far.names() == []


def test_writer_suspended_before_commit_adds_nothing_twice(far: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Parquet file exists, its lease is lost: both writers take the same number, and one JSON wins."""
    puzzles = recipe_batch(Recipe("random", 4, 4, 0.5, 1, 3), 0, 3)
    real = Folder.commit

    def commit(self: Folder, name: str, *arguments: Any, **options: Any) -> None:
        if name == "part-00000.json":
            monkeypatch.setattr(Folder, "commit", real)
            monkeypatch.setattr(lock, "EXPIRY", 0.0)
            with ThreadPoolExecutor(1) as other:
                other.submit(import_puzzles, Store(far), [puzzles]).result()
        real(self, name, *arguments, **options)

    monkeypatch.setattr(Folder, "commit", commit)
    with pytest.raises(StorageError, match="another command has written part-00000 meanwhile"):
        import_puzzles(Store(far), [puzzles])
    assert ids(Store(far)) == puzzles["puzzle_id"].to_pylist()


def test_arrow_uri_options_are_translated_for_obstore(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "credentials").write_text("[default]\naws_access_key_id = k\naws_secret_access_key = s\nregion = x\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    store: Any = open_bucket("s3://census/run", "?scheme=http&endpoint_override=127.0.0.1:9", "eu-west-3").store
    assert store.config == {
        "access_key_id": "k",
        "secret_access_key": "s",
        "bucket": "census",
        "conditional_put": "etag",
        "endpoint": "http://127.0.0.1:9",
        "region": "eu-west-3",
    }
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    (tmp_path / "config").write_text("[profile p]\naws_access_key_id = k2\naws_secret_access_key = s2\n")
    monkeypatch.setenv("AWS_PROFILE", "p")
    config_file: Any = open_bucket("s3://census/run", "", None).store
    assert (config_file.config["access_key_id"], config_file.config["secret_access_key"]) == ("k2", "s2")
    named: Any = open_bucket("s3://me:my%2Fkey@census/run", "", None).store
    assert (named.config["access_key_id"], named.config["secret_access_key"]) == ("me", "my/key")
    public: Any = open_bucket("gs://anonymous@census/run", "?endpoint_override=127.0.0.1:9&scheme=http", None).store
    assert public.config == {"bucket": "census", "skip_signature": "true", "base_url": "http://127.0.0.1:9"}


def test_profile_with_credential_process_uses_boto3(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Arrow supports it, obstore does not, so boto3 is used."""
    pytest.importorskip("boto3")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    keys = '{"Version": 1, "AccessKeyId": "k", "SecretAccessKey": "s"}'
    (tmp_path / "keys.json").write_text(keys)
    for program, bucket in ((f"cat {tmp_path}/keys.json", "one"), ("false", "two")):
        (tmp_path / "config").write_text(f"[default]\nregion = x\ncredential_process = {program}\n")
        if program == "false":
            with pytest.raises(StorageError, match="s3://two: no credentials by credential_process in the AWS profile"):
                open_bucket(f"s3://{bucket}/run", "", None)
        else:
            store: Any = open_bucket(f"s3://{bucket}/run", "", None).store
            assert store.credential_provider()["access_key_id"] == "k"
    monkeypatch.setitem(sys.modules, "obstore.auth.boto3", None)
    with pytest.raises(UserError, match="credential_process in the AWS profile needs boto3: pip install boto3"):
        open_bucket("s3://three/run", "", None)


def test_storage_without_safe_writes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"hdfs:// has no conditional writes.*s3://, gs:// or az://"):
        open_bucket("hdfs://host/store", "", None)
    objects._open_client.cache_clear()
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(MissingExtra, match=r"obstore is not installed: pip install 'nonocensus\[cloud\]'"):
        open_bucket("s3://bucket/store", "", None)

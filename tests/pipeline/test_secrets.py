"""Secrets of URLs: in no file, on no screen, in no error."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from misbehaving import Site, answer
from pyarrow import fs
from storage_servers import serve_bucket
from stores import DIAMOND, Nonocensus

import nonocensus as nc
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.lock import LOCK, writer_lock
from nonocensus.pipeline.store.parts import Store
from nonocensus.pipeline.store.paths import folder
from nonocensus.scrapers.filesystems import open_filesystem

KEY, SECRET = "AKIDOFTHETEST", "hunter2%2Fword"
BUCKET = f"s3://{KEY}:{SECRET}@census"
HIDDEN = KEY.encode(), b"hunter2"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[fs.FileSystem]:
    """The filesystem of a bucket, whose credentials are in its URI only."""
    with serve_bucket() as environment:
        monkeypatch.setenv("AWS_ENDPOINT_URL", environment["AWS_ENDPOINT_URL"])
        monkeypatch.setenv("AWS_REGION", environment["AWS_REGION"])
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name, raising=False)
        yield open_filesystem(BUCKET)[0]


def files_with_secrets(place: Path) -> list[Path]:
    files = [path for path in place.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if any(hidden in path.read_bytes() for hidden in HIDDEN)]


def objects_with_secrets(bucket: fs.FileSystem) -> list[str]:
    paths = [info.path for info in bucket.get_file_info(fs.FileSelector("census", recursive=True)) if info.is_file]
    assert paths
    return [path for path in paths if any(hidden in bucket.open_input_file(path).read() for hidden in HIDDEN)]


@pytest.mark.slow
def test_keys_of_s3_reach_no_file_and_no_screen(bucket: fs.FileSystem, tmp_path: Path, nonocensus: Nonocensus) -> None:
    (tmp_path / "diamond.non").write_text(DIAMOND)
    for code, command in (
        (0, f"import diamond.non --out {BUCKET}/store"),
        (0, f"classify {BUCKET}/store --out {BUCKET}/run --serial --log-level debug"),
        (0, f"classify {BUCKET}/store --out={BUCKET}/run --serial --json"),
        (0, f"classify {BUCKET}/store --out run --serial --log-level debug"),
        (0, f"grade {BUCKET}/run --serial"),
        (0, f"status {BUCKET}/run"),
        (0, f"status {BUCKET}/store --json"),
        (0, "status run --json"),
        (0, "status run --metrics"),
        (0, f"status run --store {BUCKET}/store"),
        (0, f"report {BUCKET}/run --out report"),
        (0, f"dataset {BUCKET}/run --out dataset"),
        (0, f"pack {BUCKET}/run --out pack --count 1 --private"),
        (0, f"export {BUCKET}/run --csv {BUCKET}/run.csv"),
        (0, f"convert {BUCKET}/store {BUCKET}/all.jsonl"),
        (0, f"query {BUCKET}/run from(puzzles)"),
        (0, f"verify {BUCKET}/run"),
        (0, f"compare {BUCKET}/run {BUCKET}/run"),
        (0, f"import {BUCKET}/all.jsonl --out copy"),
        (2, f"classify {BUCKET}/nowhere --out {BUCKET}/run2 --debug"),
        (2, f"import {BUCKET}/nothing.non --out copy --debug"),
        (2, f"status {BUCKET}/nowhere --nosuch {BUCKET}"),
        (2, f"status s3://{KEY}:hunter2/word@census/run --debug"),
        (2, f"status s3://{KEY}:{SECRET}@nosuchbucket/run --debug"),
    ):
        done = nonocensus(*command.split())
        assert done.code == code, (command, done)
        assert not any(hidden.decode() in done.out + done.err for hidden in HIDDEN), (command, done)
    without = nonocensus("report", "run", "--out", "report2")
    assert without.code == 4
    assert "runs keep no credentials of a URI: set them in the environment" in without.err
    assert files_with_secrets(tmp_path) == []
    assert objects_with_secrets(bucket) == []


def test_signature_and_password_of_a_web_address_stay_hidden(tmp_path: Path, nonocensus: Nonocensus) -> None:
    site = Site()
    try:
        site.answers["/p.non?X-Amz-Signature=hunter2&a=1"] = [answer(body=DIAMOND.encode())]
        url = f"{site.url.replace('//', f'//{KEY}:hunter2@')}/p.non?X-Amz-Signature=hunter2"
        assert nonocensus("import", f"{url}&a=1", "--out", "store").code == 0
        assert nonocensus("classify", "store", "--out", "run", "--serial").code == 0
        for arguments in (
            ("import", url, "--out", "store", "--debug"),
            ("import", url, "--out", "store", "--json"),
            ("convert", url, "x.jsonl", "--debug"),
            ("solve", url, "--debug"),
            ("classify", url, "--out", "run2", "--debug"),
            ("import", url.replace("127.0.0.1", "nosuch.invalid"), "--out", "store", "--debug"),
        ):
            done = nonocensus(*arguments)
            assert done.code != 0, arguments
            assert not any(hidden.decode() in done.out + done.err for hidden in HIDDEN), (arguments, done)
        with pytest.raises(UserError) as raised:
            nc.import_files(url, tmp_path / "store")
    finally:
        site.close()
    assert "hunter2" not in str(raised.value)
    assert "hunter2" in "".join(site.paths()), "the site itself gets the signature"
    assert files_with_secrets(tmp_path) == []


def test_lock_and_log_hide_the_secrets_of_a_scripts_arguments(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["script.py", f"--store={BUCKET}/store"])
    with writer_lock(folder(str(tmp_path / "locked"))):
        assert "--store=s3://census/store" in (tmp_path / "locked" / LOCK).read_text()
        assert files_with_secrets(tmp_path / "locked") == []
    nc.classify_store(store.folder.path, tmp_path / "run", limit=1, resources=nc.Resources(serial=True))
    assert files_with_secrets(tmp_path) == []


def test_secret_in_an_unexpected_exception_is_hidden(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> None:
        raise RuntimeError(f"can't parse {BUCKET}/store")

    monkeypatch.setattr("nonocensus.pipeline.commands.status.open_place", fail)
    done = nonocensus("status", "run")
    assert "Traceback" in done.err
    assert "can't parse s3://census/store" in done.err
    assert "hunter2" not in done.err

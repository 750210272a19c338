"""Puzzle files, stores and runs read through fsspec, with its implementation in memory."""

import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import Mock

import fsspec
import numpy as np
import pytest
from huggingface_hub import constants
from stores import Nonocensus

from nonocensus.pipeline.errors import StorageError
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.pipeline.store.parts import open_store
from nonocensus.pipeline.store.paths import folder
from nonocensus.scrapers import filesystems
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import non
from nonocensus.solver.extras import MissingExtra
from nonocensus.solver.model.puzzle import from_picture


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    """An empty filesystem, memory://."""
    found = fsspec.filesystem("memory")
    found.store.clear()
    yield found
    found.store.clear()


def drawn(seed: int) -> bytes:
    return non.write(from_picture((np.random.default_rng(seed).random((5, 4)) < 0.6).astype(np.uint8)))


@pytest.fixture
def archive(memory: fsspec.AbstractFileSystem) -> str:
    """A folder of a file, an archive in a folder below, and files that are skipped."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as tar:
        member = tarfile.TarInfo("b.non")
        member.size = len(drawn(2))
        tar.addfile(member, io.BytesIO(drawn(2)))
    files = {"a.non": drawn(1), "sub/b.tar.xz": packed.getvalue(), ".hidden": b"x", "README.md": b"x"}
    for name, data in files.items():
        memory.pipe(f"/archive/{name}", data)
    return "memory://archive"


def test_puzzle_files_are_read(archive: str, nonocensus: Nonocensus, tmp_path: Path) -> None:
    assert [file.name for file in files_in([archive])] == ["archive/a.non", "archive/sub/b.tar.xz/b.non"]
    assert [file.data for file in files_in([f"{archive}/a.non"])] == [drawn(1)]
    imported = nonocensus("import", archive, "--out", "store")
    assert imported.code == 0, imported.err
    assert open_store(str(tmp_path / "store")).rows() == 2
    assert nonocensus("convert", f"{archive}/sub/b.tar.xz", "b.jsonl").out.startswith("1 puzzle written")
    assert nonocensus("solve", f"{archive}/a.non").code == 0


def test_stores_and_runs_are_read(
    memory: fsspec.AbstractFileSystem, run: Run, nonocensus: Nonocensus, tmp_path: Path
) -> None:
    memory.put(run.store.folder.path, "/census/store", recursive=True)
    shutil.copytree(run.folder.path, tmp_path / "run")
    assert nonocensus("status", "run", "--store", "memory://census/store").code == 0
    memory.put(str(tmp_path / "run"), "/census/run", recursive=True)
    assert open_run("memory://census/run").table().equals(run.table())
    assert nonocensus("export", "memory://census/run", "--csv", "run.csv").code == 0
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 81
    refused = nonocensus("import", "memory://census/store", "--out", "s")
    assert "memory://census/store is a store, not puzzle files" in refused.err


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own for hf://, since fsspec keeps the file systems that other tests have loaded."""
    code = "import sys; sys.modules['huggingface_hub'] = None; from nonocensus.pipeline.store.paths import folder; "
    child = subprocess.run([sys.executable, "-c", code + "folder('hf://datasets/a/b')"], capture_output=True, text=True)
    assert re.fullmatch(r"nonocensus\.pipeline\.errors\.UserError: .*huggingface_hub.*", child.stderr.splitlines()[-1])
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtra, match=r"^fsspec is not installed: pip install 'nonocensus\[fsspec\]'$"):
        folder("memory://a")


def test_endpoints_of_azure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloud's has the account's name in front, an emulator's after it."""
    asked: list[dict[str, str]] = []
    monkeypatch.setattr(filesystems.fs, "AzureFileSystem", lambda _, **options: asked.append(options))
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "ann")
    for endpoint in ("https://ann.blob.core.chinacloudapi.cn", "http://127.0.0.1:10000/ann"):
        monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", endpoint)
        assert filesystems.open_filesystem("az://census/store?x=1")[1] == "census/store"
    names = ("blob_storage_authority", "dfs_storage_authority", "dfs_storage_scheme")
    assert [[options[name] for name in names] for options in asked] == [
        [".blob.core.chinacloudapi.cn", ".dfs.core.chinacloudapi.cn", "https"],
        ["127.0.0.1:10000", "127.0.0.1:10000", "http"],
    ]


@pytest.mark.parametrize("error", ["[Errno -2] Name or service", "6, Could not resolve host", "Could not connect to"])
def test_host_that_is_not_found_is_said(
    memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    """As the resolver's error arrives through httpx as text, and in those of S3 and Google Cloud Storage."""
    monkeypatch.setattr(type(memory), "info", Mock(side_effect=ConnectionError(error)))
    with pytest.raises(StorageError, match=r"^memory://a: its host can't be reached; check network and address"):
        folder("memory://a")


def test_network_error_while_reading_is_of_its_file(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries of fsspec raise what they like."""

    class ProtocolError(Exception):
        pass

    def lost(*_: object) -> bytes:
        raise ProtocolError("peer closed connection")

    monkeypatch.setattr(fsspec.implementations.memory.MemoryFile, "read", lost)
    errors = [file.error for file in files_in([archive])]
    assert errors == ["peer closed connection"] * 2


class Hub(BaseHTTPRequestHandler):
    """Answers as the Hugging Face Hub does for the dataset ann/census, which holds one file."""

    def do_GET(self) -> None:
        """Answer with the repository, its list of files, or the file."""
        listed = [{"type": "file", "path": "puzzles/a.non", "size": len(drawn(1)), "oid": ""}]
        about = {"id": "ann/census", "sha": "0", "private": False, "siblings": []}
        replies = {
            "/api/datasets/ann/census": about,
            "/api/datasets/ann/census/revision/main": about,
            "/api/datasets/ann/census/tree/main": listed,
            "/api/datasets/ann/census/tree/main/puzzles": listed,
        }
        path = self.path.partition("?")[0]
        data = drawn(1) if path.endswith("/resolve/main/puzzles/a.non") else json.dumps(replies.get(path, {})).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def test_file_on_the_hub_is_read(nonocensus: Nonocensus, monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "ENDPOINT", address)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        imported = nonocensus("import", "hf://datasets/ann/census/puzzles/a.non", "--out", "store")
        server.shutdown()
        thread.join()
    assert (imported.code, imported.err) == (0, "")
    assert imported.out.startswith("1 puzzle added")

"""Uploads of datasets to a local server that answers as the Hugging Face Hub does, by the Hub's own client."""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from stores import Result

from nonocensus.pipeline.run.run_folder import Run


@dataclass
class Hub:
    """A Hub with the repository ann/census, or none.

    files     of the repository, None if there is none
    commits   files that each commit has added and deleted
    fault     status of all replies to uploads
    """

    files: dict[str, bytes] | None = None
    private: bool = True
    commits: list[tuple[list[str], list[str]]] = field(default_factory=list)
    fault: int | None = None
    address: str = ""

    def create(self, wanted: dict[str, Any]) -> tuple[int, Any]:
        made = {"url": f"{self.address}/datasets/ann/census"}
        if self.files is not None:
            return 409, made | {"error": "it exists"}
        self.files, self.private = {}, wanted.get("private", False) or wanted.get("visibility") == "private"
        return 200, made

    def about(self) -> tuple[int, Any]:
        if self.files is None:
            return 404, {"error": "Repository not found"}
        files = [{"rfilename": name} for name in self.files]
        return 200, {"id": "ann/census", "sha": f"{len(self.commits):040d}", "private": self.private, "siblings": files}

    def modes(self, asked: dict[str, Any]) -> tuple[int, Any]:
        files = []
        for file in asked["files"]:
            data = (self.files or {}).get(file["path"])
            oid = data and hashlib.sha1(b"blob %d\0%b" % (len(data), data)).hexdigest()
            files.append({"path": file["path"], "uploadMode": "regular", "shouldIgnore": False, "oid": oid})
        return self.fault or 200, {"files": files}

    def commit(self, lines: list[dict[str, Any]]) -> tuple[int, Any]:
        assert self.files is not None
        added = {
            line["value"]["path"]: base64.b64decode(line["value"]["content"]) for line in lines if line["key"] == "file"
        }
        deleted = [line["value"]["path"] for line in lines if line["key"] == "deletedFile"]
        self.files = {name: data for name, data in self.files.items() if name not in deleted} | added
        self.commits.append((sorted(added), deleted))
        return 200, {
            "commitUrl": f"{self.address}/datasets/ann/census/commit/0",
            "commitOid": f"{len(self.commits):040d}",
        }

    def reply(self, path: str, body: bytes) -> tuple[int, Any]:
        lines = [json.loads(line) for line in body.splitlines()]
        match path.partition("?")[0].removeprefix("/api/"):
            case "repos/create":
                return self.create(lines[0])
            case "validate-yaml":
                return 200, {}
            case "datasets/ann/census/preupload/main":
                return self.modes(lines[0])
            case "datasets/ann/census/commit/main":
                return self.commit(lines)
            case "datasets/ann/census" | "datasets/ann/census/revision/main":
                return self.about()
            case "datasets/ann/census/tree/main" | "datasets/ann/census/tree/main/puzzles":
                files = (self.files or {}).items()
                return 200, [{"type": "file", "path": name, "size": len(data), "oid": ""} for name, data in files]
            case "/datasets/ann/census/resolve/main/puzzles/a.non":
                return 200, (self.files or {})["puzzles/a.non"]
        return 404, {}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The Hub of `huggingface_hub`, without a repository, and a token for it."""
    made = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            known = self.headers.get("Authorization") == "Bearer hf_known"
            status, value = made.reply(self.path, body) if known else (401, {"error": "Invalid credentials"})
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            if status == 404:
                self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.address = f"http://127.0.0.1:{server.server_port}"
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, made.address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "ENDPOINT", made.address)
        monkeypatch.setenv("HF_TOKEN", "hf_known")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield made
        server.shutdown()
        thread.join()


Push = Callable[..., Result]


@pytest.fixture
def push(nonocensus: Callable[..., Result], run: Run) -> Push:
    """The command that pushes the dataset of a run to ann/census, with further options."""
    return lambda *options: nonocensus("dataset", run.folder.uri, "--out", "d", "--push", "hf://ann/census", *options)


def test_push_to_a_new_repository_and_again(hub: Hub, push: Push, tmp_path: Path) -> None:
    first = push()
    assert (first.code, first.err) == (0, "")
    assert f"Uploaded to {hub.address}/datasets/ann/census (private): 7 files" in first.out
    assert hub.private
    made = tmp_path / "d"
    assert hub.files == {str(path.relative_to(made)): path.read_bytes() for path in made.rglob("*.*")}
    (made / "notes.txt").write_text("mine")
    assert "Nothing to upload" in push().out
    assert len(hub.commits) == 1


def test_interrupted_push_uploads_the_rest(hub: Hub, push: Push) -> None:
    assert "(public)" in push("--public", "--measures").out
    assert not hub.private
    assert hub.files is not None
    del hub.files["README.md"], hub.files["dataset.json"]
    hub.files["data/train-00009.parquet"] = b"of a larger dataset"
    assert push("--public", "--measures").code == 0
    assert hub.commits[1] == (["README.md", "dataset.json"], ["data/train-00009.parquet"])


def test_dry_run_sends_nothing(hub: Hub, push: Push, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    push("--dry-run")
    (tmp_path / "d/notes.txt").write_text("mine")
    told = push("--dry-run", "--measures").out
    assert f"Would be uploaded to {hub.address}/datasets/ann/census (private), licence cc0-1.0: 7 files" in told
    assert f"data/train-00000.parquet  {(tmp_path / 'd/data/train-00000.parquet').stat().st_size:,} bytes" in told
    assert "Not in it: clues, pictures, texts, and what sites state" in told
    assert "Left out: notes.txt" in told
    assert hub.files is None


def test_public_repository_needs_public(hub: Hub, push: Push, tmp_path: Path) -> None:
    hub.files, hub.private = {".gitattributes": b""}, False
    refused = push()
    assert refused.code == 2
    assert "is public; give --public" in refused.err
    assert not (tmp_path / "d").exists()
    hub.private = True
    assert "It stays private" in push("--public", "--measures").out


def test_foreign_repository_is_not_replaced(hub: Hub, push: Push) -> None:
    hub.files = {"README.md": b"mine", "model.safetensors": b"mine"}
    refused = push()
    assert refused.code == 2
    assert "holds something else than a dataset of nonocensus" in refused.err
    assert len(hub.files) == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--push", "hf://ann/census", "--private"), "--private and --push exclude each other"),
        (("--push", "ann"), "--push ann: write it as hf://USER/NAME"),
        (("--push", "hf://ann/a--b"), "--push hf://ann/a--b: "),
        (("--push", "hf://ann/census", "--out", "s3://bucket/d"), "--push uploads a local folder, not s3://bucket/d"),
        (("--public",), "--public belongs to --push"),
        (("--push", "hf://ann/census", "--public"), "--public needs --measures"),
        (("--measures", "--private"), "exclude each other"),
    ],
)
def test_wrong_use(options: tuple[str, ...], reason: str, run: Run, nonocensus: Callable[..., Result]) -> None:
    wrong = nonocensus("dataset", run.folder.uri, "--out", "d", *options)
    assert wrong.code == 2
    assert reason in wrong.err
    assert len(wrong.err.splitlines()) == 1


def test_missing_and_wrong_tokens(hub: Hub, push: Push, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_unknown")
    wrong = push()
    assert (wrong.code, len(wrong.err.splitlines())) == (5, 1)
    assert "the token is not accepted: run `hf auth login`" in wrong.err
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    missing = push()
    assert (missing.code, len(missing.err.splitlines())) == (2, 1)
    assert f"no token for {hub.address}: run `hf auth login`, or set HF_TOKEN" in missing.err
    assert not (tmp_path / "d").exists()


def test_network_errors_are_one_line(hub: Hub, push: Push, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.fault = 403
    forbidden = push()
    assert (forbidden.code, len(forbidden.err.splitlines())) == (5, 1)
    assert "the token does not permit it" in forbidden.err
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    unreachable = push()
    assert (unreachable.code, len(unreachable.err.splitlines())) == (5, 1)
    assert "the same command resumes" in unreachable.err


def test_file_on_the_hub_is_read(hub: Hub, nonocensus: Callable[..., Result]) -> None:
    hub.files = {"puzzles/a.non": b"width 1\nheight 1\nrows\n1\ncolumns\n1\n"}
    imported = nonocensus("import", "hf://datasets/ann/census/puzzles/a.non", "--out", "store")
    assert (imported.code, imported.err) == (0, "")
    assert imported.out.startswith("1 puzzles added")

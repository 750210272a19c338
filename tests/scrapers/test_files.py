"""Files, folders and archives, also those of people who mean ill."""

import bz2
import gc
import gzip
import io
import lzma
import os
import stat
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from archived import found_in, names, tar_of, zip_of

from nonocensus.scrapers import files
from nonocensus.scrapers.archives.compression import open_decompressed
from nonocensus.scrapers.archives.source_file import Budget, ReadLimits, SourceFile
from nonocensus.scrapers.files import count_files, files_in


def test_plain_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "b.non").write_bytes(b"b")
    (tmp_path / "README").write_bytes(b"a")
    paths = [tmp_path / "b.non", str(tmp_path / "README")]
    assert list(files_in(paths)) == [SourceFile("b.non", b"b"), SourceFile("README", b"a")]
    assert count_files(paths) == 2


def test_folders_are_read_recursively_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("z.non", "sub/deep/a.xml", "sub/b", "a.txt", ".git/config", "sub/.x.non", "Zoë.non", "readme.non"):
        path = tmp_path / "puzzles" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    for name in ("README", "README-FORMAT", "README.md", "LICENSE.old.MIT", "LICENCE", "x.png", "x.PNG", "x.py"):
        (tmp_path / "puzzles" / name).write_text(name)
    found = list(files_in([tmp_path / "puzzles"]))
    expected = ["Zoë.non", "a.txt", "readme.non", "sub/b", "sub/deep/a.xml", "z.non"]
    assert names(found) == [f"puzzles/{name}" for name in expected]
    assert [file.data for file in found] == [name.encode() for name in expected]
    assert count_files([tmp_path / "puzzles"]) == 6
    for mark in ("store.json", "run.json", "report.json"):
        (tmp_path / "puzzles" / mark[:-5]).mkdir()
        for name in (mark, "part-0.parquet"):
            (tmp_path / "puzzles" / mark[:-5] / name).write_text(name)
    assert list(files_in([tmp_path / "puzzles"])) == found, "stores, runs and reports are passed over"
    (tmp_path / "puzzles").rename(tmp_path / ".puzzles")
    assert names(list(files_in([tmp_path / ".puzzles"]))) == [f".puzzles/{name}" for name in expected]
    (tmp_path / ".puzzles").rename(tmp_path / "puzzles")
    monkeypatch.chdir(tmp_path / "puzzles")
    assert list(files_in(["."])) == list(files_in(["../puzzles/"])) == list(files_in(["sub/.."])) == found


def test_links_to_files_but_not_folders_are_followed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "real.non").write_bytes(b"x")
    (folder / "file.non").symlink_to(tmp_path / "real.non")
    (folder / "gone.non").symlink_to(tmp_path / "nowhere")
    (folder / "round").symlink_to(folder)
    assert list(files_in([folder])) == [
        SourceFile("folder/file.non", b"x"),
        SourceFile("folder/gone.non", None, "No such file or directory"),
    ]


def test_unreadable_files_are_entries_with_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "missing.non"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "shut.non").write_bytes(b"x")
    real_open = Path.open

    def opened(path: Path, *args, **kwargs):
        if path.name == "shut.non":
            raise PermissionError(13, "Permission denied")
        return real_open(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", opened)
    paths = [missing, tmp_path / "pipe", tmp_path / "shut.non"]
    assert list(files_in(paths)) == [
        SourceFile("missing.non", None, "No such file or directory"),
        SourceFile(str(tmp_path / "pipe"), None, "it is a device or a pipe; name a file or a folder"),
        SourceFile("shut.non", None, "Permission denied"),
    ]
    assert count_files(paths) == 3


def test_unreadable_folder_is_an_entry_with_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scandir(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", scandir)
    assert list(files_in([tmp_path])) == [SourceFile(tmp_path.name, None, "Permission denied")]


def test_folder_limits_of_files_and_levels_hold(tmp_path: Path) -> None:
    deep = tmp_path / "x"
    for _ in range(110):
        deep.mkdir()
        deep /= "x"
    (found,) = files_in([tmp_path])
    assert (found.data, found.error) == (None, "folders more than 100 levels deep are not read")
    for name in "abcd":
        (tmp_path / name).write_bytes(b"x")
    assert count_files([tmp_path], limits=ReadLimits(max_counted=4)) is None
    *first, last = files_in([tmp_path], limits=ReadLimits(max_files=2))
    assert names(first) == [f"{tmp_path.name}/a", f"{tmp_path.name}/b"]
    assert last.error == "it holds more than 2 files; name its folders to read the rest"


def test_system_folders_are_read_only_if_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/a.non").write_bytes(b"a")
    monkeypatch.setattr(files, "SYSTEM_FOLDERS", {str(tmp_path / "proc")})
    assert list(files_in([tmp_path])) == []
    assert names(list(files_in([tmp_path / "proc"]))) == ["proc/a.non"]


def test_unprintable_names_are_cleaned(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "a\x1b[31m\n.non").write_bytes(b"x")
    Path(os.fsdecode(os.fsencode(folder) + b"/b\xff.non")).write_bytes(b"x")
    assert names(list(files_in([folder]))) == ["x/a\ufffd[31m\ufffd.non", "x/b\ufffd.non"]


def test_files_beyond_size_limit_are_errors(tmp_path: Path) -> None:
    limits = {"max_bytes": 1 << 20}
    large, fits = bytes((1 << 20) + 1), bytes(1 << 20)
    error = "it is larger than 1 MiB"
    for name, data in (
        ("a.zip", zip_of({"l.non": large, "f.non": fits})),
        ("a.tar", tar_of({"l.non": large, "f.non": fits})),
    ):
        first, second = found_in(tmp_path / name, data, **limits)
        assert first == SourceFile(f"{name}/l.non", None, error)
        assert second == SourceFile(f"{name}/f.non", fits)
    assert found_in(tmp_path / "l.non", large, **limits) == [SourceFile("l.non", None, error)]
    assert found_in(tmp_path / "l.non.gz", gzip.compress(large), **limits) == [SourceFile("l.non", None, error)]
    assert found_in(tmp_path / "f.non.gz", gzip.compress(fits), **limits) == [SourceFile("f.non", fits)]


MEMBERS = {"sub/b.non": b"b", "a.xml": b"a", "README": b"", ".hidden": b"", "__MACOSX/._a.xml": b"", "sub/x.png": b""}


@pytest.mark.parametrize("named_well", [True, False])
@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"])
def test_archives_are_detected_by_content_or_name(tmp_path: Path, suffix: str, named_well: bool) -> None:
    modes = {".tar": "w:", ".tar.xz": "w:xz", ".tar.bz2": "w:bz2"}
    data = zip_of(MEMBERS) if suffix == ".zip" else tar_of(MEMBERS, modes.get(suffix, "w:gz"))
    name = f"set{suffix}" if named_well else "set.dat"
    expected = [SourceFile(f"{name}/sub/b.non", b"b"), SourceFile(f"{name}/a.xml", b"a")]
    assert found_in(tmp_path / name, data) == expected
    assert count_files([tmp_path / name]) == (2 if suffix == ".zip" else None)
    inside_folder = [file._replace(name=f"{tmp_path.name}/{file.name}") for file in expected]
    assert list(files_in([tmp_path])) == inside_folder


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_decompressed(tmp_path: Path, pack) -> None:
    suffix = {"gzip": ".gz", "bz2": ".bz2", "lzma": ".xz"}[pack.__module__]
    assert found_in(tmp_path / f"a.non{suffix}", pack(b"rows")) == [SourceFile("a.non", b"rows")]
    assert found_in(tmp_path / "a.non", pack(b"rows")) == [SourceFile("a.non", b"rows")]
    (damaged,) = found_in(tmp_path / "b.non", pack(b"rows")[:-6])
    assert damaged.data is None
    assert (damaged.error or "").startswith("it is damaged: ")


@pytest.mark.parametrize("evil", ["../../etc/passwd", "/etc/passwd", "..\\..\\etc\\passwd", "a/../../etc/passwd"])
@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_member_names_cannot_escape(tmp_path: Path, make, evil: str) -> None:
    (tmp_path / "in").mkdir()
    (file,) = found_in(tmp_path / "in" / "x.dat", make({evil: b"root"}))
    assert file.name in ("x.dat/etc/passwd", "x.dat/a/etc/passwd")
    assert file.data == b"root"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["x.dat"]


def test_links_and_devices_in_tar_are_skipped(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo(f"x{kind.decode()}.non")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        archive.addfile(tarfile.TarInfo("empty.non"))
    assert found_in(tmp_path / "x.tar", buffer.getvalue()) == [SourceFile("x.tar/empty.non", b"")]


def test_links_and_folders_in_zip_are_skipped(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.non")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.mkdir("folder")
        archive.writestr("a.non", "a")
    assert found_in(tmp_path / "x.zip", buffer.getvalue()) == [SourceFile("x.zip/a.non", b"a")]
    assert count_files([tmp_path / "x.zip"]) == 1


def test_encrypted_members_are_errors(tmp_path: Path) -> None:
    data = bytearray(zip_of({"secret.non": b"a", "open.non": b"b"}))
    data[data.index(b"PK\1\2") + 8] |= 1
    data[data.index(b"PK\3\4") + 6] |= 1
    assert found_in(tmp_path / "x.zip", bytes(data)) == [
        SourceFile("x.zip/secret.non", None, "it is encrypted"),
        SourceFile("x.zip/open.non", b"b"),
    ]


def test_unbounded_zip_compression_is_refused(tmp_path: Path) -> None:
    (file,) = found_in(tmp_path / "x.zip", zip_of({"a.non": b"a"}, zipfile.ZIP_BZIP2))
    assert file == SourceFile("x.zip/a.non", None, "zip compression method 12 is not supported")


def test_damaged_zip_member_does_not_stop_others(tmp_path: Path) -> None:
    data = zip_of({"a.non": b"aaaa", "b.non": b"bbbb"}, zipfile.ZIP_STORED).replace(b"aaaa", b"aaxa", 1)
    assert found_in(tmp_path / "x.zip", data) == [
        SourceFile("x.zip/a.non", None, "it is damaged: Bad CRC-32 for file 'a.non'"),
        SourceFile("x.zip/b.non", b"bbbb"),
    ]


def test_zip_with_wrong_sizes_is_an_error(tmp_path: Path) -> None:
    data = bytearray(zip_of({"a.non": bytes(1 << 20)}))
    size = (1 << 20).to_bytes(4, "little")
    for _ in range(2):
        data[data.index(size) : data.index(size) + 4] = (10).to_bytes(4, "little")
    (file,) = found_in(tmp_path / "x.zip", bytes(data))
    assert file.data is None
    assert file.error is not None


def test_truncated_zip_is_an_error(tmp_path: Path) -> None:
    data = zip_of({"a.non": b"a"})
    assert found_in(tmp_path / "x.zip", data[:-10]) == [
        SourceFile("x.zip", None, "it is damaged: File is not a zip file")
    ]
    assert count_files([tmp_path / "x.zip"]) == 1


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz"])
def test_archive_by_name_only_is_an_error(tmp_path: Path, name: str) -> None:
    for data in (b"", b"rows\n1\n", bytes(range(256)) * 4):
        (file,) = found_in(tmp_path / name, data)
        assert file.name == name
        assert (file.error or "").startswith("it is damaged: ")


def test_damaged_tar_header_is_an_error(tmp_path: Path) -> None:
    data = tar_of({"a.non": b"a", "b.non": b"b", "c.non": b"c"})
    assert found_in(tmp_path / "x.tar", data.replace(b"b.non", b"x.non", 1)) == [
        SourceFile("x.tar/a.non", b"a"),
        SourceFile("x.tar", None, "it is damaged: no header at byte 1024"),
    ]


def test_tar_header_of_huge_size_is_refused(tmp_path: Path) -> None:
    for kind in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
        info = tarfile.TarInfo("x")
        info.type, info.size = kind, 1 << 33
        data = tar_of({"a.non": b"a"})[:1024] + info.tobuf(tarfile.GNU_FORMAT) + bytes(10240)
        found = found_in(tmp_path / "x.tar", data)
        assert found[0] == SourceFile("x.tar/a.non", b"a")
        (damaged,) = found[1:]
        assert (damaged.error or "").startswith("it is damaged: a header of more than ")


def test_tar_with_negative_size_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x.non")
    header = bytearray(info.tobuf())
    header[124:136] = (-1024).to_bytes(12, "big", signed=True)
    header[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(header))[0]
    data = tar_of({"a.non": b"a"})[:1024] + bytes(header) + bytes(10240)
    found = found_in(tmp_path / "x.tar", data)
    assert found[0] == SourceFile("x.tar/a.non", b"a")
    assert found[-1].error is not None
    assert len(found) == 2


MIXED = {"a.non": b"a", "x.png": bytes(1 << 20), "large.non": bytes((1 << 20) + 1), "b.non": b"b", "c.non": b"c" * 4096}


@pytest.mark.parametrize("mode", ["w:", "w:gz", "w:xz", "w:bz2"])
@pytest.mark.parametrize(
    ("most", "expected"), [(1 << 19, ["a"]), (3 << 19, ["a", "large"]), ((2 << 20) + 7 * 512, ["a", "large", "b"])]
)
def test_tar_budget_counts_skipped_members(tmp_path: Path, mode: str, most: int, expected: list[str]) -> None:
    """What is passed over counts too: in a packed tar there is no way around it."""
    found = found_in(tmp_path / "x.tar", tar_of(MIXED, mode), max_bytes=1 << 20, max_unpacked=most)
    assert names(found) == [*(f"x.tar/{name}.non" for name in expected), "x.tar"]
    assert found[-1].error == f"it unpacks to more than {most >> 20} MiB; the rest is not read"


def test_compressed_tar_with_huge_member_is_bounded(tmp_path: Path) -> None:
    """A terabyte that is not there is not looked for."""
    info = tarfile.TarInfo("x.non")
    info.size = 1 << 40
    data = gzip.compress(tar_of({"a.non": b"a"})[:1024] + info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    assert found_in(tmp_path / "x.tgz", data, max_unpacked=1 << 30) == [
        SourceFile("x.tgz/a.non", b"a"),
        SourceFile("x.tgz/x.non", None, "it is larger than 16 MiB"),
        SourceFile("x.tgz", None, "it unpacks to more than 1,024 MiB; the rest is not read"),
    ]


def test_zip_budget_ignores_skipped_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is passed over is not even opened, and so does not count."""
    opened: list[str] = []
    real = zipfile.ZipFile.open

    def noted(archive: zipfile.ZipFile, info: zipfile.ZipInfo, *rest: str):
        opened.append(info.filename)
        return real(archive, info, *rest)

    data = zip_of(MIXED)
    monkeypatch.setattr(zipfile.ZipFile, "open", noted)
    for most, last in ((1 << 20, None), (4097, "c"), (4096 + 2, None)):
        found = found_in(tmp_path / "x.zip", data, max_bytes=1 << 20, max_unpacked=most)
        entries = ["x.zip/a.non", "x.zip/large.non", "x.zip/b.non", "x.zip" if last else "x.zip/c.non"]
        assert names(found) == entries
        assert found[1].error == "it is larger than 1 MiB"
        if last:
            assert found[-1].error == "it unpacks to more than 0 MiB; the rest is not read"
    assert opened == ["a.non", "b.non", "c.non", "a.non", "b.non", "a.non", "b.non", "c.non"]


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_archive_beyond_member_limit_is_an_error(tmp_path: Path, make) -> None:
    data = make({f"{k}.png": b"" for k in range(9)} | {"a.non": b"a"})
    assert found_in(tmp_path / "x.dat", data) == [SourceFile("x.dat/a.non", b"a")]
    error = "it has more than 9 members; the rest is not read"
    assert found_in(tmp_path / "x.dat", data, max_members=9) == [SourceFile("x.dat", None, error)]


def test_tar_members_do_not_accumulate_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.tar").write_bytes(tar_of({f"{k}.png": b"" for k in range(4000)}))
    add, seen, alive = Budget.add_members, [], []

    def counted(budget: Budget, members: int) -> None:
        add(budget, members)
        seen.append(members)
        if len(seen) % 500 == 0:
            alive.append(sum(isinstance(one, tarfile.TarInfo) for one in gc.get_objects()))

    monkeypatch.setattr(Budget, "add_members", counted)
    assert list(files_in([tmp_path / "x.tar"])) == []
    assert len(seen) == 4000
    assert 0 < max(alive) < 10


def test_global_tar_headers_are_not_copied_per_member(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    header = {f"comment{k}": "" for k in range(3_000)}
    with tarfile.open(fileobj=buffer, mode="w:", format=tarfile.PAX_FORMAT, pax_headers=header) as archive:
        for k in range(8_000):
            archive.addfile(tarfile.TarInfo(f"{k}.png"))
    (tmp_path / "x.tar").write_bytes(buffer.getvalue())
    began = time.thread_time()
    assert list(files_in([tmp_path / "x.tar"])) == []
    assert time.thread_time() - began < 2


def test_zip_directory_beyond_limit_is_refused(tmp_path: Path) -> None:
    data = zip_of({f"{k}.non": b"" for k in range(2000)})
    (file,) = found_in(tmp_path / "x.zip", data, max_directory=100_000)
    assert (file.error or "").startswith("it is damaged: a header of more than ")


def test_long_tar_headers_are_bounded(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("a.non")
        info.pax_headers = {"comment": "x" * 10_000}
        archive.addfile(info)
        info = tarfile.TarInfo("b.non")
        info.pax_headers = {"comment": "x" * (2 << 20)}
        archive.addfile(info)
    found = found_in(tmp_path / "x.tar", buffer.getvalue())
    assert found[0] == SourceFile("x.tar/a.non", b"")
    assert (found[1].error or "").startswith("it is damaged: a header of more than ")


def test_xz_stream_can_seek(tmp_path: Path) -> None:
    """Streams that follow each other, zeros between them, any way to and fro."""
    parts = [os.urandom(200_000), bytes(300_000), b"", b"end"]
    xz = b"".join(lzma.compress(part) + bytes(80_000 * k) for k, part in enumerate(parts))
    (tmp_path / "x.xz").write_bytes(xz)
    plain = b"".join(parts)
    with (tmp_path / "x.xz").open("rb") as file:
        unpacked = open_decompressed(file)
        assert unpacked.read() == plain
        for place in (0, 499_999, 10, 200_001, 500_003, 600_000, 5):
            unpacked.seek(place)
            assert unpacked.read(1000) == plain[place : place + 1000]
    for bad in (lzma.compress(plain)[:-9], xz + b"garbage", xz[:1000] + bytes([xz[1000] ^ 1]) + xz[1001:]):
        (file,) = found_in(tmp_path / "x.non.xz", bad)
        assert (file.error or "").startswith("it is damaged: ")


def test_xz_beyond_memory_limit_is_refused(tmp_path: Path) -> None:
    data = lzma.compress(tar_of({"a.non": b"a"}), preset=6)
    assert names(found_in(tmp_path / "x.tar.xz", data)) == ["x.tar.xz/a.non"]
    error = "to unpack it takes more than 4 MiB of memory"
    assert found_in(tmp_path / "x.tar.xz", data, max_memory=4 << 20) == [SourceFile("x.tar.xz", None, error)]

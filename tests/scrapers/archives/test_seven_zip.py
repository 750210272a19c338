"""7z archives, also those of people who mean ill."""

import os
import sys
import time
import tracemalloc
import zlib
from pathlib import Path

import py7zr
import pytest
from archived import found_in, names, number, seven_of, with_contents, with_packed_contents

from scrapers.archives import archive_limits, seven_zip
from scrapers.archives.source import SourceFile
from scrapers.files import count_files, files_in

METHODS = {
    "own": (),
    "lzma": (py7zr.FILTER_LZMA,),
    "lzma2": (py7zr.FILTER_LZMA2,),
    "bzip2": (py7zr.FILTER_BZIP2,),
    "copy": (py7zr.FILTER_COPY,),
}

MEMBERS = {
    "a.non": b"a",
    "sub/noise.non": bytes(range(256)) * 300,
    "x.png": b"p" * 1000,
    "long.non": b"c" * 5_000_000,
    ".hidden": b"h",
    "b.non": b"b",
}


@pytest.mark.parametrize("named_well", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_members(tmp_path: Path, method: str, named_well: bool) -> None:
    name = "x.7z" if named_well else "x.dat"
    data = seven_of(MEMBERS, *METHODS[method])
    expected = [f"{name}/{member}" for member in ("a.non", "sub/noise.non", "long.non", "b.non")]
    found = found_in(tmp_path / name, data)
    assert names(found) == expected
    assert [file.data for file in found] == [MEMBERS[member.removeprefix(f"{name}/")] for member in expected]
    assert count_files([tmp_path / name]) == 4


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (py7zr.FILTER_DEFLATE, "DEFLATE"),
        (py7zr.FILTER_ZSTD, "ZStandard"),
        (py7zr.FILTER_PPMD, "PPMd"),
    ],
)
def test_methods_that_unpack_all_at_once_or_crash(tmp_path: Path, method: int, name: str) -> None:
    found = found_in(tmp_path / "x.7z", seven_of({"a.non": b"a", "x.png": b"p"}, method))
    assert found == [SourceFile("x.7z/a.non", None, f"7z compression method {name} is not supported")]


@pytest.mark.parametrize("header_too", [False, True])
def test_encrypted(tmp_path: Path, header_too: bool) -> None:
    data = seven_of({"a.non": b"a", "b.non": b"b"}, password="secret", header_encryption=header_too)
    assert found_in(tmp_path / "x.7z", data) == [SourceFile("x.7z", None, "it is encrypted")]


def test_without_py7zr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py7zr", None)
    error = "7z archives are read with the extra 7z: pip install 'nonocensus[7z]'"
    assert found_in(tmp_path / "x.dat", seven_of({"a.non": b"a"})) == [SourceFile("x.dat", None, error)]
    assert count_files([tmp_path / "x.dat"]) == 1


def test_empty_archives_and_archives_in_name_only(tmp_path: Path) -> None:
    assert found_in(tmp_path / "x.7z", with_contents(b"", b"")) == []
    for data in (b"", b"rows\n1\n", bytes(range(256)) * 4, seven_zip.MAGIC):
        (file,) = found_in(tmp_path / "x.7z", data)
        assert file.name == "x.7z"
        assert (file.error or "").startswith("it is damaged: ")


@pytest.mark.parametrize("evil", ["../../etc/passwd", "/etc/passwd", "..\\..\\etc\\passwd", "a/../../etc/passwd"])
def test_nothing_leaves_the_archive(tmp_path: Path, evil: str) -> None:
    header = contents_of([(evil, 4, zlib.crc32(b"root"))])
    (file,) = found_in(tmp_path / "x.dat", with_contents(b"root", header))
    assert file.name in ("x.dat/etc/passwd", "x.dat/a/etc/passwd")
    assert file.data == b"root"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["x.dat"]


def test_links_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.non").write_bytes(b"a")
    (folder / "empty.non").touch()
    (folder / "link.non").symlink_to("a.non")
    with py7zr.SevenZipFile(tmp_path / "x.7z", "w") as archive:
        archive.writeall(folder, "folder")
    found = list(files_in([tmp_path / "x.7z"]))
    assert found == [SourceFile("x.7z/folder/a.non", b"a"), SourceFile("x.7z/folder/empty.non", b"")]


def test_a_damaged_member(tmp_path: Path) -> None:
    data = seven_of({"a.non": b"aaaa", "b.non": b"bbbb"}, py7zr.FILTER_COPY).replace(b"aaaa", b"aaxa", 1)
    assert found_in(tmp_path / "x.7z", data) == [
        SourceFile("x.7z/a.non", None, "it is damaged: its checksum is another"),
        SourceFile("x.7z/b.non", b"bbbb"),
    ]


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_limits, "MOST_BYTES", 1 << 20)
    members = {"l.non": bytes((1 << 20) + 1), "f.non": bytes(1 << 20), "end.non": bytes(3 << 20)}
    error = "it is larger than 1 MiB"
    assert found_in(tmp_path / "x.7z", seven_of(members)) == [
        SourceFile("x.7z/l.non", None, error),
        SourceFile("x.7z/f.non", bytes(1 << 20)),
        SourceFile("x.7z/end.non", None, error),
    ]


@pytest.mark.slow
def test_ten_thousand_members_take_one_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members = {f"{k}.non": b"rows\n%d\n" % k for k in range(10_000)}
    unpacked = 0
    real = seven_zip._Unpacker.readinto

    def counted(self: seven_zip._Unpacker, buffer: memoryview) -> int:
        nonlocal unpacked
        size = real(self, buffer)
        unpacked += size
        return size

    monkeypatch.setattr(seven_zip._Unpacker, "readinto", counted)
    found = found_in(tmp_path / "x.7z", seven_of(members))
    assert {file.name.removeprefix("x.7z/"): file.data for file in found} == members
    assert unpacked < sum(map(len, members.values())) + (2 << 20)  # the list of contents too


def test_a_bomb_in_memory(tmp_path: Path) -> None:
    (tmp_path / "x.7z").write_bytes(seven_of({"bomb.non": bytes(64 << 20), "a.non": b"a"}, py7zr.FILTER_LZMA2))
    tracemalloc.start()
    try:
        found = list(files_in([tmp_path / "x.7z"]))
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()
    assert found == [
        SourceFile("x.7z/bomb.non", None, "it is larger than 16 MiB"),
        SourceFile("x.7z/a.non", b"a"),
    ]


@pytest.mark.parametrize(("most", "expected"), [(2 << 20, ["a", "x.7z"]), (4 << 20, ["a", "b"])])
def test_unpacked_so_far_and_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, expected: list[str]
) -> None:
    """What is passed over counts where something follows it, and nowhere else."""
    monkeypatch.setattr(archive_limits, "MOST_UNPACKED", most)
    members = {"a.non": b"a", "x.png": bytes(3 << 20), "b.non": b"b", "y.png": bytes(9 << 20)}
    found = found_in(tmp_path / "x.7z", seven_of(members))
    assert [file.error or (file.data or b"").decode() for file in found] == [
        each if len(each) == 1 else f"it unpacks to more than {most >> 20} MiB; the rest is not read"
        for each in expected
    ]


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = seven_of({f"{k}.png": b"" for k in range(9)} | {"a.non": b"a"})
    monkeypatch.setattr(archive_limits, "MOST_MEMBERS", 9)
    error = "it has more than 9 members; the rest is not read"
    assert found_in(tmp_path / "x.7z", data) == [SourceFile("x.7z", None, error)]


MEMORY = "to unpack it takes more than 256 MiB of memory"
BLOCK = b"\1\x21\x21\1"

HEADERS = {
    "dictionary": (with_packed_contents(b"\1\0", properties=b"\x27"), MEMORY),
    "directory": (with_packed_contents(b"\1\0", size=1 << 40), "its list of contents is larger than 16 MiB"),
    "a little less": (with_packed_contents(b"\1\0", size=1 << 24), "it is damaged: "),
    "files": (with_contents(b"", b"\1\5" + number(1 << 40) + b"\0\0"), "it has more than 1,000,000 members"),
    "fewer files": (with_contents(b"", b"\1\5" + number(999_999) + b"\0\0"), "it is damaged: numfiles value 999999"),
    "packed streams": (with_contents(b"", b"\1\4\6\0" + number(1 << 40)), "it is damaged: numstreams value"),
    "blocks": (
        with_packed_contents(b"\1\4\6\0\1\x09\1\0\x07\x0b" + number(1 << 19) + b"\0" + b"\1\0" * (1 << 19)),
        "it has more than 16,384 blocks",
    ),
    "streams": (
        with_contents(b"", b"\1\4\6\0\1\x09\1\0\x07\x0b\1\0" + BLOCK + b"\x18\x0c\1\0\x08\x0d" + number(1 << 40)),
        "it is damaged: total number of unpack streams",
    ),
    "a property twice": (
        with_packed_contents(b"\1\5" + number(80_000) + (b"\x0e" + number(10_000) + bytes(10_000)) * 100 + b"\0\0"),
        "it is damaged: a property comes twice",
    ),
    "pointer": (with_contents(b"", b"\x17" + bytes(5000)), "it is damaged: a header of 5001 bytes"),
}


@pytest.mark.parametrize("asked", HEADERS)
def test_headers_that_ask_for_much(tmp_path: Path, asked: str) -> None:
    data, error = HEADERS[asked]
    began = time.process_time()
    tracemalloc.start()
    try:
        (file,) = found_in(tmp_path / "x.7z", data)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    assert file.name == "x.7z"
    assert (file.error or "").startswith(error)
    assert time.process_time() - began < 20


def test_a_dictionary_of_a_block_that_is_too_large(tmp_path: Path) -> None:
    header = contents_of([("a.non", 1, None)], b"\1\x21\x21\1\x28")
    assert found_in(tmp_path / "x.7z", with_contents(b"\0", header)) == [SourceFile("x.7z/a.non", None, MEMORY)]
    header = contents_of([("a.non", 1, None)], b"\1\x23\3\1\1\5\x5d\xff\xff\xff\xff")
    assert found_in(tmp_path / "x.7z", with_contents(b"\0", header)) == [SourceFile("x.7z/a.non", None, MEMORY)]


def test_sizes_that_lie(tmp_path: Path) -> None:
    """More bytes said to be there than come out, and streams that take more than their block has."""
    header = contents_of([("a.non", 1 << 20, None)])
    assert found_in(tmp_path / "x.7z", with_contents(b"root", header)) == [
        SourceFile("x.7z", None, "it is damaged: it ends too early")
    ]
    header = contents_of([("a.non", 100, None), ("b.non", -90, None)])
    assert found_in(tmp_path / "x.7z", with_contents(b"0123456789", header)) == [
        SourceFile("x.7z", None, "it is damaged: sizes that can't be")
    ]


def test_what_was_read_before_damage_stays(tmp_path: Path) -> None:
    members = {f"{k}.non": os.urandom(1 << 18) for k in range(5)}
    data = bytearray(seven_of(members, py7zr.FILTER_LZMA2))
    data[3 << 18 : 4 << 18] = bytes(1 << 18)
    found = found_in(tmp_path / "x.7z", bytes(data))
    assert found[:2] == [SourceFile(f"x.7z/{k}.non", members[f"{k}.non"]) for k in range(2)]
    assert found[-1].name in ("x.7z", "x.7z/4.non")
    assert any((file.error or "").startswith("it is damaged: ") for file in found)


def contents_of(members: list[tuple[str, int, int | None]], coders: bytes = b"\1\1\0") -> bytes:
    """A list of contents of one block, which is the whole body: names, sizes and checksums; stored, if not said."""
    total = sum(size for _, size, _ in members)
    streams = b"\4\6\0\1\x09" + number(total) + b"\0\x07\x0b\1\0" + coders + b"\x0c" + number(total) + b"\0"
    parts = b"\x08\x0d" + number(len(members))
    if len(members) > 1:
        parts += b"\x09" + b"".join(number(size) for _, size, _ in members[:-1])
    if all(crc is not None for _, _, crc in members):
        parts += b"\x0a\1" + b"".join((crc or 0).to_bytes(4, "little") for _, _, crc in members)
    text = b"\0" + b"".join(name.encode("utf-16le") + b"\0\0" for name, _, _ in members)
    files = b"\5" + number(len(members)) + b"\x11" + number(len(text)) + text + b"\0"
    return b"\1" + streams + parts + b"\0\0" + files + b"\0"

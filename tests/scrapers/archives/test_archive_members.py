"""Archives in archives, and damage of every kind of archive, all within the limits."""

import bz2
import gzip
import lzma
import random
import time
import tracemalloc
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from archived import found_in, tar_of, zip_of
from stores import sampled

from nonocensus.scrapers.archives.source_file import ReadLimits, SourceFile
from nonocensus.scrapers.files import count_files, files_in

MAKERS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "zip": zip_of,
    "tar": tar_of,
    "tar.gz": lambda members: tar_of(members, "w:gz"),
    "tar.xz": lambda members: tar_of(members, "w:xz"),
    "tar.bz2": lambda members: tar_of(members, "w:bz2"),
}

DEEP = "archives more than one level deep are not opened"


@pytest.mark.parametrize("named_well", [True, False])
@pytest.mark.parametrize("inner", MAKERS)
@pytest.mark.parametrize("outer", MAKERS)
def test_archives_in_archives_are_opened_one_level_deep(
    tmp_path: Path, outer: str, inner: str, named_well: bool
) -> None:
    name = f"in.{inner}" if named_well else "in.dat"
    packed = {"1.non": b"1", "sub/2.non": b"2", "x.png": b"p", "deep.dat": zip_of({"3.non": b"3"})}
    data = MAKERS[outer]({"a.non": b"a", name: MAKERS[inner](packed), "z.non": b"z"})
    found = found_in(tmp_path / "out.dat", data)
    assert found == [
        SourceFile("out.dat/a.non", b"a"),
        SourceFile(f"out.dat/{name}/1.non", b"1"),
        SourceFile(f"out.dat/{name}/sub/2.non", b"2"),
        SourceFile(f"out.dat/{name}/deep.dat", None, DEEP),
        SourceFile("out.dat/z.non", b"z"),
    ]
    assert count_files([tmp_path / "out.dat"]) == (None if named_well or outer.startswith("tar") else 3)
    assert [path.name for path in tmp_path.iterdir()] == ["out.dat"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("outer", MAKERS)
def test_compressed_members_are_decompressed_once(tmp_path: Path, outer: str, pack: Callable[[bytes], bytes]) -> None:
    suffix = {"gzip": ".gz", "bz2": ".bz2", "lzma": ".xz"}[pack.__module__]
    data = MAKERS[outer]({f"a.non{suffix}": pack(b"a"), "b.non": pack(b"b"), "c.non.gz": pack(pack(b"c"))})
    assert found_in(tmp_path / "x.dat", data) == [
        SourceFile("x.dat/a.non", b"a"),
        SourceFile("x.dat/b.non", b"b"),
        SourceFile("x.dat/c.non", None, DEEP),
    ]


def test_compressed_archive_is_opened(tmp_path: Path) -> None:
    assert found_in(tmp_path / "x.zip.gz", gzip.compress(zip_of({"a.non": b"a"}))) == [SourceFile("x.zip/a.non", b"a")]


@pytest.mark.parametrize("inner", MAKERS)
def test_damaged_inner_archive_does_not_stop_outer_one(tmp_path: Path, inner: str) -> None:
    damaged = MAKERS[inner]({"1.non": random.Random(1).randbytes(30_000)})[:-20_000]
    found = found_in(tmp_path / "x.zip", zip_of({f"in.{inner}": damaged, "z.non": b"z"}))
    assert found[0].name.startswith(f"x.zip/in.{inner}")
    assert (found[0].error or "").startswith("it is damaged: ")
    assert found[-1] == SourceFile("x.zip/z.non", b"z")


@pytest.mark.parametrize(("inner", "outer"), sampled([*product(["zip", "tar.gz", "gz"], ["zip", "tar.xz"])], 5))
def test_nested_bombs_share_budget_of_outer_archive(tmp_path: Path, outer: str, inner: str) -> None:
    """What its archives unpack to counts for the outer one: memory and time are those of one archive."""
    limits = ReadLimits(max_unpacked=192 << 20)
    large = bytes(15 << 20)
    bomb = gzip.compress(large) if inner == "gz" else MAKERS[inner]({"a.non": large, "b.non": large})
    (tmp_path / "x.dat").write_bytes(MAKERS[outer]({f"{k}.dat": bomb for k in range(100)}))
    del large
    began = time.process_time()
    tracemalloc.start()
    try:
        ends = [file._replace(data=None) for file in files_in([tmp_path / "x.dat"], limits=limits)]
        assert tracemalloc.get_traced_memory()[1] < 128 << 20
    finally:
        tracemalloc.stop()
    assert ends[-1] == SourceFile("x.dat", None, "it unpacks to more than 192 MiB; the rest is not read")
    assert 6 <= len(ends) <= 14
    assert time.process_time() - began < 30


@pytest.mark.parametrize("inner", MAKERS)
@pytest.mark.parametrize("outer", ["zip", "tar"])
def test_member_limit_covers_nested_archives(tmp_path: Path, outer: str, inner: str) -> None:
    data = MAKERS[outer]({f"{k}.dat": MAKERS[inner]({f"{j}.non": b"x" for j in range(10)}) for k in range(4)})
    found = found_in(tmp_path / "x.dat", data, max_members=30)
    assert found[-1] == SourceFile("x.dat", None, "it has more than 30 members; the rest is not read")
    assert 20 <= len(found) <= 28


SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24)
NO_SEVEN_ZIP = "7z archives are not supported; unpack it first, or repack it as .zip"


@pytest.mark.parametrize("name", ["x.7z", "x.dat", "x.7z.gz", "empty.7z"])
def test_seven_zip_archive_is_refused_with_advice(tmp_path: Path, name: str) -> None:
    data = {"x.7z.gz": gzip.compress(SEVEN_ZIP), "empty.7z": b""}.get(name, SEVEN_ZIP)
    assert found_in(tmp_path / name, data) == [SourceFile(name.removesuffix(".gz"), None, NO_SEVEN_ZIP)]
    assert count_files([tmp_path / name]) == 1
    for outer, make in MAKERS.items():
        inside = found_in(tmp_path / outer, make({"a.non": b"a", "in.7z": SEVEN_ZIP, "z.non": b"z"}))
        assert inside[1] == SourceFile(f"{outer}/in.7z", None, NO_SEVEN_ZIP)
        assert [file.data for file in inside] == [b"a", None, b"z"]


def test_size_limit_covers_nested_archives(tmp_path: Path) -> None:
    data = zip_of({"in.zip": zip_of({"a.non": bytes(1 << 17), "b.non": b"b"}), "in.tar": tar_of({"c": bytes(1 << 16)})})
    error = "it is larger than 0 MiB"
    assert found_in(tmp_path / "x.zip", data, max_bytes=1 << 16) == [
        SourceFile("x.zip/in.zip/a.non", None, error),
        SourceFile("x.zip/in.zip/b.non", b"b"),
        SourceFile("x.zip/in.tar", None, error),
    ]


WHOLE = {f"{k}.non": random.Random(k).randbytes(400) + b"rows\n" * 200 for k in range(12)}


@pytest.mark.parametrize("kind", [*MAKERS, "nested"])
def test_truncated_archive_gives_valid_members_and_an_error(tmp_path: Path, kind: str) -> None:
    """What is read is right, and something says that the rest is missing."""
    data = zip_of({"in.tar.xz": MAKERS["tar.xz"](WHOLE)}) if kind == "nested" else MAKERS[kind](WHOLE)
    data = data.rstrip(b"\0")  # a tar's padding is not missed
    for twentieth in range(1, 20):
        found = found_in(tmp_path / f"x.{kind}", data[: len(data) * twentieth // 20])
        assert all(file.data == WHOLE[Path(file.name).name] for file in found if file.data is not None)
        assert [file.error is None for file in found] == [True] * (len(found) - 1) + [False]


@pytest.mark.parametrize("kind", [*MAKERS, "nested"])
def test_randomly_damaged_archive_gives_only_entries(tmp_path: Path, kind: str) -> None:
    """2,000 in all: each is read within a second, and nothing but entries comes of it."""
    data, change = DAMAGED[kind]
    chance = random.Random(kind)
    for _ in range(400):
        began = time.process_time()
        found = found_in(tmp_path / "x.dat", change(bytearray(data), chance))
        assert all((file.data is None) != (file.error is None) for file in found)
        assert all(not (file.error or "").count("\n") for file in found)
        assert time.process_time() - began < 1


def changed(data: bytearray, chance: random.Random, start: int = 0) -> bytes:
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        place = chance.randrange(start, len(data))
        data[place] = chance.choice([chance.randrange(256), 0, 255, data[place] ^ (1 << chance.randrange(8))])
    return bytes(data)


DAMAGED: dict[str, tuple[bytes, Callable[[bytearray, random.Random], bytes]]] = {
    **{kind: (make(WHOLE), changed) for kind, make in MAKERS.items()},
    "nested": (tar_of({"in.zip": zip_of(WHOLE), "in.tar.xz": MAKERS["tar.xz"](WHOLE)}), changed),
}

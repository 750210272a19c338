"""Single puzzles by id: requests, caching, and errors."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from faulty_twin import ADULT, DELETED, Faults, serve, unpublished

from nonocensus.pipeline.crawl.single import FetchOptions, open_fetcher, parse_id
from nonocensus.pipeline.errors import NetworkError
from nonocensus.scrapers.http import Reply
from nonocensus.scrapers.twin import build_archive
from nonocensus.solver.model.puzzle import Color, Puzzle, from_picture

COLORS = (Color("white", ".", "ffffff"), Color("black", "X", "000000"), Color("red", "r", "ff0000"))


def numbered(source: str, number: int, colored: bool = False) -> Puzzle:
    picture = [[1, 0, 2 if colored else 1], [0, 1, 1]]
    about = {"source": source, "source_id": str(number), "puzzle_id": f"{source}/{number}"}
    return from_picture(picture, COLORS[: 3 if colored else 2], **about)


PUZZLES = [numbered("webpbn", 6574), numbered("nonograms", 12), numbered("nonograms", 13, colored=True)]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "nonocensus" / "replies"


@pytest.fixture
def counts() -> Counter[str]:
    return Counter[str]()


@pytest.fixture
def twin(counts: Counter[str]) -> Iterator[str]:
    notices = unpublished(7) | {"nonograms/8": DELETED, "nonograms/9": ADULT}
    with serve(build_archive(PUZZLES), counts=counts, pages=notices) as address:
        yield address


def fetch(text: str, address: str, refresh: bool = False) -> Puzzle | str:
    puzzle_id = parse_id(text)
    assert puzzle_id is not None
    with open_fetcher(FetchOptions((address,), refresh=refresh), lambda _: None) as sites:
        return sites.puzzle(puzzle_id)


@pytest.mark.parametrize("text", ["webpbn/6574", "nonograms:12", "nonograms/13", "webpbn/0006574"])
def test_puzzle_id_is_parsed(twin: str, text: str) -> None:
    found = fetch(text, twin)
    assert isinstance(found, Puzzle)
    assert found.puzzle_id == text.replace(":", "/").replace("/000", "/")
    assert found.raw_sha256 is not None
    assert found.goal is not None
    assert found.goal.shape == (2, 3)


@pytest.mark.parametrize(
    "text",
    ["webpbn", "webpbn/", "webpbn/0", "webpbn/-1", "webpbn/1x", "webpbn/1234567890", "other/1", "webpbn/1\n", ""],
)
def test_other_text_is_not_an_id(text: str) -> None:
    assert parse_id(text) is None


def test_reply_is_cached_for_a_day(twin: str, counts: Counter[str], cache: Path) -> None:
    first, again = fetch("webpbn/6574", twin), fetch("webpbn:6574", twin)
    assert counts["webpbn/6574"] == 1
    assert isinstance(first, Puzzle)
    assert isinstance(again, Puzzle)
    assert vars(first).keys() == vars(again).keys()
    assert (again.rows, again.raw_sha256, again.fetched_at) == (first.rows, first.raw_sha256, first.fetched_at)
    fetch("webpbn/6574", twin, refresh=True)
    assert counts["webpbn/6574"] == 2
    (file,) = cache.iterdir()
    for age in (timedelta(hours=23), timedelta(hours=25), -timedelta(hours=1)):
        date_back(file, age)
        fetch("webpbn/6574", twin)
    assert counts["webpbn/6574"] == 4


def date_back(file: Path, age: timedelta) -> None:
    set_date(file, (datetime.now(UTC) - age).isoformat())


def set_date(file: Path, text: str) -> None:
    kept = json.loads(file.read_text())
    kept[Reply._fields.index("fetched_at")] = text
    file.write_text(json.dumps(kept))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"url": 1}', b"\xff\xfe", b"null"])
def test_damaged_cache_file_is_a_miss(twin: str, counts: Counter[str], cache: Path, content: bytes) -> None:
    fetch("webpbn/6574", twin)
    (file,) = cache.iterdir()
    file.write_bytes(content)
    assert isinstance(fetch("webpbn/6574", twin), Puzzle)
    assert counts["webpbn/6574"] == 2


def test_unwritable_cache_is_ignored(twin: str, cache: Path) -> None:
    cache.parent.mkdir()
    cache.symlink_to("/proc/nowhere")
    assert isinstance(fetch("webpbn/6574", twin), Puzzle)


def test_cached_time_without_zone_is_a_miss(twin: str, counts: Counter[str], cache: Path) -> None:
    fetch("webpbn/6574", twin)
    (file,) = cache.iterdir()
    set_date(file, "2020-01-01T00:00:00")
    fetch("webpbn/6574", twin)
    assert counts["webpbn/6574"] == 2


def test_addresses_have_separate_cache_keys(twin: str, counts: Counter[str]) -> None:
    fetch("webpbn/6574", twin)
    fetch("webpbn/6574", twin.replace("127.0.0.1", "localhost"))
    assert counts["webpbn/6574"] == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("webpbn/999", "missing: Puzzle 999 does not exist"),
        ("webpbn/7", "unpublished: Puzzle 7 has not been published"),
        ("nonograms/8", "deleted: "),
        ("nonograms/9", "adult: "),
        ("nonograms/999", "missing: "),
    ],
)
def test_missing_puzzle_is_explained(twin: str, counts: Counter[str], text: str, said: str) -> None:
    """One line explains it, and the answer is cached."""
    found = fetch(text, twin)
    assert isinstance(found, str)
    assert found.startswith(said)
    assert "\n" not in found
    before = counts.total()
    assert fetch(text, twin) == found
    assert counts.total() == before


def test_errors_are_not_cached(cache: Path) -> None:
    with serve(build_archive(PUZZLES), faults=Faults(1.0, kinds=("html-error",), seed=1)) as twin:
        found = fetch("webpbn/6574", twin)
    assert isinstance(found, str)
    assert found.startswith("error: ")
    assert not cache.exists()


def test_robots_txt_is_obeyed() -> None:
    with (
        serve(build_archive(PUZZLES), crawl_delay=86_400) as twin,
        pytest.raises(NetworkError, match=r"robots\.txt: .* treated as disallowed"),
    ):
        fetch("webpbn/6574", twin)


def test_unreachable_site_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(NetworkError, match="refused"):
        fetch("webpbn/1", "http://127.0.0.1:1")

"""The archive's list: what finds puzzles, how they are sorted, and what each choice would leave."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError
from serving import titled_run

from nonocensus.pipeline.serve.api_schemas import ListQuery
from nonocensus.pipeline.serve.catalog import Catalog, open_catalog


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with open_catalog(titled_run(tmp_path_factory.mktemp("titled"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def plain(catalog: Catalog) -> Iterator[Catalog]:
    """The store alone, without results."""
    with open_catalog(catalog.store) as opened:
        yield opened


def found(catalog: Catalog, **asked: Any) -> list[str]:
    """Ids of the puzzles of a page."""
    return [row["puzzle_id"] for row in catalog.page(ListQuery(**asked))["puzzles"]]


def test_rows_have_their_place_and_the_hash_that_an_opened_puzzle_has(catalog: Catalog, plain: Catalog) -> None:
    for opened in (catalog, plain):
        for place, row in enumerate(opened.page(ListQuery())["puzzles"]):
            assert row["place"] == place
            assert (opened.puzzle(row["puzzle_id"]) or {})["clue_hash"] == row["clue_hash"]


ALL = ["webpbn/7", "webpbn/27215", "nonograms/7", "nonograms/15", "webpbn/2"]
"""By minutes, but the last two take less than one, or are smaller than 5x5."""

BY_MINUTES = [ALL[3], *ALL[:3], ALL[4]]
"""The last one lacks them."""


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, ALL),
        ({"query": "15x15"}, ALL[:2]),
        ({"query": "15X15 round"}, ALL[1:2]),
        ({"query": "cafe EMILE"}, ALL[2:3]),
        ({"query": "Emile, cafe"}, ALL[2:3]),
        ({"query": "15"}, ["nonograms/15", "webpbn/27215"]),
        ({"query": "' or true --"}, []),
        ({"query": "%"}, []),
        ({"size": ["up to 10"]}, ["nonograms/15", "webpbn/2"]),
        ({"size": ["11–15", "up to 10"]}, [*ALL[:2], *ALL[3:]]),
        ({"side": "..15"}, [*ALL[:2], *ALL[3:]]),
        ({"side": "11..15", "star_count": ["2"]}, ALL[1:2]),
        ({"minutes": "..5"}, [ALL[0], ALL[3]]),
        ({"minutes": "5..1e1", "stars": "1.5.."}, ALL[1:2]),
        ({"hardest": ["clue"]}, ALL[3:4]),
        ({"quality": ["80 % and over"]}, ALL[1:3]),
        ({"quality_percent": "95.."}, ALL[1:2]),
        ({"quality": ["unknown"]}, ALL[4:]),
        ({"sort": "quality", "descending": True}, [*ALL[1:3], ALL[0], *ALL[3:]]),
        ({"colors": ["2"]}, ALL[3:4]),
        ({"color_count": "2..2"}, ALL[3:4]),
        ({"kind": ["color"]}, ALL[3:4]),
        ({"label": ["multiple"]}, ALL[4:]),
        ({"hardest": ["unknown"]}, ALL[4:]),
        ({"kind": [""]}, ALL),
        ({"sort": "minutes"}, BY_MINUTES),
        ({"sort": "stars", "descending": True}, [*BY_MINUTES[3::-1], "webpbn/2"]),
        ({"sort": "cells"}, ["webpbn/2", *BY_MINUTES[:4]]),
    ],
)
def test_puzzles_are_found_by_what_is_known_of_them(catalog: Catalog, asked: dict[str, Any], wanted: list[str]) -> None:
    assert found(catalog, **asked) == wanted


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("webpbn/27215", "webpbn/27215"),
        (" WEBPBN/27215 ", "webpbn/27215"),
        ("27215", "webpbn/27215"),
        ("27215,", "webpbn/27215"),
        ("#27215", "webpbn/27215"),
        ("webpbn #27215", "webpbn/27215"),
        ("webpbn/27215, ", "webpbn/27215"),
        ("webpbn / 27215", "webpbn/27215"),
        ("webpbn 27215", "webpbn/27215"),
        ("https://webpbn.com/play.cgi?id=27215", "webpbn/27215"),
        ("http://www.webpbn.com/27215?x=1", "webpbn/27215"),
        ("webpbn.com/27215", "webpbn/27215"),
        ("https://www.nonograms.org/nonograms2/i/7", "nonograms/7"),
        ("https://www.nonograms.ru/nonograms2/i/7", "nonograms/7"),
        ("7", None),
        ("2721", None),
        ("https://other.example/27215", None),
        ("https://webpbn.com/", None),
        ("", None),
    ],
)
def test_id_or_address_names_a_puzzle(catalog: Catalog, plain: Catalog, query: str, named: str | None) -> None:
    """Unless it names several."""
    for opened in (catalog, plain):
        page = opened.page(ListQuery(query=query))
        assert page["named"] == named
        if named:
            assert page["puzzles"][0]["puzzle_id"] == named


def test_named_puzzles_come_first(catalog: Catalog) -> None:
    assert found(catalog, query="7", sort="minutes", descending=True) == ["nonograms/7", "webpbn/7", "webpbn/27215"]


def test_facets_count_what_each_word_would_leave(catalog: Catalog) -> None:
    facets = catalog.page(ListQuery(size=["11–15"]))["facets"]
    assert facets["size"] == [("up to 10", 2), ("11–15", 2), ("16–20", 1)]
    assert facets["star_count"] == [("1", 1), ("2", 1), ("3", 0), ("unknown", 0)]
    assert facets["kind"] == [("mono", 2), ("color", 0)]
    for name, counted in catalog.page(ListQuery())["facets"].items():
        assert [word for word, _ in counted] == catalog.about()["facets"][name]
        for word, count in counted:
            assert len(found(catalog, **{name: [word]})) == count, (name, word)


def test_store_without_results_has_facets_of_its_puzzles_alone(plain: Catalog) -> None:
    assert plain.about()["results"] is plain.about()["graded"] is False
    assert list(plain.about()["facets"]) == ["size", "quality", "colors", "kind"]
    assert found(plain) == ["nonograms/15", "webpbn/27215", "webpbn/7", "nonograms/7", "webpbn/2"], "by size"
    assert found(plain, side="..10", colors=["1"]) == ["webpbn/2"]
    assert found(plain, minutes="..10") == []


@pytest.mark.parametrize(
    "asked",
    [
        {"side": "20"},
        {"minutes": "a..b"},
        {"stars": "..5; drop table listed"},
        {"sort": "place; --"},
        {"grade": ["10"]},
    ],
)
def test_nonsense_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ListQuery(**asked)

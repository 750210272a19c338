"""The registry: which format a file has."""

import re

import pytest

from scrapers.formats import FORMATS, FormatError, detect, non, taai, webpbn_xml

NON = b"rows\n1\ncolumns\n1\n"
XML = b"<puzzleset><puzzle><solution><image>|X|</image></solution></puzzle></puzzleset>"


def test_every_format_says_what_it_is() -> None:
    for known in FORMATS:
        assert re.fullmatch(r"[a-z-]+", known.NAME)
        assert all(re.fullmatch(r"\.[a-z]+", suffix) for suffix in known.SUFFIXES)
        assert known.__doc__


def test_names_and_suffixes_are_distinct() -> None:
    names = [known.NAME for known in FORMATS]
    suffixes = [suffix for known in FORMATS for suffix in known.SUFFIXES]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.non", NON, non),
        ("a", NON, non),
        ("a.xml", NON, non),
        ("a.non", XML, webpbn_xml),
        ("a", XML, webpbn_xml),
        ("a.txt", b"\r\n$1\r\n1\r\n1\r\n", taai),
        ("a.NON", b"rows\n1", non),
        ("folder.xml/a.nonpack", b"rows\n1", non),
        ("a.XML", b"<html>", webpbn_xml),
        ("a", b"Puzzle 5 does not exist\n", webpbn_xml),
    ],
)
def test_content_first_suffix_second(name: str, data: bytes, expected: object) -> None:
    assert detect(name, data) is expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"some text", "unknown format: not one of non (.non .nonpack), webpbn-xml (.xml), taai (.taai)"),
        (b"", "it is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "it is a binary file, not text"),
        (b"abc\x9d", "it is text in neither UTF-8 nor Windows-1252 (byte 0x9d at offset 3)"),
    ],
)
def test_no_known_format(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        detect("a.dat", data)
    assert str(error.value) == message

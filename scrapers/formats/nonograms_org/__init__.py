"""Pages of nonograms.org and nonograms.ru.

A page has no clues but the picture, obfuscated in an array of numbers (`codec`).
"""

from nonocensus.scrapers.formats.nonograms_org.codec import MAX_NUMBER, MAX_SIDE, Array, Decoded, decode, encode
from nonocensus.scrapers.formats.nonograms_org.reader import judge, listed, newest
from nonocensus.scrapers.formats.nonograms_org.writer import (
    adult_page,
    deleted_page,
    missing_page,
    write_list_page,
    write_page,
)

__all__ = [
    "MAX_NUMBER",
    "MAX_SIDE",
    "Array",
    "Decoded",
    "adult_page",
    "decode",
    "deleted_page",
    "encode",
    "judge",
    "listed",
    "missing_page",
    "newest",
    "write_list_page",
    "write_page",
]

"""The numbers that a crawl is to ask for: spans of them, so that a billion take no more room than one."""

import itertools
import re
from collections.abc import Iterator

from pipeline.errors import UserError
from pipeline.store.spans import Spans, union
from scrapers.formats.shared import clipped

RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def parse_ids(text: str) -> Spans:
    """Numbers like 7, 1-5000 or 1-10,20-30. Raises UserError for anything else, a reversed range too."""
    spans = []
    for part in map(str.strip, text.split(",")):
        found = RANGE.fullmatch(part)
        if not found:
            raise UserError(f"--ids: {clipped(part)} is neither a number nor a range like 1-5000, of 9 digits at most")
        first, last = int(found[1]), int(found[2] or found[1])
        if first == 0:
            raise UserError(f"--ids: ids begin at 1, not {part}")
        if last < first:
            raise UserError(f"--ids: {part} runs backwards")
        spans.append((first, last + 1))
    return union(spans)


def in_order(spans: Spans) -> Iterator[int]:
    """The numbers of the spans, one by one."""
    return itertools.chain.from_iterable(range(first, end) for first, end in spans)

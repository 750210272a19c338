"""The numbers that a crawl is to ask for, as people write them."""

import re

from pipeline.errors import UserError

RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def parse_ids(text: str) -> list[range]:
    """Numbers like 7, 1-5000 or 1-10,20-30. Raises UserError for anything else, a reversed range too."""
    ranges = []
    for part in text.split(","):
        found = RANGE.fullmatch(part.strip())
        if not found:
            raise UserError(f"--ids {text}: {part.strip()!r} is neither a number nor a range like 1-5000")
        first, last = int(found[1]), int(found[2] or found[1])
        if first == 0:
            raise UserError(f"--ids {text}: ids begin at 1")
        if last < first:
            raise UserError(f"--ids {text}: {part.strip()} runs backwards")
        ranges.append(range(first, last + 1))
    return ranges

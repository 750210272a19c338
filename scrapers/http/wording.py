"""Statuses, durations and sizes as people read them."""

import math
from http.client import responses


def status_in_words(status: int) -> str:
    """Like 404 Not Found."""
    return f"{status} {responses.get(status, '')}".strip()


def seconds_in_words(seconds: float) -> str:
    """Whole seconds, rounded up."""
    return f"{math.ceil(seconds):,} s"


def size_in_words(count: int) -> str:
    """Bytes or MB."""
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count:,} bytes"

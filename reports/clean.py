"""Text from strangers without the characters by which it could move the cursor, recolour or turn round what is shown.

Titles, authors, ids, messages and names of files may hold any character. Those that steer a terminal (C0 and C1 control
characters), those that override the direction of writing, and halves of surrogate pairs, which no file can hold, are
never shown as they are.
"""

import re

UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""All but the line feed and the tab."""


def clean(text: str) -> str:
    """The text with each unsafe character replaced by one that says so."""
    return UNSAFE.sub("\ufffd", text)


def escaped(text: str) -> str:
    r"""JSON with each unsafe character as \u and its number, which means the same."""
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

"""Removal of control characters from untrusted text.

Titles, authors, ids, messages and file names may contain any character. C0 and C1 control characters, which control a
terminal, characters that override the writing direction, and lone surrogates are replaced before output.
"""

import re

UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Unsafe characters; line feed and tab are safe."""


def clean(text: str) -> str:
    """Replace each unsafe character by U+FFFD."""
    return UNSAFE.sub("\ufffd", text)


def escaped(text: str) -> str:
    r"""Escape unsafe characters in JSON as \u sequences."""
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

"""Removal of control characters from untrusted text, and of a wrong decoding.

Titles, authors, ids, messages and file names may contain any character. C0 and C1 control characters, which control a
terminal, characters that override the writing direction, and lone surrogates are replaced before output.
"""

import re

UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Unsafe characters; line feed and tab are safe."""


def clean(text: str) -> str:
    """Replace each unsafe character by U+FFFD."""
    return UNSAFE.sub("\ufffd", text)


WINDOWS = {ord(char): k for k in range(0x80, 0xA0) if (char := bytes([k]).decode("cp1252", "ignore"))}
"""Bytes by their characters in Windows-1252 where it is not Latin-1, which as in browsers has the other characters."""


def without_mojibake(text: str) -> str:
    """Return a text whose UTF-8 was read as Windows-1252, once or several times, as it was; other text unchanged.

    It is right for all titles and authors that it changes of 65,547 puzzles of webpbn.com and griddlers.net: 127.
    """
    try:
        decoded = text.translate(WINDOWS).encode("latin-1").decode()
    except UnicodeError:
        return text
    return text if decoded == text else without_mojibake(decoded)


def escape_json(text: str) -> str:
    r"""Escape unsafe characters in JSON as \u sequences."""
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

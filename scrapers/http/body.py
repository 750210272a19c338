"""The body of a reply: read to its end, unpacked, and never more of it than is allowed."""

import zlib

import requests

from scrapers.http.trouble import Trouble
from scrapers.http.wording import size_in_words

READ_BYTES = 1 << 16
"""The most that is read from a connection at a time."""

PIECE_BYTES = 1 << 12
"""What is unpacked at a time."""

GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
"""Tells zlib to see for itself which of the two it is."""


def read_body(response: requests.Response, most: int) -> bytes | Trouble:
    """The whole body, unpacked, of at most so many bytes. Raises what the libraries raise if the connection fails."""
    status = response.status_code
    too_large = Trouble(f"reply larger than {size_in_words(most)}", status, again=False)
    raw, parts, size = response.raw, [], 0
    unbounded = raw.length_remaining is None and not raw.chunked
    if (raw.length_remaining or 0) > most:
        return too_large
    # read1 comes back with whatever there is, while read and stream would wait for as much as they were asked for
    while part := raw.read1(READ_BYTES, decode_content=False):
        size += len(part)
        if size > most:
            return too_large
        parts.append(part)
    if size == 0 and unbounded and status == 200:
        # what a reply looks like that broke off in its headers
        return Trouble("reply broke off", status)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if size == 0 or encoding in ("", "identity"):
        return b"".join(parts)
    if encoding not in ("gzip", "x-gzip", "deflate"):
        return Trouble(f"reply in an encoding that was not asked for: {encoding[:40]!r}", status, again=False)
    return _unpacked(b"".join(parts), most, too_large)


def _unpacked(packed: bytes, most: int, too_large: Trouble) -> bytes | Trouble:
    """What gzip has packed: all members of it, which follow each other (RFC 1952, 2.2); anything else is damage.

    It goes piece by piece: zlib hands back what follows a member as a copy, and there may be a million empty ones.
    """
    unpacker = zlib.decompressobj(GZIP_OR_ZLIB)
    parts: list[bytes] = []
    left = most
    for start in range(0, len(packed), PIECE_BYTES):
        piece = packed[start : start + PIECE_BYTES]
        while piece:
            if unpacker.eof:
                unpacker = zlib.decompressobj(GZIP_OR_ZLIB)
            try:
                parts.append(unpacker.decompress(piece, left + 1))
            except zlib.error:
                return too_large._replace(reason="reply damaged", again=True)
            left -= len(parts[-1])
            if left < 0:
                return too_large
            piece = unpacker.unused_data
    if not unpacker.eof:
        return too_large._replace(reason="reply broke off", again=True)
    return b"".join(parts)

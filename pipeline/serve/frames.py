"""The frames that server and workers send each other: a length of 4 bytes (big-endian), a kind of one, the content."""

JOB, READY, TAKEN, COMPILING, RESULT, REFUSED, LATER, FAILED = (bytes([kind]) for kind in range(8))

HEAD = 4
"""Bytes of the length, which counts the kind and the content."""


def frame(kind: bytes, content: bytes) -> bytes:
    """A frame as it is sent."""
    return (1 + len(content)).to_bytes(HEAD, "big") + kind + content

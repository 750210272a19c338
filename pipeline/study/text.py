"""Text files that an option names."""

import os
import stat
from pathlib import Path

from pipeline.errors import UserError

MOST_BYTES = 64 << 20
"""Ids of some three million puzzles."""


def read_text(option: str, path: Path, mark: str = "") -> str:
    """Return the text of a file or a pipe in UTF-8. A UserError names the option and says why it can't be read.

    mark   what stands before the file's name in the option
    """
    named = f"{option} {mark}{path}"
    try:
        with path.open("rb") as file:
            kind = os.fstat(file.fileno()).st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
                raise UserError(f"{named} can't be read: it is neither a file nor a pipe")
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{named} can't be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise UserError(f"{named} can't be read: it is larger than {MOST_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{named}: byte {error.start} is not UTF-8; save it as UTF-8 text") from error

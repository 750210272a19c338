"""The names of files and members: made harmless, and which of them are passed over."""

import re
from pathlib import PurePosixPath

NO_PUZZLE_SUFFIXES = (
    *(".md", ".rst", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp"),
    *(".py", ".js", ".css", ".sha256", ".asc"),
)
NO_PUZZLE_NAME = re.compile(
    r"(README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|AUTHORS|MANIFEST|Makefile)([-._ ].*)?|pack\.(csv|json)"
)
"""What folders and archives hold besides puzzles, the index files of our packs included: skipped without a message. A
file given as an argument is read whatever its name."""

PASSED_OVER = "of folders and archives, images are read only where they are named, as folder/*.png"
"""What to say where nothing is found."""


def may_be_puzzle(name: str) -> bool:
    """Whether a file is neither hidden nor plainly something else."""
    *folders, last = PurePosixPath(name).parts or ("",)
    hidden = not last or any(part.startswith(".") or part == "__MACOSX" for part in (*folders, last))
    other = PurePosixPath(last).suffix.lower() in NO_PUZZLE_SUFFIXES or NO_PUZZLE_NAME.fullmatch(last)
    return not hidden and not other


def clean(name: str) -> str:
    """The name of a file or member as a relative path that can be printed and stored: no `..`, no escape sequences."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in "/".join(parts))

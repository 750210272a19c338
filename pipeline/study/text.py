"""Text files that an option names."""

from pathlib import Path

from pipeline.errors import UserError


def read_text(option: str, path: Path) -> str:
    """The text of a file in UTF-8. A UserError says what is wrong with it, and which option has named it."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{option} {path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{option} {path}: byte {error.start} is not UTF-8; save it as UTF-8 text") from error

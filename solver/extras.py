"""Optional dependencies, which the extras in pyproject.toml install."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ModuleNotFoundError):
    """A library of an extra is not installed; the message says how to install it."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Raise MissingExtra if an import in the block fails, of a library that the extra installs."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in ("", "nonocensus"):
            raise
        what = f"{library} is not installed: pip install 'nonocensus[{name}]'"
        raise MissingExtra(what, name=library) from None

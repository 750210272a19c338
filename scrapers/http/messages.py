"""What is asked of a site, what comes back, and the three exceptions that come in place of a reply."""

from datetime import datetime
from typing import NamedTuple


class Request(NamedTuple):
    """What to ask for: POST if there is a form, else GET."""

    url: str
    form: dict[str, str] | None = None


class Reply(NamedTuple):
    """What a site said: any status but 429 and 5xx, and no redirect that can be followed.

    `url` is where it was found after redirects. Names of headers are in lower case. The body is unpacked, though the
    headers may speak of gzip. `seconds` is the latency, from asking until the headers were here.
    """

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    fetched_at: datetime
    seconds: float


class Failed(Exception):
    """A request got no reply worth keeping after all tries; one line says what and where.

    `tries` is how often it was asked for, `status` the last HTTP status, or None if there was none.
    """

    def __init__(self, line: str, tries: int, status: int | None = None) -> None:
        super().__init__(line)
        self.tries = tries
        self.status = status


class Forbidden(Exception):
    """robots.txt does not allow it or can't be read; one line says which."""


class Unreachable(Exception):
    """The host can't be reached, so other requests are no use either; one line says why and what to do."""

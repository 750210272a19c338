"""URLs and URIs that hide their secrets wherever they become text."""

import re
from typing import Self

SEPARATOR, AT = r"(?::|%3a)(?://|%2f%2f)", r"(?:@|%40)"
"""As they are, and encoded in the value of a parameter."""

USER = re.compile(
    rf"""\b(?P<scheme>[a-z][a-z0-9+.-]*)(?P<separator>{SEPARATOR})(?:
        [^\s/?#]*{AT}                                                     # user:password@
        | (?<=s3://)[^\s/?#@]*:[^\s@]*@                                   # a key of S3 may have a slash
        | (?!\[)[^\s/?#@]*(?<!:):(?!:|\d*(?:[/?#'"),;\s]|$))[^\s@]*@      # as may a password; a port is a number
    )""",
    re.IGNORECASE | re.VERBOSE,
)

PARAMETER = re.compile(
    r"""(?P<name>[?&;#][^\s?&;#=]*
        (?:sig|token|secret|key|pass|pwd|cred|auth|session|jwt|hash|hmac|\bhm)[^\s?&;#=]*=)
        [^\s&;#'"<>\\]*[^\s&;#'"<>\\:,.]""",
    re.IGNORECASE | re.VERBOSE,
)


def _without_password(found: re.Match[str]) -> str:
    scheme, separator = found["scheme"], found["separator"]
    name, colon, _ = found[0].removeprefix(scheme + separator).partition(":")
    is_secret = scheme.lower() in ("s3", "s3a", "http", "https")
    return f"{scheme}{separator}" + ("" if is_secret else f"{name}@" if colon else name)


def redact(text: str) -> str:
    """Remove passwords, keys and tokens from all URLs in a text, and the values of parameters that may be secret."""
    return PARAMETER.sub(r"\g<name>***", USER.sub(_without_password, text))


class Url(str):
    """A path, URL or URI as text without its secrets, which only `secret` has: the form to connect with.

    What is made of it by formatting, joining or slicing is text without secrets too.
    """

    secret: str

    def __new__(cls, text: str) -> Self:
        """Return the URL, or the same one if it is one already."""
        if isinstance(text, cls):
            return text
        url = super().__new__(cls, redact(text))
        url.secret = text
        return url

    def __str__(self) -> Self:
        return self

    def borrow_user(self, other: "Url") -> "Url":
        """Return the URL with the other's user name and password, if it has none and is of the same host or bucket."""
        host, with_user = ("/".join(text.split("/")[:3]) for text in (other, other.secret))
        is_same = self == self.secret and self.startswith(f"{host}/")
        return Url(with_user + self.removeprefix(host)) if is_same else self

    def __getnewargs__(self) -> tuple[str]:  # for pickle and copy
        return (self.secret,)

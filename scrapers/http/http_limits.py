"""How long and how often a session tries, and how much it takes in."""

from typing import NamedTuple


class Limits(NamedTuple):
    """The limits of a session; all times are in seconds.

    tries             how often a request is asked for
    connect_timeout   for a connection to each address of a host, and for what TLS needs then
    read_timeout      for each piece of a reply
    total_timeout     for a whole exchange, from the connection to the last byte, however small the pieces
    most_bytes        of a body, packed or not
    longest_delay     that grows from a site's trouble; a longer rate or Crawl-delay is kept all the same
    longest_wait      that Retry-After may ask for (more is `Failed`), and that a backoff may take
    """

    tries: int = 5
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    total_timeout: float = 120.0
    most_bytes: int = 16 << 20
    longest_delay: float = 60.0
    longest_wait: float = 900.0


USUAL = Limits()

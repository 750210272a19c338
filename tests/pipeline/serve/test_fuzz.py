"""The API fuzzed from its own description."""

import pytest
from serving import running

pytestmark = pytest.mark.slow


def test_replies_match_the_openapi_description() -> None:
    from described import assert_as_described  # loads what takes each test process a second, and only two need

    with running("--cpus", "2", "--cpu-limit", "0.5") as server:
        assert_as_described(server.address, 16, 25)

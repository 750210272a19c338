"""A server for the tests of a file."""

from collections.abc import Iterator

import pytest
from serving import Server, running


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server with the file's OPTIONS of the command `serve`."""
    with running(*request.module.OPTIONS) as server:
        yield server

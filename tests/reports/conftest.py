"""One browser for all tests of pages in this folder: it takes a second or two to start."""

from collections.abc import Iterator

import pytest
from chromium import chromium
from tabs import Tab


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A tab that no test needs as another one left it."""
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield Tab(driver)

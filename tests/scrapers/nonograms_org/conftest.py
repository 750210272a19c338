"""The saved pages of the site, where they are."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real(shared_data: Path) -> Path:
    folder = shared_data / "nonograms-org"
    if not folder.is_dir():
        pytest.skip("the saved pages of ../shared/data/nonograms-org are not here")
    return folder

"""Stores for the pipeline's tests."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.settings import default_settings
from pipeline.store import Store, append, create_store
from solver.puzzle import from_picture
from solver.tables import puzzle_batch

SMALL_GROUPS = default_settings()._replace(rows_per_group=5, groups_per_part=10)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store of 300 random puzzles in 60 row groups of 6 parts."""
    rng = np.random.default_rng(4)
    puzzles = [
        from_picture((rng.random((8, 9)) < 0.6).astype(np.uint8), puzzle_id=f"test/{k}", source="test")
        for k in range(300)
    ]
    place = create_store(str(tmp_path / "store"))
    append(place, [puzzle_batch(puzzles)], SMALL_GROUPS)
    return place

"""Where compiled kernels lie: in a folder that is nobody else's, since Numba unpickles what it finds there."""

import os
import stat
from pathlib import Path

import pytest

from solver.jit import make_private


def test_a_new_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private(tmp_path / "new" / "cache")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new" / "cache").stat().st_mode) == 0o700
    make_private(tmp_path / "new" / "cache")


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o702])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    with pytest.raises(PermissionError, match="can be written by others: set NUMBA_CACHE_DIR"):
        make_private(tmp_path / "cache")


def test_another_user_s_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="is another user's: set NUMBA_CACHE_DIR"):
        make_private(tmp_path)

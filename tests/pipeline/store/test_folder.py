"""Files appear whole or not at all."""

from pathlib import Path

import pytest

from pipeline.store.folder import folder


def test_a_file_appears_when_it_is_finished(tmp_path: Path) -> None:
    place = folder(str(tmp_path))
    with place.create("a.txt") as stream:
        stream.write(b"half")
        assert place.names() == []
        stream.write(b"whole")
    assert place.names() == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"halfwhole"


def test_a_failed_file_leaves_nothing(tmp_path: Path) -> None:
    place = folder(str(tmp_path))

    def fail_half_way() -> None:
        with place.create("a.txt") as stream:
            stream.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert list(tmp_path.iterdir()) == []

"""A library of an extra that is not installed is named, with the command that installs it."""

import re
import tomllib
from pathlib import Path

import pytest

from nonocensus.solver.extras import MissingExtra, extra

ROOT = Path(__file__).resolve().parents[2]


def test_missing_library_is_named() -> None:
    with (
        pytest.raises(MissingExtra, match=r"^nosuch is not installed: pip install 'nonocensus\[pictures\]'$"),
        extra("pictures"),
    ):
        import nosuch.module  # noqa: F401


def test_missing_module_of_ours_is_a_bug() -> None:
    with pytest.raises(ModuleNotFoundError) as raised, extra("pictures"):
        import nonocensus.nosuch  # noqa: F401
    assert not isinstance(raised.value, MissingExtra)


def test_extras_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {
        name
        for package in ("solver", "scrapers", "reports", "pipeline", "nonocensus")
        for path in (ROOT / package).rglob("*.py")
        for name in re.findall(r"with extra\(\"([\w-]+)\"\)|nonocensus\[([\w-]+)\]", path.read_text())
        for name in name
        if name
    }
    assert {"pictures", "checkers", "cloud", "serve"} <= named <= extras.keys()

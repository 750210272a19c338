"""Default settings, from default.toml, and the folder that has the package."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nonocensus

ROOT = Path(nonocensus.__file__).resolve().parents[1]
"""The folder that has the package."""


class Settings(NamedTuple):
    """The values of default.toml."""

    rows_per_group: int
    groups_per_part: int
    cpu_limit: float
    sweep_limit: float
    limit_growth: float


@cache
def default_settings() -> Settings:
    """Read default.toml."""
    sections = tomllib.loads(Path(__file__).with_name("default.toml").read_text())
    return Settings(**{name: value for section in sections.values() for name, value in section.items()})

"""The defaults, default.toml beside this module."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Settings(NamedTuple):
    """One value for each line of default.toml."""

    rows_per_group: int
    groups_per_part: int
    cpu_limit: float
    sweep_limit: float
    limit_growth: float


@cache
def default_settings() -> Settings:
    """Read default.toml."""
    sections = tomllib.loads(files("pipeline").joinpath("default.toml").read_text())
    return Settings(**{name: value for section in sections.values() for name, value in section.items()})

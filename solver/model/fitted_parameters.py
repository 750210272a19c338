"""Parameter files of fitted models, with format version and checksum, and what the models' formulas share."""

import hashlib
import json
import math
from collections.abc import Callable
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple, TypeVar

import numpy as np

Model = TypeVar("Model")

VERSION = 1
"""Version of the format of parameter files."""

LIMIT = 4.0
"""Standard deviations beyond which a feature counts no more."""

MINUTE = 60.0

DIGITS = 3
"""Decimals of an estimate."""


class ParameterError(Exception):
    """A parameter file is missing, damaged or of another version."""


class Interval(NamedTuple):
    """Where 80 % of puzzles' times lie, as factors of the estimate, interpolated between estimates in log(seconds)."""

    log_seconds: np.ndarray
    low: np.ndarray
    high: np.ndarray


def standardise(features: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return z of features, float64[puzzles, features]."""
    return np.asarray(np.clip((np.log1p(features) - mean) / scale, -LIMIT, LIMIT))


def minutes_of(log_seconds: np.ndarray, interval: Interval, widening: np.ndarray | float = 1.0) -> list[np.ndarray]:
    """Return estimated minutes and both ends of their interval, which `widening` widens in logarithms."""
    low, high = (np.interp(log_seconds, interval.log_seconds, side) * widening for side in interval[1:])
    log_minutes = log_seconds - math.log(MINUTE)
    return [np.exp(log_minutes + shift) for shift in (0.0, low, high)]


def parse_interval(rows: list[dict[str, float]]) -> Interval:
    """Build an interval from its parameters."""
    return Interval(*np.log([[row["seconds"], row["low"], row["high"]] for row in rows]).T)


def load(source: Traversable, build: Callable[[dict[str, Any]], Model]) -> Model:
    """Return the model of a parameter file of the package; `build` as for `parse`. Raises ParameterError."""
    try:
        text = source.read_bytes()
    except OSError as error:
        raise ParameterError(f"{source} can't be read: {error.strerror}; reinstall nonocensus") from error
    return parse(text, str(source), build)


def parse(text: bytes, name: str, build: Callable[[dict[str, Any]], Model]) -> Model:
    """Parse a parameter file; `name` is for messages. Raises ParameterError.

    build   makes the model of the fields; raises KeyError, ValueError or TypeError for fields of another shape
    """
    try:
        fields = json.loads(text)
        version, expected = fields["version"], fields.pop("checksum")
        if version == VERSION and expected == checksum(fields):
            return build(fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ParameterError(f"{name} is damaged ({error!r}); reinstall nonocensus") from error
    if version != VERSION:
        raise ParameterError(f"{name} has format version {version}, not {VERSION}; reinstall nonocensus")
    raise ParameterError(f"{name} is damaged (checksum mismatch); reinstall nonocensus")


def file_text(fields: dict[str, Any]) -> str:
    """Return the parameter file of these fields; version and checksum are added."""
    fields = {"version": VERSION} | fields
    return json.dumps(fields | {"checksum": checksum(fields)}, indent=1) + "\n"


def checksum(fields: dict[str, Any]) -> str:
    """Return the SHA-256 of a parameter file's fields, without the checksum."""
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()

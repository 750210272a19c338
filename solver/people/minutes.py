"""How long a puzzle takes people, in minutes, and how hard they call it, in stars.

Models of mono and of colour puzzles, linear in the logarithms of FEATURES: `seconds` fitted to the solving times of
griddlers.net, `stars` to the ratings of webpbn.com. docs/DIFFICULTY.md has data, method and errors;
`python -m benchmarks people --fit DATA` writes the parameters, minutes.json.

With z a feature's logarithm of 1 + value, standardised and clipped to -LIMIT..LIMIT:

    log(seconds) = constant + sum(linear z + square z^2) + assumptions log(1 + log_open)
    stars        = constant + sum(linear z + product z m) + length m + square m^2,  m = log(seconds), standardised

The parameter file has a format version and a checksum.
"""

import hashlib
import json
import math
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.people.features import AT_CELLS, AT_LOG_OPEN, FEATURES

VERSION = 1
"""Version of the format of the parameter file."""

LIMIT = 4.0
"""Standard deviations beyond which a feature counts no more."""

MINUTE = 60.0

DIGITS = 3
"""Decimals of an estimate."""

MIN_STARS, MAX_STARS = 1.0, 5.0
"""The scale of webpbn.com's ratings."""


class ParameterError(Exception):
    """The parameter file is missing, damaged or of another version."""


class Interval(NamedTuple):
    """Where 80 % of puzzles' times lie, as factors of the estimate, interpolated between estimates in log(seconds)."""

    log_seconds: np.ndarray
    low: np.ndarray
    high: np.ndarray


class MinutesModel(NamedTuple):
    """Parameters for puzzles of a kind; the arrays have a value per feature, in the order of FEATURES.

    cells         most cells of the puzzles that it was fitted to
    mean, scale   of a feature's logarithm
    seconds       float64[features, 2]: weights of z and of its square
    stars         float64[features, 2]: weights of z and of its product with m
    constants     of log(seconds), and of the stars
    assumptions   weight of log(1 + log_open), which makes estimates of puzzles beyond line logic
    length        mean and scale of m, then the weights of m and of its square
    interval      of puzzles that line logic solves
    widening      by how much the interval is wider beyond line logic, in logarithms
    """

    cells: int
    mean: np.ndarray
    scale: np.ndarray
    seconds: np.ndarray
    stars: np.ndarray
    constants: tuple[float, float]
    assumptions: float
    length: tuple[float, float, float, float]
    interval: Interval
    widening: float


class Estimate(NamedTuple):
    """Estimates for puzzles, float64[puzzles] each.

    minutes     typical solving time of those who finish
    low, high   minutes within which 80 % of such puzzles take people
    stars       mean rating of difficulty, 1 to 5
    """

    minutes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    stars: np.ndarray


def standardise(features: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return z of features, float64[puzzles, features]."""
    return np.asarray(np.clip((np.log1p(features) - mean) / scale, -LIMIT, LIMIT))


def estimate(features: np.ndarray, model: MinutesModel) -> Estimate:
    """Estimate solving time and rating of puzzles of the model's kind that techniques solve without search.

    features    float64[puzzles, features]

    NaN for puzzles with more cells than any that the model was fitted to.
    """
    z = standardise(features, model.mean, model.scale)
    depth = np.log1p(features[:, AT_LOG_OPEN])
    # Sums by row, not matrix products, whose rounding would depend on the other puzzles.
    log_seconds = model.constants[0] + model.assumptions * depth
    log_seconds += (z * (model.seconds[:, 0] + z * model.seconds[:, 1])).sum(axis=1)
    mean, scale, *weights = model.length
    length = (log_seconds - mean) / scale
    stars = model.constants[1] + weights[0] * length + weights[1] * length**2
    stars += (z * (model.stars[:, 0] + length[:, None] * model.stars[:, 1])).sum(axis=1)
    wider = np.where(depth > 0, model.widening, 1.0)
    low, high = (np.interp(log_seconds, model.interval.log_seconds, side) * wider for side in model.interval[1:])
    minutes = [np.exp(log_seconds - math.log(MINUTE) + shift) for shift in (0.0, low, high)]
    columns = [*minutes, np.clip(stars, MIN_STARS, MAX_STARS)]
    unknown = features[:, AT_CELLS] > model.cells
    return Estimate(*(np.where(unknown, np.nan, np.round(values, DIGITS)) for values in columns))


class Validation(NamedTuple):
    """How well estimates agree with what people say, cross-validated by puzzle.

    puzzles        with known times or ratings
    rho            Spearman's rank correlation
    within_sizes   its mean within bands of sizes (reports.numbers.rating_correlations)
    median_error   as a share of the time, or in stars; None for minutes with ratings, and stars with times
    in_interval    share of the times within the 80 % interval; None for stars
    """

    puzzles: int
    rho: float
    within_sizes: float
    median_error: float | None = None
    in_interval: float | None = None


class Parameters(NamedTuple):
    """The parameter file.

    models        by kind: mono, color
    validations   by kind, of `seconds` and of `stars`
    name          sixteen hex digits of the checksum, which identify the models
    """

    models: dict[str, MinutesModel]
    validations: dict[str, dict[str, Validation]]
    name: str


@cache
def parameters() -> Parameters:
    """Return the parameters of the package. Raises ParameterError."""
    source = files("nonocensus.solver.people") / "minutes.json"
    try:
        text = source.read_bytes()
    except OSError as error:
        raise ParameterError(f"{source} can't be read: {error.strerror}; reinstall nonocensus") from error
    return parse(text, str(source))


def parse(text: bytes, name: str) -> Parameters:
    """Parse a parameter file; `name` is for messages. Raises ParameterError."""
    try:
        fields = json.loads(text)
        version, expected = fields["version"], fields.pop("checksum")
        if version == VERSION and expected == checksum(fields):
            kinds = {kind: fields["kinds"][kind] for kind in ("mono", "color")}
            validations = {
                kind: {what: Validation(**parts["validation"][what]) for what in ("seconds", "stars")}
                for kind, parts in kinds.items()
            }
            return Parameters({kind: parse_model(parts) for kind, parts in kinds.items()}, validations, expected[:16])
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


def parse_model(fields: dict[str, Any]) -> MinutesModel:
    """Build a model from its parameters; raises KeyError, ValueError or TypeError for fields of another shape."""
    features = [fields["features"][name] for name in FEATURES]
    mean, scale, seconds, stars = (
        np.array([feature[name] for feature in features], np.float64) for name in ("mean", "scale", "seconds", "stars")
    )
    seconds_fields, stars_fields = fields["seconds"], fields["stars"]
    length = (stars_fields["mean"], stars_fields["scale"], stars_fields["length"], stars_fields["square"])
    return MinutesModel(
        cells=fields["cells"],
        mean=mean,
        scale=scale,
        seconds=seconds,
        stars=stars,
        constants=(seconds_fields["constant"], stars_fields["constant"]),
        assumptions=seconds_fields["assumptions"],
        length=length,
        interval=Interval(*np.log([[row["seconds"], row["low"], row["high"]] for row in fields["interval"]]).T),
        widening=fields["widening"],
    )

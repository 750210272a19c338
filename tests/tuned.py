"""Tuning constants drawn at random within their bounds (solver.tuning): no verdict may depend on them."""

import json
import math

import numpy as np

from solver.tuning import TABLE, VARIABLE, Constant, Number


def drawn(seed: int) -> dict[str, object]:
    """A value for each constant, by its name; half of them as they are meant to be, others at a bound."""
    rng = np.random.default_rng(seed)
    return {name: _value(rng, constant) for name, constant in TABLE.items() if rng.random() < 0.5}


def environment(seed: int) -> dict[str, str]:
    """What gives a process these constants."""
    return {VARIABLE: json.dumps(drawn(seed))}


def _value(rng: np.random.Generator, constant: Constant) -> object:
    if isinstance(constant.value, tuple):
        return [_number(rng, constant, own) for own in constant.value]
    return _number(rng, constant, constant.value)


def _number(rng: np.random.Generator, constant: Constant, own: Number) -> Number:
    """By order of magnitude: bounds are far apart."""
    least, most = constant.least, constant.most
    if rng.random() < 0.2:
        return least
    below = max(float(least), float(most) * 1e-12)
    number = math.exp(rng.uniform(math.log(below), math.log(most)))
    number = min(max(number, least), most)
    return round(number) if isinstance(own, int) else number

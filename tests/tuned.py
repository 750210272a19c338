"""Tuning constants drawn at random within their bounds (solver.tuning): no verdict may depend on them."""

import json
import math

import numpy as np

from nonocensus.solver.tuning import TABLE, VARIABLE, Constant, Number


def drawn(seed: int) -> dict[str, object]:
    """Draw values for about half of the constants, some at their lower bound."""
    rng = np.random.default_rng(seed)
    return {name: _value(rng, constant) for name, constant in TABLE.items() if rng.random() < 0.5}


def environment(seed: int) -> dict[str, str]:
    """Return the environment that sets drawn constants in a process."""
    return {VARIABLE: json.dumps(drawn(seed))}


def _value(rng: np.random.Generator, constant: Constant) -> object:
    if isinstance(constant.value, tuple):
        return [_number(rng, constant, own) for own in constant.value]
    return _number(rng, constant, constant.value)


def _number(rng: np.random.Generator, constant: Constant, own: Number) -> Number:
    """Draw on a logarithmic scale, since bounds are far apart."""
    minimum, maximum = constant.minimum, constant.maximum
    if rng.random() < 0.2:
        return minimum
    below = max(float(minimum), float(maximum) * 1e-12)
    number = math.exp(rng.uniform(math.log(below), math.log(maximum)))
    number = min(max(number, minimum), maximum)
    return round(number) if isinstance(own, int) else number

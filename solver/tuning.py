"""Tuning constants of the solver: value, bounds, unit and meaning, in one table.

They determine how long an answer takes, never the answer. A fuzz run draws them at random within their bounds to check
that (`python -m benchmarks trust`). docs/decisions documents how values were measured. Constants of a single module
that need not be set from outside may be defined there.

The environment variable NONOCENSUS_TUNING, a JSON object, overrides them for a process and its workers:
NONOCENSUS_TUNING='{"SEARCH_NODES": 30}'. Kernels are compiled and cached separately for each value of the variable.
"""

import json
import os
from typing import Any, NamedTuple, TypeVar

VARIABLE = "NONOCENSUS_TUNING"

Number = int | float
T = TypeVar("T", int, float, tuple[int, ...], tuple[float, ...])


class Constant(NamedTuple):
    """A constant's default; the bounds hold for each number of a tuple."""

    value: Number | tuple[Number, ...]
    minimum: Number
    maximum: Number
    unit: str
    meaning: str


TABLE: dict[str, Constant] = {}


def _parse_overrides(text: str) -> dict[str, Any]:
    """Return the overrides in the variable's value. Raises ValueError in one line."""
    try:
        overrides = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{VARIABLE} is not JSON: {error}") from None
    if not isinstance(overrides, dict):
        raise ValueError(f'{VARIABLE} is not a JSON object; write it as {{"SEARCH_NODES": 30}}')
    return overrides


_overrides = _parse_overrides(os.environ.get(VARIABLE) or "{}")


def _declare(name: str, value: T, minimum: Number, maximum: Number, unit: str, meaning: str) -> T:
    """Add a constant to the table; returns its value, or the override in the environment."""
    TABLE[name] = Constant(value, minimum, maximum, unit, meaning)
    if name not in _overrides:
        return value
    override = _overrides[name]
    default = value if isinstance(value, tuple) else (value,)
    numbers = tuple(override) if isinstance(override, list) and isinstance(value, tuple) else (override,)
    kind = int if isinstance(default[0], int) else (int, float)
    if len(numbers) != len(default) or not all(
        isinstance(number, kind) and not isinstance(number, bool) and minimum <= number <= maximum for number in numbers
    ):
        expected = f"{len(default)} {type(default[0]).__name__} from {minimum} to {maximum}"
        raise ValueError(f"{VARIABLE}: {name} is {override}; it takes {expected}")
    return type(value)(numbers if isinstance(value, tuple) else numbers[0])


# The clock.
LOOK_EVERY = _declare(
    "LOOK_EVERY", 50_000, 1, 1_000_000, "work", "between checks of the clock; 10 to 40 ns each, 2 ms at most"
)

# Greedy descent.
MISSES = _declare(
    "MISSES",
    2,
    0,
    100,
    "contradictions",
    "allowed in a greedy descent where clues have many blocks; where they have few, one ends it",
)

# Probing and search.
SEEN_BYTES = _declare(
    "SEEN_BYTES", 64 << 20, 0, 1 << 30, "bytes", "limit of the probes' memory; a puzzle that needs more goes without"
)
SEARCH_NODES = _declare("SEARCH_NODES", 1, 0, 100_000, "nodes", "of search before a puzzle goes to the tail")
SEARCH_DEPTH = _declare("SEARCH_DEPTH", 64, 1, 1_000, "nodes", "limit of open nodes")
TREE_BYTES = _declare("TREE_BYTES", 64 << 20, 1 << 20, 1 << 30, "bytes", "limit of the open nodes of search")
MOST_PLACES = _declare(
    "MOST_PLACES",
    1_000_000,
    1,
    1 << 30,
    "places",
    "limit of all blocks' places for the tail, about four clauses each; beyond it search continues",
)

# Dives.
BELIEF_BYTES = _declare(
    "BELIEF_BYTES", 64 << 20, 0, 1 << 30, "bytes", "limit of beliefs; a board that needs more has no dive"
)
DIVE_SHARE = _declare("DIVE_SHARE", 0.1, 0.001, 1.0, "of the open cells", "decided between updates of the beliefs")
DIVE_ROUNDS = _declare("DIVE_ROUNDS", 10, 1, 1_000, "rounds", "of messages before the first decision")
MORE_ROUNDS = _declare("MORE_ROUNDS", 3, 1, 100, "rounds", "limit of messages after cells are decided")
LEAST_DOUBT = _declare("LEAST_DOUBT", 2.0**-12, 1e-9, 0.5, "probability", "below which doubts are not distinguished")
DOUBT_GRADES = _declare("DOUBT_GRADES", 5, 1, 50, "grades", "of doubt per halving")

BLOCKS_A_CELL = _declare(
    "BLOCKS_A_CELL", 0.4, 0.0, 4.0, "blocks a cell", "of rows and columns, from which a dive comes before depth-2"
)
OPEN_CELLS = _declare(
    "OPEN_CELLS", 80, 0, 1 << 20, "cells", "left open by line logic, from which a dive comes before depth-2"
)

# Leads.
BEFORE_LEADS = _declare(
    "BEFORE_LEADS", 150, 0, 1_000_000, "conflicts", "of Glucose before leads, where clues have few blocks"
)
BEFORE_LEADS_VARIABLES = _declare(
    "BEFORE_LEADS_VARIABLES", 7_000, 0, 1 << 40, "variables", "from which a formula goes to leads at once"
)
LEAD_ROUNDS = _declare(
    "LEAD_ROUNDS", (8, 5, 3, 20, 5), 1, 1_000, "rounds", "of messages before the first decision, per lead"
)
LEAD_MORE_ROUNDS = _declare("LEAD_MORE_ROUNDS", (5, 1, 2, 5, 3), 1, 100, "rounds", "after cells are decided, per lead")
LEAD_SHARES = _declare(
    "LEAD_SHARES", (0.03, 0.03, 0.05, 0.03, 0.005), 0.001, 1.0, "of the open cells", "decided at a time, per lead"
)
LEAD_LEFT = _declare("LEAD_LEFT", 0.3, 0.0, 0.99, "of the open cells", "at least withheld from a learner")
LEAD_HELD = _declare("LEAD_HELD", 0.75, 0.0, 0.99, "of refuted assumptions", "kept, those decided first")
LEAD_KEPT = _declare("LEAD_KEPT", 0.8, 0.0, 0.99, "of assumptions", "kept where a learner does not finish")
LEAD_SLICE = _declare(
    "LEAD_SLICE", 500, 1, 1_000_000, "conflicts", "of a learner after which it counts as not finishing"
)
LEAD_CONFLICTS = _declare("LEAD_CONFLICTS", 2_000, 0, 1_000_000, "conflicts", "of a learner on a lead")

# Beliefs.
BELIEF_ROUNDS = _declare("BELIEF_ROUNDS", 60, 1, 1_000, "rounds", "of messages for a clause learner")
SETTLED = _declare("SETTLED", 0.02, 0.0, 1.0, "probability", "change of any message below which rounds end")
DAMPING = _declare(
    "DAMPING", 0.3, 0.0, 0.99, "share", "of the previous message that a message keeps, against oscillation"
)
LEAST_SAID = _declare("LEAST_SAID", 1e-4, 1e-9, 0.1, "probability", "minimum message about a possible colour")
LEAST_LEAN = _declare("LEAST_LEAN", 1e-6, 1e-12, 0.1, "probability", "minimum belief in a bias")

# The tail.
LEARNER_PULL = _declare("LEARNER_PULL", 0.2, 0.0, 2.0, "power", "of reinforcement of a clause learner's phases")
SLICE = _declare("SLICE", 1_000, 1, 1_000_000, "conflicts", "limit between checks of the clock")
SLICE_VARIABLES = _declare(
    "SLICE_VARIABLES", 30_000_000, 1, 1 << 40, "conflicts x variables", "limit of a slice: some tenths of a second"
)
LOADING = _declare("LOADING", 1.5e-6, 0.0, 1e-3, "CPU seconds", "to load a clause into a learner")
CHUNK = _declare("CHUNK", 50_000, 1, 1 << 30, "clauses", "loaded at a time; as lists they take ten times the memory")

if unknown := sorted(set(_overrides) - set(TABLE)):
    raise ValueError(f"{VARIABLE}: unknown constant {unknown[0]}; choose from {', '.join(TABLE)}")

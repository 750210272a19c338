"""Constants that steer how the solver works: value, bounds, unit and meaning, in one table.

They decide how long an answer takes, never what it is: `unique` stays `unique` whatever they are. A fuzz run draws them
at random within their bounds to see that (`python -m benchmarks trust`). Where a value was measured, docs/decisions
says how. Constants that only one module needs, such as how often it looks at the clock, may be defined there instead;
they can't be set from outside.

The variable NONOCENSUS_TUNING, a JSON object, gives others to a process and the workers it starts, as CaDiCaL takes its
options from the environment: NONOCENSUS_TUNING='{"SEARCH_NODES": 30}'. Kernels are compiled for them, and kept apart.
"""

import json
import os
from typing import Any, NamedTuple, TypeVar

VARIABLE = "NONOCENSUS_TUNING"

Number = int | float
T = TypeVar("T", int, float, tuple[int, ...], tuple[float, ...])


class Constant(NamedTuple):
    """A constant as it is meant to be; `least` and `most` bound it, or each number of a tuple."""

    value: Number | tuple[Number, ...]
    least: Number
    most: Number
    unit: str
    meaning: str


TABLE: dict[str, Constant] = {}

_given: dict[str, Any] = json.loads(os.environ.get(VARIABLE) or "{}")


def _constant(name: str, value: T, least: Number, most: Number, unit: str, meaning: str) -> T:
    """Enter a constant into the table; returns its value, or the one that the environment gives."""
    TABLE[name] = Constant(value, least, most, unit, meaning)
    if name not in _given:
        return value
    given = _given[name]
    meant = value if isinstance(value, tuple) else (value,)
    numbers = tuple(given) if isinstance(given, list) and isinstance(value, tuple) else (given,)
    kind = int if isinstance(meant[0], int) else (int, float)
    if len(numbers) != len(meant) or not all(
        isinstance(number, kind) and not isinstance(number, bool) and least <= number <= most for number in numbers
    ):
        wanted = f"{type(meant[0]).__name__} from {least} to {most}"
        raise ValueError(f"{VARIABLE}: {name} is {given}; it takes {len(meant)} {wanted}")
    return type(value)(numbers if isinstance(value, tuple) else numbers[0])


# The clock.
LOOK_EVERY = _constant(
    "LOOK_EVERY", 50_000, 1, 1_000_000, "work", "between two looks at the clock; at some 10 to 40 ns each, 2 ms at most"
)

# A glance.
MISSES = _constant(
    "MISSES", 2, 0, 100, "contradictions", "after which a glance is over: where cells hang together, chance finds none"
)

# Probing and search.
SEEN_BYTES = _constant(
    "SEEN_BYTES", 64 << 20, 0, 1 << 30, "bytes", "most for what probes have seen; a puzzle that needs more goes without"
)
SUDOKU_NODES = _constant("SUDOKU_NODES", 500, 0, 1 << 40, "guesses", "of search before a Sudoku goes to the tail")
SEARCH_NODES = _constant("SEARCH_NODES", 1, 0, 100_000, "nodes", "of search before a puzzle goes to the tail")
SEARCH_DEPTH = _constant("SEARCH_DEPTH", 64, 1, 1_000, "nodes", "open at a time, at most")
TREE_BYTES = _constant("TREE_BYTES", 64 << 20, 1 << 20, 1 << 30, "bytes", "most for the open nodes of search")
MOST_PLACES = _constant(
    "MOST_PLACES",
    1_000_000,
    1,
    1 << 30,
    "places",
    "of all blocks for the tail, of some four clauses each; else search does",
)

# Dives.
BELIEF_BYTES = _constant(
    "BELIEF_BYTES",
    64 << 20,
    0,
    1 << 30,
    "bytes",
    "most for beliefs; a board that needs more has no dive",
)
DIVE_SHARE = _constant("DIVE_SHARE", 0.1, 0.001, 1.0, "of the open cells", "to decide between two looks at the beliefs")
DIVE_ROUNDS = _constant("DIVE_ROUNDS", (10, 60), 1, 1_000, "rounds", "of messages before the first decision, by dive")
DIVE_PULLS = _constant("DIVE_PULLS", (0.0, 0.2), 0.0, 2.0, "power", "of reinforcement at its end, by dive")
MORE_ROUNDS = _constant("MORE_ROUNDS", 3, 1, 100, "rounds", "of messages at most, whenever cells have been decided")
REINFORCED_CELLS = _constant(
    "REINFORCED_CELLS",
    800,
    0,
    1 << 20,
    "cells",
    "of the largest board for reinforced dives; learners are as quick then",
)
LEAST_DOUBT = _constant("LEAST_DOUBT", 2.0**-12, 1e-9, 0.5, "probability", "from which on doubts are told apart")
DOUBT_GRADES = _constant("DOUBT_GRADES", 5, 1, 50, "grades", "of doubt for each halving")

BLOCKS_A_CELL = _constant(
    "BLOCKS_A_CELL", 0.4, 0.0, 4.0, "blocks a cell", "of rows and columns, from which on a dive comes before depth-2"
)
COLORED_BLOCKS_A_CELL = _constant(
    "COLORED_BLOCKS_A_CELL", 0.2, 0.0, 4.0, "blocks a cell", "the same of puzzles with several colours"
)
OPEN_CELLS = _constant(
    "OPEN_CELLS", 80, 0, 1 << 20, "cells", "that line logic leaves open, from which on a dive comes before depth-2"
)
COLORED_OPEN_CELLS = _constant(
    "COLORED_OPEN_CELLS", 30, 0, 1 << 20, "cells", "the same of puzzles with several colours"
)

# Leads.
BEFORE_LEADS = _constant(
    "BEFORE_LEADS", 150, 0, 1_000_000, "conflicts", "of Glucose before leads, where clues are of few blocks"
)
BEFORE_LEADS_VARIABLES = _constant(
    "BEFORE_LEADS_VARIABLES", 7_000, 0, 1 << 40, "variables", "from which on a formula goes to leads at once"
)
LEAD_ROUNDS = _constant(
    "LEAD_ROUNDS", (8, 5, 3, 20, 5), 1, 1_000, "rounds", "of messages before the first decision, by lead"
)
LEAD_MORE_ROUNDS = _constant(
    "LEAD_MORE_ROUNDS", (5, 1, 2, 5, 3), 1, 100, "rounds", "whenever cells have been decided, by lead"
)
LEAD_SHARES = _constant(
    "LEAD_SHARES", (0.03, 0.03, 0.05, 0.03, 0.005), 0.001, 1.0, "of the open cells", "to decide each time, by lead"
)
LEAD_LEFT = _constant("LEAD_LEFT", 0.3, 0.0, 0.99, "of the open cells", "that a learner is not told at least")
LEAD_HELD = _constant("LEAD_HELD", 0.75, 0.0, 0.99, "of refuted assumptions", "that stay, those decided first")
LEAD_KEPT = _constant("LEAD_KEPT", 0.8, 0.0, 0.99, "of assumptions", "that stay where a learner comes to no end")
LEAD_SLICE = _constant("LEAD_SLICE", 500, 1, 1_000_000, "conflicts", "of a learner before it comes to no end")
LEAD_CONFLICTS = _constant("LEAD_CONFLICTS", 2_000, 0, 1_000_000, "conflicts", "of a learner on a lead")

# Beliefs.
BELIEF_ROUNDS = _constant("BELIEF_ROUNDS", 60, 1, 1_000, "rounds", "of messages for a clause learner's sake")
SETTLED = _constant("SETTLED", 0.02, 0.0, 1.0, "probability", "change of any message below which rounds end")
DAMPING = _constant("DAMPING", 0.3, 0.0, 0.99, "share", "that a message keeps of the one before; without it they swing")
LEAST_SAID = _constant("LEAST_SAID", 1e-4, 1e-9, 0.1, "probability", "that a line says at least of a possible colour")
LEAST_LEAN = _constant("LEAST_LEAN", 1e-6, 1e-12, 0.1, "probability", "of the least belief that a cell leans by")

# The tail: Glucose, CaDiCaL, Glucose, CaDiCaL take turns.
TURN_SLICES = _constant("TURN_SLICES", (24, 200, 100), 1, 1_000_000, "slices", "of the learners' first three turns")
ALONE = _constant("ALONE", 1.0, 0.0, 1e9, "CPU seconds", "of one learner before a puzzle is split into cubes")
CUBE_SLICES = _constant("CUBE_SLICES", 20, 1, 1_000_000, "slices", "of a learner on a cube, which is then split")
KISSAT_SLICES = _constant("KISSAT_SLICES", 8_000, 1, 1 << 40, "slices", "of Kissat on a cube, shared by the cores")
TRIAL_SLICES = _constant("TRIAL_SLICES", 40, 1, 1_000_000, "slices", "of Glucose, to see at which cell to split a cube")
CUBE_PARTS = _constant("CUBE_PARTS", 8, 2, 1_000, "cubes", "that one which learners have left open is split into")
LEARNER_PULLS = _constant(
    "LEARNER_PULLS", (0.2, 0.0), 0.0, 2.0, "power", "of reinforcement of what Glucose and CaDiCaL begin from"
)
SLICE = _constant("SLICE", 1_000, 1, 1_000_000, "conflicts", "at most between two looks at the clock")
SLICE_VARIABLES = _constant(
    "SLICE_VARIABLES", 30_000_000, 1, 1 << 40, "conflicts x variables", "of a slice at most: some tenths of a second"
)
LOADING = _constant("LOADING", 1.5e-6, 0.0, 1e-3, "CPU seconds", "that a learner takes to be given a clause")
CHUNK = _constant(
    "CHUNK", 50_000, 1, 1 << 30, "clauses", "handed over at a time; as lists they take ten times the room"
)

if unknown := sorted(set(_given) - set(TABLE)):
    raise ValueError(f"{VARIABLE}: there is no constant {unknown[0]}; there are {', '.join(TABLE)}")

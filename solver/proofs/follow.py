"""Follow a DRUP proof that a formula in DIMACS has no solution, with a checker that is not ours: dratify.

    python follow.py FILE.cnf FILE.drup [CPU SECONDS]

dratify goes through a proof from the front and shows of each clause, by unit propagation, that it follows from those
before, down to the empty one. Its Rust engine, which the library cdclkit-native brings, is fifteen times as fast as its
Python engine, which is taken where that one is not installed. This is a program of its own so that a proof that takes
too long, or too much memory, can be ended with its process.
"""

import resource
import sys
from pathlib import Path

import dratify

try:
    import cdclkit_native
except ImportError:
    ENGINE = "python"
else:
    ENGINE = "native"
    dratify.register_native(cdclkit_native)

CHECKER = f"dratify {dratify.__version__} ({ENGINE})"


def follow(cnf: str, proof: str) -> str | None:
    """None if the proof shows that the formula has no solution, else a line that says why not."""
    try:
        result = dratify.check_proof(dratify.parse_dimacs(cnf), proof, check_rat=False, engine=ENGINE)
    except ValueError as error:
        return str(error)
    return None if result.ok and result.reached_empty else str(result.reason)


if __name__ == "__main__":
    for seconds in map(int, sys.argv[3:4]):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    reason = follow(*(Path(name).read_text(encoding="ascii") for name in sys.argv[1:3]))
    print(f"refused: {reason}" if reason else f"{sys.argv[1]} has no solution, says {CHECKER}")
    sys.exit(1 if reason else 0)

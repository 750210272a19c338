"""Check a DRUP proof that a formula in DIMACS is unsatisfiable, with the independent checker dratify.

    python follow.py FILE.cnf FILE.drup [CPU SECONDS]

dratify shows for each clause of a proof, by unit propagation, that it follows from those before, up to the empty
clause. Its Rust engine (library cdclkit-native) is fifteen times as fast as its Python engine, the fallback. This is a
separate program so that a proof that takes too much time or memory ends with its process.
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
    """Return None if the proof is valid, else the reason in one line."""
    try:
        result = dratify.check_proof(dratify.parse_dimacs(cnf), proof, check_rat=False, engine=ENGINE)
    except ValueError as error:
        return str(error)
    return None if result.ok and result.reached_empty else str(result.reason)


if __name__ == "__main__":
    for seconds in map(int, sys.argv[3:4]):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    reason = follow(*(Path(name).read_text(encoding="ascii") for name in sys.argv[1:3]))
    print(f"refused: {reason}" if reason else f"{sys.argv[1]} has no solution, checked by {CHECKER}")
    sys.exit(1 if reason else 0)

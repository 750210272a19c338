"""Compile the kernels that most tests need, before test processes start: python tests/kernels.py 1, 2 or wide.

1 is for mono puzzles, 2 for coloured puzzles and exact covers, wide for mono puzzles with two words a bit set.
The ladder's specialisations are listed in the cache folder, for tests/solver/jit/test_calling.py.
"""

import importlib
import json
import pkgutil
import sys
from pathlib import Path
from typing import Any

from numba.core.registry import CPUDispatcher

from nonocensus import solver
from nonocensus.pipeline.jobs.kernel_compilation import (
    COVERS,
    LADDER,
    PROOFS,
    TECHNIQUES,
    compile_here,
    compile_stage,
    example,
)
from nonocensus.solver.api import classify
from nonocensus.solver.jit.kernel_cache import cache_folder


def signatures(kernel: Any) -> list[Any]:
    """Return the argument types that a kernel is compiled for as Python calls it."""
    return list(getattr(kernel, "entry", kernel).signatures)


def note(colors: int) -> Path:
    """Return the file that lists the specialisations for puzzles with this number of colours."""
    return (cache_folder() or Path()) / f"specialisations-{colors}.json"


def specialisations() -> dict[str, list[list[str]]]:
    """Return the argument types of each kernel's specialisations that this process compiled or loaded."""
    found = {}
    for module in pkgutil.walk_packages(solver.__path__, "nonocensus.solver."):
        for name, function in vars(importlib.import_module(module.name)).items():
            if isinstance(function, CPUDispatcher) and function.__module__ == module.name:
                for part, compiled in ((name, function), (f"{name}.entry", vars(function).get("entry"))):
                    if compiled is not None:
                        found[f"{module.name}.{part}"] = [list(map(str, types)) for types in compiled.signatures]
    return found


def compile_for(colors: int) -> None:
    """Compile all kernels for puzzles of up to 63 cells a side with this number of colours."""
    kind = (1, colors > 1)
    for stage in (COVERS, *LADDER) if colors > 1 else LADDER:
        compile_stage(kind, stage)
    batch = example(*kind)
    classify(batch, cpu_limit=0.001)
    classify(batch, cpu_limit=1)  # an integer must not add a specialisation
    compiled = specialisations()
    if compiled.get("nonocensus.solver.lines.line_solver.solve_line"):  # absent if its callers come from the cache
        note(colors).write_text(json.dumps(compiled))
    compile_here([kind], (TECHNIQUES, PROOFS))  # of other types: their boards have colours always


if __name__ == "__main__":
    for kind in sys.argv[1:]:
        if kind == "wide":
            compile_here([(2, False)], LADDER)
        else:
            compile_for(int(kind))

"""The census of the world's nonogram archives, for programs and notebooks.

    import nonocensus as nc

    nc.solve([[1, 0, 1], [1, 1, 1]])                     # a picture's puzzle, solved and drawn
    nc.solve(([[2], [1]], [[1], [2]]))                   # clues of rows and columns, solved and drawn
    nc.read("puzzles.zip").puzzles                       # files of any known format
    nc.check(puzzle, [[1, 0, 1], [1, 1, 1]])             # an answer in any notation
    nc.import_files(["puzzles.zip"], "store")
    nc.classify_store("store", "run", cpu_limit=10)
    nc.grade_run("run")                                  # how hard its puzzles are for people
    nc.open_run("run").table(["puzzle_id", "label"])     # an Arrow table
    nc.query("run", "select label, count(*) from results group by 1")
    nc.make_report("run", "page")

Functions print nothing, but Ray a line about each worker that dies; long ones report to `progress`, which `nc.bar()`
yields. Errors are UserError and its subclasses, with one line that says what, where and what to do, or ValueError and
TypeError for invalid arguments, or ModuleNotFoundError, which names the extra to install. The packages below (solver,
scrapers, reports, pipeline) are private and may change.

Names are listed in __init__.pyi and loaded on first use, so that `import nonocensus` is fast. In a checkout the
packages are links to the folders at its top.
"""

import logging
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

logging.getLogger(__name__).addHandler(logging.NullHandler())


@cache
def _modules() -> dict[str, str]:
    """Return the module of each public name."""
    stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: module for module, name in re.findall(r"(?m)^from (\.[\w.]+) import (\w+)", stub)}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from nonocensus.solver import __version__

        return __version__
    if name == "__all__":
        return __dir__()
    if name not in _modules():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_modules()[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(_modules())

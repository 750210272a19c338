"""The census of the world's nonogram archives, for programs and notebooks.

    import nonocensus as nc

    nc.solve([[1, 0, 1], [1, 1, 1]])                     # a picture's puzzle, solved and drawn
    nc.read("puzzles.zip").puzzles                       # files of any known format
    nc.check(puzzle, [[1, 0, 1], [1, 1, 1]])             # an answer in any notation
    nc.import_files(["puzzles.zip"], "store")
    nc.classify_store("store", "run", cpu_limit=10)
    nc.grade_run("run")                                  # how hard its puzzles are for people
    nc.open_run("run").table(["puzzle_id", "label"])     # an Arrow table
    nc.query("run", "select label, count(*) from results group by 1")
    nc.make_report("run", "page")

Functions print nothing. Errors are UserError and its subclasses, with one line that says what, where and what to do, or
ValueError and TypeError for invalid arguments. The packages below (solver, scrapers, reports, pipeline) are private and
may change.

Names are listed in __init__.pyi and loaded on first use, so that `import nonocensus` is fast, and so that nothing is
imported from the user's folder before the command line has removed it from sys.path (__main__).
"""

from typing import Any


def __getattr__(name: str) -> Any:
    import lazy_loader

    from nonocensus.own_packages import import_own_packages

    import_own_packages()
    if name == "__version__":
        from solver import __version__

        return __version__
    attribute, _, names = lazy_loader.attach_stub(__name__, __file__)
    return names if name == "__all__" else attribute(name)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))

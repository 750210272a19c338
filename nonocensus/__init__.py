"""The census of the world's nonogram archives, for programs and notebooks.

    import nonocensus as nc

    nc.solve([[1, 0, 1], [1, 1, 1]])                     # a picture's puzzle, solved and drawn
    nc.read("puzzles.zip").puzzles                       # files of any known format
    nc.import_files(["puzzles.zip"], "store")
    nc.classify_store("store", "run", cpu_limit=10)
    nc.grade_run("run")                                  # how hard its puzzles are for people
    nc.open_run("run").table(["puzzle_id", "label"])     # an Arrow table
    nc.query("run", "select label, count(*) from results group by 1")
    nc.make_report("run", "page")

Functions print nothing. Their errors have one line that says what, where and what to do: UserError and its kinds;
ValueError and TypeError for arguments that make no sense. The packages that this is made of (solver, scrapers, reports,
pipeline) are private and may change.

What there is stands in __init__.pyi. It is loaded when it is first used, so that `import nonocensus` takes no time, and
so that nothing is looked for in the user's folder before the command line has seen to that (__main__).
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

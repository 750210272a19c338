"""`nonocensus`, installed or as `python -m nonocensus`.

Nothing is imported here before the current folder is no longer searched for modules: it is the user's.
"""

import os
import sys

from nonocensus.own_packages import PLACE, import_own_packages

INTERRUPTED = 130
"""Exit status of what Ctrl-C has ended: 128 and the signal's number, as shells have it."""


class _NoPandas:
    """Arrow imports pandas wherever it is installed, which takes half a second; no command needs it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Say of pandas that it is not there, and of other modules nothing."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def open_closed_streams() -> None:
    """Lead standard streams that the caller has closed to nowhere.

    Else the next file that is opened takes the place of one, and what a library prints goes into that file.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # open takes the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - open for the life of the process


def run() -> None:
    """Entry point of the process."""
    open_closed_streams()
    sys.meta_path.insert(0, _NoPandas)
    here = os.getcwd()  # noqa: PTH109 - pathlib imports more, while the user's folder is still searched
    if here != PLACE:
        sys.path[:] = [entry for entry in sys.path if entry not in ("", here)]
    try:
        import_own_packages()
        from pipeline.commands.app import run

        run()
    except KeyboardInterrupt:  # before the commands are there to answer it
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    run()

"""Entry point of `nonocensus` and `python -m nonocensus`."""

import os
import sys

INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 plus the signal's number, as in shells."""


class _NoPandas:
    """Hides pandas, which Arrow would import for half a second; no command needs it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Raise ModuleNotFoundError for pandas."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def open_closed_streams() -> None:
    """Redirect closed standard streams to the null device.

    Else the next opened file gets the descriptor of one, and what a library prints goes into that file.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # open returns the lowest free number
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - open for the life of the process


def run() -> None:
    """Run the command line."""
    open_closed_streams()
    sys.meta_path.insert(0, _NoPandas)
    try:
        from nonocensus.pipeline.commands.app import run

        run()
    except KeyboardInterrupt:  # before the commands handle it
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    run()

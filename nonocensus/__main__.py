"""`nonocensus`, installed or as `python -m nonocensus`.

Nothing is imported here before the current folder is no longer searched for modules: it is the user's.
"""

import os
import sys

from nonocensus.own import PLACE, import_own_packages


def run() -> None:
    """Entry point of the process."""
    here = os.getcwd()  # noqa: PTH109 - pathlib imports more, while the user's folder is still searched
    if here != PLACE:
        sys.path[:] = [entry for entry in sys.path if entry not in ("", here)]
    import_own_packages()

    from pipeline.commands.app import run

    run()


if __name__ == "__main__":
    run()

"""Import of our own packages, whose names are common: solver, scrapers, reports, pipeline.

A module in the current folder or on PYTHONPATH may have the same name, so ours are imported first, from the folder of
this file.
"""

import sys

PLACE = __file__.rpartition("/")[0].rpartition("/")[0]
"""The folder of our packages."""


PACKAGES = ("solver", "scrapers", "reports", "pipeline")


def import_own_packages() -> None:
    """Import our packages, without their modules."""
    sys.path.insert(0, PLACE)
    try:
        for name in PACKAGES:
            __import__(name)
        import logging  # late, since sys.path may begin with the user's folder

        logging.getLogger("nonocensus").addHandler(logging.NullHandler())
    finally:
        sys.path.remove(PLACE)

"""The program's own packages, whatever else has their names.

They have common names: solver, scrapers, reports, pipeline. A module of the user's may have one too, in the current
folder or on PYTHONPATH. So they are imported from where this file is, before anything needs them.
"""

import sys

PLACE = __file__.rpartition("/")[0].rpartition("/")[0]
"""The folder that holds the program's packages."""


PACKAGES = ("solver", "scrapers", "reports", "pipeline")


def import_own_packages() -> None:
    """Import the program's packages from its own place, without what is in them."""
    sys.path.insert(0, PLACE)
    try:
        for name in PACKAGES:
            __import__(name)
        import logging  # not before: sys.path may still begin with the user's folder

        logging.getLogger("nonocensus").addHandler(logging.NullHandler())
    finally:
        sys.path.remove(PLACE)

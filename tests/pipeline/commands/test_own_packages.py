"""Imports ignore the current folder and PYTHONPATH, in the driver and in Ray's workers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import nonocensus

ROOT = Path(nonocensus.__file__).parents[1]
DOT = "width 1\nheight 1\n\nrows\n1\n\ncolumns\n1\n"
OURS = ("solver", "scrapers", "reports", "pipeline", "configs")
COMMON = ("random", "csv", "email", "numpy", "queue", "typer")


def poison(folder: Path, names: tuple[str, ...]) -> None:
    """Write modules and packages that raise on import."""
    for name in names:
        raising = f"raise RuntimeError('{name} of the user')\n"
        (folder / f"{name}.py").write_text(raising)
        if name in OURS:
            (folder / name).mkdir(parents=True)
            (folder / name / "__init__.py").write_text(raising)


@pytest.mark.slow
def test_modules_of_the_user_are_not_imported(tmp_path: Path) -> None:
    """Neither from the current folder, nor packages with our names from PYTHONPATH."""
    here, on_the_path = tmp_path / "here", tmp_path / "on_the_path"
    for folder, names in ((here, OURS + COMMON), (on_the_path, OURS)):
        folder.mkdir()
        poison(folder, names)
    (here / "dot.non").write_text(DOT)
    for command in ("import dot.non --out store", "classify store --out run --cpus 1", "status run --json"):
        done = subprocess.run(
            [sys.executable, "-m", "nonocensus", *command.split()],
            cwd=here,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (on_the_path, ROOT)))},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["status"], summary["labels"]) == ({"ok": 1}, {"trivial unique line": 1})

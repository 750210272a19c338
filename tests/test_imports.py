"""Unique names of files and classes, and imports that import-linter can't judge (`make lint` runs its contracts)."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PACKAGES = ("solver", "scrapers", "reports", "pipeline", "nonocensus")

FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_file_names_are_unique() -> None:
    files = (path for folder in [*PACKAGES, "benchmarks", "tests", "tools"] for path in (ROOT / folder).rglob("*.py"))
    counted = Counter(path.name for path in files if path.name not in ("__init__.py", "__main__.py", "conftest.py"))
    assert [name for name, count in counted.items() if count > 1] == []


PRIVATE = ("ctypes", "llvmlite", "numba._", "numba.core", "numba.extending")
"""Beginnings of modules that only solver.jit may import: a new version of Numba may break what uses them."""


def test_only_solver_jit_imports_private_parts_of_numba() -> None:
    for path in FILES:
        if not path.is_relative_to(ROOT / "solver/jit"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
                if isinstance(node, ast.ImportFrom):
                    names = [f"{node.module}.{name}" for name in names]
                assert not any(name.startswith(PRIVATE) for name in names), path


def test_class_names_are_unique() -> None:
    nodes = (node for path in FILES for node in ast.walk(ast.parse(path.read_text())))
    counted = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, count in counted.items() if count > 1] == []


def test_packages_are_imported_as_parts_of_nonocensus() -> None:
    """In a checkout they could be imported twice, by two names."""
    others = "|".join(PACKAGES[:-1])
    for folder in [*PACKAGES, "benchmarks", "tests", "tools"]:
        for path in (ROOT / folder).rglob("*.py"):
            assert not re.search(rf"(?m)^\s*(from|import) ({others})\b", path.read_text()), path

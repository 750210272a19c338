"""Imports run one way, between packages and between the rooms of pipeline/ (ARCHITECTURE.md), and never in a circle."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PACKAGES = {
    "solver": set[str](),
    "scrapers": {"solver"},
    "reports": {"solver", "scrapers"},
    "pipeline": {"solver", "scrapers", "reports"},
    "nonocensus": {"solver", "scrapers", "reports", "pipeline"},
}

GROUND = {"errors", "scratch", "settings", "sql", "callbacks", "prometheus"}
"""Single files of pipeline/: every room may import them, and they import no room."""

ROOMS = {
    "executors": set[str](),
    "store": {"executors"},
    "crawl": {"store"},
    "run": {"store"},
    "jobs": {"store", "run", "executors"},
    "verify": {"store", "crawl", "run"},
    "findings": {"store", "run", "jobs", "executors"},
    "serve": {"store", "run", "jobs", "findings"},
    "commands": {"store", "crawl", "run", "jobs", "verify", "findings", "serve", "executors"},
}
"""The rooms, and the other rooms that each may import."""

SOLVER = {
    "jit": set[str](),
    "model": {"jit"},
    "lines": {"jit", "model"},
    "ladder": {"jit", "model", "lines", "learning", "proofs"},
    "learning": {"jit", "model", "lines", "ladder"},
    "proofs": {"jit", "model", "lines", "ladder"},
    "people": {"jit", "model", "lines", "ladder", "proofs", "api"},
    "exact_cover": {"jit"},
    "engines": {"model", "exact_cover", "api"},
}
"""The rooms of solver/, and the others that each may import. Every room may import the single files."""

OWN = "nonocensus."

MODULES = {
    OWN + ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__").removeprefix(OWN): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def room_of(module: str, depth: int) -> tuple[str, ...]:
    """Return a module's package and, if depth is 2, its room in the package."""
    names = module.removeprefix(OWN).split(".")
    return tuple(names[:depth]) if names[0] in PACKAGES else ("nonocensus",)


def imported(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Yield the modules of ours that these statements import."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            names = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            yield from names or {node.module}


def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


@pytest.mark.parametrize("package", PACKAGES)
def test_packages(package: str) -> None:
    for module in MODULES:
        if room_of(module, 1) == (package,):
            others = {room_of(name, 1)[0] for name in imported(ast.walk(tree(module)))}
            assert others <= PACKAGES[package] | {package}, module


RULES = [("pipeline", room, ROOMS.get(room, set()) | GROUND) for room in [*ROOMS, *sorted(GROUND)]]
RULES += [("solver", room, others | {"tuning", "extras", "operating_system"}) for room, others in SOLVER.items()]


@pytest.mark.parametrize(("package", "room", "allowed"), RULES)
def test_rooms(package: str, room: str, allowed: set[str]) -> None:
    for module in MODULES:
        if room_of(module, 2) == (package, room):
            others = (room_of(name, 2) for name in imported(ast.walk(tree(module))))
            assert {names[1] for names in others if len(names) == 2 and names[0] == package} <= allowed | {room}, module


@pytest.mark.parametrize(("package", "rooms"), [("pipeline", ROOMS), ("solver", SOLVER)])
def test_every_room_has_a_rule(package: str, rooms: dict[str, set[str]]) -> None:
    assert {path.parent.name for path in (ROOT / package).glob("*/__init__.py")} == rooms.keys()


def test_file_names_are_unique() -> None:
    files = (path for folder in [*PACKAGES, "benchmarks", "tests", "tools"] for path in (ROOT / folder).rglob("*.py"))
    counted = Counter(path.name for path in files if path.name not in ("__init__.py", "__main__.py", "conftest.py"))
    assert [name for name, count in counted.items() if count > 1] == []


PRIVATE = ("ctypes", "llvmlite", "numba._", "numba.core", "numba.extending")
"""Beginnings of modules that only solver.jit may import: a new version of Numba may break what uses them."""


def test_only_solver_jit_imports_private_parts_of_numba() -> None:
    for module in MODULES:
        if not module.startswith("nonocensus.solver.jit"):
            for node in ast.walk(tree(module)):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
                if isinstance(node, ast.ImportFrom):
                    names = [f"{node.module}.{name}" for name in names]
                assert not any(name.startswith(PRIVATE) for name in names), module


def test_no_circles() -> None:
    """Among what modules import as they are loaded: a circle fails or not, depending on who comes first."""
    TopologicalSorter({module: set(imported(iter(tree(module).body))) for module in MODULES}).prepare()


def test_class_names_are_unique() -> None:
    nodes = (node for module in MODULES for node in ast.walk(tree(module)))
    counted = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, count in counted.items() if count > 1] == []


def test_packages_are_imported_as_parts_of_nonocensus() -> None:
    """In a checkout they could be imported twice, by two names."""
    others = "|".join(PACKAGES.keys() - {"nonocensus"})
    for folder in [*PACKAGES, "benchmarks", "tests", "tools"]:
        for path in (ROOT / folder).rglob("*.py"):
            assert not re.search(rf"(?m)^\s*(from|import) ({others})\b", path.read_text()), path

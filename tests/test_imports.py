"""Imports run one way, between packages and between the rooms of pipeline/ (ARCHITECTURE.md), and never in a circle."""

import ast
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

GROUND = {"errors", "scratch", "settings", "sql", "watch"}
"""Files of pipeline/ beside the rooms: every room may import them, and they import no room."""

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

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def imported(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """The modules of ours that these statements import."""
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
        if module.split(".")[0] == package:
            others = {name.split(".")[0] for name in imported(ast.walk(tree(module)))}
            assert others <= PACKAGES[package] | {package}, module


@pytest.mark.parametrize("room", [*ROOMS, *sorted(GROUND)])
def test_rooms(room: str) -> None:
    allowed = ROOMS.get(room, set()) | GROUND | {room}
    for module in MODULES:
        if module.split(".")[:2] == ["pipeline", room]:
            others = {name.split(".")[1] for name in imported(ast.walk(tree(module))) if name.startswith("pipeline.")}
            assert others <= allowed, module


def test_every_room_has_its_rule() -> None:
    assert {path.parent.name for path in (ROOT / "pipeline").glob("*/__init__.py")} == ROOMS.keys()


def test_no_circles() -> None:
    """Among what modules import as they are loaded: a circle fails or not, depending on who comes first."""
    TopologicalSorter({module: set(imported(iter(tree(module).body))) for module in MODULES}).prepare()

"""Documents against the program: what is made from it is up to date, and commands, benchmarks and files exist."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
import yaml

from benchmarks.__main__ import BENCHMARKS, OF_REPORTS
from nonocensus.pipeline.commands.app import GLOBAL_OPTIONS, app
from tools import documents, technique_pages

ROOT = documents.ROOT
PAGES = [path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]]
WITH_COMMANDS = [
    *("README.md", "CONTRIBUTING.md"),
    *(f"docs/{name}.md" for name in ("API", "BENCHMARKS", "CERTIFICATES", "CLUSTER", "DATASETS", "ENGINES", "METRICS")),
    *(f"docs/{name}.md" for name in ("EXPLAINING", "SCALING", "TASKS", "TECHNIQUES")),
]
KNOWN = typer.main.get_command(app).commands


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a parsed YAML file; commands that are lists of words as one text."""
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        yield " ".join(value)
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)
    elif isinstance(value, str):
        yield value


def code(markdown: str) -> Iterator[str]:
    """Indented lines and `...` of a Markdown file, without comments."""
    yield from (line.split(" #")[0] for line in markdown.splitlines() if line.startswith("    "))
    yield from re.findall(r"`([^`\n]+)`", markdown)


def commands(source: str) -> list[tuple[str, set[str]]]:
    """Return every command of nonocensus in a file of ours, with its options."""
    text = (ROOT / source).read_text()
    pieces = code(text) if source.endswith(".md") else texts(yaml.safe_load(text))
    found = [
        match.groups()
        for piece in pieces
        for match in re.finditer(r"(?<!import )(?<![\w/:~.-])nonocensus +([a-z]\S*)((?: +[^\s|&;'\"]+)*)", piece)
    ]
    return [(name, options(rest)) for name, rest in found]


def options(text: str) -> set[str]:
    """Return the options in a text."""
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


def check(name: str, used: set[str]) -> None:
    assert name in KNOWN
    assert used <= {option for parameter in KNOWN[name].params for option in parameter.opts} | {
        "--help",
        *GLOBAL_OPTIONS,
    }, name


@pytest.mark.parametrize("name", documents.PAGES)
def test_made_documents_are_up_to_date(name: str) -> None:
    assert documents.PAGES[name]() == (ROOT / "docs" / name).read_text(), "run: make docs"


def test_pictures_of_techniques_are_up_to_date() -> None:
    there = {path.name: path.read_text() for path in documents.PICTURES.iterdir()}
    assert there == technique_pages.pictures(), "run: make docs"


@pytest.mark.parametrize("source", [*WITH_COMMANDS, "configs/ray-cluster.yaml", "configs/rayjob.yaml"])
def test_commands_exist(source: str) -> None:
    used = commands(source)
    assert used
    for name, given in used:
        check(name, given)


@pytest.mark.parametrize("page", PAGES)
def test_links_and_benchmarks_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target
    assert set(re.findall(r"python -m benchmarks ([a-z_-]+)", text)) <= {*BENCHMARKS, OF_REPORTS}


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\(([a-z0-9-]+\.md)\)", (folder / "README.md").read_text())
    assert sorted(listed) == sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")


@pytest.mark.parametrize("page", PAGES)
def test_python_files_that_documents_name_exist(page: str) -> None:
    folders = "solver|scrapers|reports|pipeline|benchmarks|tests|tools"
    for name in re.findall(rf"\b((?:{folders})/[\w/]+\.py)\b", (ROOT / page).read_text()):
        assert (ROOT / name).exists(), name

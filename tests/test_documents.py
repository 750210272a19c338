"""Documents against the program: what is made from it is up to date, and commands, links and files exist; the site."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest
import yaml

from benchmarks.__main__ import BENCHMARKS
from nonocensus.pipeline.commands.app import EXAMPLES, FUNCTIONS, GLOBAL_OPTIONS, load_command
from tools import docs_site, documents, technique_pages

ROOT = documents.ROOT
PAGES = [path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]]
KNOWN = {name: load_command(name) for name in FUNCTIONS}


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
    return [(name, set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest))) for name, rest in found]


@pytest.mark.parametrize("name", documents.PAGES)
def test_made_documents_are_up_to_date(name: str) -> None:
    assert documents.PAGES[name]() == (ROOT / "docs" / name).read_text(), "run: make docs"


def test_pictures_of_techniques_are_up_to_date() -> None:
    there = {path.name: path.read_text() for path in documents.PICTURES.iterdir()}
    assert there == technique_pages.pictures(), "run: make docs"


@pytest.mark.parametrize("source", [*PAGES, "configs/ray-cluster.yaml", "configs/rayjob.yaml"])
def test_commands_exist(source: str) -> None:
    used = commands(source)
    assert used or source not in ("README.md", "docs/CLUSTER.md", "configs/ray-cluster.yaml", "configs/rayjob.yaml")
    for name, given in used:
        known = {option for parameter in KNOWN[name].params for option in parameter.opts}
        assert given <= {*known, *GLOBAL_OPTIONS, "--help"}, name


@pytest.mark.parametrize("name", KNOWN)
def test_help_of_a_command_has_at_most_eight_lines_and_an_example_that_is_accepted(name: str) -> None:
    _, *paragraphs = KNOWN[name].help.split("\n\n")
    assert sum(len(wrap(paragraph, 78)) for paragraph in paragraphs) <= 8
    if example := EXAMPLES.get(name):
        assert len(f"    nonocensus {name} {example}") <= 78
        KNOWN[name].make_context(name, shlex.split(example))


@pytest.mark.parametrize("page", PAGES)
def test_links_and_benchmarks_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target
    assert set(re.findall(r"python -m benchmarks ([a-z_-]+)", text)) <= {*BENCHMARKS, "pages"}


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\(([a-z0-9-]+\.md)\)", (folder / "README.md").read_text())
    assert sorted(listed) == sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")


@pytest.mark.parametrize("page", PAGES)
def test_python_files_that_documents_name_exist(page: str) -> None:
    folders = "solver|scrapers|reports|pipeline|benchmarks|tests|tools"
    for name in re.findall(rf"\b((?:{folders})/[\w/]+\.py)\b", (ROOT / page).read_text()):
        assert (ROOT / name).exists(), name


MADE = {"docs/REFERENCE.md", "docs/census.md", docs_site.REPORT}
"""What `make site` adds to the pages of the repository."""


def test_navigation_names_every_page() -> None:
    config = yaml.safe_load((docs_site.ROOT / "mkdocs.yml").read_text())
    listed = re.findall(r"[\w/.-]+\.(?:md|html)\b", str(config["nav"]))
    pages = {path.relative_to(docs_site.ROOT).as_posix() for path in docs_site.PAGES}
    others = {page for page in pages if page.startswith("docs/decisions/") and not page.endswith("README.md")}
    assert sorted(listed) == sorted((pages - others) | MADE)


def test_replaced_links_exist() -> None:
    every = "".join(page.read_text() for page in docs_site.PAGES)
    assert all(link in every for link in docs_site.REPLACED)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<a href="sub/b.html#here">', []),
        ('<a href="c.html">', ["a.html: c.html does not exist"]),
        ('<a href="sub/b.html#there">', ["a.html: sub/b.html#there: no such anchor"]),
        ('<a href="https://example.org/">', []),
        ('<script src="https://example.org/x.js"></script>', ["a.html: loads https://example.org/x.js"]),
        ('<img src="//example.org/x.png">', ["a.html: loads //example.org/x.png"]),
    ],
)
def test_problems_of_a_site(tmp_path: Path, body: str, said: list[str]) -> None:
    (tmp_path / "a.html").write_text(body)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.html").write_text('<h1 id="here">')
    assert list(docs_site.problems(tmp_path)) == said


@pytest.mark.parametrize(
    "docstring",
    [
        "Solve.\n\nArgs:\n    most: Steps,\n        or -1.\n    ids: Which.\n\nRaises ValueError.",
        "Solve.\n\nmost   Steps,\n       or -1.\nids    Which.\n\nRaises ValueError.",
    ],
)
def test_arguments_in_docstrings_become_lists(docstring: str) -> None:
    listed = "- `most`: Steps,\n  or -1.\n- `ids`: Which.\n\nRaises ValueError."
    assert docs_site.prose(docstring).replace("**Args**\n\n", "") == f"Solve.\n\n{listed}"


def test_signature_is_that_of_the_source() -> None:
    assert docs_site.signature(docs_site.reference) == "def reference() -> str"


def test_notebook_has_code_and_outputs() -> None:
    outputs = [
        {"output_type": "stream", "text": ["1\n"]},
        {"data": {"text/html": ["<b>", "</b>"], "text/plain": ["x"]}},
    ]
    cells = [{"cell_type": "markdown", "source": ["# A"]}, {"cell_type": "code", "source": ["a"], "outputs": outputs}]
    page = docs_site.notebook({"cells": cells})
    assert page.startswith('# A\n\n```python\na\n```\n\n```text\n1\n\n```\n\n<div class="output"><b></b></div>\n\n')

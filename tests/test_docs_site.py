"""The documentation's site: each page is in its navigation, and its links are checked."""

import re
from pathlib import Path

import pytest
import yaml

from tools import docs_site

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

"""The documentation as a site, in site/: README.md and docs/ as they are, with what is made for it: a Python reference
from docstrings, the notebook as a page, and a sample report.

python -m tools.docs_site, or make site. The pages are collected in .cache/site, where mkdocs.yml expects them.
"""

import ast
import inspect
import json
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

import nonocensus

ROOT = Path(__file__).resolve().parents[1]
STAGE = ROOT / ".cache" / "site"
SITE = ROOT / "site"
BIN = Path(sys.executable).parent
REPORT = "sample-report/report.html"

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")

REPLACED = {
    "](docs/GALLERY.md#a-report-what-needs-attention-and-verdicts)": f"]({REPORT})",
    "](census.ipynb)": "](census.md)",
}
"""Links of pages that lead elsewhere on the site, which has the report itself and the notebook as a page."""


def collect() -> None:
    """Copy the pages, and the files they link to, into STAGE, and make the others there."""
    shutil.rmtree(STAGE, ignore_errors=True)
    linked = {(page.parent / target).resolve() for page in PAGES for target in LINK.findall(page.read_text())}
    for source in {*PAGES, *linked, ROOT / "docs" / "site.css"}:
        if source.is_file():
            copy = STAGE / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for copy in STAGE.rglob("*.md"):
        text = copy.read_text()
        for link, other in REPLACED.items():
            text = text.replace(link, other)
        copy.write_text(text)
    (STAGE / "docs" / "REFERENCE.md").write_text(reference())
    (STAGE / "docs" / "census.md").write_text(notebook(json.loads((ROOT / "docs" / "census.ipynb").read_text())))


def notebook(cells: dict[str, Any]) -> str:
    """Return a notebook with its outputs as Markdown."""
    parts = []
    for cell in cells["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "text/html" in data:
                parts.append(f'<div class="output">{"".join(data["text/html"])}</div>'.replace("\n\n", "\n"))
            else:
                parts.append(f"```text\n{''.join(data['text/plain'])}\n```")
    return "\n\n".join([*parts, "The notebook as a file: [census.ipynb](census.ipynb).\n"])


def reference() -> str:
    """Return the Python reference: signature and docstring of each public name."""
    sections = [f"# Python reference\n\nThe names of `import nonocensus as nc`, version {nonocensus.__version__}."]
    for name in sorted(nonocensus.__all__, key=str.lower):  # type: ignore[attr-defined]
        if not name.startswith("_"):
            value = getattr(nonocensus, name)
            members = vars(value).items() if inspect.isclass(value) else ()
            sections += [f"## {name}", f"```python\n{signature(value)}\n```", prose(inspect.getdoc(value) or "")]
            sections += [
                f"- `{member}`: {prose(inspect.getdoc(found) or '')}"
                for member, found in members
                if not member.startswith("_") and (inspect.isfunction(found) or isinstance(found, property))
            ]
    return "\n\n".join([*sections, "This page is made from docstrings by `make site`.\n"])


def signature(value: Callable[..., object]) -> str:
    """Return the head of a function or class as its source has it, of a class with its fields."""
    lines = textwrap.dedent(inspect.getsource(value)).splitlines()
    (node,) = ast.parse("\n".join(lines)).body
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    head = "\n".join(lines[node.lineno - 1 : node.body[0].lineno - 1]).rstrip(":")
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)] if inspect.isclass(value) else []
    return "\n".join([head, *(f"    {ast.unparse(field)}" for field in fields)])


ENTRY = re.compile(r"(?:    )?([\w*]+(?:, [\w*]+)*)(?::|  )\s*(\S.*)")
"""A line of a docstring that describes an argument: `name: text` below `Args:`, or the name and the text in columns."""


def prose(docstring: str) -> str:
    """Return a docstring as Markdown: its descriptions of arguments, of both kinds, are lists."""
    paragraphs = []
    for paragraph in docstring.split("\n\n"):
        lines = paragraph.splitlines()
        titled = lines[0] in ("Args:", "Raises:")
        if titled or re.match(r"[\w*]+(, [\w*]+)*  ", lines[0]):
            items: list[str] = []
            for line in lines[titled:]:
                entry = ENTRY.fullmatch(line)
                items += [f"- `{entry[1]}`: {entry[2]}"] if entry else [f"  {line.strip()}"]
            paragraphs += [f"**{lines[0].rstrip(':')}**"] * titled + ["\n".join(items)]
        else:
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs).replace("<", "&lt;")


def make_report(folder: Path) -> None:
    """Make the sample report: the demo with grades."""
    commands = ["demo", "--serial", "--out", "."], ["grade", "run", "--serial"], ["report", "run", "--out", "report"]
    for arguments in commands:
        subprocess.run([BIN / "nonocensus", "--quiet", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


class Page(HTMLParser):
    """The links, the anchors and the parts of a page that a browser loads by itself."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.anchors, self.loaded = set[str](), set[str](), set[str]()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the element links to, loads or is called."""
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        target = given.get("href") or given.get("src")
        if target and tag != "base":
            (self.links if tag == "a" else self.loaded).add(target)


def problems(site: Path) -> Iterator[str]:
    """Yield links and anchors of a site that lead nowhere, and parts of its pages that come from other hosts."""
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    for path, page in pages.items():
        for target in sorted(page.links | page.loaded):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loaded and parts.scheme != "data":
                    yield f"{path.relative_to(site)}: loads {target}"
                continue
            other = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not other.is_file():
                yield f"{path.relative_to(site)}: {target} does not exist"
            elif parts.fragment.startswith("browse?"):
                continue  # a state of the report
            elif parts.fragment and other in pages and unquote(parts.fragment) not in pages[other].anchors:
                yield f"{path.relative_to(site)}: {target}: no such anchor"


def main() -> None:
    """Build the site; exit with its problems, if any."""
    collect()
    with TemporaryDirectory() as folder:
        make_report(Path(folder))
        files = shutil.ignore_patterns("*.svg")
        shutil.copytree(Path(folder, "report"), (STAGE / REPORT).parent, ignore=files)
    subprocess.run([BIN / "zensical", "build", "--strict"], cwd=ROOT, check=True)
    sys.exit("\n".join(problems(SITE)) or None)


if __name__ == "__main__":
    main()

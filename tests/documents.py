"""Write the documents that follow from the program: docs/COMMANDS.md from its help, docs/FILES.md from docstrings.

python tests/documents.py, or make docs; tests/test_documents.py fails where one of them is older than the program.
"""

import ast
import html
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from pipeline import errors

ROOT = Path(__file__).resolve().parents[1]

COMMANDS = ROOT / "docs" / "COMMANDS.md"
FILES = ROOT / "docs" / "FILES.md"

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]

STATUSES = {0: "Done.", 1: "Some puzzles or files failed, or a proof has changed or does not hold; all else is done."}


def commands_page() -> str:
    """docs/COMMANDS.md: Typer's description of every command, and the exit statuses."""
    typer = [sys.executable, "-m", "typer", "pipeline.commands.app", "utils", "docs", "--name", "nonocensus"]
    text = subprocess.run([*typer, "--title", "Commands"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"(?s)\*\*Commands\*\*:.*?(?=## )", "", html.unescape(text), count=1)  # a list cut to 40 columns
    kinds = [errors.UserError, *errors.UserError.__subclasses__()]
    statuses = STATUSES | {kind.status: first_sentence(kind.__doc__ or "") for kind in kinds}
    lines = [text.rstrip(), "", "## Exit status", "", "| status | means |", "|---|---|"]
    lines += [f"| {status} | {meaning} |" for status, meaning in statuses.items()]
    return "\n".join([*lines, "", "This page is made from the program's own help by `make docs`.", ""])


def files_page() -> str:
    """docs/FILES.md: for each folder of code its files, each with the first sentence of its docstring."""
    lines = ["# Files", "", "This page is made from the files' docstrings by `make docs`.", ""]
    for folder in sorted(path.parent for name in PACKAGES for path in (ROOT / name).rglob("__init__.py")):
        rows = [row_of(path) for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
        lines += [f"## {folder.relative_to(ROOT)}/", "", docstring_start(folder / "__init__.py"), ""]
        lines += ["| file | what |", "|---|---|", *rows, ""] if rows else []
    return "\n".join(lines)


def row_of(path: Path) -> str:
    """A file as a line of its table."""
    return f"| `{path.stem}` | {docstring_start(path)} |"


def docstring_start(path: Path) -> str:
    """The first sentence of a file's docstring."""
    return first_sentence(ast.get_docstring(ast.parse(path.read_text())) or "")


def first_sentence(text: str) -> str:
    """The first sentence of a text's first paragraph, as one line for a table."""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0].replace("|", "\\|")


def main() -> None:
    """Write both documents."""
    COMMANDS.write_text(commands_page())
    FILES.write_text(files_page())


if __name__ == "__main__":
    main()

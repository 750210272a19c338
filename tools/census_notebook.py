"""docs/census.ipynb with its outputs: `python -m tools.census_notebook` executes it and writes them."""

import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "census.ipynb"
SECONDS = 600
"""Timeout of a cell."""


def execute(folder: Path) -> Any:
    """Execute the notebook in a folder; progress bars and times of cells are left out, so that outputs are stable."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(folder)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.output_type != "display_data"]
    notebook.metadata.language_info = {"name": "python"}  # its version is that of the machine
    return notebook


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        nbformat.write(execute(Path(folder)), NOTEBOOK)  # type: ignore[no-untyped-call]

"""The command schema, which describes the tables."""

from typing import TYPE_CHECKING

from rich.markup import escape

from pipeline.commands.options import Json
from pipeline.commands.output import table, tell

if TYPE_CHECKING:
    from rich.table import Table


def schema(as_json: Json = False) -> None:
    """Describe the columns of the tables, and the measures that are computed from them."""
    from reports.derived_measures import DERIVED
    from solver.model.tables import CERTIFICATES, GRADES, MENDINGS, PUZZLES, RESULTS, SUDOKU_GRADES, SUDOKUS

    tables = {"puzzles": PUZZLES, "sudokus": SUDOKUS, "results": RESULTS, "certificates": CERTIFICATES}
    tables |= {"mendings": MENDINGS, "grades": GRADES, "sudoku grades": SUDOKU_GRADES, "measures": DERIVED}
    described = {
        name: [
            {"name": f.name, "type": str(f.type), "description": f.metadata[b"description"].decode()} for f in fields
        ]
        for name, fields in tables.items()
    }
    tell(as_json, described, (shown(name, columns) for name, columns in described.items()))


def shown(name: str, columns: list[dict[str, str]]) -> "Table":
    """A table of the columns that a table has."""
    made = table("column", "type", "meaning")
    made.title, made.title_justify = name, "left"
    for column in columns:
        made.add_row(*(escape(text) for text in column.values()))
    return made

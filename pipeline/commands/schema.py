"""The command schema, which describes the tables."""

import json
from typing import TYPE_CHECKING

from rich.markup import escape

from pipeline.commands.options import Json
from pipeline.commands.output import out

if TYPE_CHECKING:
    pass


def schema(as_json: Json = False) -> None:
    """Describe the columns of the tables, and the measures that are computed from them."""
    from rich.table import Table

    from reports.measures import MEASURES
    from solver.tables import CERTIFICATES, PUZZLES, RESULTS

    tables = {"puzzles": PUZZLES, "results": RESULTS, "certificates": CERTIFICATES, "measures": MEASURES}
    if as_json:
        print(
            json.dumps(
                {
                    name: [
                        {"name": f.name, "type": str(f.type), "description": f.metadata[b"description"].decode()}
                        for f in fields
                    ]
                    for name, fields in tables.items()
                }
            )
        )
        return
    for name, fields in tables.items():
        table = Table(title=name, title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
        for heading in ("column", "type", "meaning"):
            table.add_column(heading)
        for field in fields:
            table.add_row(field.name, escape(str(field.type)), field.metadata[b"description"].decode())
        out.print(table)

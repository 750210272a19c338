"""What commands find in a run and keep there: rows of a table in Parquet files, each there as a whole or not at all."""

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import InputError, VersionError
from pipeline.store.paths import Folder
from solver.model.tables import UnknownColumnError, conform


def read_kept(place: Folder, name: str, schema: pa.Schema, maker: str) -> pa.Table:
    """Read a file, its checksums too, with the columns of a schema; those that an older version lacked are null.

    Raises InputError, which advises to have the command `maker` make its rows again.
    """
    try:
        with place.open(name) as file:
            table = conform(pq.ParquetFile(file, page_checksum_verification=True).read(), schema)
        table.validate(full=True)
    except UnknownColumnError as error:
        raise VersionError(f"{place.name}/{name} can't be read: {error}") from error
    except (OSError, ValueError, pa.ArrowException) as error:
        raise unreadable(place, name, error, maker) from error
    return table


def unreadable(place: Folder, name: str, what: object, maker: str) -> InputError:
    """Return the error for a file that can't be read: the command `maker` makes its rows again."""
    return InputError(f"{place.name}/{name} can't be read: {what}", f"delete it, and {maker} makes its rows again")

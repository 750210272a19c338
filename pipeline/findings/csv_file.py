"""Arrow batches as a CSV file: streamed, compressed if its name says so (x.csv.gz), written atomically.

Null is an empty field, text is quoted, bytes are hex digits, lists and structs are JSON, NaN is nan.
"""

import json
import math
from collections.abc import Iterable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from nonocensus.pipeline.store.paths import open_output
from nonocensus.scrapers.archives.compression import open_compressing


def write_csv(path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write batches to a file on an Arrow filesystem or to standard output, and return the number of rows."""
    rows = 0
    columns = pa.schema([pa.field(field.name, _flat(field.type)) for field in schema])
    with (
        open_output(path) as stream,
        open_compressing(path, stream) as compressed,
        csv.CSVWriter(compressed, columns) as writer,
    ):
        for batch in batches:
            flat = [_flatten(column, kind) for column, kind in zip(batch.columns, columns.types, strict=True)]
            writer.write_batch(pa.RecordBatch.from_arrays(flat, schema=columns))
            rows += len(batch)
    return rows


def _flat(kind: pa.DataType) -> pa.DataType:
    """Return the type of a column in the file: its own, if CSV supports it."""
    if pa.types.is_dictionary(kind):
        return _flat(kind.value_type)
    simple = (
        *(pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_temporal),
        *(pa.types.is_string, pa.types.is_large_string, pa.types.is_null),
    )
    return kind if any(is_(kind) for is_ in simple) and not pa.types.is_interval(kind) else pa.string()


def _flatten(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Convert a column to its type in the file."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.type == kind:
        _refuse_infinite(column)
        return column
    return pa.array([_text(json_value(value)) for value in column.to_pylist()], kind)


def _refuse_infinite(column: pa.Array) -> None:
    """Raise ArrowInvalid for infinite dates or times, which DuckDB has and Arrow would write as wrong text."""
    if pa.types.is_date32(column.type) or pa.types.is_timestamp(column.type):
        ticks = column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64())
        most = np.iinfo(ticks.type.to_pandas_dtype()).max
        if pc.any(pc.is_in(ticks, pa.array([most, -most], ticks.type))).as_py():
            raise pa.ArrowInvalid("a date or time is infinite; cast it to text (column::varchar)")


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def json_value(value: Any) -> Any:
    """Convert a value of a column, as returned by `to_pylist`.

    Bytes become hex digits, times ISO 8601, intervals [months, days, nanoseconds], NaN and infinity null.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(name): json_value(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)

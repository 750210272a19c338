"""Values of Arrow columns, whatever their type, as JSON can hold them."""

import math
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any


def json_value(value: Any) -> Any:
    """A value of a column (as `to_pylist` gives it) for JSON.

    Bytes become hexadecimal digits, times ISO 8601, intervals [months, days, nanoseconds]; what JSON has no number for
    (NaN, infinity) becomes null.
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

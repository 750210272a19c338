"""Grade one puzzle, without the job engine, whose imports take a tenth of a second."""

from typing import Any

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import InputError
from nonocensus.solver.people.minutes import ParameterError, parameters
from nonocensus.solver.people.puzzle_grade import grades


def check_parameters() -> None:
    """Raise an InputError if the parameters of minutes can't be read: each task would fail."""
    try:
        parameters()
    except ParameterError as error:
        raise InputError(str(error)) from error


def grade_one(puzzle: pa.RecordBatch, cpu_limit: float) -> dict[str, Any]:
    """Return the grade of the only puzzle of a batch, which has exactly one solution. Raises InputError."""
    check_parameters()
    graded: dict[str, Any] = grades(puzzle, np.ones(1, np.bool_), cpu_limit).to_pylist()[0]
    return graded

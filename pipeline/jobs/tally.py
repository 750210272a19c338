"""What has come of grading, counted."""

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reports.graded import KILLED, Grade, by_grade
from solver.model.families import Family

COUNTED = ["puzzle_id", "solutions", "status", "hardest"]


@dataclass
class Tally:
    """Puzzles by what has come of them.

    family     what they are
    hardest    puzzles with a grade by the hardest technique that they need
    late       ids of those that the time did not suffice for
    killed     ids of those that a worker died of, or failed on
    wrong      ids of those that have no solution for the techniques, and one for the solver: one of both is wrong
    others     puzzles that are not known to have exactly one solution
    done       how many were graded now
    seconds    CPU seconds that this took
    """

    family: Family
    hardest: Counter[str] = field(default_factory=Counter)
    late: list[str] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    others: int = 0
    done: int = 0
    seconds: float = 0.0

    @property
    def grades(self) -> tuple[Grade, ...]:
        """The puzzles of each grade, from the easiest."""
        return by_grade(self.hardest.items(), self.family)

    @property
    def graded(self) -> int:
        """Puzzles with a grade."""
        return self.hardest.total()

    @property
    def unique(self) -> int:
        """Puzzles with exactly one solution."""
        return self.graded + len(self.late) + len(self.killed) + len(self.wrong)

    def __add__(self, other: "Tally") -> "Tally":
        """Both together, of one family."""
        return Tally(self.family, *(mine + theirs for mine, theirs in zip(_values(self), _values(other), strict=True)))

    def worked(self, rows: pa.Table) -> None:
        """Count the work on rows of the table of grades; rows of nulls took none."""
        self.done += len(rows) - rows["status"].null_count
        self.seconds += pc.sum(rows["cpu_seconds"]).as_py() or 0.0

    def count(self, rows: pa.Table) -> None:
        """Count puzzles, with the columns COUNTED; `status` is null where there is no grade to be had."""
        for hardest, puzzles in _counts(rows["hardest"].drop_null()):
            self.hardest[hardest] += puzzles
        lists = {"timeout": self.late, KILLED: self.killed, "none": self.wrong, "invalid": self.wrong}
        for status, ids in lists.items():
            ids += rows["puzzle_id"].filter(pc.equal(rows["status"], status)).to_pylist()
        self.others += rows["status"].null_count


def _values(tally: Tally) -> list[Any]:
    """What is counted."""
    return [getattr(tally, each.name) for each in fields(tally) if each.name != "family"]


def _counts(column: pa.ChunkedArray) -> list[tuple[str, int]]:
    counted = column.value_counts()
    return list(zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True))

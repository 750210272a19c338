"""Conditions that generated puzzles have to meet to be kept."""

import math
from dataclasses import asdict, dataclass

from nonocensus.pipeline.errors import UserError
from nonocensus.solver.model.techniques import SEARCH, TECHNIQUES

GRADES = range(1, TECHNIQUES[SEARCH].grade + 1)


@dataclass(frozen=True)
class Conditions:
    """What a puzzle with exactly one solution has to meet: least and most of a measure, None for any value.

    minutes   estimated solving time (solver.people.minutes)
    grade     1 to 9
    """

    minutes: tuple[float, float] | None = None
    grade: tuple[int, int] | None = None

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Return least and most of each limited measure by column of the grades table."""
        return {name: bounds for name, bounds in asdict(self).items() if bounds is not None}

    def texts(self) -> dict[str, str]:
        """Return each condition as text: "5 to 10", "3", "any"."""
        return {name: "any" if bounds is None else text_of(bounds) for name, bounds in asdict(self).items()}

    def __str__(self) -> str:
        texts = self.texts()
        parts = ["unique"]
        if self.minutes:
            parts.append(f"{texts['minutes']} minutes")
        if self.grade:
            parts.append(f"grade {texts['grade']}")
        return ", ".join(parts)


ANY = Conditions()


def text_of(bounds: tuple[float, float]) -> str:
    """Format least and most as "5 to 10", equal ones as "3"."""
    low, high = (f"{bound:.7g}" for bound in bounds)
    return low if low == high else f"{low} to {high}"


def check_conditions(conditions: Conditions) -> None:
    """Raise a UserError for bounds that are reversed, negative, not finite, or no grades."""
    for name, (low, high) in conditions.bounds().items():
        if not 0 <= low <= high < math.inf:
            raise UserError(f"--{name} {low:.7g}-{high:.7g} is not a range: two numbers from 0, the lower one first")
    if conditions.grade and not {*conditions.grade} <= {*GRADES}:
        raise UserError(f"--grade {text_of(conditions.grade)}: grades are 1 to {GRADES[-1]}")

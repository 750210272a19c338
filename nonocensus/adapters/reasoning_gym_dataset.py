"""Nonograms for reasoning-gym: a procedural dataset whose curriculum is the minutes that people take.

    import reasoning_gym
    import nonocensus.adapters.reasoning_gym_dataset

    data = reasoning_gym.create_dataset("nonogram", size=100, seed=1, min_minutes=1, max_minutes=5)
    data.score_answer(answer, data[0])

The extra reasoning-gym installs the library.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from nonocensus.pipeline.findings.task_file import Task, task_of
from nonocensus.pipeline.jobs.generate_graded import Conditions, find_fitting
from nonocensus.reports.words.answer_verdict import check_answer
from nonocensus.scrapers.pictures.recipe import KINDS, Recipe
from nonocensus.solver.extras import extra
from nonocensus.solver.model.tables import puzzles_of

with extra("reasoning-gym"):
    from reasoning_gym.coaching import BaseCurriculum, RangeAttributeDefinition
    from reasoning_gym.factory import ProceduralDataset, register_dataset

NAME = "nonogram"

MINUTES = [0, 1, 2, 5, 10, 20, 40]
"""Levels of the curriculum."""

DRAWN = 16
"""Pictures that are classified at a time."""

ATTEMPTS = 200
"""Sizes that are tried for an item before its minutes are said to be too rare."""


@dataclass
class NonogramConfig:
    """Configuration of the dataset.

    min_side, max_side         cells of the square grids' sides
    min_minutes, max_minutes   minutes that people take, as estimated
    kind, density              of the pictures, as for `nonocensus generate`
    style                      of the prompts: clues or grid
    """

    min_side: int = 5
    max_side: int = 15
    min_minutes: float = 0
    max_minutes: float = 5
    kind: str = "blobs"
    density: float = 0.5
    style: str = "clues"
    size: int = 500
    seed: int | None = None

    def validate(self) -> None:
        """Raise an AssertionError for invalid values."""
        assert 1 <= self.min_side <= self.max_side <= 30, "sides must be between 1 and 30, min_side the lower"
        assert 0 <= self.min_minutes < self.max_minutes, "min_minutes must be at least 0 and below max_minutes"
        assert KINDS[self.kind].density, "kind must be one with a density"
        assert self.style in ("clues", "grid"), "style must be clues or grid"


class NonogramDataset(ProceduralDataset):
    """Puzzles with exactly one solution; an item depends on the seed and its index alone."""

    def __init__(self, config: NonogramConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        """Return the item of an index; ValueError if hardly any picture takes these minutes."""
        config, random = self.config, Random(f"{self.seed} {idx}")
        minutes = config.min_minutes, config.max_minutes
        for _ in range(ATTEMPTS):
            side = random.randint(config.min_side, config.max_side)
            recipe = Recipe(config.kind, side, side, config.density, random.getrandbits(32), DRAWN)
            found = find_fitting(recipe, Conditions(minutes=minutes), 0, DRAWN)
            if len(found):
                task = task_of(next(iter(puzzles_of(found))), config.style)
                return {
                    "question": task.prompt,
                    "answer": task.answer,
                    "metadata": {
                        "source_dataset": NAME,
                        "source_index": idx,
                        "task": msgspec.to_builtins(task),
                        "difficulty": {"minutes": minutes},
                    },
                }
        sides = f"{config.min_side} to {config.max_side}"
        raise ValueError(f"hardly any picture with sides of {sides} cells takes {minutes[0]} to {minutes[1]} minutes")

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """Return 1 for any grid that fits the clues, else 0."""
        task = msgspec.convert(entry["metadata"]["task"], Task)
        return float(bool(check_answer(task.puzzle(), answer)))


class NonogramCurriculum(BaseCurriculum):
    """Levels of the minutes that people take."""

    def __init__(self) -> None:
        super().__init__(NonogramCurriculum.__name__, NonogramConfig)
        self._define_attributes(
            RangeAttributeDefinition(
                name="minutes",
                levels=MINUTES,
                description="Minutes that people take for the puzzle",
                lower_field_name="min_minutes",
                upper_field_name="max_minutes",
                ensure_interval=True,
            )
        )


register_dataset(NAME, NonogramDataset, NonogramConfig, NonogramCurriculum)

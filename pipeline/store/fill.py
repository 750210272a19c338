"""A store filled with pictures made by rule, over all cores."""

import math

from pipeline.callbacks import ProgressCallbacks
from pipeline.errors import ClusterError
from pipeline.executors.executor import Resources, TaskFailure, check_resources, open_executor, run_tasks
from pipeline.store.generation import Task, make_part, missing_parts
from pipeline.store.lock import sole_writer
from pipeline.store.paths import folder
from scrapers.pictures.kinds import KINDS
from scrapers.pictures.recipe import Recipe

TRIES = 3
"""Times that a part is tried whose making fails."""

EACH = 1e-4
"""CPU seconds of a picture, roughly, of kinds that are not slow."""


def fill_store(uri: str, recipe: Recipe, resources: Resources, callbacks: ProgressCallbacks) -> int:
    """Make what a store lacks of a recipe's pictures; returns how many were made. The same call again goes on.

    A UserError refuses a store with other puzzles, and one that another command writes to; a ClusterError says that
    parts could not be made.
    """
    check_resources(resources)
    with sole_writer(folder(uri)):
        left = missing_parts(uri, recipe)
        rows = sum(task.rows for task in left)
        callbacks.on_start("generating", rows)
        reason = ""
        for _ in range(TRIES):
            lost: list[Task] = []
            if left:
                with open_executor(resources, rows * (math.inf if KINDS[recipe.kind].slow else EACH)) as executor:
                    for (part,), made in run_tasks(executor, make_part, ((part,) for part in left)):
                        if isinstance(made, TaskFailure):
                            lost.append(part)
                            reason = made.reason
                        else:
                            callbacks.on_progress(made["rows"], "")
            left = lost
        if left:
            raise ClusterError(f"{len(left)} parts could not be made: {reason}; the same command goes on")
        return rows

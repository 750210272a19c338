"""Estimate what filling a store with generated puzzles would cost, from random pictures. Nothing is written."""

import time
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.jobs.cost import SAMPLE_PUZZLES, SEED, next_batch_size, parquet_bytes
from nonocensus.pipeline.jobs.generate_graded import NO_END, end_of, keep_fitting, refuse_impossible
from nonocensus.pipeline.jobs.kernel_compilation import SOLVING, compile_missing, needed
from nonocensus.pipeline.store.conditions import ANY, Conditions, check_conditions
from nonocensus.pipeline.store.generation import RECIPE, RecipeHistory, check_recipe, earlier_counts, rows_per_group
from nonocensus.pipeline.store.parts import create_store, one_batch
from nonocensus.scrapers.pictures.kinds import KINDS
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch


class GenerationEstimate(NamedTuple):
    """The estimated cost of filling a store.

    puzzles       that would be added
    pictures      that would be drawn for them
    cpu_seconds   of drawing, grading and writing
    bytes         of the puzzles added
    sample        pictures of the sample
    fitting       those of them that meet the conditions
    """

    puzzles: int
    pictures: int
    cpu_seconds: float
    bytes: int
    sample: int
    fitting: int


def estimate_generation(uri: str, recipe: Recipe, conditions: Conditions) -> GenerationEstimate:
    """Estimate what `fill_store`, or `fill_with_graded` if there are conditions, would cost.

    Raises UserError as they do, and if no picture of the sample meets the conditions.
    """
    check_recipe(recipe)
    check_conditions(conditions)
    refuse_impossible(recipe, conditions)
    store = create_store(uri)
    earlier_counts(store, recipe, conditions)
    drawn = 0
    if store.folder.has(RECIPE):
        drawn = store.folder.read_record(RECIPE, RecipeHistory).get("drawn", 0)
    end = recipe.count if conditions == ANY else end_of(recipe)
    missing, left = max(0, recipe.count - store.rows()), end - drawn
    if not missing or left <= 0:
        return GenerationEstimate(0, 0, 0.0, 0, 0, 0)
    sample, seconds, table = _draw_sample(recipe, conditions, end)
    if not len(table) and end == NO_END:
        raise UserError(
            f"none of {sample:,} random pictures fits ({conditions}); choose wider ranges, another size or density"
        )
    pictures = left if not len(table) else min(left, round(missing * sample / len(table)))
    puzzles = min(missing, round(pictures * len(table) / sample))
    each = (parquet_bytes(table) - parquet_bytes(table[:0])) / max(1, len(table))
    return GenerationEstimate(puzzles, pictures, seconds / sample * pictures, round(each * puzzles), sample, len(table))


def _draw_sample(recipe: Recipe, conditions: Conditions, end: int) -> tuple[int, float, pa.Table]:
    """Draw random pictures; return their number, CPU seconds, and the puzzles that meet the conditions.

    If they are drawn quickly and all of them kept, the sample is a row group. Else it is single pictures, whose drawing
    counts only if it is slow: one by one it takes far longer than in the batches of the real tasks.
    """
    first = recipe_batch(recipe, 0, 1)
    if conditions != ANY:
        compile_missing(needed(first), SOLVING)
        keep_fitting(first, conditions)  # loads kernels
    slow = KINDS[recipe.kind].slow
    began = time.process_time()
    if conditions == ANY and not slow:
        sample = min(recipe.count, rows_per_group(recipe, recipe.count))
        table = pa.Table.from_batches([recipe_batch(recipe, 0, sample)])
        parquet_bytes(table)
        return sample, time.process_time() - began, table
    order = np.random.default_rng(SEED).choice(end, min(end, SAMPLE_PUZZLES), replace=False)
    sample, seconds, found = 0, 0.0, [first[:0]]
    while size := min(next_batch_size(sample, seconds), len(order) - sample):
        began = time.process_time()
        drawn = [recipe_batch(recipe, number, number + 1) for number in order[sample : sample + size].tolist()]
        if not slow:
            began = time.process_time()
        puzzles = one_batch(pa.Table.from_batches(drawn))
        found.append(puzzles if conditions == ANY else keep_fitting(puzzles, conditions))
        seconds += time.process_time() - began
        sample += size
    return sample, seconds, pa.Table.from_batches(found)

"""The command generate, which fills a store with pictures made by rule."""

import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Address, Cpus, Json, Serial, finite, parsed_size, resources_of
from pipeline.commands.output import DONE, resumable, tell, watching
from pipeline.errors import UserError

if TYPE_CHECKING:
    from scrapers.generate import Recipe

DENSITY, SEED = 0.5, 1


class Kind(StrEnum):
    """The kinds of pictures that can be made."""

    random = "random"
    blobs = "blobs"
    exhaustive = "exhaustive"


def generate(
    kind: Annotated[
        Kind,
        typer.Argument(
            help="random: each cell for itself; blobs: smooth areas; exhaustive: every picture of the size.",
            metavar="random|blobs|exhaustive",
        ),
    ],
    size: Annotated[str, typer.Argument(help="Width x height, like 10x10.")],
    store: Annotated[str, typer.Option("--out", help="Store to make or to go on with.")],
    count: Annotated[int | None, typer.Option(min=1, help="How many pictures; exhaustive makes all.")] = None,
    density: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, callback=finite, help=f"Share of black cells.  [default: {DENSITY}]"),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help=f"Other seed, other pictures.  [default: {SEED}]")] = None,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Fill a store with the puzzles of pictures made by rule. The same command again continues where it was stopped.

    With a larger --count it goes on from the last picture.

    Each picture depends on kind, size, density, seed and its number alone.
    """
    from pipeline.store.fill import fill_store

    recipe = recipe_of(kind, parsed_size(size), count, density, seed)
    resources = resources_of(cpus, address, serial)
    start = time.perf_counter()
    with resumable(), watching("generating") as watch:
        made = fill_store(store, recipe, resources, watch)
    say(store, recipe.count, made, time.perf_counter() - start, as_json)
    raise typer.Exit(DONE)


def recipe_of(
    kind: Kind, size: tuple[int, int], count: int | None, density: float | None, seed: int | None
) -> "Recipe":
    """The recipe that the options ask for; refuse those that do not fit the kind."""
    from scrapers.generate import Recipe, exhaustive

    if kind is not Kind.exhaustive:
        if count is None:
            raise UserError(f"say how many {kind.value} pictures to make: --count")
        return Recipe(kind.value, *size, DENSITY if density is None else density, SEED if seed is None else seed, count)
    for option, value in (("--count", count), ("--density", density), ("--seed", seed)):
        if value is not None:
            raise UserError(f"{option} is for random and blobs; exhaustive makes every picture of the size once")
    return exhaustive(*size)


def say(store: str, total: int, made: int, seconds: float, as_json: bool) -> None:
    """What the store holds now, and how much of it has just been made."""
    if made:
        said = f"[bold green]{made:,}[/bold green] puzzles made in {seconds:,.1f} s: {total:,} in {escape(store)}."
    else:
        said = f"{escape(store)} is complete: {total:,} puzzles."
    tell(as_json, {"store": store, "puzzles": total, "made": made, "seconds": round(seconds, 3)}, said)

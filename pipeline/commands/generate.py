"""The command generate, which fills a store with pictures made by rule."""

import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import MOST, Address, Cpus, Json, Serial, finite, parsed_size, resources_of
from pipeline.commands.output import DONE, resumable, tell, watching
from pipeline.errors import UserError
from scrapers.pictures.kinds import KINDS
from solver.model.puzzle import MAX_COLORS

if TYPE_CHECKING:
    from scrapers.pictures.recipe import Recipe

DENSITY, SEED = 0.5, 1


def _kinds() -> str:
    return "; ".join(f"{name}: {kind.about}" for name, kind in KINDS.items())


def generate(
    kind: Annotated[str, typer.Argument(help=f"{_kinds()}.", metavar="KIND")],
    size: Annotated[str, typer.Argument(help="Width x height, like 10x10.")],
    store: Annotated[str, typer.Option("--out", help="Store to make or to go on with.")],
    count: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="How many pictures, unless the kind says that.")
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, callback=finite, help=f"Share of black cells.  [default: {DENSITY}]"),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help=f"Other seed, other pictures.  [default: {SEED}]")] = None,
    colors: Annotated[int, typer.Option(min=1, max=MAX_COLORS, help="Number of colours, background excluded.")] = 1,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
    as_json: Json = False,
) -> None:
    """Fill a store with the puzzles of pictures made by rule. The same command again continues where it was stopped.

    With a larger --count it goes on from the last picture.

    Each picture depends on kind, size, density, seed, colours and its number alone.
    """
    from pipeline.store.generation import fill_store

    recipe = recipe_of(kind, parsed_size(size), count, density, seed, colors)
    resources = resources_of(cpus, address, serial)
    start = time.perf_counter()
    with resumable(), watching("generating") as callbacks:
        made = fill_store(store, recipe, resources, callbacks)
    say(store, recipe.count, made, time.perf_counter() - start, as_json)
    raise typer.Exit(DONE)


def recipe_of(
    name: str, size: tuple[int, int], count: int | None, density: float | None, seed: int | None, colors: int
) -> "Recipe":
    """The recipe that the options ask for; refuse those that do not fit the kind."""
    from scrapers.pictures.recipe import Recipe

    kind = KINDS.get(name)
    if kind is None:
        raise UserError(f"{name} is no kind of pictures: {', '.join(KINDS)}")
    total = kind.total and kind.total(*size)
    if total is None and count is None:
        raise UserError(f"say how many {name} pictures to make: --count")
    several = None if colors == 1 else colors
    takes = {"count": total is None, "density": kind.density, "seed": kind.seed, "colors": kind.colored}
    for option, value in (("count", count), ("density", density), ("seed", seed), ("colors", several)):
        if value is not None and not takes[option]:
            raise UserError(f"--{option} is not for {name}: {kind.about}")
    return Recipe(
        name,
        *size,
        (DENSITY if density is None else density) if kind.density else None,
        (SEED if seed is None else seed) if kind.seed else None,
        total or count or 0,
        colors,
    )


def say(store: str, total: int, made: int, seconds: float, as_json: bool) -> None:
    """What the store holds now, and how much of it has just been made."""
    if made:
        said = f"[bold green]{made:,}[/bold green] puzzles made in {seconds:,.1f} s: {total:,} in {escape(store)}."
    else:
        said = f"{escape(store)} is complete: {total:,} puzzles."
    tell(as_json, {"store": store, "puzzles": total, "made": made, "seconds": round(seconds, 3)}, said)

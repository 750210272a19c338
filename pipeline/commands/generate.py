"""The command generate, which fills a store with generated puzzles."""

import time
from typing import Annotated, Any

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import (
    MAX_SEED,
    SELECTION,
    Address,
    Cpus,
    OutStore,
    Serial,
    between,
    number_option,
    parsed_grades,
    parsed_range,
    parsed_size,
)
from nonocensus.pipeline.commands.output import print_result, show_progress
from nonocensus.pipeline.errors import Interrupted, UserError
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.generate_graded import Conditions, end_of, generate_graded
from nonocensus.pipeline.store.generation import fill_store
from nonocensus.reports.words.formatting import count_text, share
from nonocensus.scrapers.pictures.recipe import KINDS, Recipe
from nonocensus.solver.model.puzzle import MAX_COLORS

DENSITY, SEED = 0.5, 1

KIND_HELP = "; ".join(f"{name}: {kind.about}" for name, kind in KINDS.items()) + "."


def range_option(help_text: str) -> Any:
    """Return an option for the least and the most of an estimate."""
    return typer.Option(help=help_text, metavar="MIN-MAX", rich_help_panel=SELECTION)


def generate(
    kind: Annotated[str, typer.Argument(help=KIND_HELP, metavar="KIND")],
    size: Annotated[str, typer.Argument(help="Width x height, like 10x10.", metavar="WxH")],
    store: OutStore,
    count: Annotated[
        int | None, number_option("Number of pictures (those that fit), unless the kind fixes it.")
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(
            callback=between(0.0, 1.0), help="Share of black cells.", metavar="RATIO", show_default=str(DENSITY)
        ),
    ] = None,
    seed: Annotated[
        int | None, number_option("Seed of random pictures.", least=0, most=MAX_SEED, show_default=str(SEED))
    ] = None,
    colors: Annotated[int, number_option("Number of colours, background excluded.", most=MAX_COLORS)] = 1,
    minutes: Annotated[
        str | None, range_option("Only unique puzzles of this estimated solving time, like 5-10 or 0.5-2.")
    ] = None,
    stars: Annotated[
        str | None, range_option("Only unique puzzles of these estimated stars, 1 to 5, like 2-3.")
    ] = None,
    grade: Annotated[str | None, range_option("Only unique puzzles of this grade from 1 to 9, like 3-4.")] = None,
    cpus: Cpus = None,
    address: Address = None,
    serial: Serial = False,
) -> None:
    """Fill a store with generated puzzles.

    The same command resumes; with a larger --count it extends the store. Each picture depends only on kind, size,
    density, seed, colours and its number. With --minutes, --stars or --grade, pictures are classified and graded until
    enough of them fit, which become a new store; the command gives up where fewer than one in 10,000 fits.
    """
    resources = Resources(cpus, address, serial)
    limited = (minutes, stars, grade) != (None, None, None)
    recipe = recipe_of(kind, parsed_size(size), count, density, seed, colors, limited)
    if limited:
        ranges = parsed_range(minutes), parsed_range(stars, "--stars"), parsed_grades(grade)
        print_graded(store, recipe, Conditions(*ranges), resources)
        return
    start = time.perf_counter()
    with show_progress("generating", resumes=True) as progress:
        made = fill_store(store, recipe, resources, progress)
    seconds = time.perf_counter() - start
    text = f"{escape(store)} is complete: {count_text(recipe.count, 'puzzle')}."
    if made:
        now = f"[bold green]{count_text(made, 'puzzle')}[/bold green] made in {seconds:,.1f} s"
        text = f"{now}: {recipe.count:,} in {escape(store)}."
    fields = {"store": store, "puzzles": recipe.count, "made": made, "seconds": round(seconds, 3)}
    print_result(fields, text + next_steps(store))


def print_graded(store: str, recipe: Recipe, conditions: Conditions, resources: Resources) -> None:
    """Fill a store with puzzles that meet conditions; print how many were drawn and kept."""
    start = time.perf_counter()
    try:
        with show_progress("generating") as progress:
            made = generate_graded(store, recipe, conditions, resources, progress)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; nothing was written") from None
    drawn = f"all {made.drawn:,}" if made.drawn == end_of(recipe) else f"{made.drawn:,}"
    print_result(
        {"store": store, "puzzles": made.kept, "drawn": made.drawn, "seconds": round(time.perf_counter() - start, 3)},
        f"[bold green]{count_text(made.kept, 'puzzle')}[/bold green] in {escape(store)}, of {drawn} drawn "
        f"({share(made.kept, made.drawn)}): {conditions}.{next_steps(store)}",
    )


def next_steps(store: str) -> str:
    """Return a line with the commands that show what a store holds."""
    store = escape(store)
    return f"\nnonocensus serve {store} shows them; nonocensus convert {store} FILE.jsonl writes them into a file."


def recipe_of(
    name: str,
    size: tuple[int, int],
    count: int | None,
    density: float | None,
    seed: int | None,
    colors: int,
    limited: bool,
) -> Recipe:
    """Build the recipe of the options; raise a UserError for those that do not fit the kind.

    limited   whether only puzzles within limits count, so that any kind takes a count
    """
    kind = KINDS.get(name)
    if kind is None:
        raise UserError(f"unknown kind {name}; choose one of {', '.join(KINDS)}")
    total = kind.total and kind.total(*size)
    if total is None and count is None:
        raise UserError(f"--count is required for {name} pictures, as in --count 1000")
    several = None if colors == 1 else colors
    takes = {"count": total is None or limited, "density": kind.density, "seed": kind.seed, "colors": kind.seed}
    for option, value in (("count", count), ("density", density), ("seed", seed), ("colors", several)):
        if value is not None and not takes[option]:
            raise UserError(f"--{option} is not for {name}: {kind.about}")
    return Recipe(
        name,
        *size,
        (DENSITY if density is None else density) if kind.density else None,
        (SEED if seed is None else seed) if kind.seed else None,
        count or total or 0,
        colors,
    )

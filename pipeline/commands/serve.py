"""The command serve: a web page and an HTTP API for puzzles, or the page of a study."""

import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import MOST, Cpus, StoreAt, finite
from pipeline.commands.output import err, out, watching
from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.study.opening import Wanted

LOOPBACK = ("127.0.0.1", "::1", "localhost")

LONGEST = 3600.0
"""CPU seconds for a puzzle at most: somebody waits for it."""


def serve(
    place: Annotated[str | None, typer.Argument(help="Run or store to browse.", metavar="[RUN|STORE]")] = None,
    host: Annotated[str, typer.Option(help="Address to listen at. Another one lets others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8765,
    cpus: Cpus = None,
    cpu_limit: Annotated[
        float, typer.Option(min=0.001, max=LONGEST, callback=finite, help="Most CPU seconds for a puzzle.")
    ] = 20.0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    store: StoreAt = None,
    study: Annotated[
        str | None, typer.Option(help="Have people solve puzzles of the run: a study's folder.", metavar="DIR")
    ] = None,
    count: Annotated[int | None, typer.Option(min=1, max=MOST, help="Puzzles of a new study.  [default: 40]")] = None,
    ids: Annotated[
        Path | None, typer.Option(help="These puzzles for a new study: a file, an id a line.", metavar="FILE")
    ] = None,
    consent: Annotated[
        Path | None, typer.Option(help="Text that people of a new study agree to.", metavar="FILE")
    ] = None,
) -> None:
    """Serve a page and an HTTP API on which puzzles are solved, drawn, read and written, until Ctrl-C.

    With --study people solve puzzles of a run instead, and every move is kept (docs/STUDIES.md).

    Only this machine can reach it, unless --host says otherwise. There are no passwords: put a proxy before it that
    asks for them where strangers are about. The API describes itself at /api/openapi.json.
    """
    try:
        from pipeline.serve import server
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "starlette", "h11", "pydantic"):
            raise
        raise UserError(f"{error.name} is not installed: pip install 'nonocensus[serve]'") from None
    from pipeline.study.opening import AS_IT_IS, Wanted
    from reports.threads import cores

    wanted = Wanted(count, ids, consent)
    if study is None and wanted != AS_IT_IS:
        raise UserError("--count, --ids and --consent are about a study; name its folder with --study")
    with ExitStack() as held:
        door = held.enter_context(server.door(host, port))
        named = f"[{host}]" if ":" in host else host
        address = f"http://{named}:{door.getsockname()[1]}/"

        def ready(of: str = "") -> None:
            if host not in LOOPBACK:
                err.print(f"[yellow]whoever can reach {escape(host)} over the network can use this server[/yellow]")
            out.print(f"[bold]{escape(address)}[/bold] is ready{of}; Ctrl-C ends it")
            out.file.flush()
            if open_page:
                typer.launch(address)

        if study is None:
            serve_puzzles(held, door, host, place, store, cpus or cores(), cpu_limit, ready)
        else:
            serve_study(held, door, host, place, store, study, wanted, ready)


def serve_puzzles(
    held: ExitStack,
    door: socket.socket,
    host: str,
    place: str | None,
    store: str | None,
    cpus: int,
    cpu_limit: float,
    ready: Callable[[], None],
) -> None:
    """Serve the page and the API for puzzles."""
    from pipeline.jobs.warm import most_are_warm, warm_for_most
    from pipeline.run.folder import open_place
    from pipeline.serve import server
    from pipeline.serve.catalog import opened

    catalog = None if place is None else held.enter_context(opened(open_place(place, store)))
    if not most_are_warm():
        with watching("compiling") as watch:
            warm_for_most(watch)
    server.run(door, server.solving(host, catalog, cpus, cpu_limit), ready)


def serve_study(
    held: ExitStack,
    door: socket.socket,
    host: str,
    place: str | None,
    store: str | None,
    study: str,
    wanted: "Wanted",
    ready: Callable[[str], None],
) -> None:
    """Serve the page of a study, which is made if it is not there."""
    from pipeline.run.folder import open_run
    from pipeline.serve import server
    from pipeline.serve.study.app import application
    from pipeline.serve.study.keeper import Keeper, clock
    from pipeline.study.opening import opened

    run = None if place is None else open_run(place, store)
    keeper = Keeper(held.enter_context(opened(study, run, wanted)), clock())
    of = f": {len(keeper.puzzles):,} puzzles, {len(keeper.people):,} people, {keeper.attempts:,} attempts so far"
    server.run(door, application(keeper, server.names_of(host)), lambda: ready(of))

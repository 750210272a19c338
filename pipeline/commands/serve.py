"""The command serve: a web page and an HTTP API for puzzles."""

from contextlib import ExitStack
from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Cpus, StoreAt, finite
from pipeline.commands.output import err, out, watching
from pipeline.errors import UserError

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
) -> None:
    """Serve a page and an HTTP API on which puzzles are solved, drawn, read and written, until Ctrl-C.

    Only this machine can reach it, unless --host says otherwise. There are no passwords: put a proxy before it that
    asks for them where strangers are about. The API describes itself at /api/openapi.json.
    """
    try:
        from pipeline.serve import server
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "starlette", "h11", "pydantic"):
            raise
        raise UserError(f"{error.name} is not installed: pip install 'nonocensus[serve]'") from None
    from pipeline.jobs.kernel_compilation import most_are_warm, warm_for_most
    from pipeline.run.run_folder import open_place
    from pipeline.serve.catalog import open_catalog
    from reports.threads import cores

    with ExitStack() as held:
        listening = held.enter_context(server.bind_socket(host, port))
        named = f"[{host}]" if ":" in host else host
        address = f"http://{named}:{listening.getsockname()[1]}/"

        def ready() -> None:
            if host not in LOOPBACK:
                err.print(f"[yellow]whoever can reach {escape(host)} over the network can use this server[/yellow]")
            out.print(f"[bold]{escape(address)}[/bold] is ready; Ctrl-C ends it")
            out.file.flush()
            if open_page:
                typer.launch(address)

        catalog = None if place is None else held.enter_context(open_catalog(open_place(place, store)))
        if not most_are_warm():
            with watching("compiling") as callbacks:
                warm_for_most(callbacks)
        server.run(listening, server.open_app(host, catalog, cpus or cores(), cpu_limit), ready)

"""The command serve, which runs a web page and an HTTP API for puzzles."""

from contextlib import ExitStack, suppress
from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import Cpus, between, number_option
from nonocensus.pipeline.commands.output import err, global_options, out, print_json
from nonocensus.pipeline.commands.warm import compile_kernels
from nonocensus.pipeline.jobs.kernel_compilation import COMMON_KINDS, SOLVING
from nonocensus.pipeline.run.run_folder import open_place
from nonocensus.solver.extras import extra
from nonocensus.solver.operating_system import cores

LOOPBACK = ("127.0.0.1", "::1", "localhost")

MAX_CPU_LIMIT = 3600.0
"""Upper bound of --cpu-limit in seconds: a client waits for the result."""


def serve(
    place: Annotated[str | None, typer.Argument(help="Run or store to browse.", metavar="[RUN|STORE]")] = None,
    host: Annotated[
        str, typer.Option(help="Bind address. Anything but loopback exposes the server to the network.", metavar="HOST")
    ] = "127.0.0.1",
    port: Annotated[int, number_option("Port; 0 picks a free one.", least=0, most=65535, metavar="PORT")] = 8765,
    cpus: Cpus = None,
    cpu_limit: Annotated[
        float,
        typer.Option(callback=between(0.001, MAX_CPU_LIMIT), help="Maximum CPU seconds per puzzle.", metavar="SECONDS"),
    ] = 20.0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve a web page and an HTTP API to browse, play and solve.

    Runs until Ctrl-C. There is no authentication: on a network that you don't trust, put an authenticating proxy in
    front of it. The API describes itself at /api/openapi.json.
    """
    with extra("serve"):
        from nonocensus.pipeline.serve import pool, server
        from nonocensus.pipeline.serve.catalog import open_catalog
    with ExitStack() as held:
        listening = held.enter_context(server.bind_socket(host, port))
        named = f"[{host}]" if ":" in host else host
        address = f"http://{named}:{listening.getsockname()[1]}/"

        catalog = None if place is None else held.enter_context(open_catalog(open_place(place)))
        compile_kernels(COMMON_KINDS, SOLVING)
        workers = held.enter_context(pool.open_pool(cpus or cores()))
        held.enter_context(suppress(KeyboardInterrupt))  # from here on it ends the server in order
        if host not in LOOPBACK:
            err.print(f"[yellow]every client that reaches {escape(host)} can use this server[/yellow]")
        if global_options.json:
            print_json({"address": address})
        else:
            out.print(f"[bold]{escape(address)}[/bold] is ready; Ctrl-C ends it")
        out.file.flush()
        if open_page:
            typer.launch(address)
        server.run(listening, host, catalog, workers, cpu_limit)

"""The command warm, which compiles the kernels before they are needed."""

from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.output import out, watching


def warm(
    store: Annotated[
        str | None, typer.Argument(help="Store whose puzzles' kernels are wanted.", metavar="STORE")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Then compare what kernels return in two processes and in plain Python.")
    ] = False,
) -> None:
    """Compile the solver's kernels into this machine's cache, so that no run has to: once a machine, half a minute.

    Those for nonograms up to 63 cells a side, mono and coloured, for Sudokus and for exact covers; or those that the
    puzzles of a store need.
    """
    import time

    from pipeline.jobs.kernel_compilation import check_kernels, warm_for_most, warm_for_store

    began = time.monotonic()
    with watching("compiling") as callbacks:
        folder = warm_for_most(callbacks) if store is None else warm_for_store(store, callbacks)
    out.print(f"Kernels ready in {time.monotonic() - began:.1f} s: {escape(folder)}")
    if check:
        out.print(f"Kernels checked: {escape(check_kernels())}.")

"""The command warm, which compiles the kernels in advance."""

import time
from collections.abc import Iterable
from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.output import print_result, show_progress
from nonocensus.pipeline.jobs import kernel_compilation
from nonocensus.pipeline.jobs.kernel_compilation import KernelKind, check_kernels, compile_all, missing


def warm(
    store: Annotated[
        str | None, typer.Argument(help="Compile the kernels for this store's puzzles.", metavar="[STORE]")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare kernels in two processes with plain Python.")] = False,
) -> None:
    """Compile the solver's kernels into this machine's cache.

    Takes a minute or two, once a machine; then no command compiles. Covers nonograms up to 127 cells a side, in black
    and in colour, and exact covers; or what the puzzles of a store need.
    """
    began = time.monotonic()
    with show_progress("compiling") as progress:
        folder = kernel_compilation.warm(store, progress)
    seconds = time.monotonic() - began
    checked = check_kernels() if check else None
    print_result(
        {"seconds": round(seconds, 3), "cache": folder, "checked": checked},
        [
            f"Kernels ready in {seconds:.1f} s: {escape(folder)}",
            *([f"Kernels checked: {escape(checked)}."] if checked is not None else []),
        ],
    )


def compile_kernels(wanted: Iterable[KernelKind], stages: Iterable[str]) -> None:
    """Compile those of some stages for some kinds that are not compiled, with a progress bar."""
    if work := missing(wanted, stages):
        with show_progress("compiling") as progress:
            compile_all(work, progress)

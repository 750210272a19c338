"""The command dataset, which exports a run for publication."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import Private, RunFolder
from nonocensus.pipeline.commands.output import global_options, print_result, progress, resumable
from nonocensus.pipeline.errors import UserError

if TYPE_CHECKING:
    from nonocensus.pipeline.findings.hub_push import HubRepository
    from nonocensus.reports.dataset_columns import Content


WITHHELD = {
    "measures": "clues, pictures, texts, and what sites state",
    "none": "clues, pictures and texts",
    "licensed": "clues, pictures and texts of puzzles whose licence does not allow it",
}
"""What a dataset that may be uploaded does not contain, by its content."""


def dataset(
    run_folder: RunFolder,
    out_folder: Annotated[
        str, typer.Option("--out", help="Folder to create, or whose dataset to replace.", metavar="FOLDER")
    ],
    with_clues: Annotated[
        bool, typer.Option("--with-clues", help="Include clues, pictures and texts where the licence allows it.")
    ] = False,
    measures: Annotated[
        bool, typer.Option("--measures", help="Omit what sites state, too: ratings, solving times, dates.")
    ] = False,
    private: Private = False,
    push: Annotated[
        str | None, typer.Option("--push", help="Upload it to the Hugging Face Hub.", metavar="hf://USER/NAME")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="Create the repository public, not private.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what --push would upload; send nothing.")] = False,
) -> None:
    """Export a run as a Parquet dataset for load_dataset.

    Writes three splits, a card and Croissant metadata; the run may be unfinished. By default the dataset holds only
    measures with the puzzles' ids and hashes, nothing under copyright. With --private it holds clues, pictures and
    texts of all puzzles, and is not uploaded. An upload that was interrupted resumes.
    """
    from nonocensus.pipeline.findings.dataset_folder import write_dataset
    from nonocensus.pipeline.run.run_folder import open_run

    content = _content(measures, with_clues, private)
    hub = _repository(push, out_folder, content, public, dry_run)
    run = open_run(run_folder)
    with progress("reading", 2 * run.rows) as (bar, task):

        def seen(step: str, rows: int) -> None:
            bar.update(task, description=step, advance=rows)

        made = write_dataset(run, out_folder, content, seen)
    pushed = _push(hub, made, content, public, dry_run) if hub else {}
    splits = ", ".join(f"{rows:,} {name}" for name, rows in made["splits"].items())
    warning = ["[yellow]Private: it holds puzzles that must not be published.[/yellow]"] if private else []
    print_result(
        made | pushed,
        [
            f"Dataset of [bold green]{made['rows']:,}[/bold green] puzzles ({splits}): {escape(made['folder'])}",
            *warning,
            f"Load it: [bold]datasets.load_dataset({escape(repr(made['folder']))})[/bold]",
            *_push_lines(pushed),
        ],
    )


def _content(measures: bool, with_clues: bool, private: bool) -> "Content":
    from nonocensus.reports.dataset_columns import Content

    given = {Content.measures: measures, Content.licensed: with_clues, Content.everything: private}
    chosen = [content for content, is_given in given.items() if is_given]
    if len(chosen) > 1:
        raise UserError("--measures, --with-clues and --private exclude each other; give one")
    return chosen[0] if chosen else Content.none


def _repository(
    push: str | None, out_folder: str, content: "Content", public: bool, dry_run: bool
) -> "HubRepository | None":
    """Return the repository to upload to, None without --push; check what can be before the dataset is made."""
    if push is None:
        if public or dry_run:
            raise UserError(f"{'--public' if public else '--dry-run'} belongs to --push hf://USER/NAME")
        return None
    from nonocensus.pipeline.findings.hub_push import hub_repository
    from nonocensus.reports.dataset_columns import Content

    if not content.may_be_public:
        raise UserError("--private and --push exclude each other: it holds puzzles that must not be published")
    if public and content != Content.measures:
        raise UserError("--public needs --measures: what sites state (ratings, times, dates) is theirs to publish")
    if "://" in out_folder:
        raise UserError(f"--push uploads a local folder, not {out_folder}; name one by --out")
    hub = hub_repository(push, global_options.quiet)
    if not dry_run:
        hub.check(public)
    return hub


def _push(
    hub: "HubRepository", made: Mapping[str, Any], content: "Content", public: bool, dry_run: bool
) -> dict[str, Any]:
    """Upload a dataset, unless `dry_run`; return what --json prints of it."""
    from nonocensus.pipeline.findings.hub_push import left_behind, upload_sizes

    sizes = upload_sizes(made["folder"], made["files"])
    about = {
        "address": hub.address,
        "public": public,
        "private": not public,
        "license": made["license"],
        "upload": sizes,
        "left_out": left_behind(made["folder"], sizes),
        "content": content.value,
    }
    if dry_run:
        return about
    with resumable():
        return about | hub.upload(made["folder"], sizes, public)._asdict()


def _push_lines(pushed: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was uploaded; with --dry-run, what would be and what would not."""
    if not pushed:
        return
    private = pushed["private"]
    where = f"{escape(pushed['address'])} ({'private' if private else 'public'})"
    size = f"{len(pushed['upload'])} files, {sum(pushed['upload'].values()) / 1e6:,.3g} MB"
    if "changed" not in pushed:
        yield f"Would be uploaded to {where}, licence {pushed['license']}: {size}"
        yield from (f"  {name}  {size:,} bytes" for name, size in pushed["upload"].items())
        yield f"Not in it: {WITHHELD[pushed['content']]}"
        yield from (f"Left out: {escape(name)}" for name in pushed["left_out"])
    elif pushed["changed"]:
        yield f"Uploaded to [bold green]{where}[/bold green]: {size}"
    else:
        yield f"Nothing to upload, {where} has it already: {size}"
    if pushed["public"] and private:
        yield "It stays private: to publish it, change that in its settings on the Hub"

"""Write the documents that follow from the program: docs/COMMANDS.md from its help, docs/FORMATS.md from round trips,
docs/METRICS.md and docs/pack.schema.json from its records, docs/PYTHON.md from the library, docs/step.svg from an
explanation, docs/TECHNIQUES.md with pictures from the techniques and their examples.

python -m tools.documents, or make docs; tests/test_documents.py fails where one of them is older than the program.
"""

import html
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import typer
from typer.cli import get_docs_for_click

import nonocensus
from nonocensus.pipeline import errors
from nonocensus.pipeline.commands.app import EPILOG, FUNCTIONS, app, load_command
from nonocensus.pipeline.commands.output import BUG
from nonocensus.pipeline.findings.pack_index import Pack
from nonocensus.pipeline.prometheus import Metric
from nonocensus.pipeline.run.run_metrics import RUN_METRICS
from nonocensus.pipeline.serve.monitoring import SERVER_METRICS
from nonocensus.reports.drawings.svg import drawing
from nonocensus.reports.words.step_words import grid_states
from nonocensus.scrapers import formats
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.formats.writing import FEATURES
from nonocensus.solver.people.explanation import explain
from tests import round_trips
from tools import technique_pages

ROOT = Path(__file__).resolve().parents[1]

STATUSES = {0: "Done.", 1: "Some puzzles or files failed, or a proof has changed or does not hold; all else is done."}


def commands_page() -> str:
    """docs/COMMANDS.md: Typer's description of every command, and the exit statuses."""
    group: Any = typer.main.get_command(app)
    group.commands = {name: load_command(name) for name in FUNCTIONS}
    context = typer.Context(group, info_name="nonocensus", obj={"TYPER_RICH_MARKUP_MODE": "rich"})
    text = get_docs_for_click(obj=group, ctx=context, name="nonocensus", title="Commands").strip() + "\n"
    text = re.sub(r"(?s)\*\*Commands\*\*:.*?(?=## )", "", html.unescape(text), count=1)  # a list cut to 40 columns
    text = text.replace(f"\n{EPILOG}\n", "").replace("## `", f"{EPILOG}\n\n## `", 1)
    text = re.sub(r"\*\*Usage\*\*:\n\n```console\n\$ (.*)\n```", r"    \1", text)
    text = re.sub(r"(\n\* .*)\n\n\*\*Options\*\*:\n", r"\1", text)
    text = re.sub(r"\*\*(Arguments|Options)\*\*:\n\n|\* `--help`: .*\n", "", text)
    kinds: list[type[errors.UserError]] = [errors.UserError, *errors.UserError.__subclasses__()]
    statuses = STATUSES | {kind.status: first_sentence(kind.__doc__ or "") for kind in kinds}
    statuses |= {BUG: "An internal error: a bug of the program. Finished work is kept, and the same command continues."}
    statuses = dict(sorted(statuses.items()))
    lines = [text.rstrip(), "", "## Exit status", "", "| status | means |", "|---|---|"]
    lines += [f"| {status} | {meaning} |" for status, meaning in statuses.items()]
    return "\n".join([*lines, "", "This page is made from the program's own help by `make docs`.", ""])


def formats_page() -> str:
    """docs/FORMATS.md: the file formats, and which parts of a puzzle come back when it is written and read."""
    lines = [
        "# File formats",
        "",
        "`import`, `solve` and `convert` read all of these, `convert` writes them. The format is detected from the",
        "content, then from the suffix; `--format` overrides both. Every file that is written is read back first.",
        "Parquet files are read too: of `dataset --with-clues`, and others with clues in columns named like `rows` and",
        "`columns`. Partly solved grids are for `solve --from-saved` and `--hint`; a store does not hold them. `.non`",
        "files are written in ASCII, as webpbn.com writes them: any other character is an HTML entity (é is `&#233;`).",
        "",
        "| format | suffixes | several puzzles | description |",
        "|---|---|---|---|",
    ]
    for known in sorted(formats.FORMATS, key=lambda known: known.NAME):
        several = "yes" if hasattr(known, "bundle") else ""
        about = known.__doc__ if isinstance(known, ModuleType) else getattr(known, "ABOUT", None)
        lines.append(f"| {known.NAME} | {' '.join(known.SUFFIXES)} | {several} | {first_sentence(str(about))} |")
    lines += ["", "## What a format keeps", "", "Besides black-and-white clues; tested by writing and reading.", ""]
    names = sorted(known.NAME for known in formats.FORMATS)
    found = {known.NAME: round_trips.kept(known) for known in formats.FORMATS}
    poor = [name for name in names if not found[name]]
    rich = [name for name in names if found[name]]
    lines += [f"| | {' | '.join(rich)} |", "|---|" + "---|" * len(rich)]
    lines += [
        f"| {word.text} | {' | '.join('yes' if key in found[name] else '' for name in rich)} |"
        for key, word in FEATURES.items()
    ]
    lines += ["", f"Black-and-white clues only: {', '.join(poor)}.", "", "`make docs` generates this page.", ""]
    return "\n".join(lines)


PYTHON_HEAD = """\
# From Python

    import nonocensus as nc
    nc.solve([[1, 0, 1], [1, 1, 1]])                 # a picture's puzzle, or a Puzzle; the answer draws itself
    nc.solve({"rows": [[2], [1]], "columns": [[1], [2]]})   # clues as lists, with colours by nc.Puzzle.from_clues
    nc.read("puzzles.zip").puzzles                   # files of any known format
    nc.explain(puzzle).steps                         # how a person solves it, step by step
    nc.grade([[1, 0, 1], [1, 1, 1]])["hardest"]      # how hard it is for people
    nc.make_unique(nc.from_image("cat.jpg"))         # a puzzle of an image, with one solution
    nc.classify_store("store", "run", cpu_limit=10)  # as the command, without printing
    nc.query("run", "select label, count(*) from results group by 1")   # an Arrow table

Functions print nothing, return records and Arrow tables, and raise errors that say in a line what is wrong. The
notebook [census.ipynb](census.ipynb) shows most of them. The names below are meant to stay; all others are private.

| name | what it is |
|---|---|
"""


def python_page() -> str:
    """docs/PYTHON.md: what `import nonocensus` offers, with the first sentence of each docstring."""
    rows = [
        f"| `{name}` | {first_sentence(inspect.getdoc(getattr(nonocensus, name)) or '')} |"
        for name in sorted(nonocensus.__all__, key=str.lower)  # type: ignore[attr-defined]
        if not name.startswith("_")
    ]
    foot = "This page is made from docstrings by `make docs`; the site of `make site` has all arguments."
    return "\n".join([PYTHON_HEAD + rows[0], *rows[1:], "", foot, ""])


METRICS_HEAD = """\
# Metrics and alerts

For operators, in Prometheus's text format. `nonocensus serve RUN` has them at `/metrics`, for its run and for itself.
Without a server, node_exporter's textfile collector reads a run's metrics from a file, written every minute:

    nonocensus status RUN --metrics > run.prom.new && mv run.prom.new /var/lib/node_exporter/run.prom

A run's metrics come from its `progress.json`, which the command at work writes every two seconds. So they also show
that a command has died, on whatever machine, and runs on object storage can be watched from anywhere. Counters begin at
0 with each command. Ray's own metrics ([CLUSTER.md](CLUSTER.md#monitoring)) end with the command.

| file in `configs/` | |
|---|---|
| `prometheus.yml` | scrapes a server and reads the alert rules |
| `alerts.yml` | a run stalls, dies or ends early, tasks are lost; a server is down, busy, or without workers |
| `grafana-dashboard.json` | a run's state, rate, time to go, outcomes, stalls; a server's requests and jobs |
| `compose.yaml` | all of it in containers: server, Prometheus and Grafana |

Prometheus 2.42 loads the rules and answers each query of the dashboard.

A run is **stalled** if its command reports, but has written no rows for ten minutes and twice the CPU limit. It is
**silent** if the command has not even reported for five minutes and twice the limit. `classify` tries each puzzle for
0.05 CPU seconds first, and queues those that need more for a **retry** with 0.7 seconds, then with the run's CPU limit.
"""


def metrics_page() -> str:
    """docs/METRICS.md: every metric of runs and servers."""
    runs, servers = (_metrics_table(metrics) for metrics in (RUN_METRICS, SERVER_METRICS))
    sections = [METRICS_HEAD, "## Runs", "", *runs, "", "## Servers", "", *servers, ""]
    return "\n".join([*sections, "This page is made from the program by `make docs`.", ""])


def _metrics_table(metrics: tuple[Metric, ...]) -> list[str]:
    rows = [f"| `{each.name}` | {each.kind} | {', '.join(each.labels)} | {each.help} |" for each in metrics]
    return ["| metric | type | labels | meaning |", "|---|---|---|---|", *rows]


def pack_schema() -> str:
    """docs/pack.schema.json: the JSON schema of pack.json."""
    return json.dumps(msgspec.json.schema(Pack), indent=2) + "\n"


def step_picture() -> str:
    """docs/step.svg: a puzzle of the demo in the middle of its explanation."""
    puzzle = next(puzzle for puzzle in demo_puzzles() if puzzle.title == "Cup of tea")
    every = list(grid_states(explain(puzzle)))
    return drawing(puzzle, every[len(every) // 2]).svg + "\n"


def first_sentence(text: str) -> str:
    """Return the first sentence of a text's first paragraph, as one line for a table."""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0].replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "COMMANDS.md": commands_page,
    "FORMATS.md": formats_page,
    "METRICS.md": metrics_page,
    "PYTHON.md": python_page,
    "TECHNIQUES.md": technique_pages.page,
    "../reports/templates/techniques.html.j2": technique_pages.fragment,
    "pack.schema.json": pack_schema,
    "step.svg": step_picture,
}
"""What makes each document in docs/; docs/techniques has the pictures of TECHNIQUES.md."""

PICTURES = ROOT / "docs" / technique_pages.FOLDER


def main() -> None:
    """Write the documents."""
    for name, made in PAGES.items():
        (ROOT / "docs" / name).write_text(made())
    PICTURES.mkdir(exist_ok=True)
    for name, drawn in technique_pages.pictures().items():
        (PICTURES / name).write_text(drawn)


if __name__ == "__main__":
    main()

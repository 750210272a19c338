"""The explanation of a nonogram, as solve and hint print it: in words, or as fields for machines."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.markup import escape

from pipeline.commands.output import tell

if TYPE_CHECKING:
    from reports.explained.step_words import Told
    from solver.model.techniques import Technique
    from solver.people.explanation import Explanation

STEPS_A_SECOND, SECONDS = 8.0, 20.0


def print_explanation(explanation: "Explanation") -> None:
    """Every step in words, and how it ends."""
    from reports.explained.step_words import ending, in_words
    from solver.model.techniques import TECHNIQUES

    tell(False, None, lines(in_words(explanation), TECHNIQUES, ending(explanation)))


def watched(explanation: "Explanation") -> None:
    """Show the steps one after the other, eight a second, or as many as end in twenty seconds."""
    from pipeline.commands.live_view import watch
    from reports.explained.states import states

    watch(explanation.puzzle, states(explanation), max(STEPS_A_SECOND, len(explanation.steps) / SECONDS))


def lines(steps: "Iterable[Told[Any]]", techniques: "Sequence[Technique]", ending: str) -> Iterator[RenderableType]:
    """Steps in words, a line each, and how they end. Why a technique may do what it does is said once."""
    explained: set[int] = set()
    for told in steps:
        technique = told.step.technique
        yield step_line(told, techniques[technique].name, why=technique not in explained)
        explained.add(technique)
    yield f"[bold]{escape(ending)}[/bold]"


def step_line(told: "Told[Any]", name: str, why: bool) -> str:
    """A step in a line, with the name of its technique, and why that may do so."""
    what = escape(told.what).replace(name, f"[cyan]{name}[/cyan]", 1)
    return f"[dim]{told.number:4}.[/dim] {what}" + (f" [dim]{escape(told.why)}[/dim]" if why else "")


def fields_of(explanation: "Explanation") -> dict[str, Any]:
    """What a machine is told: lines and cells count from 1, as in certificates."""
    from reports.explained.step_words import in_words
    from solver.model.techniques import TECHNIQUES
    from solver.people.explanation import told

    hardest = explanation.hardest
    steps = [
        {
            "technique": TECHNIQUES[each.step.technique].name,
            "grade": TECHNIQUES[each.step.technique].grade,
            "words": each.what,
            **derived,
        }
        for each, derived in zip(in_words(explanation), told(explanation), strict=True)
    ]
    return {
        "state": explanation.state,
        "hardest": hardest and hardest.name,
        "grade": hardest and hardest.grade,
        "steps": steps,
        "open": sum(colors & (colors - 1) != 0 for colors in explanation.cells),
    }

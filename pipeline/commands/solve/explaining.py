"""The explanation of a puzzle, as solve and hint print it: in words, or as fields for machines."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.markup import escape

from pipeline.commands.output import tell

if TYPE_CHECKING:
    from reports.explained.words import Told
    from solver.derivation.explain import Explanation

STEPS_A_SECOND, SECONDS = 8.0, 20.0


def print_explanation(explanation: "Explanation") -> None:
    """Every step in words, and how it ends."""
    tell(False, None, _lines(explanation))


def watched(explanation: "Explanation") -> None:
    """Show the steps one after the other, eight a second, or as many as end in twenty seconds."""
    from pipeline.commands.live import watch
    from reports.explained.states import states

    watch(explanation.puzzle, states(explanation), max(STEPS_A_SECOND, len(explanation.steps) / SECONDS))


def _lines(explanation: "Explanation") -> Iterator[RenderableType]:
    from reports.explained.words import ending, in_words

    explained: set[int] = set()
    for told in in_words(explanation):
        yield step_line(told, why=told.step.technique not in explained)
        explained.add(told.step.technique)
    yield f"[bold]{escape(ending(explanation))}[/bold]"


def step_line(told: "Told", why: bool) -> str:
    """A step in a line; with why its technique may do so, which is said once."""
    from solver.techniques.ladder import TECHNIQUES

    name = TECHNIQUES[told.step.technique].name
    what = escape(told.what).replace(name, f"[cyan]{name}[/cyan]", 1)
    return f"[dim]{told.number:4}.[/dim] {what}" + (f" [dim]{escape(told.why)}[/dim]" if why else "")


def fields_of(explanation: "Explanation") -> dict[str, Any]:
    """What a machine is told: lines and cells count from 1, as in certificates."""
    from reports.explained.words import in_words
    from solver.derivation.explain import told
    from solver.techniques.ladder import TECHNIQUES

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

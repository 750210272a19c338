"""Fewer states of a long solution, several steps in one, without holding all of them."""

from collections.abc import Iterable
from typing import NamedTuple

from reports.sheet.state import State


class Thinned(NamedTuple):
    """The first state of a solution, and then one for every so many steps, the last one's for what is left.

    What one points out is what all of its steps did; its words are the last one's.
    """

    states: list[State]
    every: int


def thinned(states: Iterable[State], most: int) -> Thinned:
    """At most so many (three or more) of the states that come, with as many in memory at a time.

    Whenever there are too many, every two become one.
    """
    pairs = (most - 1) // 2
    first: list[State] = []
    steps: list[State] = []
    every = 1
    for number, state in enumerate(states, -1):
        if number < 0:
            first.append(state)
            continue
        if number % every == 0 and len(steps) == 2 * pairs:
            steps = [_joined(*steps[k : k + 2]) for k in range(0, len(steps), 2)]
            every *= 2
        if number % every == 0:
            steps.append(state)
        else:
            steps[-1] = _joined(steps[-1], state)
    return Thinned(first + steps, every)


def _joined(earlier: State, state: State) -> State:
    """A state in place of itself and the one before."""
    masks = [mask for mask in (earlier.marked, state.marked) if mask is not None]
    return state._replace(
        marked=masks[0] | masks[-1] if masks else None,
        rows=tuple(dict.fromkeys(earlier.rows + state.rows)),
        columns=tuple(dict.fromkeys(earlier.columns + state.columns)),
    )

"""The rung line: line logic to its fixpoint. Most puzzles are solved here."""

from typing import Any

import numpy as np

from solver.jit.clock import cpu_seconds, wall_seconds
from solver.jit.kernel import kernel
from solver.ladder.ascent import Ascent, keep, put_up
from solver.ladder.fixpoint import propagate_all
from solver.ladder.outcome import note_rung, note_time
from solver.ladder.rungs import LINE
from solver.lines.checked import CHECKED, has_known, is_at_fixpoint
from solver.lines.propagate import CONTRADICTION, FIXPOINT


@kernel
def line_rung(ascent: Ascent, puzzles: np.ndarray) -> int:
    """Puzzle by puzzle; those left open wait for the next rung, unless this is the last one.

    Returns how many were done before there was no more room to wait. One puzzle's last look at the clock is the next
    one's first.
    """
    outcome, waiting, memory = ascent.outcome, ascent.waiting, ascent.memory
    board, color, bit_width = memory.board, memory.color, memory.workspace.bit_width
    rung: Any = np.int64(LINE)  # a literal would be a type of its own to the compiler
    cpu, wall = cpu_seconds(), wall_seconds()
    for k in range(len(puzzles)):
        if waiting.number[0] == len(waiting.puzzles):
            return k
        p = puzzles[k]
        workspace = put_up(ascent, p, cpu)
        held = CHECKED and has_known(board, bit_width)
        status = propagate_all(board, color, workspace)
        if CHECKED:
            assert not held or (status != CONTRADICTION and has_known(board, bit_width)), "a rung lost a solution"
            assert status != FIXPOINT or is_at_fixpoint(board, color, workspace), "a rung stopped short"
        left_open = note_rung(board, status, rung, p, outcome, bit_width)
        if left_open and ascent.allowance.top > LINE:
            keep(board, waiting, p)
        cpu, wall = note_time(outcome, p, rung, cpu, wall)
    return len(puzzles)

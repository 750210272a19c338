"""Nonograms for Gymnasium: an environment that paints a cell a step, and rewards moves that follow from the clues.

    import gymnasium
    import nonocensus.adapters.gymnasium_env

    env = gymnasium.make("nonocensus/Nonogram-v0", puzzles=puzzles)

The extra gymnasium installs the library.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nonocensus.scrapers.formats.answer_signs import UNKNOWN
from nonocensus.solver.api import solve
from nonocensus.solver.extras import extra
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.model.puzzle import MAX_CELLS, Puzzle
from nonocensus.solver.model.tables import picture, puzzle_batch
from nonocensus.solver.model.views import views
from nonocensus.solver.people.hints import start_of

with extra("gymnasium"):
    import gymnasium
    from gymnasium import spaces

CPU_LIMIT = 60.0
"""CPU seconds for solving a puzzle, and for a step."""


class NonogramEnv(gymnasium.Env[dict[str, np.ndarray], np.ndarray]):
    """Paint a cell a step until the grid is complete.

    Observation   grid: uint8[height, width] of palette entries, 255 for open cells; clues: uint16[height + width,
                  blocks, 2] of length and colour, rows first, zeros behind the last block
    Action        row, column and palette entry, from 0
    Reward        1 / cells for a sound move: line logic on the present grid refutes all other colours of the cell;
                  0 for one that agrees with the solution but does not follow so, and for a painted cell;
                  -1 / cells for one that disagrees with the solution, which is not painted
    Info          sound, agrees: bool, of the last move

    A grid of sound moves alone has a return of 1. An episode ends when the grid is complete; gymnasium.make's
    max_episode_steps truncates it.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self, puzzles: Sequence[Puzzle], render_mode: str | None = None) -> None:
        """Take puzzles of one size. Raises ValueError for other ones, and if one has not exactly one solution."""
        if len({(puzzle.width, puzzle.height) for puzzle in puzzles}) != 1:
            raise ValueError("the puzzles must have one size, and there must be one at least")
        self.puzzles = list(puzzles)
        self.render_mode = render_mode
        first = puzzles[0]
        colors = max(max(puzzle.colors, 1) for puzzle in puzzles)
        blocks = max(1, max(len(clue) for puzzle in puzzles for clue in puzzle.rows + puzzle.columns))
        shape = (first.height + first.width, blocks, 2)
        self.action_space = spaces.MultiDiscrete([first.height, first.width, colors + 1])
        self.observation_space = spaces.Dict(
            grid=spaces.Box(0, UNKNOWN, (first.height, first.width), np.uint8),
            clues=spaces.Box(0, MAX_CELLS, shape, np.uint16),
        )
        self._solutions: dict[int, np.ndarray] = {}
        self._start(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin with a random puzzle, or the one of index options["puzzle"]."""
        super().reset(seed=seed)
        chosen = (options or {}).get("puzzle")
        self._start(int(self.np_random.integers(len(self.puzzles))) if chosen is None else int(chosen))
        return self._observation(), {"puzzle_id": self.puzzle.puzzle_id}

    def step(self, action: np.ndarray) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Paint a cell."""
        y, x, color = map(int, action)
        was_open = self.grid[y, x] == UNKNOWN
        agrees = bool(self.solution[y, x] == color)
        sound = bool(was_open and agrees and self._follows(y, x, color))
        if was_open and agrees:
            self.grid[y, x] = color
        reward = (sound - (not agrees)) / self.grid.size
        return self._observation(), reward, self.is_complete, False, {"sound": sound, "agrees": agrees}

    def render(self) -> str | None:  # type: ignore[override]
        """Return the grid as text, in the palette's symbols, ? for open cells."""
        symbols = {entry: color.symbol for entry, color in enumerate(self.puzzle.palette)} | {UNKNOWN: "?"}
        return "\n".join("".join(symbols[cell] for cell in row) for row in self.grid.tolist())

    @property
    def is_complete(self) -> bool:
        """Whether no cell is open."""
        return not (self.grid == UNKNOWN).any()

    def _start(self, index: int) -> None:
        puzzle = self.puzzle = self.puzzles[index]
        if index not in self._solutions:
            row = solve(puzzle, cpu_limit=CPU_LIMIT)
            if row["solutions"] != "unique":
                raise ValueError(f"puzzle {puzzle.puzzle_id or index} has not exactly one known solution")
            self._solutions[index] = picture(row["solution"], puzzle.width, puzzle.height)  # type: ignore[arg-type]
        self.solution = self._solutions[index]
        self.grid = np.full((puzzle.height, puzzle.width), UNKNOWN, np.uint8)
        self._batch = puzzle_batch([puzzle])
        self._clues = np.zeros(self.observation_space["clues"].shape, np.uint16)  # type: ignore[index]
        for line, clue in enumerate(puzzle.rows + puzzle.columns):
            self._clues[line, : len(clue)] = np.array(clue, np.uint16).reshape(-1, 2)

    def _follows(self, y: int, x: int, color: int) -> bool:
        """Return whether line logic refutes all other colours of a cell."""
        start = start_of(self.puzzle, self.grid)
        start[y, x, color] = False
        return line_fixpoint(views(self._batch), CPU_LIMIT, start.reshape(-1, start.shape[2])) is None

    def _observation(self) -> dict[str, np.ndarray]:
        return {"grid": self.grid.copy(), "clues": self._clues.copy()}


gymnasium.register("nonocensus/Nonogram-v0", NonogramEnv)

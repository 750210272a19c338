"""Slow, obviously right versions of every kernel. They share no code with the solver but the Puzzle model.

A line's knowledge is a list with, for each cell, the set of colours that it may have.
"""

import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, islice, product
from typing import Any, NamedTuple

import numpy as np
from hypothesis import reject
from pysat.solvers import Solver

from nonocensus.solver.model.puzzle import BLOT, Block, Clue, Puzzle, clue_of

Knowledge = list[set[int]]


def fits(clue: Clue, cells: Sequence[int]) -> bool:
    """Return whether a coloured line reads as its clue says."""
    runs = clue_of(cells)
    return len(runs) == len(clue) and all(
        run.color == block.color and block.length in (run.length, BLOT) for run, block in zip(runs, clue, strict=True)
    )


def arrangements(clue: Clue, cells: int) -> Iterator[tuple[int, ...]]:
    """Yield all arrangements of a line of `cells` cells, built block by block."""
    if not clue:
        yield (0,) * cells
        return
    block, rest = clue[0], clue[1:]
    for gap in range(cells):
        for length in range(1, cells - gap + 1) if block.length == BLOT else (block.length,):
            separator = 1 if rest and rest[0].color == block.color else 0
            left = cells - gap - length - separator
            if left >= 0:
                head = (0,) * gap + (block.color,) * length + (0,) * separator
                for tail in arrangements(rest, left):
                    yield head + tail


MOST = 100_000
"""Arrangements of a line, or beginnings of pictures, beyond which a test passes over an example."""


@lru_cache(1000)
def all_arrangements(clue: Clue, cells: int) -> list[tuple[int, ...]]:
    """Return the same as a list: many tests ask for one clue again and again, with other things known."""
    found = list(islice(arrangements(clue, cells), MOST + 1))
    if len(found) > MOST:
        reject()
    return found


def all_clues(cells: int, colors: int, blots: bool = False) -> list[Clue]:
    """Return every clue that some colouring of a line has; with blots, also each with any lengths hidden."""
    plain = {clue_of(line) for line in product(range(colors + 1), repeat=cells)}
    if not blots:
        return sorted(plain)
    return sorted(
        {
            tuple(
                Block(BLOT if hidden else block.length, block.color) for block, hidden in zip(clue, hide, strict=True)
            )
            for clue in plain
            for hide in product((False, True), repeat=len(clue))
        }
    )


def solve_line(clue: Clue, known: Knowledge) -> Knowledge | None:
    """Return what each cell can be in the arrangements that agree with what is known; None if there is none."""
    possible = [
        line for line in all_arrangements(clue, len(known)) if all(color in known[x] for x, color in enumerate(line))
    ]
    return [set(colors) for colors in zip(*possible, strict=True)] if possible else None


Board = list[Knowledge]
Line = tuple[Clue, list[tuple[int, int]]]


def lines_of(puzzle: Puzzle) -> list[Line]:
    """Return each line's clue and the places (y, x) of its cells, rows first."""
    lines = [(clue, [(y, x) for x in range(puzzle.width)]) for y, clue in enumerate(puzzle.rows)]
    return lines + [(clue, [(y, x) for y in range(puzzle.height)]) for x, clue in enumerate(puzzle.columns)]


def line_logic(puzzle: Puzzle) -> Board | None:
    """Return the fixpoint of line logic from nothing known: for each row its knowledge; None for a contradiction."""
    return propagated(nothing_known(puzzle), lines_of(puzzle))


def nothing_known(puzzle: Puzzle) -> Board:
    """Return a board on which every cell may have every colour."""
    return [[set(range(puzzle.colors + 1)) for _ in range(puzzle.width)] for _ in range(puzzle.height)]


def copied(board: Board) -> Board:
    """Return a board that can be changed without changing the other one."""
    return [[set(colors) for colors in row] for row in board]


def decided(board: Board) -> int:
    """Number of cells with one colour left."""
    return sum(len(colors) == 1 for row in board for colors in row)


def propagated(board: Board, lines: list[Line]) -> Board | None:
    """Return the board after line logic on these lines, to their fixpoint; None for a contradiction."""
    board = copied(board)
    changed = True
    while changed:
        changed = False
        for clue, places in lines:
            new = solve_line(clue, [board[y][x] for y, x in places])
            if new is None:
                return None
            for (y, x), colors_left in zip(places, new, strict=True):
                if board[y][x] != colors_left:
                    board[y][x] = colors_left
                    changed = True
    return board


def assumption_holds(puzzle: Puzzle, began: Board, board: Board, y: int, x: int, color: int, depth: int | None) -> bool:
    """Return whether assuming a colour of a cell leads to no contradiction within `depth` levels (None: no limit).

    `began` is what line logic knows, `board` what is known now.
    """
    lines = lines_of(puzzle)
    trial = copied(board)
    trial[y][x] = {color}
    if depth is None:
        return propagated(trial, lines) is not None
    level = {y, puzzle.height + x}  # numbers of lines to be solved
    for _ in range(depth):
        new = propagated(trial, [lines[i] for i in sorted(level)])
        if new is None:
            return False
        trial = new
        known = {(v, u) for i in level for v, u in lines[i][1] if trial[v][u] != began[v][u]}
        level |= {v for v, _ in known} | {puzzle.height + u for _, u in known}
    return all(solve_line(lines[i][0], [trial[v][u] for v, u in lines[i][1]]) is not None for i in level)


def lookahead(puzzle: Puzzle, depth: int | None) -> Board | None:
    """Return the fixpoint of line logic and of taking away what an assumption refutes; None for a contradiction."""
    lines = lines_of(puzzle)
    began, board = line_logic(puzzle), line_logic(puzzle)
    while began and board and (refuted := some_refuted(puzzle, began, board, depth)) is not None:
        y, x, color = refuted
        board[y][x].discard(color)
        board = propagated(board, lines)
    return board


def some_refuted(puzzle: Puzzle, began: Board, board: Board, depth: int | None) -> tuple[int, int, int] | None:
    """Return a cell (y, x) that may have several colours, and one of them that leads to a contradiction."""
    for y, x in product(range(puzzle.height), range(puzzle.width)):
        for color in sorted(board[y][x]) if len(board[y][x]) > 1 else ():
            if not assumption_holds(puzzle, began, board, y, x, color, depth):
                return y, x, color
    return None


def solutions(puzzle: Puzzle) -> list[tuple[tuple[int, ...], ...]]:
    """Return all pictures with these clues, row by row: a beginning stays if each column has an arrangement that begins
    so.
    """
    columns = [all_arrangements(clue, puzzle.height) for clue in puzzle.columns]
    beginnings: list[tuple[tuple[int, ...], ...]] = [()]
    for y, clue in enumerate(puzzle.rows):
        possible = [{line[: y + 1] for line in lines} for lines in columns]
        rows = all_arrangements(clue, puzzle.width)
        if len(beginnings) * len(rows) > MOST:
            reject()
        beginnings = [
            (*picture, row)
            for picture in beginnings
            for row in rows
            if all(column in begins for column, begins in zip(zip(*picture, row, strict=True), possible, strict=True))
        ]
    return beginnings


# A second opinion on puzzles of any size: a formula of automata, given whole to one clause learner.

LEARNER = "minisat22"
"""The quickest of python-sat's on this formula, and none that the solver uses."""


VERDICTS = ("none", "unique", "multiple")


class Automaton(NamedTuple):
    """What reads a line cell by cell: it has passed through a state a cell, from one of `begin` to one of `end`.

    State 0 is the gap before the first block; then follow, for each block, its cells and the gap after it. A gap is
    passed through or, but between blocks of one colour, left out. A blot is one cell that may repeat.

    color   each state's colour
    after   each state's successors
    """

    color: list[int]
    after: list[list[int]]
    begin: set[int]
    end: set[int]


def automaton(clue: Clue) -> Automaton:
    """Return what reads the lines that a clue describes, and no others."""
    color, after = [0], [[0]]
    gap, last = 0, None  # the gap before the next block, the last cell before that gap
    for block in clue:
        first, length = len(color), 1 if block.length == BLOT else block.length
        after[gap].append(first)
        if last is not None and color[last] != block.color:
            after[last].append(first)
        last, gap = first + length - 1, first + length
        color += [block.color] * length + [0]
        after += [[state + 1] for state in range(first, gap)] + [[gap]]
        if block.length == BLOT:
            after[last].append(last)
    return Automaton(color, after, {0, 1} if clue else {0}, {gap} if last is None else {last, gap})


def possible_states(reads: Automaton, cells: int) -> list[set[int]]:
    """For each cell of a line the states on some way from a first one to a last one."""
    states = [reads.begin]
    for _ in range(cells - 1):
        states.append({follower for state in states[-1] for follower in reads.after[state]})
    states[-1] = states[-1] & reads.end
    for i in reversed(range(cells - 1)):
        states[i] = {state for state in states[i] if not states[i + 1].isdisjoint(reads.after[state])}
    return states


def formula(puzzle: Puzzle, start: np.ndarray | None = None) -> list[list[int]]:
    """Clauses whose models are the pictures with these clues that agree with `start`, bool[height, width, palette].

    Variable 1 + cell x palette + c: the cell, counted row by row, has colour c. Each has exactly one, of those that
    `start` allows. The others, one for each state that a line's automaton may have passed through at a cell, make each
    line read as its clue says:

    - the first cell is in a state; a state has a successor at the next cell; those at the last cell are states to end
      in, others have no variable there. So any model has a whole way through each automaton;
    - a state gives the cell its colour. So the picture's lines are what these ways read;
    - a colour needs a state that gives it, which only helps the learner: with the states of one way a picture that
      fits satisfies all of this.
    """
    palette, cells = palette_size(puzzle), puzzle.width * puzzle.height
    clauses: list[list[int]] = []
    for cell in range(cells):
        colors = range(1 + cell * palette, 1 + (cell + 1) * palette)
        clauses.append([*colors])
        clauses += [[-a, -b] for a, b in combinations(colors, 2)]
    if start is not None:
        clauses += [[-1 - int(k)] for k in np.flatnonzero(~start.reshape(-1))]
    free = 1 + cells * palette
    for clue, places in lines_of(puzzle):
        reads = automaton(clue)
        variables: list[dict[int, int]] = []
        for states in possible_states(reads, len(places)):
            variables.append({state: free + k for k, state in enumerate(states)})
            free += len(states)
        clauses.append([*variables[0].values()])
        for (y, x), here, following in zip(places, variables, [*variables[1:], None], strict=True):
            colors = range(1 + (y * puzzle.width + x) * palette, 1 + (y * puzzle.width + x + 1) * palette)
            giving = [[-color] for color in colors]
            for state, variable in here.items():
                clauses.append([-variable, colors[reads.color[state]]])
                giving[reads.color[state]].append(variable)
                if following is not None:
                    clauses.append([-variable, *(following[s] for s in reads.after[state] if s in following)])
            clauses += giving
    return clauses


def learned_solutions(
    puzzle: Puzzle, start: np.ndarray | None = None, patience: int | None = None
) -> Iterator[np.ndarray]:
    """Yield all pictures, uint8[height, width], with these clues that agree with `start`, in no particular order.

    Raises TimeoutError if the learner has run into more than `patience` conflicts for one answer.
    """
    palette, cells = palette_size(puzzle), puzzle.width * puzzle.height
    with Solver(LEARNER, bootstrap_with=formula(puzzle, start)) as learner:
        while True:
            if patience is not None:
                learner.conf_budget(patience)
            found: bool | None = learner.solve_limited()
            if found is None:
                raise TimeoutError(f"no answer after {patience} conflicts")
            if not found:
                return
            colors = np.array(learner.get_model()[: cells * palette]).reshape(cells, palette)
            learner.add_clause((-colors[colors > 0]).tolist())
            yield (colors > 0).argmax(axis=1).astype(np.uint8).reshape(puzzle.height, puzzle.width)


def verdict(puzzle: Puzzle, start: np.ndarray | None = None, patience: int | None = None) -> str:
    """Return how many pictures have these clues and agree with `start`: none, unique or multiple; unknown without
    patience.
    """
    try:
        return VERDICTS[len(list(islice(learned_solutions(puzzle, start, patience), 2)))]
    except TimeoutError:
        return "unknown"


def objection(puzzle: Puzzle, start: np.ndarray | None, row: dict[str, Any], expected: str) -> str | None:
    """What is wrong with a row of the results table of a puzzle whose verdict is `expected`; None if nothing is.

    Clues that no picture can have for plain arithmetic, `invalid`, are a proof of `none`. Where `expected` is unknown,
    any verdict will do, if the solutions shown are some.
    """
    if row["status"] not in ("ok", "invalid"):
        return f"its status is {row['status']}, {row['error']}"
    said = "none" if row["status"] == "invalid" else row["solutions"]
    if said not in VERDICTS or expected not in (said, "unknown"):
        return f"the solver says {said} ({row['engine']}), automata say {expected}"
    shown = [row[name] for name in ("solution", "second_solution") if row[name] is not None]
    if len(shown) != VERDICTS.index(said) or len(set(shown)) < len(shown):
        return f"it is {said}, and {len(set(shown))} solutions are shown"
    for cells in shown:
        picture = np.frombuffer(cells, np.uint8).reshape(puzzle.height, puzzle.width)
        if not is_solution(puzzle, picture, start):
            return f"this is no solution: {picture.tolist()}"
    return None


def is_solution(puzzle: Puzzle, picture: np.ndarray, start: np.ndarray | None = None) -> bool:
    """Return whether a picture, uint8[height, width], has these clues and agrees with `start`."""
    return all(fits(clue, [int(picture[place]) for place in places]) for clue, places in lines_of(puzzle)) and (
        start is None or bool(np.take_along_axis(start, picture[:, :, None].astype(np.int64), axis=2).all())
    )


def palette_size(puzzle: Puzzle) -> int:
    """Number of colours that cells can have, the background counted."""
    return max(puzzle.colors, 1) + 1


def identities(puzzle: Puzzle) -> tuple[str, str]:
    """Return the puzzle's clue hash and its canonical hash."""

    def text(rows: Sequence[Clue], columns: Sequence[Clue], rename: bool) -> list[int]:
        names: dict[int, int] = {}
        numbers = [len(columns), len(rows)]
        for clue in (*rows, *columns):
            numbers.append(len(clue))
            for block in clue:
                new = names.setdefault(block.color, len(names) + 1)
                numbers += [block.length, new if rename else block.color]
        return numbers

    def hashed(numbers: list[int]) -> str:
        return sha256(struct.pack(f"<{len(numbers)}H", *numbers)).hexdigest()[:32]

    def back(clues: Sequence[Clue]) -> list[Clue]:
        return [clue[::-1] for clue in clues]

    symmetric = [
        (back(rows[::y]) if x < 0 else rows[::y], back(columns[::x]) if y < 0 else columns[::x])
        for rows, columns in ((puzzle.rows, puzzle.columns), (puzzle.columns, puzzle.rows))
        for x, y in product((1, -1), repeat=2)
    ]
    plain = text(puzzle.rows, puzzle.columns, rename=False)
    return hashed(plain), hashed(min(text(*sides, rename=True) for sides in symmetric))


def derivation_holds(puzzle: Puzzle, lines: list[dict[str, Any]]) -> bool:
    """Whether steps and a conclusion, well formed, prove that a puzzle is as the first line claims; slowly, with sets.

    Without formulas: those are another proof's matter.
    """
    header, *steps, end = lines
    rung = header["rung"]
    depth = {"line": 0, "probe": None, "search": None}[rung] if not rung.startswith("depth-") else int(rung[6:])
    board = nothing_known(puzzle)
    every = dict(zip([("row", y) for y in range(puzzle.height)] + [("column", x) for x in range(puzzle.width)],
                     lines_of(puzzle), strict=True))  # fmt: skip

    def line_of(step: dict[str, Any]) -> tuple[str, int]:
        side = "row" if "row" in step else "column"
        return side, step[side] - 1

    def left(cells: Board, line: tuple[str, int]) -> Knowledge | None:
        clue, places = every[line]
        return solve_line(clue, [cells[y][x] for y, x in places])

    def done(cells: Board, step: dict[str, Any]) -> bool:
        possible = left(cells, line_of(step))
        if possible is None:
            return False
        for place, color in step["not"]:
            y, x = every[line_of(step)][1][place - 1]
            if color in possible[place - 1] or color not in cells[y][x]:
                return False
            cells[y][x] = cells[y][x] - {color}
        return True

    def reach(level: dict[tuple[str, int], int], cells: Board, now: int) -> None:
        """Levels of the lines that cross those which have one, where more is known than line logic alone knows."""
        found = True
        while found:
            found = False
            for line, at in list(level.items()):
                for y, x in every[line][1]:
                    crossing, then = ("column", x) if line[0] == "row" else ("row", y), max(at, now) + 1
                    if began is not None and began[y][x] - cells[y][x] and level.get(crossing, then + 1) > then:
                        level[crossing], found = then, True

    began = line_logic(puzzle)
    for step in steps:
        if "assume" not in step:
            if not done(board, step):
                return False
            continue
        if depth is not None and began is None:
            return False
        y, x, color = step["assume"][0] - 1, step["assume"][1] - 1, step["assume"][2]
        if depth == 0 or color not in board[y][x]:
            return False
        trial = copied(board)
        trial[y][x] = {color}
        level = {("row", y): 0, ("column", x): 0}
        now = 0
        reach(level, trial, now)
        for inner in step["then"]:
            line = line_of(inner)
            if depth is not None and level.get(line, depth) >= depth:
                return False
            now = max(now, level.get(line, 0))
            if not done(trial, inner):
                return False
            reach(level, trial, now)
        line = line_of(step["contradiction"])
        if depth is not None and level.get(line, depth + 1) > depth:
            return False
        if left(trial, line) is not None:
            return False
        board[y][x] = board[y][x] - {color}
    if end["conclusion"] == "contradiction":
        return header["claim"] == "none" and left(board, line_of(end)) is None
    cells = [[{int(digit)} for digit in row] for row in end["pictures"][0]]
    return header["claim"] == "unique" and len(end["pictures"]) == 1 and cells == board


def by_overlap(clue: Clue, known: Knowledge) -> Knowledge:
    """Return a line with nothing painted at its ends: what each block covers in all arrangements of an empty line."""
    lines = [placed(line) for line in all_arrangements(clue, len(known))]
    common = [{line[x] for line in lines} for x in range(len(known))]
    return [
        possible & {clue[next(iter(which))].color} if len(which) == 1 and which != {-1} else set(possible)
        for possible, which in zip(known, common, strict=True)
    ]


def placed(line: Sequence[int]) -> list[int]:
    """For each cell of an arrangement the number of its block, -1 for the background."""
    numbers, block = [], -1
    for x, color in enumerate(line):
        if color and (x == 0 or line[x - 1] != color):
            block += 1
        numbers.append(block if color else -1)
    return numbers


def by_counting(clue: Clue, known: Knowledge) -> Knowledge:
    """Return what totals say: a colour with all its cells found is nowhere else, one that needs all it may have gets
    them.
    """
    left = [set(possible) for possible in known]
    for color in {0} | {block.color for block in clue}:
        of_it = [block for block in clue if color in (0, block.color)]
        lengths = [1 if len(known) == 1 else block.length for block in of_it]
        if BLOT in lengths:
            continue
        filled = sum(lengths)
        total = filled if color else len(known) - filled
        may = [x for x, possible in enumerate(known) if color in possible]
        found = [x for x in may if known[x] == {color}]
        for x in may:
            if len(may) == total:
                left[x] &= {color}
            elif len(found) == total and x not in found:
                left[x] -= {color}
    return left


def by_reach(clue: Clue, known: Knowledge) -> Knowledge | None:
    """Conclude from the first and the last place of each block in all arrangements; None if there is none."""
    lines = [
        placed(line)
        for line in all_arrangements(clue, len(known))
        if all(color in known[x] for x, color in enumerate(line))
    ]
    if not lines:
        return None
    near = [{0} for _ in known]
    sure = [set(possible) for possible in known]
    for number, block in enumerate(clue):
        first = min(line.index(number) for line in lines)
        end = max(len(known) - line[::-1].index(number) for line in lines)
        least = 1 if block.length == BLOT else block.length
        for x in range(first, end):
            near[x].add(block.color)
        for x in range(end - least, first + least):
            sure[x] &= {block.color}
    return [here & around for here, around in zip(sure, near, strict=True)]


class CoverProblem(NamedTuple):
    """A problem of exact cover: each row a set of items, of which the first ones are primary."""

    rows: list[set[int]]
    primary: int


def exact_covers(problem: CoverProblem) -> list[list[int]]:
    """Every set of disjoint rows that has each primary item, each in order: all subsets tried.

    Subsets grow row by row; those that overlap already, or can't be completed by the rows behind, are left.
    """
    needed = set(range(problem.primary))
    behind = [set[int]().union(*problem.rows[k:]) for k in range(len(problem.rows) + 1)]
    found = []

    def grow(chosen: list[int], row: int) -> None:
        have = {item for k in chosen for item in problem.rows[k] if item < problem.primary}
        if needed - have - behind[row]:
            return
        if row == len(problem.rows):
            found.append(chosen)
            return
        if all(problem.rows[row].isdisjoint(problem.rows[k]) for k in chosen):
            grow([*chosen, row], row + 1)
        grow(chosen, row + 1)

    grow([], 0)
    return sorted(found)


def cover_search(problem: CoverProblem) -> tuple[list[list[int]], int]:
    """Algorithm X by its definition: solutions in the order in which they are found, and the nodes of its tree."""
    solutions = []
    nodes = 0

    def search(chosen: list[int]) -> None:
        nonlocal nodes
        nodes += 1
        have = {item for k in chosen for item in problem.rows[k]}
        missing = [item for item in range(problem.primary) if item not in have]
        if not missing:
            solutions.append(chosen)
            return
        fits = [k for k, row in enumerate(problem.rows) if row.isdisjoint(have)]
        options = {item: [k for k in fits if item in problem.rows[k]] for item in missing}
        item = min(missing, key=lambda item: (len(options[item]), item))
        for k in options[item]:
            search([*chosen, k])

    search([])
    return solutions, nodes

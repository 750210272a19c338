"""The tail: verdicts, slices and deadlines of its learner; leads, right or wrong, change no verdict."""

import math
import time
from collections.abc import Iterator
from functools import partial

import fuzz
import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver
from strategies import puzzles, shuffled_puzzles

from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.dive import DiveOptions, Trail, descend, dives_first, has_many_blocks
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import DEPTH, LadderOptions
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.ladder.outcome import CPU_SAT, LEARNED, SOLUTIONS, WALL, Outcome
from nonocensus.solver.ladder.tail import leads, make_learner
from nonocensus.solver.learning.encoding import TRUE, encode
from nonocensus.solver.learning.learner import Encoding, Learner, LearnerOptions, try_lead
from nonocensus.solver.lines.board import possibilities, undecided
from nonocensus.solver.lines.propagate import FIXPOINT
from nonocensus.solver.lines.workspace import CONFLICTS, NODES
from nonocensus.solver.model.answer_check import fits
from nonocensus.solver.model.check import faults
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views
from nonocensus.solver.tuning import BEFORE_LEADS

AT_ONCE = LearnerOptions(before_leads=0)


def begun(puzzle: Puzzle) -> Memory | None:
    return line_fixpoint(views(puzzle_batch([puzzle])), math.inf)


def descended(memory: Memory, share: float) -> tuple[int, Trail]:
    cells = int(memory.board.size[0] * memory.board.size[1])
    trail = Trail(np.full(cells, 7, np.int32), np.full(cells, 7, np.int32))
    options = DiveOptions(5, 2, share)
    trial = memory.tree.union
    status = descend(memory.board, memory.trial, trial, memory.color, memory.beliefs, options, trail, memory.workspace)
    return status, trail


@given(st.one_of(puzzles(most=6), shuffled_puzzles()), st.sampled_from([0.001, 0.1, 1.0]))
@settings(max_examples=100, deadline=None)
def test_trail_holds_the_decisions_of_a_dive(puzzle: Puzzle, share: float) -> None:
    """Decisions are possible on the initial board; those of a finished dive are a solution."""
    memory = begun(puzzle)
    if memory is None or (possibilities(memory.board).sum(axis=1) == 1).all():
        return
    may_be = possibilities(memory.board)
    status, trail = descended(memory, share)
    assert (possibilities(memory.board) == may_be).all()
    recorded = trail.left > 0
    assert may_be[np.flatnonzero(recorded), trail.color[recorded]].all()
    assert ((may_be.sum(axis=1) == 1) <= recorded).all() or not recorded.any()
    for left in set(trail.left[recorded].tolist()):
        assert (~recorded | (trail.left < left)).sum() == left - 1, "number of cells open after these"
    if status == FIXPOINT:
        assert recorded.all()
        assert oracle.is_solution(puzzle, trail.color.reshape(puzzle.height, puzzle.width))


@given(st.one_of(puzzles(most=6), shuffled_puzzles()))
@settings(max_examples=100, deadline=None)
def test_leads_assume_open_cells_once_each(puzzle: Puzzle) -> None:
    memory = begun(puzzle)
    if memory is None:
        return
    variables, _ = encode(memory.board, memory.color, memory.workspace)
    of_cells = {abs(int(literal)) for literal in variables.literal.ravel()} - {int(TRUE)}
    for assumptions in leads(memory, variables.literal, memory.workspace):
        assert {abs(literal) for literal in assumptions} <= of_cells
        assert len(set(assumptions)) == len(assumptions)


def test_no_leads_after_the_deadline_or_without_beliefs() -> None:
    memory = begun(from_picture((np.random.default_rng(3).random((12, 12)) < 0.5).astype(np.uint8)))
    assert memory is not None
    variables, _ = encode(memory.board, memory.color, memory.workspace)
    assert list(leads(memory, variables.literal, memory.workspace))
    assert not list(leads(memory, variables.literal, memory.workspace._replace(deadline=0.0)))
    memory = memory._replace(beliefs=memory.beliefs._replace(messages=np.zeros((2, 0, 2))))
    assert not list(leads(memory, variables.literal, memory.workspace))


def test_lead_is_not_tried_with_late_phases() -> None:
    """They may come from truncated beliefs, which depend on the machine's speed."""
    deadline = time.thread_time() + 0.05

    def slow() -> list[int]:
        while time.thread_time() <= deadline:
            pass
        return []

    formula = Encoding(1, np.array([[-1, 1]]), np.array([[1]], np.int32))
    with Learner(formula, slow, lambda: [[1]], AT_ONCE) as learner:
        assert learner.next_solution(deadline) is None
    with Learner(formula, list, lambda: [[1]], AT_ONCE) as learner:
        assert learner.next_solution(math.inf)


def test_glucose_runs_briefly_before_leads() -> None:
    """Leads are computed only if those conflicts decide nothing."""
    computed = []

    def recorded() -> list[list[int]]:
        computed.append(True)
        return []

    for clauses, answer in (([[1, 2]], True), ([[1, 2], [-1, 2], [1, -2], [-1, -2]], False)):
        formula = Encoding(2, np.array([[-1, 1], [-2, 2]]), np.array(clauses, np.int32))
        with Learner(formula, list, recorded, LearnerOptions(before_leads=10)) as learner:
            assert learner.next_solution(math.inf) is answer
            assert not computed
    holes = pigeons(6)
    with Learner(holes, list, recorded, LearnerOptions(before_leads=1)) as learner:
        assert learner.next_solution(math.inf) is False
    assert computed


def pigeons(holes: int) -> Encoding:
    """Return the pigeonhole principle, which takes more than one conflict to refute."""
    place = 1 + np.arange((holes + 1) * holes).reshape(holes + 1, holes)
    apart = [[-place[i, k], -place[j, k]] for k in range(holes) for i in range(holes + 1) for j in range(i)]
    literal = np.stack([-place.ravel(), place.ravel()], axis=1)
    clauses = np.concatenate([place, np.pad(apart, ((0, 0), (0, holes - 2)))])
    return Encoding(place.size, literal, clauses.astype(np.int32))


@pytest.mark.parametrize(("density", "most", "waits"), [(0.5, 1 << 40, False), (0.9, 1 << 40, True), (0.9, 0, False)])
def test_many_blocks_or_variables_skip_the_brief_run(density: float, most: int, waits: bool) -> None:
    memory = begun(from_picture((np.random.default_rng(3).random((20, 20)) < density).astype(np.uint8)))
    assert memory is not None
    with make_learner(memory, math.inf, LearnerOptions(before_leads_variables=most)) as learner:
        assert learner.options.before_leads == (BEFORE_LEADS if waits else 0)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("most", [1, 500])
def test_lead_loses_no_model_and_finds_each_once(seed: int, most: int) -> None:
    """On small random formulas with random leads."""
    rng = np.random.default_rng(seed)
    number = 9
    size = int(rng.integers(20, 45))
    clauses = [
        [int(v) * int(rng.choice([-1, 1])) for v in rng.choice(np.arange(1, number + 1), 3, replace=False)]
        for _ in range(size)
    ]
    models = {
        bits
        for bits in range(1 << number)
        if all(any((bits >> abs(v) - 1 & 1) == (v > 0) for v in clause) for clause in clauses)
    }
    some = [int(v) * int(rng.choice([-1, 1])) for v in rng.permutation(np.arange(1, number + 1))[: rng.integers(1, 9)]]
    with Solver("glucose3", bootstrap_with=clauses) as solver:
        tries, solutions_found = 0, set()
        for found in try_lead(solver, some, most):
            tries += 1
            if found:
                model = solver.get_model()
                solutions_found.add(sum(1 << v - 1 for v in model if v > 0))
                solver.add_clause([-literal for literal in model])
        assert solutions_found <= models
        assert tries - len(solutions_found) <= len(some)
        assert solver.solve() == (solutions_found < models)


def test_next_solution_keeps_the_assumptions() -> None:
    with Solver("glucose3", bootstrap_with=[[1, 2, 3, 4, 5, 6]]) as solver:
        tries = try_lead(solver, [1, -2, 3], 10)
        solutions_found = set()
        for _ in range(8):
            assert next(tries)
            model = solver.get_model()
            assert model[:3] == [1, -2, 3]
            solutions_found.add(tuple(model))
            solver.add_clause([-literal for literal in model])
        assert len(solutions_found) == 8
        assert not next(tries), "no more solutions under the assumptions"


def random_leads(memory: Memory, literal: np.ndarray, *_: object) -> Iterator[list[int]]:
    """Yield random leads."""
    rng = np.random.default_rng(int(memory.board.size.sum()))
    cells = np.flatnonzero((np.abs(literal) != TRUE).any(axis=1))
    for _ in range(3):
        colors = rng.integers(0, literal.shape[1], len(cells))
        chosen = literal[cells, colors]
        yield rng.permutation(chosen[np.abs(chosen) != TRUE]).tolist()


def test_verdicts_do_not_depend_on_leads() -> None:
    """With leads, random ones and none, and without dives, the learners alone say what automata say."""
    drawn = [fuzz.drawn(seed, least=3, most=10) for seed in range(240)]
    seen = views(puzzle_batch(drawn))
    sound = np.array([k for k in range(len(drawn)) if k not in faults(seen)])
    expected = [oracle.verdict(drawn[k]) for k in sound]
    options = LadderOptions(60.0, nodes=0)
    for source in (leads, random_leads, lambda *_: []):
        for dives in (options, options._replace(belief_bytes=0)):
            outcome = climb(seen, sound, dives, learning=partial(make_learner, source=source))
            assert [SOLUTIONS[k] for k in outcome.solutions[sound]] == expected
            assert outcome.counters[:, NODES].sum() == 0


def test_all_solutions_are_found_with_random_leads() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        puzzle = from_picture((rng.random((5, 5)) < 0.5).astype(np.uint8))
        expected = {np.array(each, np.uint8).tobytes() for each in oracle.solutions(puzzle)}
        for source in (leads, random_leads):
            memory, found = begun(puzzle), set()
            assert memory is not None
            with make_learner(memory, math.inf, source=source) as learner:
                while learner.next_solution(math.inf):
                    found.add(learner.picture().tobytes())
                    learner.exclude(learner.picture())
            assert found == expected


def test_leads_halve_conflicts() -> None:
    """For the first solutions of random pictures."""
    conflicts = [0, 0]
    for k, source in enumerate((leads, lambda *_: [])):
        for puzzle in hard_puzzles():
            memory = begun(puzzle)
            assert memory is not None
            with make_learner(memory, math.inf, source=source) as learner:
                assert learner.next_solution(math.inf)
                conflicts[k] += learner.conflicts
    assert conflicts[0] < 0.5 * conflicts[1]


@given(puzzles(most=12))
@settings(max_examples=50, deadline=None)
def test_first_dive_depends_on_blocks_and_open_cells(puzzle: Puzzle) -> None:
    memory = begun(puzzle)
    if memory is None:
        return
    blocks, cells = sum(map(len, (*puzzle.rows, *puzzle.columns))), puzzle.width * puzzle.height
    many = blocks >= 0.4 * cells
    assert has_many_blocks(memory.board, memory.beliefs) == many
    bit_width = memory.workspace.bit_width
    assert dives_first(memory.board, memory.beliefs, bit_width) == (many and undecided(memory.board, bit_width) >= 80)


@pytest.mark.parametrize(("density", "nodes", "spared"), [(0.5, 1, DEPTH), (0.45, 0, CPU_SAT)])
def test_dive_solves_most_noise(density: float, nodes: int, spared: int) -> None:
    """Where there are many blocks before depth-2, else, with no search nodes, before the clause learner."""
    rng = np.random.default_rng(5)
    batch = puzzle_batch([from_picture((rng.random((25, 25)) < density).astype(np.uint8)) for _ in range(40)])
    outcome = climb(views(batch), np.arange(40), LadderOptions(60.0, nodes=nodes))
    assert (outcome.found == 2).sum() > 30
    assert (outcome.seconds[:, spared] == 0).sum() > 20


def hard_puzzles() -> list[Puzzle]:
    """Return random pictures that search leaves open."""
    rng = np.random.default_rng(8)
    return [from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8)) for _ in range(12)]


def outcome_of(options: LearnerOptions, cpu_limit: float = math.inf) -> Outcome:
    """Return the outcome of the hard puzzles without dives, which would solve them first."""
    seen, limits = views(puzzle_batch(hard_puzzles())), LadderOptions(cpu_limit, nodes=1, belief_bytes=0)
    return climb(seen, np.arange(12), limits, learning=partial(make_learner, options=options))


def test_verdicts_are_those_of_search() -> None:
    """With slices of one conflict too; every solution is checked."""
    expected = climb(views(puzzle_batch(hard_puzzles())), np.arange(12), LadderOptions(math.inf, nodes=1 << 40))
    for learning in (LearnerOptions(), LearnerOptions(slice_conflicts=1)):
        outcome = outcome_of(learning)
        assert not outcome.late.any()
        assert (outcome.solutions == expected.solutions).all()
        learned = outcome.counters[:, CONFLICTS] > 0
        assert (outcome.engine[learned] == LEARNED).all()
        assert learned.sum() >= 3
        assert (outcome.seconds[:, CPU_SAT] > 0).sum() >= 6
        found = np.flatnonzero(outcome.found)
        assert len(found) == 12
        assert fits(views(puzzle_batch(hard_puzzles())), found, outcome.first, outcome.offsets).all()


def test_learner_is_not_loaded_if_time_is_too_short() -> None:
    outcome = outcome_of(LearnerOptions(loading=1e6), cpu_limit=5.0)
    assert outcome.late.any()
    assert (outcome.seconds[outcome.late, :WALL].sum(axis=1) < 5.0).all()
    assert (outcome.counters[outcome.late, CONFLICTS] == 0).all()

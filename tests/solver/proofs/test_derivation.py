"""Derivations: recorded ones are accepted, wrong ones are refused, false claims never pass."""

import ast
import gzip
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import known_lines, puzzles, shuffled_puzzles

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.api import classify, solve
from nonocensus.solver.model.puzzle import Block, Puzzle
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of
from nonocensus.solver.proofs import FAILED, PROVED, TIMEOUT
from nonocensus.solver.proofs import checker as checker_module
from nonocensus.solver.proofs.certificate import certify, check_refutation, refutation
from nonocensus.solver.proofs.checker import CertificateError, Clue, Proved, check, main
from nonocensus.solver.proofs.follow import follow
from nonocensus.solver.proofs.formula import dimacs, formula
from nonocensus.solver.proofs.record import Verdict, record

CHECKER = Path(checker_module.__file__).resolve()
UNLIMITED = 1e9
DIAGONAL = Puzzle(((Block(1),),) * 2, ((Block(1),),) * 2, puzzle_id="test/diagonal")
"""The smallest puzzle with two solutions."""

Lines = list[dict[str, Any]]

TWO_SOLUTIONS: Lines = [
    {
        "format": "nonocensus derivation", "version": 1, "puzzle_id": "test/diagonal", "palette": ["white", "black"],
        "clue_hash": "313f5d557c0cc77ba50f1f73d34937d6", "rows": [[[1, 1]], [[1, 1]]], "columns": [[[1, 1]], [[1, 1]]],
        "claim": "multiple", "rung": None,
    },
    {"conclusion": "two solutions", "pictures": [["10", "01"], ["01", "10"]]},
]  # fmt: skip


def verdict_of(row: dict[str, Any], **other: Any) -> Verdict:
    return Verdict(**{name: row[name] for name in Verdict._fields} | other)


def recorded(puzzle: Puzzle) -> Lines:
    """Return the parsed lines of a puzzle's derivation."""
    return values(record(puzzle_batch([puzzle]), verdict_of(solve(puzzle)), 2, UNLIMITED))


def values(lines: list[str]) -> Lines:
    return [json.loads(line) for line in lines]


def dumped(lines: Lines) -> list[str]:
    return [json.dumps(line) for line in lines]


def accepted(lines: Lines) -> bool:
    try:
        check(dumped(lines))
    except CertificateError:
        return False
    return True


@given(known_lines(most=12))
@settings(max_examples=120, deadline=None)
def test_clue_automaton_equals_enumeration(line: tuple[Any, oracle.Knowledge]) -> None:
    clue, known = line
    expected = oracle.solve_line(clue, known)
    masks = Clue([tuple(block) for block in clue]).possible([sum(1 << color for color in colors) for colors in known])
    assert masks == (None if expected is None else [sum(1 << color for color in colors) for colors in expected])


@pytest.mark.plain_python
@given(st.one_of(puzzles(most=4), shuffled_puzzles(most=4)), st.sampled_from([1, 2, 3]))
@settings(max_examples=80, deadline=None)
def test_verdicts_are_proved(puzzle: Puzzle, depth: int) -> None:
    row: dict[str, Any] = solve(puzzle, depth=depth)
    made = certify(puzzle_batch([puzzle]), verdict_of(row), depth, UNLIMITED)
    assert (made.status, made.error) == (PROVED, None)
    proved = check(made.files[".jsonl"].splitlines())
    solutions = oracle.solutions(puzzle)
    assert proved.claim == ("none", "unique", "multiple")[min(len(solutions), 2)]
    assert proved.rung == row["technique"]
    pictures = [tuple(zip(*[iter(picture)] * puzzle.width, strict=True)) for picture in proved.pictures]
    assert set(pictures) <= set(solutions)
    if not proved.formula and proved.claim != "multiple":
        assert oracle.derivation_holds(puzzle, values(made.files[".jsonl"].splitlines()))


@given(st.one_of(puzzles(most=9), shuffled_puzzles(most=7)))
@settings(max_examples=40, deadline=None)
def test_larger_verdicts_are_proved(puzzle: Puzzle) -> None:
    row: dict[str, Any] = solve(puzzle)
    assert certify(puzzle_batch([puzzle]), verdict_of(row), 2, UNLIMITED).status == PROVED


@pytest.mark.parametrize("technique", ["probe", "search"])
@given(puzzle=st.one_of(puzzles(most=5), shuffled_puzzles(most=5)))
@settings(max_examples=30, deadline=None)
def test_stronger_rung_proves_verdict_too(technique: str, puzzle: Puzzle) -> None:
    row: dict[str, Any] = solve(puzzle)
    assume(row["technique"] in ("line", "depth-2"))
    made = certify(puzzle_batch([puzzle]), verdict_of(row, technique=technique), 2, UNLIMITED)
    assert (made.status, made.error) == (PROVED, None)


def mutated(lines: Lines, choose: Callable[[int], int]) -> Lines:
    """Return the lines with one well-formed change; `choose` returns a number below a limit."""
    lines = deepcopy(lines)
    header, steps = lines[0], lines[1:-1]
    height, width, colors = len(header["rows"]), len(header["columns"]), 2
    every = steps + [inner for step in steps if "assume" in step for inner in step["then"]]
    sides = [step for step in every if "assume" not in step]
    sides += [step["contradiction"] for step in steps if "assume" in step]
    kind = choose(8)
    if kind == 0 and steps:
        del lines[1 + choose(len(steps))]
    elif kind == 1 and len(steps) > 1:
        here, there = 1 + choose(len(steps)), 1 + choose(len(steps))
        lines[here], lines[there] = lines[there], lines[here]
    elif kind == 2 and sides:
        step = sides[choose(len(sides))]
        side = "row" if "row" in step else "column"
        step[side] = 1 + choose(height if side == "row" else width)
    elif kind == 3 and sides:
        claims = [claim for step in sides for claim in step.get("not", [])]
        if claims:
            claim = claims[choose(len(claims))]
            place = choose(2)
            claim[place] = 1 + choose(min(width, height)) if place == 0 else choose(colors)
    elif kind == 4:
        assumptions = [step for step in steps if "assume" in step]
        if assumptions:
            step = assumptions[choose(len(assumptions))]
            place = choose(3)
            step["assume"][place] = (1 + choose(height), 1 + choose(width), choose(colors))[place]
    elif kind == 5:
        chains = [step["then"] for step in steps if step.get("then")]
        if chains:  # move a step out of its assumption
            chain = chains[choose(len(chains))]
            lines.insert(1 + choose(len(steps) + 1), chain.pop(choose(len(chain))))
    elif kind == 6:
        header["rung"] = ("line", "depth-1", "depth-2", "probe")[choose(4)]
    elif "row" in lines[-1]:
        lines[-1]["row"] = 1 + choose(height)
    elif lines[-1].get("pictures"):
        row = choose(height)
        cells = list(lines[-1]["pictures"][0][row])
        cells[choose(width)] = str(choose(colors))
        lines[-1]["pictures"][0][row] = "".join(cells)
    return lines


@pytest.mark.unchecked
@pytest.mark.plain_python
@given(st.one_of(puzzles(most=5), shuffled_puzzles(most=6)), st.data())
@settings(max_examples=100, deadline=None)
def test_mutated_derivation_is_accepted_only_if_valid(puzzle: Puzzle, data: st.DataObject) -> None:
    lines = recorded(puzzle)
    assume(lines[-1]["conclusion"] in ("decided", "contradiction"))
    changed = mutated(lines, lambda limit: data.draw(st.integers(0, limit - 1)))
    if changed[-1].get("pictures"):
        cells = [[int(digit) for digit in row] for row in changed[-1]["pictures"][0]]
        assume(all(color <= puzzle.colors for row in cells for color in row))
    assert accepted(changed) == oracle.derivation_holds(puzzle, changed)


@pytest.mark.unchecked
@given(st.data(), st.sampled_from(["unique", "none"]))
@settings(max_examples=150, deadline=None)
def test_false_claims_never_pass(data: st.DataObject, claim: str) -> None:
    """Arbitrary derivations for the puzzle with two solutions."""
    side = st.sampled_from(["row", "column"])
    number = st.integers(1, 2)
    line = st.builds(lambda name, place: {name: place}, side, number)
    claims = st.lists(st.tuples(number, st.integers(0, 1)).map(list), min_size=1, max_size=2)
    step = st.builds(lambda where, ruled: {**where, "not": ruled}, line, claims)
    cell = st.tuples(number, number, st.integers(0, 1)).map(list)
    assumption = st.builds(
        lambda assumed, then, end: {"assume": assumed, "then": then, "contradiction": end},
        cell, st.lists(step, max_size=3), line,
    )  # fmt: skip
    steps = data.draw(st.lists(st.one_of(step, assumption), max_size=4))
    pictures = st.lists(st.sampled_from([["10", "01"], ["01", "10"], ["11", "00"]]), max_size=2)
    end = st.one_of(
        st.builds(lambda where: {"conclusion": "contradiction", **where}, line),
        st.builds(lambda kind, found: {"conclusion": kind, "pictures": found},
                  st.sampled_from(["decided", "two solutions"]), pictures),
    )  # fmt: skip
    header = TWO_SOLUTIONS[0] | {"claim": claim, "rung": data.draw(st.sampled_from(["line", "depth-2", "probe"]))}
    assert not accepted([header, *steps, data.draw(end)])


def test_steps_of_assumption_do_not_leak() -> None:
    header = recorded(DIAGONAL)[0] | {"claim": "unique", "rung": "probe"}
    step = {"row": 1, "not": [[2, 1]]}
    leak = {"assume": [1, 1, 1], "then": [step], "contradiction": {"row": 2}}
    assert not accepted([header, leak, {"conclusion": "decided", "pictures": [["10", "01"]]}])
    assert not accepted([header, step, {"conclusion": "decided", "pictures": [["10", "01"]]}])


def test_assumptions_are_not_nested() -> None:
    lines = recorded(next(puzzles_of(recipe_batch(Recipe("random", 8, 8, 0.5, 1, 1), 2369, 2370))))
    assert accepted(lines)
    first, second, *_ = (k for k, line in enumerate(lines) if "assume" in line)
    lines[second]["then"].insert(0, lines[first])
    assert not accepted(lines)


@pytest.mark.parametrize(
    ("puzzle", "claim"),
    [(DIAGONAL, "multiple"), (Puzzle(((Block(1),),), ((Block(1),),), puzzle_id="test/one"), "unique")],
)
def test_header_of_another_puzzle_is_refused(puzzle: Puzzle, claim: str) -> None:
    lines = recorded(puzzle)
    assert check(dumped(lines)).claim == claim
    other = recorded(Puzzle(((Block(2),), (Block(1),)), ((Block(2),), (Block(1),)), puzzle_id="test/corner"))[0]
    assert not accepted([other | {"claim": claim, "rung": lines[0]["rung"]}, *lines[1:]])
    assert not accepted([lines[0] | {"clue_hash": other["clue_hash"]}, *lines[1:]])
    assert not accepted([lines[0] | {"columns": other["columns"]}, *lines[1:]])


def test_two_solutions_must_differ_and_fit() -> None:
    lines = recorded(DIAGONAL)
    for pictures in (
        [["10", "01"], ["10", "01"]], [["10", "01"]], [["11", "00"], ["10", "01"]], [["10"], ["01"]],
        [["10", "0z"]] * 2, [["10", "01"], ["01", "10"], ["10", "01"]], [["10", 1], ["01", "10"]], "1001",
        [[["1"], "01"]] * 2, [],
    ):  # fmt: skip
        assert not accepted([lines[0], {"conclusion": "two solutions", "pictures": pictures}])
    assert accepted([lines[0], {"conclusion": "two solutions", "pictures": [["10", "01"], ["01", "10"]]}])


HOSTILE = [
    "", "{", "[]", "7", "null", "NaN", '{"a": 1, "a": 1}', "[" * 100_000, '{"row": 1e999}', "\x00", '"' + "x" * 10_000,
    '{"row": true, "not": [[1, 0]]}', '{"row": 1.0, "not": [[1, 0]]}', '{"row": 0, "not": [[1, 0]]}',
    '{"row": 1, "not": [[1, 99999999999999999999]]}', '{"row": ' + "9" * 5000 + ', "not": [[1, 0]]}',
    '{"row": 1, "column": 1, "not": [[1, 0]]}', '{"row": 1, "not": [[1]]}', '{"row": 1, "not": {"1": 0}}',
    '{"row": 1, "not": []', '{"assume": [1, 1], "then": [], "contradiction": {"row": 1}}',
    '{"row": -1, "not": [[1, 0]]}',
    '{"assume": [1, 1, 1], "then": 5, "contradiction": {"row": 1}}', '{"assume": [1, 1, 1], "then": []}',
    '{"assume": [1, 1, 1], "then": [], "contradiction": 5}', '{"conclusion": "decided"}', '{"conclusion": null}',
    '{"conclusion": ["decided"], "pictures": []}', '{"conclusion": "decided", "pictures": null}',
    '{"row": 1, "row": 1}',
    '{"conclusion": "contradiction", "row": 1}', '{"conclusion": "formula", "pictures": []}',
    '{"conclusion": "decided", "pictures": [[]]}', '{"conclusion": "decided", "pictures": ["1"]}', "{}",
]  # fmt: skip


@pytest.mark.parametrize("line", HOSTILE)
@pytest.mark.parametrize("place", [0, 1])
def test_garbage_is_refused_in_one_line(line: str, place: int) -> None:
    lines = dumped(recorded(Puzzle(((Block(1),), ()), ((Block(1),), ()), puzzle_id="test/two")))
    lines[place] = line
    with pytest.raises(CertificateError, match=rf"^line {place + 1}: [^\n]*$"):
        check(lines)


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(st.sampled_from(["format", "version", "clue_hash", "palette", "rows", "columns", "claim", "rung"]), ANYTHING)
@settings(max_examples=150, deadline=None)
def test_wrong_headers_are_refused(name: str, value: Any) -> None:
    header, end = TWO_SOLUTIONS
    assert accepted([header | {name: value}, end]) == (name == "palette" or value == header[name])


def test_missing_or_repeated_header_or_conclusion_is_refused() -> None:
    lines = recorded(DIAGONAL)
    for changed in ([], lines[:1], [*lines, lines[-1]], [*lines, lines[0]], lines[1:]):
        assert not accepted(changed)


def test_line_beyond_depth_is_refused() -> None:
    """A derivation by probing has an assumption beyond depth-2."""
    (puzzle,) = puzzles_of(recipe_batch(Recipe("random", 8, 8, 0.5, 1, 1), 2369, 2370))
    lines = recorded(puzzle)
    assert check(dumped(lines)).rung == "probe"
    lines[0]["rung"] = "depth-2"
    with pytest.raises(CertificateError, match="beyond the depth of depth-2"):
        check(dumped(lines))
    lines[0]["rung"] = "line"
    with pytest.raises(CertificateError, match="line has no assumptions"):
        check(dumped(lines))


def test_levels_agree_with_oracle() -> None:
    """Derivations by probing with headers of limited rungs, some of which they exceed."""
    batch = recipe_batch(Recipe("random", 8, 8, 0.45, 7, 6000), 0, 6000)
    seen: Counter[tuple[str, bool]] = Counter()
    for k, row in enumerate(classify(batch, depth=1).to_pylist()):
        if row["technique"] != "probe" or sum(seen.values()) > 300:
            continue
        part = batch.slice(k, 1)
        header, *others = values(record(part, verdict_of(row), 1, UNLIMITED))
        for rung in ("depth-2", "depth-3", "depth-4"):
            lines = [header | {"rung": rung}, *others]
            good = oracle.derivation_holds(next(puzzles_of(part)), lines)
            assert accepted(lines) == good, (k, rung)
            seen[rung, good] += 1
    assert all(seen[rung, good] > 20 for rung in ("depth-2", "depth-3") for good in (True, False)), seen


def test_checker_runs_as_isolated_program(tmp_path: Path) -> None:
    good, packed, cut, bad = (tmp_path / name for name in ("good.jsonl", "good.jsonl.gz", "cut.jsonl.gz", "bad.jsonl"))
    text = "\n".join(dumped(recorded(DIAGONAL))) + "\n"
    good.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    cut.write_bytes(gzip.compress(text.encode())[:-20])
    bad.write_bytes(b"\xff\xfe{}")
    command = [sys.executable, "-I", "-S", str(CHECKER)]
    done = subprocess.run([*command, str(good), str(packed)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f'{name}: "test/diagonal" is multiple' for name in (good, packed)]
    for name in (cut, bad, tmp_path / "nowhere.jsonl", tmp_path):
        done = subprocess.run([*command, str(name)], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (1, "", 1)
        assert done.stdout.startswith(f"{name}: REFUSED: ")
    assert main([str(good), str(bad)]) == 1


def test_example_in_documentation_is_current() -> None:
    text = (CHECKER.parents[2] / "docs" / "CERTIFICATES.md").read_text()
    example = text.split("```json\n")[1].split("```")[0]
    batch = recipe_batch(Recipe("random", 4, 4, 0.5, 1, 2000), 1017, 1018)
    row = classify(batch).to_pylist()[0]
    assert example == "".join(record(batch, verdict_of(row), 2, UNLIMITED))
    assert check(example.splitlines()).assumptions == 1


def test_control_characters_in_name_are_escaped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    header, end = TWO_SOLUTIONS
    file = tmp_path / "file.jsonl"
    file.write_text("\n".join(dumped([header | {"puzzle_id": "a is unique\nb \x1b[2J \ud800"}, end])))
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == f'{file}: "a is unique\\nb \\u001b[2J \\ud800" is multiple\n'


def test_trusted_files_import_only_standard_library_and_dratify() -> None:
    def imported(name: str) -> set[str]:
        tree = ast.parse(CHECKER.with_name(name).read_text())
        plain = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        return {*plain, *(node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))}

    standard = sys.stdlib_module_names
    assert {name for name in imported("checker.py") if name.split(".")[0] not in standard} == set()
    assert imported("formula.py") - standard - {"collections.abc"} == {"nonocensus.solver.proofs.checker"}
    assert imported("follow.py") - standard == {"dratify", "cdclkit_native"}


def models(proved: Proved) -> set[tuple[int, ...]]:
    """Return the pictures that satisfy a formula."""
    from pysat.solvers import Solver

    made = formula(proved)
    cells = range(1, made.width * made.height * made.colors + 1)
    found = set()
    with Solver("minisat22", bootstrap_with=made.clauses) as solver:
        while solver.solve():
            true = [literal for literal in solver.get_model()[: len(cells)] if literal > 0]
            found.add(tuple((literal - 1) % made.colors for literal in true))
            solver.add_clause([-literal for literal in true])
    return found


@given(st.one_of(puzzles(most=4), shuffled_puzzles(most=4)), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_models_of_formula_are_solutions(puzzle: Puzzle, known: bool, another: bool) -> None:
    solutions = oracle.solutions(puzzle)
    board = oracle.line_logic(puzzle) if known else None
    full = (1 << puzzle.colors + 1) - 1
    left = [full] * puzzle.width * puzzle.height
    if board is not None:
        left = [sum(1 << color for color in colors) for row in board for colors in row]
    flat = [tuple(color for row in picture for color in row) for picture in solutions]
    sides = ([[tuple(block) for block in clue] for clue in side] for side in (puzzle.rows, puzzle.columns))
    pictures = [list(flat[0])] if another and flat else []
    proved = Proved("test", "", "unique", "search", True, *sides, pictures, left, 0, 0)
    assert models(proved) == set(flat) - set(map(tuple, pictures))


def searched(index: int, recipe: Recipe) -> tuple[Any, dict[str, Any]]:
    """Return a puzzle that needs search, and its row."""
    batch = recipe_batch(recipe, index, index + 1)
    row = classify(batch).to_pylist()[0]
    assert (row["solutions"], row["technique"]) == ("unique", "search")
    return batch, row


@pytest.mark.parametrize(("index", "recipe"), [(19554, Recipe("random", 10, 10, 0.45, 3, 100_000)),
                                               (2006, Recipe("random", 15, 15, 0.5, 2, 5_000))])  # fmt: skip
def test_verdict_by_search_is_proved_by_formula(index: int, recipe: Recipe) -> None:
    batch, row = searched(index, recipe)
    made = certify(batch, verdict_of(row), 2, UNLIMITED)
    assert (made.status, made.error) == (PROVED, None)
    assert made.files.keys() == {".jsonl", ".cnf", ".drup"}
    proved = check(made.files[".jsonl"].splitlines())
    assert (proved.formula, proved.claim, proved.rung) == (True, "unique", "search")
    assert "".join(dimacs(formula(proved))) == made.files[".cnf"]
    assert follow(made.files[".cnf"], made.files[".drup"]) is None


def test_invalid_refutations_are_refused() -> None:
    batch, row = searched(2006, Recipe("random", 15, 15, 0.5, 2, 5_000))
    files = certify(batch, verdict_of(row), 2, UNLIMITED).files
    cnf, proof = files[".cnf"], files[".drup"].splitlines()
    lemmas = [k for k, line in enumerate(proof) if not line.startswith("d")]
    head, first, *clauses = cnf.splitlines()[1:]
    fresh = int(first.split()[2]) + 1
    for wrong in (
        "0\n",
        "",
        "\n".join(proof[: lemmas[len(lemmas) // 2]]),
        "\n".join([f"{fresh} 0", *proof]),  # changes no solution, but does not follow by unit propagation
        "nonsense",
        "1 2",
        "999999999999 0\n0\n",
    ):
        message = follow(cnf, wrong)
        assert message
        assert len(message.splitlines()) == 1
    assert head.startswith("c ")
    assert first.startswith("p cnf ")
    fewer = "\n".join([first.rsplit(" ", 1)[0] + f" {len(clauses) - 1}", *clauses[:-1]])
    assert follow(fewer, "\n".join(proof))  # without the clause that excludes the solution


def test_wrong_verdict_fails_and_late_one_times_out() -> None:
    batch, row = searched(2006, Recipe("random", 15, 15, 0.5, 2, 5_000))
    flipped = bytes(1 - cell for cell in row["solution"])
    for other, message in (
        ({"solution": flipped}, "does not fit"),
        ({"solution": row["solution"][:-1]}, "picture"),
        ({"solution": None}, "picture"),
        ({"technique": "probe"}, "leave"),
        ({"technique": "line"}, "leave"),
        ({"technique": "guess"}, "rung"),
        ({"technique": None}, "rung"),
        ({"clue_hash": "0" * 32}, "hash"),
        ({"solutions": "none", "solution": None}, "found an unexpected solution"),
        ({"solutions": "multiple", "technique": None}, "two different pictures"),
        ({"solutions": "several"}, "claim must be"),
    ):
        made = certify(batch, verdict_of(row, **other), 2, UNLIMITED)
        assert made.status == FAILED
        assert message in str(made.error)
    assert certify(batch, verdict_of(row), 2, 0.0001).status == TIMEOUT
    proved = check(certify(batch, verdict_of(row), 2, UNLIMITED).files[".jsonl"].splitlines())
    with pytest.raises(TimeoutError):
        refutation(formula(proved), time.thread_time())


def test_long_proof_times_out() -> None:
    with pytest.raises(TimeoutError):  # after a second
        check_refutation("p cnf 1 1\n1 0\n", "1 0\n" * 3_000_000, time.thread_time() + 0.5)
    with pytest.raises(CertificateError, match="invalid refutation: refused: "):
        check_refutation("p cnf 1 1\n1 0\n", "-1 0\n0\n", UNLIMITED)
    check_refutation("p cnf 1 2\n1 0\n-1 0\n", "0\n", UNLIMITED)

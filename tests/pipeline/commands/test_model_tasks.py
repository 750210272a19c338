"""The commands check and tasks: verdicts on answers, task files and their scores."""

import json
from pathlib import Path
from typing import Any

import pytest
from stores import DIAMOND, Nonocensus

from nonocensus.pipeline.run.run_folder import Run

ROWS = ["..#..", ".###.", "#####", ".###.", "..#.."]
SOLVED = "\n".join(ROWS)


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        (f"Here:\n```\n{SOLVED}\n```", 0, "solved: it fits all clues"),
        (json.dumps({"solution": ROWS}), 0, "solved: it fits all clues"),
        (SOLVED.replace("#####", "###.#"), 1, "wrong: row 3 is 3 1, its clue is 5"),
        (SOLVED.replace("#####", "#####".replace("#", "?")), 1, "partial: 5 cells are open; it can be completed"),
        ("I give up", 2, "unreadable: no grid of 5 rows of 5 cells in it"),
        ("", 2, "unreadable: no grid of 5 rows of 5 cells in it"),
    ],
)
def test_an_answer_is_checked(nonocensus: Nonocensus, tmp_path: Path, answer: str, code: int, text: str) -> None:
    (tmp_path / "diamond.non").write_text(DIAMOND)
    (tmp_path / "answer.txt").write_text(answer)
    done = nonocensus("check", "diamond.non", "answer.txt")
    assert (done.code, done.out, done.err) == (code, f"{text}\n", "")
    value = json.loads(nonocensus("check", "diamond.non", "answer.txt", "--json").out)
    assert f"{value['verdict']}: {value['reason']}" == text


def task_lines(nonocensus: Nonocensus, demo_run: Run, *options: str) -> list[dict[str, Any]]:
    done = nonocensus("tasks", demo_run.folder.name, "--out", "t.jsonl", *options)
    assert done.code == 0, done.err
    return [json.loads(line) for line in Path("t.jsonl").read_text().splitlines()]


def test_tasks_have_prompts_keys_and_splits(nonocensus: Nonocensus, demo_run: Run) -> None:
    tasks = task_lines(nonocensus, demo_run)
    assert len({task["canonical_hash"] for task in tasks}) == len(tasks) > 10
    for task in tasks:
        remainder = int(task["canonical_hash"][-8:], 16) % 10
        assert task["split"] == ("validation" if remainder == 8 else "test" if remainder == 9 else "train")
        assert task["verdict"] == "unique"
        assert task["license"] == "Apache-2.0"
        assert len(task["answer"].split("\n")) == task["height"] == len(task["rows"])
    assert [task["id"] for task in task_lines(nonocensus, demo_run, "--style", "grid")] == [
        task["id"] for task in tasks
    ]
    system, user = task_lines(nonocensus, demo_run, "--style", "chat", "--count", "1")[0]["prompt"]
    assert (system["role"], user["role"]) == ("system", "user")


def test_answers_are_scored(nonocensus: Nonocensus, demo_run: Run) -> None:
    first, second, third, *others = task_lines(nonocensus, demo_run)
    answers = [
        (first["id"], first["answer"]),
        (first["id"], "no idea"),
        (second["id"], {"solution": second["answer"].split("\n")}),
        (third["id"], "?" * third["width"] * third["height"]),
        ("unknown", first["answer"]),
    ]
    Path("a.jsonl").write_text("".join(json.dumps({"id": name, "answer": answer}) + "\n" for name, answer in answers))
    done = nonocensus("check", "--tasks", "t.jsonl", "--answers", "a.jsonl", "--out", "scores.jsonl")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert done.out.splitlines()[-3].split() == ["all", "2", "0", "1", "1", str(len(others))]
    assert f"2 of {len(others) + 3} tasks solved" in done.out
    assert "Answers to other tasks: 1." in done.out
    scores = [json.loads(line) for line in Path("scores.jsonl").read_text().splitlines()]
    assert [row["verdict"] for row in scores] == ["solved", "unreadable", "solved", "partial"] + ["missing"] * len(
        others
    )


def test_a_line_of_answers_never_costs_the_others(nonocensus: Nonocensus, demo_run: Run) -> None:
    first, second, third, *others = task_lines(nonocensus, demo_run)
    hostile = [
        "[" * 900 + "]" * 900,
        f"[[{'9' * 5000}]]",
        "[[18446744073709551616]]",
        '{"a":' * 900 + "1" + "}" * 900,
        "1e999",
    ]
    lines = [
        f'{{"id": {json.dumps(task["id"])}, "answer": {text}}}' for task, text in zip(others, hostile, strict=False)
    ]
    lines += ["no JSON", '{"id": 7}', '{"answer": 1}', "[" * 100_000, '{"id": "\\ud800"}', "\x80"]
    lines += [json.dumps({"id": first["id"], "answer": "1. " + first["answer"]}), json.dumps({"id": second["id"]})]
    lines += [json.dumps({"id": third["id"], "answer": third["answer"]})]
    Path("a.jsonl").write_text("\n".join(lines), encoding="latin-1")
    done = nonocensus("check", "--tasks", "t.jsonl", "--answers", "a.jsonl", "--out", "scores.jsonl")
    assert done.code == 0, done.err
    assert "Lines that are not answers: 6" in done.out
    scores = [json.loads(line) for line in Path("scores.jsonl").read_text().splitlines()]
    assert [row["id"] for row in scores if row["verdict"] == "solved"] == [first["id"], third["id"]]
    assert {row["verdict"] for row in scores if row["id"] in [task["id"] for task in others[:5]]} == {"unreadable"}
    assert all("\n" not in row["reason"] and len(row["reason"]) < 400 for row in scores)

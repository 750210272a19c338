"""Adapters to libraries that train and test models, each with the library itself; without it the test is skipped."""

import asyncio
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from nonocensus.pipeline.findings.task_file import task_of
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.solver.extras import MissingExtra
from nonocensus.solver.model.puzzle import from_picture

CROSS = from_picture([[0, 1, 0], [1, 1, 1], [0, 1, 0]], puzzle_id="test/cross")
SWITCH = from_picture([[1, 0], [0, 1]], puzzle_id="test/switch")
"""It has two solutions."""


@pytest.mark.parametrize(
    ("adapter", "library", "extra"),
    [
        ("gymnasium_env", "gymnasium", "gymnasium"),
        ("reasoning_gym_dataset", "reasoning_gym", "reasoning-gym"),
        ("verifiers_taskset", "verifiers", "verifiers"),
    ],
)
def test_missing_library_is_named_with_its_extra(
    adapter: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"nonocensus.adapters.{adapter}", raising=False)
    with pytest.raises(MissingExtra, match=rf"^{library} is not installed: pip install 'nonocensus\[{extra}\]'$"):
        import_module(f"nonocensus.adapters.{adapter}")


def test_reasoning_gym_makes_and_scores_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    reasoning_gym = pytest.importorskip("reasoning_gym", reason="reasoning-gym is not installed")
    from reasoning_gym.factory import create_curriculum

    from nonocensus.adapters import reasoning_gym_dataset

    wanted = {"size": 3, "seed": 7, "min_minutes": 1.0, "max_minutes": 3.0, "max_side": 10}
    data = reasoning_gym.create_dataset("nonogram", **wanted)
    items = list(data)
    assert json.dumps(items) == json.dumps(list(reasoning_gym.create_dataset("nonogram", **wanted)))
    assert items[0]["question"] != items[1]["question"]
    for item in items:
        assert data.score_answer(f"```\n{item['answer']}\n```", item) == 1.0
        assert data.score_answer(item["answer"].replace("#", ".", 1), item) == 0.0
        assert data.score_answer(None, item) == data.score_answer("", item) == 0.0
    curriculum = create_curriculum("nonogram")
    before = curriculum.generate_configuration()
    curriculum.increment_attr_level("minutes")
    assert curriculum.generate_configuration().max_minutes > before.max_minutes
    monkeypatch.setattr(reasoning_gym_dataset, "ATTEMPTS", 2)
    with pytest.raises(ValueError, match="hardly any picture"):
        reasoning_gym.create_dataset("nonogram", seed=1, max_side=5, min_minutes=50, max_minutes=60)[0]


PLUGIN = """
from nonocensus.adapters.verifiers_taskset import NonogramTaskset

__all__ = ["NonogramTaskset"]
"""


def test_verifiers_loads_and_scores_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vf: Any = pytest.importorskip("verifiers.v1", reason="verifiers is not installed")
    from verifiers.v1.utils.loaders import load_taskset

    from nonocensus.adapters.verifiers_taskset import NonogramTaskset, NonogramTasksetConfig

    puzzles = demo_puzzles()[:2]
    tasks = [
        task_of(puzzle, style, split=split)
        for puzzle, style, split in zip(puzzles, ("clues", "chat"), ("train", "test"), strict=True)
    ]
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(task) + b"\n" for task in tasks))
    assert [task.data.id for task in NonogramTaskset(NonogramTasksetConfig(path=str(path), split="test"))] == [
        puzzles[1].puzzle_id
    ]
    (tmp_path / "my_nonograms.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    named = NonogramTasksetConfig(id="my-nonograms", path=str(path))
    for task, known in zip(load_taskset(named), tasks, strict=True):
        assert (task.data.system_prompt is None) == isinstance(known.prompt, str)
        for reply, reward in ((known.answer, 1.0), ("I give up", 0.0)):
            trace = vf.Trace(
                task=vf.TraceTask(type="NonogramTask", data=task.data),
                agent=vf.AgentInfo(config=vf.AgentConfig()),
                state=vf.State(),
                root_reply=reply,
            )
            asyncio.run(task.score(trace))
            assert trace.reward == reward


def returned(env: Any, cells: np.ndarray) -> list[float]:
    """Return the rewards of painting all cells, row by row."""
    env.reset(seed=1, options={"puzzle": 0})
    return [env.step(np.array([y, x, cell]))[1] for (y, x), cell in np.ndenumerate(cells)]


@pytest.mark.filterwarnings("ignore:.*render fps")
def test_gymnasium_rewards_sound_moves() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    from gymnasium.utils.env_checker import check_env

    from nonocensus.adapters.gymnasium_env import NonogramEnv

    assert CROSS.goal is not None
    env = gymnasium.make("nonocensus/Nonogram-v0", puzzles=[CROSS])
    check_env(env.unwrapped)
    rewards = returned(env, CROSS.goal)
    assert sum(rewards) == pytest.approx(1.0)
    assert env.unwrapped.is_complete
    assert env.unwrapped.render() == ".X.\nXXX\n.X."
    assert set(returned(env, 1 - CROSS.goal)) == {-1 / 9}
    assert not env.unwrapped.is_complete
    assert returned(env, np.stack([CROSS.goal[0]] * 3))[:3] == [1 / 9] * 3
    with pytest.raises(ValueError, match="has not exactly one known solution"):
        NonogramEnv([SWITCH])
    with pytest.raises(ValueError, match="one size"):
        NonogramEnv([])

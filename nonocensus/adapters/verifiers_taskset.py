"""Tasks for verifiers (Prime Intellect's, version 0.4 or later): a taskset of a task file of `nonocensus tasks`.

    config = NonogramTasksetConfig(path="t.jsonl", split="train")
    for task in NonogramTaskset(config): ...

verifiers finds a taskset by the name of a module, which imports NonogramTaskset and lists it in __all__. The extra
verifiers installs the library.
"""

from collections.abc import Iterator

import msgspec

from nonocensus.pipeline.findings.task_file import Task, read_tasks
from nonocensus.reports.words.answer_verdict import check_answer
from nonocensus.solver.extras import extra

with extra("verifiers"):
    import verifiers.v1 as vf


class NonogramTasksetConfig(vf.TasksetConfig):
    """The task file, and its split: train, validation or test; all if None."""

    path: str
    split: str | None = None


class NonogramData(vf.TaskData):
    """A task with its record."""

    record: dict[str, object]


class NonogramTask(vf.Task[NonogramData, vf.State, vf.TaskConfig]):
    """A puzzle to solve."""

    @vf.reward
    async def solved(self, trace: vf.Trace) -> float:
        """Return 1 for any grid that fits the clues, else 0."""
        return float(bool(check_answer(msgspec.convert(self.data.record, Task).puzzle(), trace.last_reply)))


class NonogramTaskset(vf.Taskset[NonogramTask, NonogramTasksetConfig]):
    """The tasks of a file, in its order."""

    def load(self) -> Iterator[NonogramTask]:
        """Yield the tasks of the split. Raises UserError for an unreadable file."""
        for task in read_tasks(self.config.path):
            if self.config.split in (None, task.split):
                system, prompt = (None, task.prompt)
                if not isinstance(task.prompt, str):
                    system, prompt = (message["content"] for message in task.prompt)
                data = NonogramData(
                    id=task.id, name=task.id, prompt=prompt, system_prompt=system, record=msgspec.to_builtins(task)
                )
                yield NonogramTask(data, self.config.task)

"""What worker processes run: one task after another, within limits of memory and CPU time."""

import json
import os
import resource
import signal
import sys
from multiprocessing.queues import SimpleQueue
from typing import Any, NamedTuple

from nonocensus.pipeline.serve.serve_limits import WORKER_MEMORY
from nonocensus.pipeline.serve.task_budget import Deferred, JobStatus, TaskBudget, limit_cpu, load_kernels
from nonocensus.pipeline.serve.tasks import FILE_TASKS, SOLVE_TASKS
from nonocensus.solver.operating_system import address_space

OUT_OF_MEMORY = 1
"""Exit status of a worker after a MemoryError: it may not have freed everything."""


class TaskReply(NamedTuple):
    """The state of a job after a try, with its result (JSON or XML) or a line; not final if it needs more time."""

    state: JobStatus
    result: bytes = b""
    error: str = ""


class CpuTimeout(BaseException):
    """A task exceeds its CPU time. No reader of damaged files catches it."""


def initialize(ready: "SimpleQueue[int]") -> None:
    """Prepare a worker: load kernels, set limits, and put its process id into a queue."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler in Python would wait for the kernel that runs
    signal.signal(signal.SIGPROF, _raise_timeout)
    load_kernels()
    used = address_space()
    if used is not None:
        resource.setrlimit(resource.RLIMIT_AS, (used + WORKER_MEMORY,) * 2)
    ready.put(os.getpid())


def _raise_timeout(*_: object) -> None:
    raise CpuTimeout


def run_task(task: str, arguments: dict[str, Any], budget: TaskBudget) -> TaskReply:
    """Run a task and return the reply to its job."""
    try:
        result: dict[str, Any] | str
        if task in FILE_TASKS:
            limit_cpu(budget.seconds)
            result = FILE_TASKS[task](arguments)
        else:
            limit_cpu(budget.solve_seconds)
            result = SOLVE_TASKS[task](arguments, budget)
        text = result if isinstance(result, str) else json.dumps(result, separators=(",", ":"))
        return TaskReply("done", text.encode())
    except Deferred as deferred:
        return TaskReply(deferred.state)
    except CpuTimeout:
        return TaskReply("refused", error="it takes more time than this server allows")
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except ValueError as error:  # FormatError and InvalidPuzzle are ValueErrors
        return TaskReply("refused", error=" ".join(str(error).split()).encode("utf-8", "replace").decode())
    except Exception as error:
        print(f"nonocensus serve: {task}: {type(error).__name__}: {error}", file=sys.stderr)
        return TaskReply("failed", error="internal error")
    finally:
        limit_cpu(0)

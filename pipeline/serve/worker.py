"""A worker: a process that runs one task after another, within limits that the operating system enforces.

It reads frames from standard input and writes frames to standard output (pipeline.serve.jobs). After READY it receives
a job or a batch as a MessagePack of [task, list of arguments, CPU seconds, is first try], and sends TAKEN at once,
COMPILING if it has to, and for each job in order RESULT (JSON or XML), REFUSED (a line), DEFERRED or FAILED (a line).
It ends with its input, hence with the server.
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

import msgspec

from nonocensus.pipeline.serve import tasks
from nonocensus.pipeline.serve.jobs import (
    COMPILING,
    DEFERRED,
    FAILED,
    FRAME_HEAD,
    READY,
    REFUSED,
    RESULT,
    TAKEN,
    encode_frame,
)
from nonocensus.pipeline.serve.serve_limits import COMPILE_SECONDS, WORKER_MEMORY
from nonocensus.pipeline.serve.task_budget import Deferred, TaskBudget, load_kernels
from nonocensus.solver.operating_system import address_space

TaskReply = tuple[bytes, bytes]
"""Kind and content of a frame."""

GRACE = 5
"""CPU seconds beyond a job's limit until the operating system ends the process."""

NICENESS = 10
"""Added while a worker runs a long job, so that short ones come first even on a single core."""


def work(source: BinaryIO, sink: BinaryIO) -> None:
    """Run jobs until the input ends."""

    def send(kind: bytes, content: bytes = b"") -> None:
        sink.write(encode_frame(kind, content))
        sink.flush()

    def on_compile(seconds: float) -> None:
        send(COMPILING)
        limit_cpu(COMPILE_SECONDS + 2 * seconds)

    nice_thread = ThreadPoolExecutor(1, initializer=lambda: os.nice(NICENESS))  # on Linux a thread has its own niceness
    load_kernels()
    limit_memory()
    send(READY)
    while len(head := source.read(FRAME_HEAD)) == FRAME_HEAD:
        send(TAKEN)
        content = source.read(int.from_bytes(head, "big"))
        task, payloads, seconds, is_first_try = msgspec.msgpack.decode(content[1:])
        limit_cpu(2 * seconds * len(payloads))  # for an answer, and again for further solutions
        budget = TaskBudget(seconds, is_first_try, partial(on_compile, seconds))
        run = partial(run_batch, task, payloads, budget)
        for kind, reply in run() if is_first_try else nice_thread.submit(run).result():
            send(kind, reply)


def run_batch(task: str, payloads: list[Any], budget: TaskBudget) -> list[TaskReply]:
    """Run the jobs of a batch together; if that fails as a whole, run each alone."""
    if len(payloads) > 1:
        with suppress(Exception):
            return [run_task(task, partial(_unwrap, each)) for each in tasks.BATCH_TASKS[task](payloads, budget)]
    return [run_task(task, partial(tasks.TASKS[task], payload, budget)) for payload in payloads]


def run_task(task: str, call: Callable[[], Any]) -> TaskReply:
    """Run a task and return the reply to its job."""
    try:
        result = call()
        return RESULT, result.encode() if isinstance(result, str) else msgspec.json.encode(result)
    except Deferred:
        return DEFERRED, b""
    except MemoryError:
        return FAILED, b"it takes more memory than this server allows"
    except ValueError as error:  # FormatError and InvalidPuzzle are ValueErrors
        return REFUSED, " ".join(str(error).split()).encode("utf-8", "replace")
    except Exception as error:
        print(f"nonocensus serve: {task}: {type(error).__name__}: {error}", file=sys.stderr)
        return FAILED, b"internal error"


def _unwrap(result: Any) -> Any:
    """Return a job's result, or raise the exception in its place."""
    if isinstance(result, Exception):
        raise result
    return result


def limit_memory() -> None:
    """Limit the process to WORKER_MEMORY on top of its current memory."""
    used = address_space()
    if used is not None:
        resource.setrlimit(resource.RLIMIT_AS, (used + WORKER_MEMORY,) * 2)


def limit_cpu(seconds: float) -> None:
    """Limit the process to these CPU seconds and GRACE from now on."""
    limit = int(time.process_time() + seconds) + GRACE + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    frames = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no frame
    work(sys.stdin.buffer, frames)

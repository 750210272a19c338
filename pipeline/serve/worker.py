"""A worker: a process that does one job after the other, within limits that the system holds it to.

It reads frames from standard input and writes frames to standard output (pipeline.serve.frames). It says READY. Then it
gets a job, or some that go together, as a MessagePack of [task, list of arguments, CPU seconds, first try], and says
TAKEN as soon as they come, COMPILING perhaps, and for each job in its order RESULT (JSON or XML), REFUSED (a line),
LATER or FAILED (a line). It ends when its input does: with the server, however that ends.
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

from pipeline.serve import tasks
from pipeline.serve.allowance import Allowed, Later, prepare_most
from pipeline.serve.frames import COMPILING, FAILED, HEAD, LATER, READY, REFUSED, RESULT, TAKEN, frame
from pipeline.serve.serve_limits import COMPILING_SECONDS, WORKER_MEMORY

Outcome = tuple[bytes, bytes]
"""The kind of a frame, and its content."""

GRACE = 5
"""CPU seconds beyond a job's own until the system ends the process."""

COURTESY = 10
"""How much nicer a worker is while it does a long job: what is short goes first, also on a single core."""


def work(inwards: BinaryIO, outwards: BinaryIO) -> None:
    """Do what comes in until nothing does any more."""

    def say(kind: bytes, content: bytes = b"") -> None:
        outwards.write(frame(kind, content))
        outwards.flush()

    def compiling(seconds: float) -> None:
        say(COMPILING)
        limit_cpu(COMPILING_SECONDS + 2 * seconds)

    nice = ThreadPoolExecutor(1, initializer=lambda: os.nice(COURTESY))  # Linux: of this thread alone
    prepare_most()
    limit_memory()
    say(READY)
    while len(head := inwards.read(HEAD)) == HEAD:
        say(TAKEN)
        content = inwards.read(int.from_bytes(head, "big"))
        task, several, seconds, first_try = msgspec.msgpack.decode(content[1:])
        limit_cpu(2 * seconds * len(several))  # an answer, and then as many solutions as can be found
        allowed = Allowed(seconds, first_try, partial(compiling, seconds))
        done = outcomes(task, several, allowed) if first_try else nice.submit(outcomes, task, several, allowed).result()
        for kind, said in done:
            say(kind, said)


def outcomes(task: str, several: list[Any], allowed: Allowed) -> list[Outcome]:
    """What becomes of jobs that go together; where more fails than single ones of them, each is done alone."""
    if len(several) > 1:
        with suppress(Exception):
            return [outcome(task, partial(_given, each)) for each in tasks.TOGETHER[task](several, allowed)]
    return [outcome(task, partial(tasks.TASKS[task], asked, allowed)) for asked in several]


def outcome(task: str, do: Callable[[], Any]) -> Outcome:
    """What becomes of a job."""
    try:
        done = do()
        return RESULT, done.encode() if isinstance(done, str) else msgspec.json.encode(done)
    except Later:
        return LATER, b""
    except MemoryError:
        return FAILED, b"it takes more memory than this server allows"
    except ValueError as error:  # FormatError and InvalidPuzzle are ValueErrors
        return REFUSED, " ".join(str(error).split()).encode("utf-8", "replace")
    except Exception as error:
        print(f"nonocensus serve: {task}: {type(error).__name__}: {error}", file=sys.stderr)
        return FAILED, b"it failed for a reason that is no fault of yours"


def _given(found: Any) -> Any:
    """What was found already, or raised for a job."""
    if isinstance(found, Exception):
        raise found
    return found


def limit_memory() -> None:
    """From now on no more than WORKER_MEMORY beside what the process has."""
    with open("/proc/self/statm") as file:  # noqa: PTH123
        pages = int(file.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + WORKER_MEMORY,) * 2)


def limit_cpu(seconds: float) -> None:
    """From now on no more CPU seconds than these and GRACE, or the system ends the process."""
    limit = int(time.process_time() + seconds) + GRACE + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    frames = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no frame
    work(sys.stdin.buffer, frames)

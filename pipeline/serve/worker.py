"""A worker: a process that does one job after the other, within limits that the system holds it to.

It reads frames from standard input and writes frames to standard output. A frame is its length (4 bytes, big-endian),
its kind (a byte) and the rest. It gets jobs, each a MessagePack of [task, arguments, CPU seconds, first try], and says
READY, then for each job COMPILING perhaps, and RESULT (JSON), REFUSED (a line), LATER or FAILED (a line). It ends when
its input does: with the server, however that ends.
"""

import os
import resource
import sys
import time
from typing import BinaryIO

import msgspec

from pipeline.classify.warm import FOR_MOST, example
from pipeline.serve import tasks
from pipeline.serve.frames import COMPILING, FAILED, LATER, READY, REFUSED, RESULT, frame
from pipeline.serve.limits import COMPILING_SECONDS, WORKER_MEMORY
from solver.ladder.warm import warm_up
from solver.views import views

GRACE = 5
"""CPU seconds beyond a job's own until the system ends the process."""

COURTESY = 10
"""How much nicer a worker is that takes long jobs: what is short goes first, also on a single core."""


def work(inwards: BinaryIO, outwards: BinaryIO) -> None:
    """Do what comes in until nothing does any more."""

    def say(kind: bytes, content: bytes = b"") -> None:
        outwards.write(frame(kind, content))
        outwards.flush()

    for kind in FOR_MOST:
        warm_up(views(example(*kind)))
    limit_memory()
    say(READY)
    while len(head := inwards.read(5)) == 5:
        task, asked, seconds, first_try = msgspec.msgpack.decode(inwards.read(int.from_bytes(head[:4], "big") - 1))

        def compiling(seconds: float = seconds) -> None:
            say(COMPILING)
            limit_cpu(COMPILING_SECONDS + 2 * seconds)

        limit_cpu(2 * seconds)  # an answer, and then as many solutions as can be found
        try:
            done = tasks.TASKS[task](asked, tasks.Allowed(seconds, first_try, compiling))
            say(RESULT, msgspec.json.encode(done))
        except tasks.Later:
            say(LATER)
        except MemoryError:
            say(FAILED, b"it takes more memory than this server allows")
        except tasks.REFUSED as error:
            say(REFUSED, " ".join(str(error).split()).encode("utf-8", "replace"))
        except Exception as error:
            print(f"nonocensus serve: {task}: {type(error).__name__}: {error}", file=sys.stderr)
            say(FAILED, b"it failed for a reason that is no fault of yours")


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
    if sys.argv[1:] == ["long"]:
        os.nice(COURTESY)
    frames = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no frame
    work(sys.stdin.buffer, frames)

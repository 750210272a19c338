"""Limits of the server: sizes, times and counts."""

MAX_BODY = 4 << 20
"""Bytes of a request's body."""

MAX_DETAIL = 200
"""Characters of the detail of a 422 reply."""

MAX_HELD = 64 << 20
"""Bytes of all bodies being received; likewise of those of all unfinished jobs."""

BODY_SECONDS, REPLY_SECONDS = 30.0, 30.0
"""Timeouts: until a client has sent a request's body, and until it reads more of the reply."""

REPLY_PIECE = 32 << 10
"""Bytes of a piece of a reply; the next one is sent once asyncio and the system have room for it."""

IDLE_SECONDS = 15
"""Keep-alive timeout of a connection."""

MAX_REQUESTS, MAX_CONNECTIONS = 512, 1024
"""Concurrent requests and open connections."""

MAX_AREA = 100_000
"""Cells of a puzzle."""

MAX_PUZZLES = 500
"""Puzzles of a file that are returned."""

MAX_SOLUTIONS, MAX_SOLUTION_CELLS = 100, 1_000_000
"""Solutions of a puzzle that are returned, and their cells in all."""

FIRST_TRY_SECONDS = 0.25
"""CPU seconds of a puzzle's first try; what needs more waits for a worker that takes long jobs."""

SHORT_SECONDS = 3.0
"""CPU seconds of everything but solving: reading a file, scaling an image, writing a file."""

MAX_UNPACKED, MAX_MEMBERS = 8 << 20, 2000
"""Bytes unpacked from an archive, and its members; the rest is not read."""

COMPILE_SECONDS = 300.0
"""CPU seconds for compiling kernels of a puzzle size that is new to the worker."""

MAX_EXPLAINED_CELLS = 40_000
"""Cells of a puzzle to explain: with more, describing steps takes longer than finding them."""

MAX_EXPLANATION = 8 << 20
"""Bytes of an explanation's steps; further steps are only counted."""

MAX_PAGE = 24 << 20
"""Bytes of an explanation's page: 75x75 cells in four colours take about 10 MiB."""

WALL_FACTOR, WALL_SECONDS = 10.0, 20.0
"""A job's wall time limit: its CPU seconds times the factor, plus the seconds, since other processes run too."""

WORKER_MEMORY = 2 << 30
"""Bytes that a job may allocate on top of its idle worker's memory."""

MAX_UNFINISHED = 200
"""Queued and running jobs; with more, requests are refused as busy."""

KEPT_SECONDS, KEPT_BYTES, MAX_KEPT = 300.0, 64 << 20, 2000
"""How long finished jobs are kept, the bytes of their results, and their number."""

LEASE_SECONDS = 15.0
"""An attached job is cancelled if no client has polled it for this long."""

MAX_WAIT = 20.0
"""Seconds for which a request may wait for its job."""

PAGE_ROWS = 50
"""Rows of a page of the list."""

QUERY_SECONDS = 10.0
"""Timeout of a search of the list."""

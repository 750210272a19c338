"""What a client may ask of the server, and what the server keeps: sizes, times and counts."""

MOST_BODY = 4 << 20
"""Bytes of a request's body."""

LONGEST = 200
"""Characters of what is said of a wrong request."""

MOST_HELD = 64 << 20
"""Bytes of all bodies that are being received; and of all that unfinished jobs have been sent."""

HEADER_SECONDS, BODY_SECONDS, REPLY_SECONDS = 10.0, 30.0, 60.0
"""How long a client may take to send its headers, then its body, and to take in each piece of the reply."""

IDLE_SECONDS = 15
"""How long a connection may stay open between two requests."""

MOST_REQUESTS, MOST_CONNECTIONS = 512, 1024
"""Requests in work at a time, and connections open."""

MOST_CELLS = 100_000
"""Cells of a puzzle."""

MOST_PUZZLES = 500
"""Puzzles of a file that are told of."""

MOST_SOLUTIONS, MOST_SOLUTION_CELLS = 100, 1_000_000
"""Solutions that can be asked for, and the cells of all of them."""

SPRINT = 0.25
"""CPU seconds that each puzzle has at first; what needs more waits for a worker that takes long jobs."""

SHORT_SECONDS = 5.0
"""CPU seconds of everything but solving: reading a file, scaling an image, writing a file."""

COMPILING_SECONDS = 300.0
"""CPU seconds that kernels of a size nobody has asked for yet may take to compile."""

MOST_EXPLAINED_CELLS, MOST_ANIMATED_CELLS = 40_000, 10_000
"""Cells of a puzzle that is explained, or animated: with more, telling or drawing the steps takes far longer than
finding them."""

MOST_EXPLAINED = 8 << 20
"""Bytes of an explanation's steps; further ones are counted."""

MOST_HINTED = 50
"""Steps in which a hint has to decide a cell."""

MOST_FRAMES, ANIMATED_SECONDS = 61, 20.0
"""Frames of an animation, and the CPU seconds that drawing them may take."""

MOST_TOGETHER, SMALL = 8, 4096
"""Puzzles that a worker tries at once, and the bytes of what has been sent of each."""

WALL = 10.0
"""How many times its CPU seconds a job may take on the clock, since others use the machine too; and ..."""

WALL_SECONDS = 20.0
"""... so many seconds more."""

WORKER_MEMORY = 2 << 30
"""Bytes that a job may take beside what its worker has when it is ready."""

MOST_UNFINISHED = 200
"""Jobs that wait or run: with these the server is busy."""

KEPT_SECONDS, KEPT_BYTES, MOST_KEPT = 300.0, 64 << 20, 2000
"""How long finished jobs are kept, how many bytes their results may have, and how many there are at most."""

LEASE = 15.0
"""Seconds after which an attached job is cancelled, if nobody has asked for it."""

LONGEST_WAIT = 20.0
"""Seconds that a request may wait for its job to end."""

PAGE_ROWS = 50
"""Rows of a page of the list."""

QUERY_SECONDS = 10.0
"""How long a search of the list may take."""

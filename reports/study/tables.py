"""The tables of a study: every move that people made, and what it comes to for each puzzle that one was given."""

import pyarrow as pa

from solver.tables import TEXT, schema_of

SET, UNDO, REDO = "set", "undo", "redo"
SHOWN, HIDDEN, VISIBLE, RESUMED = "shown", "hidden", "visible", "resumed"
SOLVED, GAVE_UP, LEFT = "solved", "gave up", "left"

CHANGES = (SET, UNDO, REDO)
"""Kinds of moves that change cells."""

OUTCOMES = (SOLVED, GAVE_UP, LEFT)
"""Kinds of moves that end an attempt, and its outcome; nothing comes after them."""

KINDS = (SHOWN, *CHANGES, HIDDEN, VISIBLE, RESUMED, *OUTCOMES)

OPEN = 255
"""A cell that holds nothing; else it holds a palette entry, 0 where it is marked as background."""

_ATTEMPT = (
    ("participant", TEXT, "a random id that stands for who solved: 16 hex digits, nothing else is known of them"),
    ("number", pa.int32(), "which of the participant's puzzles it was, from 1"),
    ("puzzle_id", TEXT, "the puzzle's key"),
    ("clue_hash", TEXT, "the puzzle's identity"),
)

MOVES = schema_of(
    *_ATTEMPT,
    ("move", pa.int32(), "the move's place in the attempt, from 0; a run painted at once is one move, a row a cell"),
    ("milliseconds", pa.int64(), "time since the puzzle was first shown; never less than that of the move before"),
    (
        "kind",
        TEXT,
        ", ".join(KINDS) + ": the first is shown; set, undo and redo change cells; resumed: the page was closed before",
    ),
    ("cell", pa.int32(), "the cell that changed: row * width + column; null where none did"),
    ("before", pa.uint8(), "what it held: a palette entry, 0 marked as background, 255 nothing; null likewise"),
    ("after", pa.uint8(), "what it holds now, likewise"),
)

ATTEMPTS = schema_of(
    *_ATTEMPT,
    ("outcome", TEXT, "solved, gave up, or left (they never came back, or the server was ended)"),
    ("seconds", pa.float64(), "from the first sight to the last move"),
    ("active_seconds", pa.float64(), "the same without the time that the page was hidden or closed"),
    ("moves", pa.int32(), "moves that changed cells, undo and redo among them"),
    ("undos", pa.int32(), "those that were undo"),
    ("cells_set", pa.int32(), "cells that set or redo gave a content, each as often as it was given one"),
    ("errors", pa.int32(), "of these the ones that the solution has otherwise"),
    ("first_error", pa.float64(), "active seconds until the first of them; null without one"),
    ("open", pa.int32(), "cells that held nothing at the end"),
)

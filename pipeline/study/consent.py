"""What people are asked to agree to before a study gives them a puzzle: the text that comes along, or one of a file."""

import re
from pathlib import Path

from pipeline.errors import UserError
from pipeline.study.text import read_text
from reports.clean import UNSAFE

CONSENT = """\
This page gives you puzzles to solve, one after the other, for as long as you like. It is a study of how hard puzzles
are for people.

Kept is every move that you make, with its time since the puzzle was first shown: what you fill in, undo or redo, when
you hide the page or come back to it, and whether you solve the puzzle or give it up. It is kept under a random id,
which stays in this browser, with the day on which you agree and the text that you agree to. Nothing else is kept: no
name, no address, no browser, no hour of the day.

The moves may be published, under the id alone. You can stop at any time. The page has a button that deletes everything
of your id from the study.
"""

MOST = 20_000
"""Characters of such a text: somebody has to read it."""


def read_consent(path: Path) -> str:
    """The text of a file, plain text in UTF-8; a UserError says what is wrong with it."""
    text = read_text("--consent", path)
    if not paragraphs(text):
        raise UserError(f"--consent {path} is empty; people have to know what is kept")
    if len(text) > MOST:
        raise UserError(f"--consent {path} has {len(text):,} characters; nobody reads more than {MOST:,}")
    if UNSAFE.search(text):
        raise UserError(f"--consent {path} has control characters; save it as plain text")
    return text


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, parted by empty lines; each is one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]

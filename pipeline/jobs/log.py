"""The log of one command at work on a run.

It is RUN/log/0001-ab12.jsonl, one JSON object a line: `at`, `event` and what belongs to it. On storage without
files that grow it comes in chunks, 0001-ab12-000.jsonl and so on.
"""

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from pipeline.run.run_folder import Run

LOG_EVERY = 30.0
"""Seconds between two chunks of the log on storage without files that grow."""


class Log:
    """Lines of JSON: a file that grows where there is a local disk, chunks elsewhere."""

    def __init__(self, run: Run, name: str) -> None:
        self.place, self.name = run.folder / "log", name
        self.lines: list[str] = []
        self.chunks, self.flushed = 0, -LOG_EVERY
        self.file: TextIO | None = None
        if self.place.local:
            Path(self.place.path).mkdir(parents=True, exist_ok=True)
            self.file = Path(self.place.path, f"{name}.jsonl").open("a", buffering=1, encoding="utf-8")  # noqa: SIM115

    def write(self, fields: dict[str, Any]) -> None:
        """Add a line."""
        line = json.dumps(fields, ensure_ascii=False)
        if self.file is None:
            self.lines.append(line)
            if not self.chunks:
                self.flush()  # its name claims the session's number
            return
        try:
            self.file.write(line + "\n")
        except OSError:
            return  # a full disk: the results are what matters

    def flush(self, last: bool = False) -> None:
        """Write what has come since the last chunk."""
        if not self.lines or (not last and time.monotonic() < self.flushed + LOG_EVERY):
            return
        self.place.write(f"{self.name}-{self.chunks:03d}.jsonl", ("\n".join(self.lines) + "\n").encode())
        self.lines, self.flushed = [], time.monotonic()
        self.chunks += 1

    def close(self) -> None:
        """Write the rest."""
        with suppress(OSError):
            self.flush(last=True)
            if self.file is not None:
                self.file.close()

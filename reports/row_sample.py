"""A random sample of rows that pass by."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa


class Sample:
    """So many of the rows added, each as likely as any other; all while they are few. The same rows give the same ones.

    Each row draws a number, and the lowest stay.

    kept   what is kept of rows, as a table
    """

    def __init__(self, size: int, kept: Callable[[pa.Table], pa.Table]) -> None:
        self.size, self.kept = size, kept
        self.draw = np.random.default_rng(0)
        self.tables: list[pa.Table] = []
        self.drawn: list[np.ndarray] = []  # the number of each row
        self.bar = 1.0  # that a number must be below

    def add(self, rows: pa.Table) -> None:
        """Take in more rows."""
        drawn = self.draw.random(len(rows))
        low = drawn < self.bar
        self.tables.append(self.kept(rows.take(pa.array(np.flatnonzero(low)))))
        self.drawn.append(drawn[low])
        if sum(map(len, self.drawn)) > 1.5 * self.size:
            self._thin()

    def _thin(self) -> None:
        drawn = np.concatenate(self.drawn)
        low = np.zeros(len(drawn), np.bool_)
        low[np.argpartition(drawn, self.size)[: self.size]] = True
        lowest = np.flatnonzero(low)
        self.tables, self.drawn = [pa.concat_tables(self.tables).take(lowest)], [drawn[lowest]]
        self.bar = self.drawn[0].max()

    def table(self) -> pa.Table:
        """The sample, in the order in which its rows came; some must have been added."""
        if sum(map(len, self.drawn)) > self.size:
            self._thin()
        return pa.concat_tables(self.tables)

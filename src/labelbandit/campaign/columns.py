"""Columns that grow: tables of numbers in which a million rows are a few arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt


class Columns:
    """A structured array with room to grow; `rows` is the part in use."""

    def __init__(self, **kinds: Any) -> None:
        self._cells: npt.NDArray[np.void] = np.zeros(16, dtype=list(kinds.items()))
        self.size = 0

    @property
    def rows(self) -> npt.NDArray[np.void]:
        """Every row so far."""
        return self._cells[: self.size]

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self._cells[name][: self.size]

    def append(self, *values: Any) -> None:
        """Add a row."""
        if self.size == self._cells.size:
            self._cells = np.append(self._cells, np.zeros(self._cells.size, self._cells.dtype))
        self._cells[self.size] = values
        self.size += 1

    def restore(self, rows: npt.NDArray[np.void]) -> None:
        """Take these rows in place of one's own."""
        if rows.dtype != self._cells.dtype:
            raise ValueError(f"rows of {rows.dtype} where {self._cells.dtype} belong")
        self._cells, self.size = rows.copy() if rows.size else self._cells, int(rows.size)

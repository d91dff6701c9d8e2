"""Columns that grow: tables of numbers in which a million rows are a few arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_ROOM = 16


class Columns:
    """Arrays of one length, by name, with room to grow."""

    def __init__(self, **kinds: str) -> None:
        self.size = 0
        self._cells: dict[str, npt.NDArray[Any]] = {name: np.zeros(_ROOM, kind) for name, kind in kinds.items()}
        self._used: dict[str, npt.NDArray[Any]] = {}
        self._use()

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self._used[name]

    @property
    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """Every column, as long as there are rows."""
        return self._used

    def append(self, *values: Any) -> None:
        """Add a row."""
        if self.size == next(iter(self._cells.values())).size:
            self._cells = {name: np.append(cells, np.zeros_like(cells)) for name, cells in self._cells.items()}
        for cells, value in zip(self._cells.values(), values, strict=True):
            cells[self.size] = value
        self.size += 1
        self._use()

    def restore(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take these rows in place of one's own."""
        self.size = next(iter(columns.values())).size
        if self.size:
            self._cells = {name: columns[name].astype(cells.dtype) for name, cells in self._cells.items()}
        self._use()

    def _use(self) -> None:
        self._used = {name: cells[: self.size] for name, cells in self._cells.items()}

"""Rows of a table from a file or a data frame: each knows where it stands, so that whatever is wrong can be named."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from labelbandit.model.errors import BadData

_YES, _NO = {"yes", "true", "1"}, {"no", "false", "0"}


class Source(NamedTuple):
    """What rows come from, and what it calls a row."""

    name: str
    unit: str = "line"

    def refuse(self, line: int, reason: str) -> NoReturn:
        """Say what is wrong in that line."""
        raise BadData(f"{self.name}, {self.unit} {line}: {reason}")

    def need(self, columns: Sequence[str], wanted: Sequence[str], line: int) -> None:
        """Refuse a table without the wanted columns, or with a column twice."""
        for name in wanted:
            if name not in columns:
                self.refuse(line, f"there is no column {name!r}, only {', '.join(map(repr, columns)) or 'nothing'}")
        for name in columns:
            if columns.count(name) > 1:
                self.refuse(line, f"there are {columns.count(name)} columns {name!r}: keep one")


class Row(NamedTuple):
    """The cells of one line, by column."""

    source: Source
    line: int
    cells: dict[str, Any]

    def refuse(self, reason: str) -> NoReturn:
        """Say what is wrong in this row."""
        self.source.refuse(self.line, reason)

    def has(self, column: str) -> bool:
        """Whether there is something in that cell."""
        value = self.cells.get(column)
        return value is not None and not (isinstance(value, str) and not value)

    def text(self, column: str) -> str:
        """A name: a text, or a whole number as text."""
        if not self.has(column):
            if column not in self.cells:
                self.refuse(f"there is no {column!r}")
            self.refuse(f"the cell of column {column!r} is empty")
        value = self.cells[column]
        if not isinstance(value, str | int) or isinstance(value, bool):
            self.refuse(f"{value!r} in column {column!r} is no name: give a text or a whole number")
        if "\0" in str(value):
            self.refuse(f"{str(value)[:80]!r} in column {column!r} has a NUL character: leave it out")
        return str(value)

    def whole(self, column: str) -> int | None:
        """A whole number of at least 0, or None where there is none."""
        if not self.has(column):
            return None
        value = self.cells[column]
        try:
            number = int(value) if isinstance(value, str) else value
            if isinstance(number, float) and number.is_integer():
                number = int(number)
        except ValueError:
            number = None
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            self.refuse(f"{value!r} in column {column!r} is not a whole number of at least 0")
        return number

    def flag(self, column: str) -> bool:
        """Yes or no; no where there is nothing."""
        if not self.has(column):
            return False
        value = str(self.cells[column]).strip().lower()
        if value not in _YES | _NO:
            self.refuse(f"{self.cells[column]!r} in column {column!r} is neither yes nor no")
        return value in _YES


def first_of(rows: Iterator[Row], source: Source) -> tuple[Row, Iterator[Row]]:
    """The first row, and all of them; a table without rows is refused."""
    first = next(rows, None)
    if first is None:
        raise BadData(f"{source.name} is empty: there is no row to import")
    return first, _again(first, rows)


def _again(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest

"""Tables read from CSV or Parquet, in which every row knows its line, so that whatever is wrong can be named."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, NoReturn

from labelbandit.model.errors import BadData, LabelbanditError


class Row(NamedTuple):
    """The cells asked for, in the order asked for, and the line they stand in."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A file and the rows it has."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def refuse(self, line: int, reason: str) -> NoReturn:
        """Say what is wrong in that line."""
        raise BadData(f"{self.path}, {'row' if _is_parquet(self.path) else 'line'} {line}: {reason}")


def read_table(path: Path, wanted: Sequence[str], optional: Sequence[str] = ()) -> Table:
    """Read the wanted columns, and those of the optional ones that are there; other columns are passed over."""
    if not path.is_file():
        raise BadData(f"{path} is missing: a file with the columns {', '.join(wanted)} is needed")
    lines = _parquet_lines(path) if _is_parquet(path) else _csv_lines(path)
    first, header = next(lines, (0, []))
    if not header:
        raise BadData(f"{path} is empty: its first line must name the columns {', '.join(wanted)}")
    columns = (*wanted, *(name for name in optional if name in header))
    places = _places(Table(path, columns, ()), first, header)
    rows = tuple(_rows(Table(path, columns, ()), lines, places, len(header)))
    if not rows:
        raise BadData(f"{path} is empty: nothing follows the line that names the columns")
    return Table(path, columns, rows)


def _places(table: Table, line: int, header: list[str]) -> list[int]:
    for name in table.columns:
        if name not in header:
            table.refuse(line, f"there is no column {name!r}, only {', '.join(map(repr, header))}")
        if header.count(name) > 1:
            table.refuse(line, f"there are {header.count(name)} columns {name!r}: keep one")
    return [header.index(name) for name in table.columns]


def _rows(table: Table, lines: Iterator[tuple[int, list[str]]], places: list[int], width: int) -> Iterator[Row]:
    for line, cells in lines:
        if len(cells) != width:
            table.refuse(line, f"there are {len(cells)} cells where the first line names {width} columns")
        row = Row(line, tuple(cells[place] for place in places))
        if "" in row.cells:
            table.refuse(line, f"the cell of column {table.columns[row.cells.index('')]!r} is empty")
        yield row


def _csv_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that has any."""
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as wrong:
        raise BadData(f"{path}, line {reader.line_num}: this is not CSV ({wrong})") from None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as wrong:
        raise BadData(f"{path} cannot be read: {wrong.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = wrong.object[: wrong.start].count(b"\n") + 1
        raise BadData(f"{path}, line {line}: this is not UTF-8: save the file in that encoding") from None


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _parquet_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The header as row 0, then the cells of each row, as text."""
    if find_spec("pyarrow") is None:
        raise LabelbanditError(f"{path} is Parquet, which needs pyarrow: install pyarrow, or save the table as CSV")
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError) as wrong:
        raise BadData(f"{path} cannot be read as Parquet: {str(wrong).splitlines()[0]}") from None
    yield 0, list(table.column_names)
    for number, cells in enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True), 1):
        yield number, ["" if cell is None else str(cell).strip() for cell in cells]

"""Files read row by row: CSV, JSON lines and Parquet, with every fault named by file and line."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from labelbandit.integrations.inert import plain
from labelbandit.integrations.rows import Row, Source
from labelbandit.model.errors import BadData, LabelbanditError

BATCH = 10_000
"""Rows taken at a time."""
_LONGEST = 2**24
"""Bytes a line may have, so that a file without line ends does not fill the memory."""
_SCHEMA = re.compile(r"(?:labels|estimates|log)/(\d{1,9})")
_SCHEMA_VERSION = 1


def read_rows(path: Path) -> tuple[Source, Iterator[Row]]:
    """The rows of a file, read as its ending says; a column `schema` is checked and taken away."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise BadData(f"{path} is neither CSV, JSON lines nor Parquet: give a file that ends in {', '.join(_READERS)}")
    if not path.is_file():
        raise BadData(f"there is no file {path}: give one that ends in {', '.join(_READERS)}")
    source = Source(str(path), "row" if path.suffix.lower() == ".parquet" else "line")
    return source, _without_schema(reader(path, source))


def _without_schema(rows: Iterator[Row]) -> Iterator[Row]:
    for row in rows:
        if "schema" in row.cells and is_ours(row.source, row.line, row.cells["schema"]):
            del row.cells["schema"]
        yield row


def is_ours(source: Source, line: int, schema: object) -> bool:
    """Whether a schema is one of ours; one that a newer labelbandit wrote is refused."""
    known = _SCHEMA.fullmatch(str(schema))
    if known is not None and int(known[1]) > _SCHEMA_VERSION:
        source.refuse(line, f"it has the schema {schema}, which this labelbandit cannot read: install a newer one")
    return known is not None


def _lines(path: Path, source: Source) -> Iterator[tuple[int, str]]:
    try:
        with path.open("rb") as file:
            for number in count(1):
                raw = file.readline(_LONGEST)
                if not raw:
                    return
                if len(raw) == _LONGEST:
                    source.refuse(number, f"it is longer than {_LONGEST:,} bytes: split it up")
                yield number, _decoded(raw, number, source)
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror}") from None


def _decoded(raw: bytes, number: int, source: Source) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        source.refuse(number, "this is not UTF-8: save the file in that encoding")


def _csv_rows(path: Path, source: Source) -> Iterator[Row]:
    reader = csv.reader((line for _, line in _lines(path, source)), strict=True)
    try:
        header = [plain(name.strip()) for name in next(reader, [])]
        source.need(header, [], 1)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                source.refuse(reader.line_num, f"there are {len(cells)} cells where the first line names {len(header)} columns")
            yield Row(source, reader.line_num, dict(zip(header, map(plain, cells), strict=True)))
    except csv.Error as error:
        source.refuse(reader.line_num, f"this is not CSV as we read it ({error})")


def _json_rows(path: Path, source: Source) -> Iterator[Row]:
    for number, line in _lines(path, source):
        if not line.strip():
            continue
        cells = _json_object(line, number, source)
        if number == 1 and set(cells) == {"schema"} and is_ours(source, number, cells["schema"]):
            continue
        yield Row(source, number, cells)


def _json_object(line: str, number: int, source: Source) -> dict[str, Any]:
    def no_number(name: str) -> NoReturn:
        source.refuse(number, f"{name} is no JSON: give a number or null")

    try:
        cells = json.loads(line, parse_constant=no_number)
    except (json.JSONDecodeError, RecursionError) as error:
        source.refuse(number, f"this is not JSON ({error})")
    if not isinstance(cells, dict):
        source.refuse(number, "this is no JSON object: give one with a field for each column")
    if "\\u" in line:
        try:
            json.dumps(cells, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            source.refuse(number, "half of a surrogate pair cannot be kept: write the character itself")
    return cells


def _parquet_rows(path: Path, source: Source) -> Iterator[Row]:
    if find_spec("pyarrow") is None:
        raise LabelbanditError(f"{path} is Parquet, which needs pyarrow: install labelbandit[frames], or give CSV")
    from pyarrow import ArrowException, parquet

    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            kept = (file.schema_arrow.metadata or {}).get(b"labelbandit.schema")
            if kept is not None:
                is_ours(source, 0, kept.decode())
            for batch in file.iter_batches(BATCH):
                for cells in batch.to_pylist():
                    number += 1
                    yield Row(source, number, {name: storable_cell(cell) for name, cell in cells.items()})
    except (ArrowException, OSError) as error:
        raise BadData(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}") from None


def storable_cell(cell: Any) -> Any:
    """A cell as JSON can hold it: no value for NaN, times as text."""
    if isinstance(cell, float) and cell != cell:  # noqa: PLR0124 - only NaN differs from itself
        return None
    return cell.isoformat() if isinstance(cell, date | datetime | time) else cell


_READERS: dict[str, Callable[[Path, Source], Iterator[Row]]] = {
    ".csv": _csv_rows,
    ".jsonl": _json_rows,
    ".parquet": _parquet_rows,
}

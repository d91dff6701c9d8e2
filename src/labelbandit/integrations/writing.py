"""Tables written to files: CSV, JSON lines and Parquet, each carrying the schema in its own way."""

import csv
import json
from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec
from itertools import islice
from typing import IO, Any

from labelbandit.integrations.inert import inert
from labelbandit.integrations.tables import Table
from labelbandit.model.errors import LabelbanditError

_BATCH = 10_000


def write_csv(table: Table, out: IO[bytes]) -> None:
    """A line of column names, then a line for each row; the schema is a column."""
    lines = csv.writer(_Lines(out), lineterminator="\r\n")
    ours = [] if table.schema is None else [table.schema]
    lines.writerow([*map(inert, table.columns), *(["schema"] if ours else [])])
    lines.writerows([*map(_csv_cell, row), *ours] for row in table.rows)


class _Lines:
    """Takes lines from a writer that ends them with both characters, so that it quotes cells with either, and keeps one."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def write(self, line: str) -> None:
        """Write a line."""
        self._out.write(line[:-2].encode() + b"\n")


def _csv_cell(value: Any) -> Any:
    match value:
        case str():
            return inert(value)
        case bool():
            return "yes" if value else "no"
        case datetime():
            return _iso(value)
    return value


def write_jsonl(table: Table, out: IO[bytes]) -> None:
    """A first line with the schema, then an object for each row; the body of an event is an object too."""
    if table.schema is not None:
        out.write(_json_line({"schema": table.schema}))
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        if table.schema == "log/1":
            cells["body"] = json.loads(cells["body"])
        out.write(_json_line(cells))


def _json_line(cells: dict[str, Any]) -> bytes:
    return json.dumps(cells, default=_iso, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def write_parquet(table: Table, out: IO[bytes]) -> None:
    """Typed columns; the schema is in the metadata, as `labelbandit.schema`."""
    need_frames("pyarrow", "Parquet")
    import pyarrow as pa
    from pyarrow import parquet

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), datetime: pa.timestamp("us", tz="UTC")}
    metadata = None if table.schema is None else {"labelbandit.schema": table.schema}
    schema = pa.schema([(name, kinds[kind]) for name, kind in table.columns.items()], metadata=metadata)
    with parquet.ParquetWriter(out, schema) as writer:
        for batch in _batches(table.rows):
            columns = [pa.array(cells, kind) for cells, kind in zip(zip(*batch, strict=True), schema.types, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))


def _batches(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def need_frames(module: str, what: str) -> None:
    """Refuse politely where an optional dependency is not installed."""
    if find_spec(module) is None:
        raise LabelbanditError(f"{what} needs {module}, which is not installed: install labelbandit[frames]")

"""How results are shown: a document for programs, or lines for people; and times, and texts of strangers."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer


class Format(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"


Style = Annotated[Format, typer.Option("--format", help="How to print the results.")]


def show(style: Format, document: Any, lines: Iterable[str]) -> None:
    """Print the document or the lines."""
    if style is Format.JSON:
        typer.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))
        return
    for line in lines:
        typer.echo(line)


def remark(sentence: str) -> None:
    """Tell people, not programs."""
    typer.echo(f"labelbandit: {sentence}", err=True)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Lines with columns side by side: numbers to the right, all else to the left."""
    cells = [[_cell(value) for value in row] for row in rows]
    texts = [header, *([text for text, _ in row] for row in cells)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    yield "  ".join(name.ljust(width) for name, width in zip(header, widths, strict=True)).rstrip()
    for row in cells:
        yield "  ".join(
            text.rjust(width) if right else text.ljust(width) for (text, right), width in zip(row, widths, strict=True)
        ).rstrip()


def _cell(value: object) -> tuple[str, bool]:
    match value:
        case None:
            return "-", False
        case bool():
            return ("yes" if value else "no"), False
        case int():
            return f"{value}", True
        case float():
            return f"{value:.3f}", True
    return printable(str(value)), False


def printable(text: str) -> str:
    """The text without characters that would command a terminal."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def local(at: int) -> str:
    """A time of the log as the clock on the wall has it."""
    return f"{datetime.fromtimestamp(at // 1_000_000, UTC).astimezone():%Y-%m-%d %H:%M:%S}"

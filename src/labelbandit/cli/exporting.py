"""`labelbandit export`: labels, estimates or the log, in the layout of other tools."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from labelbandit.cli import progress
from labelbandit.cli.showing import remark
from labelbandit.cli.storage import DEFAULT, Name, Storage, opened
from labelbandit.integrations.layouts import Layout, What
from labelbandit.model.errors import BadInput


def export(
    name: Name,
    *,
    what: Annotated[What, typer.Option(help="What to export.")] = What.LABELS,
    layout: Annotated[Layout, typer.Option("--as", help="How to write it.")] = Layout.CSV,
    out: Annotated[Path | None, typer.Option(help="The file to write. [default: standard output]")] = None,
    storage: Storage = DEFAULT,
) -> None:
    """Write labels, estimates or the log to a file or to standard output."""
    from labelbandit.integrations.exporting import check_layout
    from labelbandit.integrations.exporting import export as write

    check_layout(what, layout)
    if out is None and layout is Layout.PARQUET and sys.stdout.isatty():
        raise BadInput("Parquet is not for reading: give a file with --out")
    with opened(storage, name) as campaign:
        if out is None:
            write(campaign, what, layout, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        with progress.spinner(f"Writing {out}"):
            write(campaign, what, layout, out)
    remark(f"the {what} of {name!r} are in {out}" if what is not What.LOG else f"the log of {name!r} is in {out}")

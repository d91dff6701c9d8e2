"""`labelbandit import`: tasks, gold, workers and labels from files."""

from pathlib import Path
from typing import Annotated

import typer

from labelbandit.cli import progress
from labelbandit.cli.showing import remark
from labelbandit.cli.storage import DEFAULT, Name, Storage, opened

File = Annotated[Path, typer.Argument(metavar="FILE", help="A .csv, .jsonl or .parquet file.")]
NewOnly = Annotated[bool, typer.Option("--new-only", help="Leave out what the campaign has already.")]
Payload = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column that workers are shown. [default: all that have no other use]")
]

app = typer.Typer(rich_markup_mode=None)


@app.command()
def tasks(name: Name, file: File, *, payload: Payload = None, new_only: NewOnly = False, storage: Storage = DEFAULT) -> None:
    """Add tasks: columns task, perhaps context and gold; the others are what workers are shown."""
    _tasks(name, file, payload, gold=False, new_only=new_only, storage=storage)


@app.command()
def gold(name: Name, file: File, *, payload: Payload = None, new_only: NewOnly = False, storage: Storage = DEFAULT) -> None:
    """Add tasks whose truth is known: columns task and gold (or truth), all filled in."""
    _tasks(name, file, payload, gold=True, new_only=new_only, storage=storage)


def _tasks(name: str, file: Path, payload: str | None, *, gold: bool, new_only: bool, storage: str) -> None:
    from labelbandit.integrations.importing import import_tasks

    with opened(storage, name) as campaign, progress.count("tasks read") as on_rows:
        added = import_tasks(campaign, file, payload=payload, gold=gold, new_only=new_only, on_rows=on_rows)
    remark(f"{added:,} tasks were added to {name!r}")


@app.command()
def workers(name: Name, file: File, *, new_only: NewOnly = False, storage: Storage = DEFAULT) -> None:
    """Enrol workers: columns worker, perhaps price, cap and expert; the others are details of theirs."""
    from labelbandit.integrations.importing import import_workers

    with opened(storage, name) as campaign, progress.count("workers read") as on_rows:
        added = import_workers(campaign, file, new_only=new_only, on_rows=on_rows)
    remark(f"{added:,} workers were enrolled in {name!r}")


@app.command()
def labels(name: Name, file: File, *, new_only: NewOnly = False, storage: Storage = DEFAULT) -> None:
    """Attach labels that nobody was asked for: columns task, worker, label, perhaps price."""
    from labelbandit.integrations.importing import import_labels

    with opened(storage, name) as campaign, progress.count("labels read") as on_rows:
        added = import_labels(campaign, file, new_only=new_only, on_rows=on_rows)
    remark(f"{added:,} labels were attached to {name!r}")

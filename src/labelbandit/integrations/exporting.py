"""What goes out, in which layout: one function that writes it, to a file only when all of it is there."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from labelbandit.campaign.campaign import Campaign
from labelbandit.integrations import labelstudio, tables, writing
from labelbandit.integrations.layouts import Layout, What
from labelbandit.model.errors import BadInput

_TABLES: dict[What, Callable[[Campaign], tables.Table]] = {
    What.LABELS: tables.label_table,
    What.ESTIMATES: tables.estimate_table,
    What.LOG: tables.log_table,
}
_WRITERS: dict[Layout, Callable[[tables.Table, IO[bytes]], None]] = {
    Layout.CSV: writing.write_csv,
    Layout.JSONL: writing.write_jsonl,
    Layout.PARQUET: writing.write_parquet,
}
_OTHERS: dict[tuple[What, Layout], Callable[[Campaign, IO[bytes]], None]] = {
    (What.LABELS, Layout.CROWDKIT): lambda campaign, out: writing.write_csv(tables.crowdkit_table(campaign), out),
    (What.LABELS, Layout.CLEANLAB): lambda campaign, out: writing.write_csv(tables.cleanlab_table(campaign), out),
    (What.LABELS, Layout.LABELSTUDIO): labelstudio.write_labels,
    (What.ESTIMATES, Layout.LABELSTUDIO): labelstudio.write_estimates,
}


def export(campaign: Campaign, what: What, layout: Layout, out: Path | IO[bytes]) -> None:
    """Write labels, estimates or the log; a file appears, or takes another's place, only when it is whole."""
    check_layout(what, layout)
    if not isinstance(out, Path):
        _write(campaign, what, layout, out)
        return
    with whole_file(out) as file:
        _write(campaign, what, layout, file)


def check_layout(what: What, layout: Layout) -> None:
    """Refuse what a layout has no place for."""
    if layout not in _WRITERS and (what, layout) not in _OTHERS:
        fitting = [*_WRITERS, *(fit for thing, fit in _OTHERS if thing is what)]
        raise BadInput(f"{layout} has no place for {what}: choose {', '.join(fitting)}")


def _write(campaign: Campaign, what: What, layout: Layout, out: IO[bytes]) -> None:
    other = _OTHERS.get((what, layout))
    if other is not None:
        other(campaign, out)
    else:
        _WRITERS[layout](_TABLES[what](campaign), out)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes its place when the block is left, and leaves nothing behind when it fails."""
    if path.is_dir() or not path.parent.is_dir():
        raise BadInput(f"cannot write to {str(path)!r}: give a file in a folder that exists")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            yield file
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise

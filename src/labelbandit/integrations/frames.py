"""Data frames in and out: pandas in long format, with the columns `task`, `worker` and `label`."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from labelbandit.campaign.campaign import Campaign
from labelbandit.integrations import tables
from labelbandit.integrations.importing import add_task_rows, attach_rows
from labelbandit.integrations.reading import storable_cell
from labelbandit.integrations.rows import Row, Source
from labelbandit.integrations.writing import need_frames

if TYPE_CHECKING:  # an optional extra, imported when a frame is made
    import pandas as pd

_KINDS: dict[type, Any] = {str: "object", int: "Int64", float: "float64", bool: "bool", datetime: "datetime64[us, UTC]"}


def labels(campaign: Campaign) -> "pd.DataFrame":
    """Every label with all that is known of it, a row each."""
    return _frame(tables.label_table(campaign))


def estimates(campaign: Campaign) -> "pd.DataFrame":
    """What to believe of every task, a row each."""
    return _frame(tables.estimate_table(campaign))


def to_crowdkit(campaign: Campaign) -> "pd.DataFrame":
    """Task, worker and label: what Crowd-Kit's aggregators take."""
    return _frame(tables.crowdkit_table(campaign))


def to_cleanlab(campaign: Campaign) -> "pd.DataFrame":
    """Labelled tasks by workers, of class numbers with NaN for none: what cleanlab calls labels_multiannotator."""
    frame = _frame(tables.cleanlab_table(campaign)).set_index("task")
    return frame.astype("float64")


def attach(campaign: Campaign, frame: "pd.DataFrame", *, new_only: bool = False) -> int:
    """Attach labels that nobody was asked for: columns `task`, `worker`, `label`, perhaps `price`. Returns how many."""
    return attach_rows(campaign, *_rows(frame), new_only=new_only)


def add_tasks(campaign: Campaign, frame: "pd.DataFrame", *, payload: str | None = None, new_only: bool = False) -> int:
    """Add tasks: columns `task`, perhaps `context` and `gold`; the others are what workers are shown. Returns how many."""
    return add_task_rows(campaign, *_rows(frame), payload=payload, new_only=new_only)


def _frame(table: tables.Table) -> "pd.DataFrame":
    need_frames("pandas", "a data frame")
    import pandas as pd

    frame = pd.DataFrame(list(table.rows), columns=list(table.columns), dtype=object)
    for name, kind in table.columns.items():
        frame[name] = frame[name].astype(_KINDS[kind])
    return frame


def _rows(frame: "pd.DataFrame") -> tuple[Source, Iterator[Row]]:
    source = Source("the data frame", "row")
    columns = [str(name) for name in frame.columns]
    source.need(columns, [], 0)
    filled = frame.astype(object).where(frame.notna(), None)
    lines = zip(*(filled[name].tolist() for name in filled.columns), strict=True)
    return source, (Row(source, at, dict(zip(columns, map(_cell, cells), strict=True))) for at, cells in enumerate(lines))


def _cell(value: Any) -> Any:
    return storable_cell(value.item() if hasattr(value, "dtype") else value)

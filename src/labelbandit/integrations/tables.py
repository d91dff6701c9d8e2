"""Tables that go out: labels, estimates and the log of a campaign, as typed columns and a stream of rows."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.names import Names
from labelbandit.integrations.records import LabelRecord, label_records
from labelbandit.stores.contract import Register


class Table(NamedTuple):
    """Rows with a type for each column; `schema` names their meaning and its version, None if that is somebody else's."""

    schema: str | None
    columns: Mapping[str, type]
    rows: Iterator[tuple[Any, ...]]


_LABEL_TYPES = {
    "task": str,
    "worker": str,
    "label": str,
    "context": str,
    "price": int,
    "propensity": float,
    "assignment": int,
    "lead_time": float,
    "created_at": datetime,
    "source": str,
}


def label_table(campaign: Campaign) -> Table:
    """Every label with all that is known of it."""
    rows = ((*record[:8], moment(record.created_at), record.source) for record in label_records(campaign))
    return Table("labels/1", _LABEL_TYPES, rows)


def crowdkit_table(campaign: Campaign) -> Table:
    """Task, worker and label: what Crowd-Kit's aggregators take."""
    return Table(None, {"task": str, "worker": str, "label": str}, (record[:3] for record in label_records(campaign)))


def estimate_table(campaign: Campaign) -> Table:
    """What to believe of every task."""
    classes = campaign.classes
    columns: dict[str, type] = {"task": str, "label": str, "probability": float, "margin": float}
    columns |= {f"votes_{name}": int for name in classes} | {"closed": bool, "contested": bool}
    rows = (
        (
            one.task,
            one.answer,
            one.probability if any(one.votes.values()) else None,
            one.margin,
            *(one.votes.get(name, 0) for name in classes),
            one.closed,
            one.contested,
        )
        for one in campaign.estimates().values()
    )
    return Table("estimates/1", columns, rows)


def log_table(campaign: Campaign) -> Table:
    """Every event of the log, by numbers as the log has them."""
    columns: dict[str, type] = {"position": int, "at": datetime, "kind": str, "version": int, "body": str}
    rows = ((one.position, moment(one.at), *one[2:]) for one in campaign.store.read(campaign.row.number))
    return Table("log/1", columns, rows)


def cleanlab_table(campaign: Campaign) -> Table:
    """A row for each labelled task and a column for each worker who labelled, of class numbers: cleanlab's wide form."""
    number = {name: at for at, name in enumerate(campaign.classes)}
    by_task = labels_by_task(campaign)
    heard = {record.worker for records in by_task.values() for record in records}
    workers = [id_ for id_ in all_ids(campaign, Register.WORKER).values() if id_ in heard]
    rows = (
        _wide(task, {record.worker: number[record.label] for record in records}, workers) for task, records in by_task.items()
    )
    columns: dict[str, type] = {"task": str}
    return Table(None, columns | dict.fromkeys(workers, int), rows)


def _wide(task: str, said: Mapping[str, int], workers: list[str]) -> tuple[Any, ...]:
    return task, *map(said.get, workers)


def labels_by_task(campaign: Campaign) -> dict[str, list[LabelRecord]]:
    """The labels of each labelled task, in the order of their coming."""
    by_task: dict[str, list[LabelRecord]] = {}
    for record in label_records(campaign):
        by_task.setdefault(record.task, []).append(record)
    return by_task


def all_ids(campaign: Campaign, register: Register) -> dict[int, str]:
    """Every public id by number."""
    return Names(campaign.store, campaign.row.number, register).all_ids()


def payloads(campaign: Campaign) -> Iterator[tuple[int, str, dict[str, Any] | None]]:
    """Every task that was not erased, with what a worker is shown of it."""
    for number, id_, details in campaign.store.all_rows(campaign.row.number, Register.TASK):
        if id_ is not None:
            yield number, id_, None if details is None else json.loads(details)


def moment(at: int) -> datetime:
    """A time of the log."""
    seconds, micros = divmod(at, 1_000_000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros)

"""Tasks, workers and labels from rows into a campaign, ten thousand to a transaction."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.values import Task, Worker
from labelbandit.integrations.reading import BATCH, read_rows
from labelbandit.integrations.rows import Row, Source, first_of
from labelbandit.model.errors import LabelbanditError
from labelbandit.stores.contract import Register

_TRUTH = ("gold", "truth")
_NEW_ONLY = "import only what is new (--new-only)"
OnRows = Callable[[int], object]


def ignore(_: int) -> None:
    """Whom the number of rows imported does not concern."""


def import_tasks(
    campaign: Campaign,
    path: Path,
    *,
    payload: str | None = None,
    gold: bool = False,
    new_only: bool = False,
    on_rows: OnRows = ignore,
) -> int:
    """Add the tasks of a file; with `gold`, each must come with its truth. Returns how many were added."""
    return add_task_rows(campaign, *read_rows(path), payload=payload, gold=gold, new_only=new_only, on_rows=on_rows)


def import_workers(campaign: Campaign, path: Path, *, new_only: bool = False, on_rows: OnRows = ignore) -> int:
    """Enrol the workers of a file."""
    source, rows = read_rows(path)

    def enrol(batch: list[Row]) -> int:
        new = _unknown(campaign, Register.WORKER, batch, "worker", new_only=new_only)
        if new:
            campaign.add_workers(*map(_worker, new))
        return len(new)

    return _in_batches(source, rows, ("worker",), enrol, on_rows)


def import_labels(campaign: Campaign, path: Path, *, new_only: bool = False, on_rows: OnRows = ignore) -> int:
    """Attach the labels of a file."""
    return attach_rows(campaign, *read_rows(path), new_only=new_only, on_rows=on_rows)


def add_task_rows(
    campaign: Campaign,
    source: Source,
    rows: Iterator[Row],
    *,
    payload: str | None = None,
    gold: bool = False,
    new_only: bool = False,
    on_rows: OnRows = ignore,
) -> int:
    """Add the tasks of these rows."""
    classes = set(campaign.classes)

    def add(batch: list[Row]) -> int:
        new = _unknown(campaign, Register.TASK, batch, "task", new_only=new_only)
        tasks = [_task(row, payload, classes, gold=gold) for row in new]
        if tasks:
            campaign.add_tasks(*tasks)
        return len(tasks)

    return _in_batches(source, rows, ("task",) if payload is None else ("task", payload), add, on_rows)


def attach_rows(
    campaign: Campaign, source: Source, rows: Iterator[Row], *, new_only: bool = False, on_rows: OnRows = ignore
) -> int:
    """Attach the labels of these rows."""
    classes = set(campaign.classes)

    def attach(batch: list[Row]) -> int:
        new = _unlabelled(campaign, batch, new_only=new_only)
        for row in new:
            _check_class(row, row.text("label"), classes)
        price = sum(row.whole("price") or 0 for row in new)
        campaign.attach_many([(row.text("task"), row.text("worker"), row.text("label")) for row in new], price=price)
        return len(new)

    return _in_batches(source, rows, ("task", "worker", "label"), attach, on_rows)


def _in_batches(
    source: Source, rows: Iterator[Row], wanted: tuple[str, ...], take: Callable[[list[Row]], int], on_rows: OnRows
) -> int:
    """Take the rows by the batch: one that fails leaves nothing of itself, and says what was taken before it."""
    added = done = 0
    try:
        first, rows = first_of(rows, source)
        source.need(list(first.cells), wanted, first.line)
        while batch := list(islice(rows, BATCH)):
            added += take(batch)
            done += len(batch)
            on_rows(len(batch))
    except LabelbanditError as error:
        if not done:
            raise
        raise type(error)(
            f"{error}; the {done:,} rows before were imported, mend the file and import only what is new (--new-only)"
        ) from None
    return added


def _unknown(campaign: Campaign, register: Register, batch: list[Row], column: str, *, new_only: bool) -> list[Row]:
    """The rows whose ids the campaign does not know; others are left out or refused, and so are ids given twice."""
    by_id: dict[str, Row] = {}
    for row in batch:
        id_ = row.text(column)
        if len(id_) > 500:
            row.refuse(f"the {column} {id_[:20]!r}… has {len(id_):,} characters: give at most 500")
        if id_ in by_id:
            row.refuse(f"{column} {id_!r} stands in {row.source.unit} {by_id[id_].line} already: give each once")
        by_id[id_] = row
    known = campaign.store.numbers(campaign.row.number, register, list(by_id))
    if known and not new_only:
        id_ = next(id_ for id_ in by_id if id_ in known)
        by_id[id_].refuse(f"the campaign has a {column} {id_!r} already: leave it out, or {_NEW_ONLY}")
    return [row for id_, row in by_id.items() if id_ not in known]


def _unlabelled(campaign: Campaign, batch: list[Row], *, new_only: bool) -> list[Row]:
    """The rows whose pairs nobody was asked about; others are left out or refused, and so are unknown names."""
    numbers = {column: _numbers(campaign, batch, column) for column in ("task", "worker")}
    seen: dict[tuple[int, int], Row] = {}
    for row in batch:
        pair = numbers["task"][row.text("task")], numbers["worker"][row.text("worker")]
        if pair in seen:
            row.refuse(f"this task and worker stand in {row.source.unit} {seen[pair].line} already: give each label once")
        seen[pair] = row
    mind = campaign.board.mind
    tasks, workers = np.array(list(seen), np.int64).T
    some_asked = mind.first_asked(tasks, workers) >= 0
    asked = {pair for pair in seen if mind.answer_of(*pair) is not None} if some_asked else set()
    if asked and not new_only:
        row = next(row for pair, row in seen.items() if pair in asked)
        row.refuse(
            f"worker {row.text('worker')!r} was asked about task {row.text('task')!r} already: leave it out, or {_NEW_ONLY}"
        )
    return [row for pair, row in seen.items() if pair not in asked]


def _numbers(campaign: Campaign, batch: list[Row], column: str) -> dict[str, int]:
    by_id: dict[str, Row] = {}
    for row in batch:
        by_id.setdefault(row.text(column), row)
    numbers = campaign.store.numbers(campaign.row.number, Register(column), list(by_id))
    for id_, row in by_id.items():
        if id_ not in numbers:
            row.refuse(f"there is no {column} {id_!r} in this campaign: import {column}s first")
    return numbers


def _task(row: Row, payload: str | None, classes: set[str], *, gold: bool) -> Task:
    truths = [column for column in _TRUTH if row.has(column)]
    if gold and not truths:
        row.refuse("the truth of a gold task is missing: fill in the column 'gold' or 'truth'")
    if len(truths) > 1:
        row.refuse("there are both 'gold' and 'truth': keep one of them")
    truth = row.text(truths[0]) if truths else None
    if truth is not None:
        _check_class(row, truth, classes)
    context = row.text("context") if row.has("context") else ""
    if len(context) > 500:
        row.refuse(f"the context {context[:20]!r}… has {len(context):,} characters: give at most 500")
    return Task(row.text("task"), context, _payload(row, payload), truth)


def _payload(row: Row, column: str | None) -> dict[str, Any] | None:
    if column is None:
        return {name: cell for name, cell in row.cells.items() if name not in {"task", "context", *_TRUTH}} or None
    chosen = row.cells.get(column)
    return chosen if isinstance(chosen, dict) else {column: chosen}


def _worker(row: Row) -> Worker:
    price = row.whole("price")
    details = {
        name: cell for name, cell in row.cells.items() if name not in {"worker", "price", "cap", "expert"} and row.has(name)
    }
    return Worker(row.text("worker"), 1 if price is None else price, row.whole("cap"), row.flag("expert"), details or None)


def _check_class(row: Row, answer: str, classes: set[str]) -> None:
    if answer not in classes:
        row.refuse(f"{answer[:80]!r} is not a class: give one of {', '.join(sorted(classes))}")

"""Tasks in a table, and everything about one of them."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from labelbandit.campaign.board import STATES, Board
from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.values import Estimate
from labelbandit.model.errors import UnknownName
from labelbandit.server.answers import TaskDetail, TaskPage, TaskRow, Vote
from labelbandit.stores.contract import Register

_PREVIEW = 140


def task_page(campaign: Campaign, search: str, order: str, start: int, limit: int) -> TaskPage:
    """Tasks whose id, context or shown text has the words searched for: as they joined, or the least certain first."""
    store, number = campaign.store, campaign.row.number
    contexts = {at: id_ or "" for at, id_, _ in store.all_rows(number, Register.CONTEXT)}
    estimates = campaign.estimates()
    with campaign.looking() as board:
        context_of = board.facts.context.tolist()
    wanted = search.casefold().split()
    rows = [
        _row(estimates[id_], contexts.get(context_of[at], ""), details)
        for at, id_, details in _named(store.all_rows(number, Register.TASK))
        if id_ in estimates and _matches(wanted, f"{id_} {contexts.get(context_of[at], '')} {details or ''}")
    ]
    if order == "uncertain":
        rows.sort(key=lambda row: (row.closed, row.probability))
    return TaskPage(tasks=rows[start : start + limit], matching=len(rows), start=start)


def _named(rows: Iterator[tuple[int, str | None, str | None]]) -> Iterator[tuple[int, str, str | None]]:
    for at, id_, details in rows:
        yield at, id_ or f"erased-{at}", details


def _matches(wanted: list[str], text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in wanted)


def _row(estimate: Estimate, context: str, details: str | None) -> TaskRow:
    return TaskRow(
        task=estimate.task,
        context=context,
        answer=estimate.answer,
        probability=estimate.probability,
        votes=dict(estimate.votes),
        labels=sum(estimate.votes.values()),
        closed=estimate.closed,
        contested=estimate.contested,
        preview=preview(None if details is None else json.loads(details)),
    )


def preview(payload: Any) -> str:
    """The first words of what a task shows."""
    if not isinstance(payload, dict):
        return "" if payload is None else str(payload)[:_PREVIEW]
    return " · ".join(str(value) for value in payload.values())[:_PREVIEW]


def task_detail(campaign: Campaign, task: str) -> TaskDetail:
    """A task with its votes, their weights, and why each worker was asked."""
    store, number = campaign.store, campaign.row.number
    of = store.numbers(number, Register.TASK, [task]).get(task)
    if of is None:
        raise UnknownName(f"there is no task {task!r} in this campaign: look it up in the table")
    estimate = campaign.estimate(task)
    with campaign.looking() as board:
        context_number, gold = int(board.facts.context[of]), int(board.facts.gold[of])
        lent = np.flatnonzero(board.assignments["task"] == of).tolist()
        weights = board.mind.weight_shares(context_number) if board.workers else None
        votes = [_asked(board, one) for one in lent] + _attached(board, of, lent)
    context = store.rows(number, Register.CONTEXT, [context_number])[context_number][0] or ""
    names = store.rows(number, Register.WORKER, [vote[0] for vote in votes])
    return TaskDetail(
        task=task,
        context=context,
        payload=campaign.payload(task),
        gold=None if gold < 0 else campaign.classes[gold],
        answer=estimate.answer,
        probabilities=dict(estimate.probabilities),
        margin=estimate.margin,
        closed=estimate.closed,
        contested=estimate.contested,
        votes=[
            Vote(
                worker=names[worker][0] or f"erased-{worker}",
                answer=answer,
                state=state,
                weight=None if weights is None else float(weights[worker]),
                assignment=assignment,
                reasons=[] if assignment is None else list(campaign.explain(assignment).sentences),
            )
            for worker, answer, state, assignment in votes
        ],
    )


_Vote = tuple[int, str | None, str, int | None]


def _asked(board: Board, assignment: int) -> _Vote:
    worker, answer, state = (int(board.assignments[name][assignment]) for name in ("worker", "answer", "state"))
    return worker, None if answer < 0 else board.classes[answer], str(STATES[state]), assignment


def _attached(board: Board, task: int, lent: list[int]) -> list[_Vote]:
    if not board.workers:
        return []
    asked = {int(board.assignments["worker"][one]) for one in lent}
    workers, answers = board.mind.labels_of(task)
    pairs = zip(workers.tolist(), answers.tolist(), strict=True)
    return [(worker, board.classes[answer], "attached", None) for worker, answer in pairs if worker not in asked]

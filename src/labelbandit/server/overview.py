"""The overview: everything the dashboard draws, computed at once from the board and the timeline."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from math import sqrt
from typing import Any

import numpy as np

from labelbandit.aggregation.agreement import agreement
from labelbandit.campaign.believing import progress
from labelbandit.campaign.board import Board
from labelbandit.model.arrays import Floats, Longs
from labelbandit.policies.history import TOLD
from labelbandit.server.campaigns import OpenCampaign
from labelbandit.server.timeline import Timeline
from labelbandit.stores.contract import Register

_POINTS = 120
_BINS = 10
_MOST_WORKERS, _MOST_CONTEXTS, _MOST_OPEN = 60, 24, 50
_RECENT = 600 * 1_000_000
_HOUR = 3600 * 1_000_000
_PAUSE = 1.0
"""Seconds for which an overview is fresh enough."""


def overview(one: OpenCampaign) -> dict[str, Any]:
    """Where the campaign stands, with uncertainty where there is any."""
    with one.lock:
        made = one.overview
        if made is not None and time.monotonic() - made[1] < _PAUSE:
            return dict(made[2])
        one.timeline.catch_up()
        with one.campaign.looking() as board:
            if made is not None and made[0] == board.position:
                return dict(made[2])
            found = _overview(one, board)
            one.overview = board.position, time.monotonic(), found
        return found


def _overview(one: OpenCampaign, board: Board) -> dict[str, Any]:
    store, number = one.campaign.store, one.row.number
    workers = {at: id_ or f"erased-{at}" for at, id_, _ in store.all_rows(number, Register.WORKER)}
    contexts = {at: id_ or "" for at, id_, _ in store.all_rows(number, Register.CONTEXT)}
    task, _, answer = said(board)
    together = agreement(task, answer, len(board.classes))
    return {
        "position": board.position,
        "at": board.at,
        "progress": asdict(progress(board, one.row.name)),
        "confidence": _confidence(board),
        "timeline": _timeline(one.timeline),
        "forecast": _forecast(one.timeline, board, store.now()),
        "reliability": _reliability(board, workers, contexts),
        "agreement": {name: asdict(measure) for name, measure in _named(together)},
        "open": _open(board, workers, store.now()),
    }


def _named(together: Any) -> list[tuple[str, Any]]:
    return [(name, getattr(together, name)) for name in ("percent", "fleiss", "alpha")]


def said(board: Board) -> tuple[Longs, Longs, Longs]:
    """Every label as three columns: task, worker, answer."""
    ops, rows = board.history.ops, slice(board.history.size)
    told = np.flatnonzero(ops.code[rows] == TOLD)
    return ops.task[told].astype(np.int64), ops.worker[told].astype(np.int64), ops.answer[told].astype(np.int64)


def probabilities(board: Board) -> Floats:
    """The probability of the likeliest class of each task."""
    if not (board.tasks and board.workers):
        return np.full(board.tasks, 1.0 / len(board.classes))
    shares = board.mind.all_shares()
    left = 1.0 - shares.sum(axis=1)
    top: Floats = shares.max(axis=1) + left / shares.shape[1]
    return top


def _confidence(board: Board) -> dict[str, Any]:
    """Labelled tasks by the probability of their likeliest class."""
    least = 1.0 / len(board.classes)
    edges = np.linspace(least, 1.0, _BINS + 1)
    heard = board.mind.sheet.heard > 0 if board.tasks and board.workers else np.zeros(board.tasks, np.bool_)
    counts, _ = np.histogram(np.clip(probabilities(board)[heard], least, 1.0), edges)
    return {"edges": edges.tolist(), "counts": counts.tolist(), "unlabelled": int(board.tasks - np.count_nonzero(heard))}


def _timeline(timeline: Timeline) -> dict[str, Any]:
    """Labels and money over time, thinned to as many points as a chart can show."""
    count = len(timeline.at)
    if not count:
        return {"at": [], "labels": [], "spent": []}
    rows = np.unique(np.linspace(0, count - 1, min(_POINTS, count)).astype(int)).tolist()
    return {
        "at": [timeline.at[row] for row in rows],
        "labels": [row + 1 for row in rows],
        "spent": [timeline.spent[row] for row in rows],
    }


def _forecast(timeline: Timeline, board: Board, now: int) -> dict[str, Any]:
    """The pace of the last ten minutes, and when the budget ends at it: between two ends, as labels come by chance."""
    at = np.array(timeline.at, np.int64)
    recent = at[at > now - _RECENT]
    if recent.size < 5:
        return {"labels_per_hour": None, "ends_at": None, "soonest": None, "latest": None}
    span = max(now - int(recent[0]), 1_000_000)
    pace = recent.size * _HOUR / span
    spent = np.array(timeline.spent, np.int64)
    price = (int(spent[-1]) - int(spent[-recent.size])) / max(recent.size - 1, 1)
    left = max(board.terms.budget - board.spent, 0)
    if price <= 0 or left <= 0:
        return {"labels_per_hour": pace, "ends_at": None, "soonest": None, "latest": None}
    hours, spread = left / (pace * price), 1.96 / sqrt(recent.size)
    ends = [now + round(hours * factor * _HOUR) for factor in (1.0, 1 / (1 + spread), 1 / max(1 - spread, 0.1))]
    return {"labels_per_hour": pace, "ends_at": ends[0], "soonest": ends[1], "latest": ends[2]}


def _reliability(board: Board, workers: Mapping[int, str], contexts: Mapping[int, str]) -> dict[str, Any]:
    """How often a worker agrees with the weighted vote of the others, by context, between 95 % limits."""
    if not board.labels or not board.workers:
        return {"workers": [], "contexts": [], "cells": []}
    task, worker, answer = said(board)
    context = board.facts.context[task]
    agrees, counted = _against_the_others(board, task, worker, answer)
    shape = board.contexts, board.workers
    right, labels, given = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    np.add.at(right, (context, worker), agrees)
    np.add.at(labels, (context, worker), counted)
    np.add.at(given, (context, worker), 1.0)
    columns = np.argsort(-given.sum(axis=0), kind="stable")[:_MOST_WORKERS]
    columns = columns[given.sum(axis=0)[columns] > 0]
    rows = np.argsort(-given.sum(axis=1), kind="stable")[:_MOST_CONTEXTS]
    rows = rows[given.sum(axis=1)[rows] > 0]
    low, high = wilson(right, labels)
    cells = [
        {
            "context": at,
            "worker": by,
            "given": int(given[row, column]),
            "counted": int(labels[row, column]),
            "agrees": int(right[row, column]),
            "low": float(low[row, column]),
            "high": float(high[row, column]),
        }
        for at, row in enumerate(rows.tolist())
        for by, column in enumerate(columns.tolist())
    ]
    return {
        "workers": [workers.get(one, f"erased-{one}") for one in columns.tolist()],
        "contexts": [contexts.get(one, "") for one in rows.tolist()],
        "cells": cells,
        "left_out": {"workers": board.workers - int(columns.size), "contexts": board.contexts - int(rows.size)},
    }


def _against_the_others(board: Board, task: Longs, worker: Longs, answer: Longs) -> tuple[Floats, Floats]:
    """For each label: whether it is what the others' weighted vote says, and whether that vote says anything."""
    weight = np.array([_weights(board, context) for context in range(board.contexts)])
    own = weight[board.facts.context[task], worker]
    votes = np.zeros((board.tasks, len(board.classes)))
    np.add.at(votes, (task, answer), own)
    others = votes[task]
    others[np.arange(task.size), answer] -= own
    ranked = np.sort(others, axis=1)
    decided = (ranked[:, -1] - ranked[:, -2]) > 1e-9
    return (decided & (others.argmax(axis=1) == answer)).astype(float), decided.astype(float)


def _weights(board: Board, context: int) -> Floats:
    shares = board.mind.weight_shares(context)
    return np.ones(board.workers) if shares is None else shares


def wilson(right: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """95 % limits of a share; 0 and 1 where nothing was counted."""
    z = 1.96
    count = np.maximum(labels, 1e-12)
    share = right / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(np.maximum(share * (1 - share), 0) / count + z * z / (4 * count * count))
    none = labels == 0
    return np.where(none, 0.0, np.maximum(middle - half, 0.0)), np.where(none, 1.0, np.minimum(middle + half, 1.0))


def _open(board: Board, workers: Mapping[int, str], now: int) -> list[dict[str, Any]]:
    numbers = list(board.open)[:_MOST_OPEN]
    return [
        {
            "assignment": number,
            "worker": workers.get(int(board.assignments["worker"][number]), ""),
            "since": int(board.assignments["at"][number]),
            "due_at": int(board.assignments["due"][number]),
            "overdue": bool(board.assignments["due"][number] < now),
        }
        for number in numbers
    ]

"""One-coin EM as the final vote: what `aggregation.em` says of all labels of a context, found anew when it is asked for."""

from math import exp, log
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.policies.contract import Setup
from labelbandit.policies.sheet import Sheet

ROUNDS = 30
RIGHT, WRONG = 2.0, 1.0
"""Everyone starts as if right so often and wrong so often."""
SURE, LEAST = 0.98, 1e-6
"""How far the majority is believed at the start; nobody is right or wrong more surely than the second."""


class EmVote(NamedTuple):
    """What EM made of the labels; without rows it is not wanted."""

    posterior: Floats
    """Tasks by classes."""
    member: Longs
    """Tasks by context."""
    start: Longs
    """Where each context begins among the members, and the end."""
    told: Longs
    """Labels of each context so far."""
    fitted: Longs
    """Labels of each context when it was last looked at."""
    right: Floats
    """Scratch, one number per worker, as is the next."""
    given: Floats


def no_vote() -> EmVote:
    """The final vote is the policy's own."""
    none = np.zeros(0, np.int64)
    return EmVote(np.zeros((0, 0)), none, none, none, none, np.zeros(0), np.zeros(0))


def with_room_for(vote: EmVote, setup: Setup) -> EmVote:
    """Room for tasks, workers and contexts that join; everything is looked at anew."""
    told = np.zeros(setup.contexts, np.int64)
    told[: vote.told.size] = vote.told
    return EmVote(
        posterior=np.full((setup.tasks, setup.classes), 1.0 / max(setup.classes, 1)),
        member=np.argsort(setup.context, kind="stable"),
        start=np.append(0, np.cumsum(np.bincount(setup.context, minlength=setup.contexts))).astype(np.int64),
        told=told,
        fitted=np.full(setup.contexts, -1, np.int64),
        right=np.zeros(setup.workers),
        given=np.zeros(setup.workers),
    )


@inner
def shares(vote: EmVote, sheet: Sheet, context: int, task: int, out: Floats) -> None:
    """The posterior; nothing for a task nobody labelled."""
    if vote.fitted[context] != vote.told[context]:
        _fit(vote, sheet, context)
        vote.fitted[context] = vote.told[context]
    for c in range(out.size):
        out[c] = vote.posterior[task, c] if sheet.heard[task] > 0 else 0.0


@inner
def _fit(vote: EmVote, sheet: Sheet, context: int) -> None:
    for index in range(vote.start[context], vote.start[context + 1]):
        _begin(vote, sheet, vote.member[index])
    for _ in range(ROUNDS):
        vote.right[:] = 0.0
        vote.given[:] = 0.0
        for index in range(vote.start[context], vote.start[context + 1]):
            _count(vote, sheet, vote.member[index])
        for index in range(vote.start[context], vote.start[context + 1]):
            _believe(vote, sheet, vote.member[index])


@inner
def _begin(vote: EmVote, sheet: Sheet, task: int) -> None:
    """Near the majority."""
    posterior = vote.posterior[task]
    heard, classes = sheet.heard[task], posterior.size
    posterior[:] = (1.0 - SURE) / classes if heard > 0 else 1.0 / classes
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            posterior[sheet.answer[at]] += SURE / heard


@inner
def _count(vote: EmVote, sheet: Sheet, task: int) -> None:
    """How often each worker is right, if the task is what it is believed to be."""
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            vote.right[sheet.worker[at]] += vote.posterior[task, sheet.answer[at]]
            vote.given[sheet.worker[at]] += 1.0


@inner
def _believe(vote: EmVote, sheet: Sheet, task: int) -> None:
    """What the task is, if workers are right as often as that."""
    posterior = vote.posterior[task]
    posterior[:] = 0.0
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            worker = sheet.worker[at]
            accuracy = (RIGHT + vote.right[worker]) / (RIGHT + WRONG + vote.given[worker])
            accuracy = min(max(accuracy, LEAST), 1.0 - LEAST)
            posterior[sheet.answer[at]] += log(accuracy * (posterior.size - 1) / (1.0 - accuracy))
    top, total = -np.inf, 0.0
    for value in posterior:
        top = max(top, value)
    for c in range(posterior.size):
        posterior[c] = exp(posterior[c] - top)
        total += posterior[c]
    for c in range(posterior.size):
        posterior[c] /= total

"""One-coin EM as the final vote: what `aggregation.em` says of all labels of a context, found anew when it is asked for."""

from math import exp, log
from typing import Any, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw
from labelbandit.policies import contract
from labelbandit.policies.contract import Choice, Rule, Setup, follow
from labelbandit.policies.openings import Openings
from labelbandit.policies.sheet import Sheet

ROUNDS = 30
RIGHT, WRONG = 2.0, 1.0
"""Everyone starts as if right so often and wrong so often."""
SURE, LEAST = 0.98, 1e-6
"""How far the majority is believed at the start; nobody is right or wrong more surely than the second."""


class EmVoteState(NamedTuple):
    """A policy that chooses and learns as ever, and what EM made of its labels."""

    voter: Any
    """The policy's own state."""
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

    @property
    def weights(self) -> Any:
        """What the policy's own state has of them."""
        return getattr(self.voter, "weights", None)


def with_em_vote(state: EmVoteState | None, voter: Any, setup: Setup) -> EmVoteState:
    """Let EM make the final answers of this policy, with room for whoever and whatever joins; everything is looked at anew."""
    told = np.zeros(setup.contexts, np.int64)
    if state is not None:
        told[: state.told.size] = state.told
    return EmVoteState(
        voter=voter,
        posterior=np.full((setup.tasks, setup.classes), 1.0 / setup.classes),
        member=np.argsort(setup.context, kind="stable"),
        start=np.append(0, np.cumsum(np.bincount(setup.context, minlength=setup.contexts))).astype(np.int64),
        told=told,
        fitted=np.full(setup.contexts, -1, np.int64),
        right=np.zeros(setup.workers),
        given=np.zeros(setup.workers),
    )


@compiled
def choose(state: EmVoteState, openings: Openings, draw: Draw) -> Choice:
    """As the policy says."""
    return contract.choose(state.voter, openings, draw)


def greet(state: EmVoteState, openings: Openings, in_reach: Openings, arrivals: Floats, draw: Draw) -> tuple[Choice, float]:
    """As the policy says."""
    return contract.greet(state.voter, openings, in_reach, arrivals, draw)


@compiled
def learn(state: EmVoteState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw) -> None:
    """As the policy learns; EM has to look again."""
    contract.learn(state.voter, openings, task, worker, answer, propensity, draw)
    state.told[openings.sheet.context[task]] += 1


@compiled
def drop(state: EmVoteState, openings: Openings, task: int, worker: int) -> None:
    """As the policy says."""
    contract.drop(state.voter, openings, task, worker)


@compiled
def shares(state: EmVoteState, openings: Openings, task: int, out: Floats) -> None:
    """The posterior; nothing for a task nobody labelled."""
    sheet = openings.sheet
    context = sheet.context[task]
    if state.fitted[context] != state.told[context]:
        _fit(state, sheet, context)
        state.fitted[context] = state.told[context]
    for c in range(out.size):
        out[c] = state.posterior[task, c] if sheet.heard[task] > 0 else 0.0


follow(EmVoteState, Rule(choose, learn, drop, shares, greet))


@inner
def _fit(state: EmVoteState, sheet: Sheet, context: int) -> None:
    for index in range(state.start[context], state.start[context + 1]):
        _begin(state, sheet, state.member[index])
    for _ in range(ROUNDS):
        state.right[:] = 0.0
        state.given[:] = 0.0
        for index in range(state.start[context], state.start[context + 1]):
            _count(state, sheet, state.member[index])
        for index in range(state.start[context], state.start[context + 1]):
            _believe(state, sheet, state.member[index])


@inner
def _begin(state: EmVoteState, sheet: Sheet, task: int) -> None:
    """Near the majority."""
    posterior = state.posterior[task]
    heard, classes = sheet.heard[task], posterior.size
    posterior[:] = (1.0 - SURE) / classes if heard > 0 else 1.0 / classes
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            posterior[sheet.answer[at]] += SURE / heard


@inner
def _count(state: EmVoteState, sheet: Sheet, task: int) -> None:
    """How often each worker is right, if the task is what it is believed to be."""
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            state.right[sheet.worker[at]] += state.posterior[task, sheet.answer[at]]
            state.given[sheet.worker[at]] += 1.0


@inner
def _believe(state: EmVoteState, sheet: Sheet, task: int) -> None:
    """What the task is, if workers are right as often as that."""
    posterior = state.posterior[task]
    posterior[:] = 0.0
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            worker = sheet.worker[at]
            accuracy = (RIGHT + state.right[worker]) / (RIGHT + WRONG + state.given[worker])
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

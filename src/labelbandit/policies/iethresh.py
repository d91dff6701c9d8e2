"""IEThresh: ask all whose agreement could be nearly as good as the best one's (Donmez, Carbonell, Schneider: KDD 2009).

One pass over the tasks. Each goes to every worker whose upper confidence limit is at least a threshold times the highest one;
the majority of the asked is the verdict, and a worker is rewarded for agreeing with it. As reviewed in section 4.1 of the BBTA
paper; how open questions are settled is in docs/decisions/0006.
"""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose
from labelbandit.model.checks import number
from labelbandit.policies import visits
from labelbandit.policies.contract import ADAPTING, NO_CHOICE, Choice, Rule, Setup, Why, follow
from labelbandit.policies.openings import Openings
from labelbandit.policies.sheet import has_entry
from labelbandit.policies.student import critical_values
from labelbandit.policies.vote import tally, winner

_MAJORITY = int(Purpose.MAJORITY)


class IEThreshState(NamedTuple):
    """What IEThresh knows of each worker, and where its pass stands."""

    threshold: float
    visits: visits.Visits
    critical: Floats
    """Student's t by degrees of freedom."""
    rewards: Longs
    """How many rewards each worker has had, both kinds; everyone starts with a 0 and a 1."""
    agreed: Longs
    """The sum of these rewards."""
    upper: Floats
    """UI, the upper confidence limit of each worker's mean reward."""
    even: Floats
    votes: Floats
    """Scratch, one number per class."""


@compiled
def choose(state: IEThreshState, openings: Openings, draw: Draw) -> Choice:
    """The next worker of the plan who is there; nothing is drawn."""
    task = visits.task_in_hand(state.visits, openings)
    if task < 0:
        return NO_CHOICE
    index = _next(state, openings, task, openings.away[0] == 0)
    if index < 0:
        return NO_CHOICE
    return Choice(task, state.visits.plan[index], 1.0, 0.0, ADAPTING)


@inner
def _next(state: IEThreshState, openings: Openings, task: int, everyone: bool) -> int:
    """The place in the plan of whom to ask now, or -1; with `everyone`, absent workers count as present."""
    if openings.sheet.closed[task]:
        return -1
    plan = state.visits.plan
    for index in range(_plan(state, openings, task)):
        if (everyone or openings.present[plan[index]]) and not has_entry(openings.sheet, task, plan[index]):
            return index
    return -1


@inner
def _plan(state: IEThreshState, openings: Openings, task: int) -> int:
    """{j : UI_j >= ε max UI}, the highest first; how many they are."""
    plan, planned = state.visits.plan, state.visits.planned
    if planned[0] != task:
        count = visits.enlist(state.visits, openings, task)
        highest = 0.0
        for index in range(count):
            highest = max(highest, state.upper[plan[index]])
        kept = 0
        for index in range(count):
            if state.upper[plan[index]] >= state.threshold * highest:
                plan[kept] = plan[index]
                kept += 1
        visits.sort_plan(state.visits, state.upper, kept)
        planned[0], planned[1] = task, kept
    return int(planned[1])


@compiled
def learn(state: IEThreshState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw) -> None:
    """Reward the asked once all have answered, and go on."""
    drop(state, openings, task, worker)


@compiled
def drop(state: IEThreshState, openings: Openings, task: int, worker: int) -> None:
    """Finish the task in hand if nobody is left to ask or to wait for."""
    in_hand = visits.task_in_hand(state.visits, openings)
    while in_hand >= 0 and _all_heard(state, openings, in_hand):
        _settle(state, openings, in_hand)
        visits.finish(state.visits, in_hand)
        in_hand = visits.task_in_hand(state.visits, openings)


@inner
def _all_heard(state: IEThreshState, openings: Openings, task: int) -> bool:
    return bool(openings.sheet.waiting[task] == 0) and _next(state, openings, task, True) < 0


@inner
def _settle(state: IEThreshState, openings: Openings, task: int) -> None:
    """Reward 1 to each who agrees with the majority, 0 to the others."""
    sheet = openings.sheet
    tally(sheet, task, state.even, state.votes)
    # The lot is the task's own: whoever answers last must not decide, and nobody does when the last one declines.
    verdict = winner(state.votes, state.even.size, Draw(state.visits.seed, task), _MAJORITY)
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            worker = sheet.worker[at]
            state.rewards[worker] += 1
            state.agreed[worker] += sheet.answer[at] == verdict
            state.upper[worker] = _upper_limit(state.critical, state.agreed[worker], state.rewards[worker])


@compiled
def _upper_limit(critical: Floats, agreed: int, rewards: int) -> float:
    """UI = m + t s / sqrt n, where rewards of 0 and 1 have s² = m (1 - m)."""
    mean = agreed / rewards
    return float(mean + critical[rewards - 1] * sqrt(mean * (1.0 - mean)) / sqrt(rewards))


@compiled
def shares(state: IEThreshState, openings: Openings, task: int, out: Floats) -> None:
    """Everyone's vote counts the same."""
    tally(openings.sheet, task, state.even, out)
    out /= state.even.size


follow(IEThreshState, Rule(choose, learn, drop, shares))


@dataclass(frozen=True, slots=True)
class IEThresh:
    """Interval estimation with a threshold: a subset of seemingly good workers for each task in turn."""

    name: ClassVar[str] = "iethresh"
    why: ClassVar[Why] = Why(
        exploring="it was chosen to learn who is good at {kind}",
        adapting="tasks are visited one by one, and it was its turn",
        explorer="the policy chose them",
        worker="among those who, at their best, come near the best of all",
    )
    alpha: float = 0.05
    """The confidence limits are one-sided limits at level 1 - α/2."""
    threshold: float = 0.9
    """ε: who has at least this share of the highest confidence limit is asked. It decides what a task costs."""

    def __post_init__(self) -> None:
        number("iethresh:alpha={}", self.alpha, 1e-6, 1.0)
        number("iethresh:threshold={}", self.threshold, 0.0, 1.0)

    def notes(self, setup: Setup) -> list[str]:
        """There is nothing to say."""
        return []

    def grow(self, state: IEThreshState | None, setup: Setup) -> IEThreshState:
        """Newcomers start as everyone did."""
        known = 0 if state is None else state.rewards.size
        critical = critical_values(self.alpha, setup.tasks + 1)
        grown = IEThreshState(
            threshold=float(self.threshold),
            visits=visits.with_room_for(visits.no_visits() if state is None else state.visits, setup),
            critical=critical,
            rewards=np.full(setup.workers, 2, np.int64),
            agreed=np.ones(setup.workers, np.int64),
            upper=np.full(setup.workers, _upper_limit(critical, 1, 2)),
            even=np.ones(setup.workers),
            votes=np.zeros(setup.classes),
        )
        if state is not None:
            grown.rewards[:known], grown.agreed[:known], grown.upper[:known] = state.rewards, state.agreed, state.upper
        return grown

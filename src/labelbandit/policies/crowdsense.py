"""CrowdSense: ask the two best and an outsider, then others while the vote is close (Ertekin, Rudin, Hirsh: DMKD 28, 2014).

One pass over the tasks. A worker's quality, how often they agreed with the weighted vote, smoothed, is their weight in it. As
reviewed in section 4.2 of the BBTA paper; how open questions are settled is in docs/decisions/0006.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.checks import number
from labelbandit.policies import visits
from labelbandit.policies.contract import ADAPTING, NO_CHOICE, Choice, Rule, Setup, Why, follow
from labelbandit.policies.openings import Openings
from labelbandit.policies.sheet import has_entry
from labelbandit.policies.vote import TIE, tally, top_two, winner

_MAJORITY, _OUTSIDER = int(Purpose.MAJORITY), int(Purpose.OUTSIDER)
_FIRST = 3
"""How many are asked whatever they say: the two best and the outsider."""


class CrowdSenseState(NamedTuple):
    """What CrowdSense knows of each worker, where its pass stands, and what it made of the tasks behind it."""

    smoothing: float
    threshold: float
    visits: visits.Visits
    labels: Longs
    """c: how many labels each worker has given."""
    agreed: Longs
    """a: how many of them agreed with the weighted vote."""
    quality: Floats
    """Q, each worker's weight."""
    total: Floats
    """One number: the sum of the qualities."""
    finished: Bools
    verdict: Floats
    """Per finished task, each class's share by the qualities of that time."""
    votes: Floats
    """Scratch, one number per class."""


@compiled
def choose(state: CrowdSenseState, openings: Openings, draw: Draw) -> Choice:
    """First the two best and the outsider, at once if they are there; then, answer by answer, the best of the others."""
    task = visits.task_in_hand(state.visits, openings)
    if task < 0:
        return NO_CHOICE
    count = _plan(state, openings, task)
    index = _next(state, openings, task, count, openings.away[0] == 0)
    if index < 0:
        return NO_CHOICE
    propensity = 1.0 / (count - _FIRST + 1) if index == _FIRST - 1 else 1.0
    return Choice(task, state.visits.plan[index], propensity, 0.0, ADAPTING)


@inner
def _plan(state: CrowdSenseState, openings: Openings, task: int) -> int:
    """Rank 1, rank 2, one uniform from the rest, then the rest by rank; how many they are."""
    plan, planned = state.visits.plan, state.visits.planned
    if planned[0] != task:
        count = visits.enlist(state.visits, openings, task)
        visits.sort_plan(state.visits, state.quality, count)
        # The lowest lot, not a place in the list: someone who joins midway then seldom replaces the outsider.
        outsider, lowest = -1, 1.0
        for index in range(_FIRST - 1, count):
            lot = uniform(Draw(state.visits.seed, task), _OUTSIDER, plan[index])
            if lot < lowest:
                outsider, lowest = index, lot
        for index in range(outsider, _FIRST - 1, -1):
            plan[index], plan[index - 1] = plan[index - 1], plan[index]
        planned[0], planned[1] = task, count
    return int(planned[1])


@inner
def _next(state: CrowdSenseState, openings: Openings, task: int, count: int, everyone: bool) -> int:
    """The place in the plan of whom to ask now, or -1; with `everyone`, absent workers count as present."""
    if openings.sheet.closed[task]:
        return -1
    plan, sheet = state.visits.plan, openings.sheet
    owed = False
    for index in range(min(_FIRST, count)):
        if not has_entry(sheet, task, plan[index]):
            if everyone or openings.present[plan[index]]:
                return index
            owed = True
    if owed or sheet.waiting[task] > 0:
        return -1
    for index in range(_FIRST, count):
        if (everyone or openings.present[plan[index]]) and not has_entry(sheet, task, plan[index]):
            return index if _still_close(state, openings, task, plan[index]) else -1
    return -1


@inner
def _still_close(state: CrowdSenseState, openings: Openings, task: int, candidate: int) -> bool:
    """(|Score(S)| - Q_l) / (|S| + 1) < ε; with two classes the lead of the first over the second is |Score|."""
    tally(openings.sheet, task, state.quality, state.votes)
    top, second = top_two(state.votes)
    lead = (top - second - state.quality[candidate]) / (openings.sheet.heard[task] + 1)
    return bool(lead < state.threshold - TIE)


@compiled
def learn(
    state: CrowdSenseState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw
) -> None:
    """Finish the task in hand if the vote is clear; a label for a task that is finished joins its verdict."""
    if state.finished[task]:
        state.verdict[task, answer] += state.quality[worker] / state.total[0]
    drop(state, openings, task, worker)


@compiled
def drop(state: CrowdSenseState, openings: Openings, task: int, worker: int) -> None:
    """Finish the task in hand if nobody is left to ask or to wait for."""
    in_hand = visits.task_in_hand(state.visits, openings)
    while in_hand >= 0 and _all_heard(state, openings, in_hand):
        _settle(state, openings, in_hand)
        visits.finish(state.visits, in_hand)
        in_hand = visits.task_in_hand(state.visits, openings)


@inner
def _all_heard(state: CrowdSenseState, openings: Openings, task: int) -> bool:
    count = _plan(state, openings, task)
    return bool(openings.sheet.waiting[task] == 0) and _next(state, openings, task, count, True) < 0


@inner
def _settle(state: CrowdSenseState, openings: Openings, task: int) -> None:
    """Keep the weighted vote; c + 1 to each who was heard, a + 1 to each who agreed with it."""
    sheet = openings.sheet
    tally(sheet, task, state.quality, state.votes)
    # The lot is the task's own: whoever answers last must not decide, and nobody does when the last one declines.
    verdict = winner(state.votes, state.total[0], Draw(state.visits.seed, task), _MAJORITY)
    for answer in range(state.votes.size):
        state.verdict[task, answer] = state.votes[answer] / state.total[0]
    state.finished[task] = True
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            state.labels[sheet.worker[at]] += 1
            state.agreed[sheet.worker[at]] += sheet.answer[at] == verdict
    weigh(state)


@compiled
def weigh(state: CrowdSenseState) -> None:
    """Q_j = (a_j + k) / (c_j + 2 k), and their sum."""
    state.total[0] = 0.0
    for worker in range(state.quality.size):
        quality = (state.agreed[worker] + state.smoothing) / (state.labels[worker] + 2.0 * state.smoothing)
        state.quality[worker] = quality
        state.total[0] += quality


@compiled
def shares(state: CrowdSenseState, openings: Openings, task: int, out: Floats) -> None:
    """The weighted vote: that of the visit, or the present one for tasks not finished."""
    if state.finished[task]:
        for answer in range(out.size):
            out[answer] = state.verdict[task, answer]
    else:
        tally(openings.sheet, task, state.quality, out)
        out /= state.total[0]


follow(CrowdSenseState, Rule(choose, learn, drop, shares))


@dataclass(frozen=True, slots=True)
class CrowdSense:
    """A few of the best workers for each task in turn, and more of them while their weighted vote is close."""

    name: ClassVar[str] = "crowdsense"
    why: ClassVar[Why] = Why(
        exploring="it was chosen to learn who is good at {kind}",
        adapting="tasks are visited one by one, and it was its turn",
        explorer="the policy chose them",
        worker="drawn for their quality so far or to be looked at, until the vote was clear",
    )
    smoothing: float = 100.0
    """K in the papers: everyone starts as if right in this many of twice as many labels."""
    threshold: float = 0.1
    """ε: another worker is asked while the vote per label, should they oppose it, is below. It decides what a task costs."""

    def __post_init__(self) -> None:
        number("crowdsense:smoothing={}", self.smoothing, 1e-6, 1e9)
        number("crowdsense:threshold={}", self.threshold, -1.0, 1.0)

    def notes(self, setup: Setup) -> list[str]:
        """There is nothing to say."""
        return []

    def grow(self, state: CrowdSenseState | None, setup: Setup) -> CrowdSenseState:
        """Newcomers start as everyone did."""
        grown = CrowdSenseState(
            smoothing=float(self.smoothing),
            threshold=float(self.threshold),
            visits=visits.with_room_for(visits.no_visits() if state is None else state.visits, setup),
            labels=np.zeros(setup.workers, np.int64),
            agreed=np.zeros(setup.workers, np.int64),
            quality=np.zeros(setup.workers),
            total=np.zeros(1),
            finished=np.zeros(setup.tasks, np.bool_),
            verdict=np.zeros((setup.tasks, setup.classes)),
            votes=np.zeros(setup.classes),
        )
        if state is not None:
            workers, tasks = state.labels.size, state.finished.size
            grown.labels[:workers], grown.agreed[:workers] = state.labels, state.agreed
            grown.finished[:tasks], grown.verdict[:tasks] = state.finished, state.verdict
        weigh(grown)
        return grown

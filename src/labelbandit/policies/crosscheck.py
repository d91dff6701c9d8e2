"""Crosscheck, the house policy: few labels, by checking answers against each other and workers against each other's tasks.

Tasks and workers are believed of each other by belief propagation (`crossing`, `trust`, `mirror`). While it explores, tasks are
finished one by one, by workers drawn as likely as they may be the best: a finished task tells who is good. Then the best worker
of each context gets its tasks, first those in doubt, next those nobody labelled, and in the end the least certain.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner, whole
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw
from labelbandit.model.checks import number
from labelbandit.policies import contenders, crossing, frontier, mirror, trust
from labelbandit.policies.blocks import BLOCK
from labelbandit.policies.confidence import NO_CANDIDATE, POINTS, Candidate, in_points
from labelbandit.policies.contract import ADAPTING, EXPLORING, NO_CHOICE, Choice, Rule, Setup, follow
from labelbandit.policies.openings import Openings, takeable, takers, used_up

FINISHED = 0.95
"""While exploring, a task this certain is finished for now, and the next one is begun."""
AGAIN = 8
"""How many labelled tasks of the context are weighed again with each answer."""


class CrosscheckState(NamedTuple):
    """What crosscheck knows."""

    explore: int
    """How many labels exploration takes."""
    told: Longs
    """One number: labels so far."""
    trust: trust.Trust
    crossing: crossing.Crossing
    mirror: mirror.Mirror
    contenders: contenders.Contenders
    frontier: frontier.Frontier
    begin: Floats
    """Scratch, one number per context: how certain a task must be for a new one to be begun first."""
    workers: Longs
    """Scratch, one number per worker."""


@compiled
def choose(state: CrosscheckState, openings: Openings, draw: Draw) -> Choice:
    """The least certain task that someone present may take, and the best of them for it."""
    exploring = state.told[0] < state.explore
    _set_begin(state, openings, exploring)
    found = _search(state, openings, True)
    if found.task < 0:
        found = _search(state, openings, False)
    if found.task < 0:
        return NO_CHOICE
    context = state.crossing.context[found.task]
    count = takers(openings, found.task, False, state.workers.size, state.workers)
    if exploring:
        worker, propensity = contenders.probable(state.contenders, state.trust, context, state.workers, count, draw)
        return Choice(found.task, worker, propensity, found.points / POINTS, EXPLORING)
    worker, propensity = contenders.best(state.trust, context, state.workers, count, draw)
    return Choice(found.task, worker, propensity, found.points / POINTS, ADAPTING)


@inner
def _set_begin(state: CrosscheckState, openings: Openings, exploring: bool) -> None:
    """A new task ranks with those as certain as one answer of the context's best worker makes a task."""
    for context in range(state.begin.size):
        most, accuracy = -1.0, 0.0
        for worker in range(state.workers.size):
            value = state.trust.value[context, worker]
            if openings.present[worker] and value > most:
                most, accuracy = value, state.trust.accuracy[context, worker]
        state.begin[context] = FINISHED if exploring else max(accuracy, 1.0 - accuracy)


@inner
def _search(state: CrosscheckState, openings: Openings, idle: bool) -> Candidate:
    """The first task by (answers waited for, points, permutation); `idle`: among those that wait for nobody."""
    found, front = NO_CANDIDATE, state.frontier
    for block in range(front.context.size):
        if idle and in_points(front.scored.least[block]) > found.points:
            continue
        for slot in range(block * BLOCK, (block + 1) * BLOCK):
            if front.scored.key[slot] < np.inf:
                found = _better(state, openings, front.task[slot], front.scored.key[slot], idle, found)
    for block in range(front.context.size):
        begin = state.begin[front.context[block]]
        if front.fresh.least[block] == np.inf or (idle and in_points(begin) > found.points):
            continue
        for slot in range(block * BLOCK, (block + 1) * BLOCK):
            if front.fresh.key[slot] < np.inf:
                found = _better(state, openings, front.task[slot], begin, idle, found)
    return found


@inner
def _better(state: CrosscheckState, openings: Openings, task: int, score: float, idle: bool, found: Candidate) -> Candidate:
    waiting, points, rank = whole(openings.sheet.waiting[task]), in_points(score), state.frontier.rank[task]
    if idle and waiting > 0:
        return found
    if (waiting, points, rank) >= (found.waiting, found.points, found.rank):
        return found
    if not takeable(openings, task, False, state.workers):
        return found
    return Candidate(whole(task), waiting, points, rank)


@compiled
def learn(
    state: CrosscheckState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw
) -> None:
    """Weigh the task, a few others of its context, the worker, and one more worker."""
    sheet, context = openings.sheet, state.crossing.context[task]
    state.told[0] += 1
    trust.admit_label(state.trust, context, worker)
    if state.crossing.after[task] < 0:
        crossing.join_ring(state.crossing, task)
    crossing.cross(state.crossing, state.trust, sheet, task)
    for at in range(sheet.start[task], sheet.start[task] + sheet.size[task]):
        if sheet.answer[at] >= 0:
            trust.renew(state.trust, context, sheet.worker[at])
    _file(state, openings, task)
    for _ in range(AGAIN):
        crossing.cross_next(state.crossing, state.trust, sheet, context)
        _file(state, openings, state.crossing.cursor[context])
    trust.review(state.trust, worker)
    trust.review_next(state.trust)
    _check_mirror(state, openings, context)


@inner
def _check_mirror(state: CrosscheckState, openings: Openings, context: int) -> None:
    """From time to time, see whether the context should be read the other way round."""
    workers = state.workers.size
    if state.trust.classes == 2 and state.told[0] % workers == 0:
        for each in range(state.begin.size):
            if state.crossing.cursor[each] >= 0:
                mirror.check(state.mirror, state.crossing, state.trust, openings.sheet, each)


@compiled
def drop(state: CrosscheckState, openings: Openings, task: int, worker: int) -> None:
    """The task may be used up now, or open again."""
    _file(state, openings, task)


@inner
def _file(state: CrosscheckState, openings: Openings, task: int) -> None:
    """Put the task where the search finds it."""
    if used_up(openings, task, False):
        frontier.take_out(state.frontier, task)
    elif openings.sheet.heard[task] == 0:
        frontier.put_fresh(state.frontier, task)
    else:
        certainty = 0.0
        for probability in state.crossing.posterior[task]:
            certainty = max(certainty, probability)
        frontier.put_scored(state.frontier, state.crossing.context[task], task, certainty)


@compiled
def shares(state: CrosscheckState, openings: Openings, task: int, out: Floats) -> None:
    """The posterior; nothing for a task nobody labelled."""
    for c in range(out.size):
        out[c] = state.crossing.posterior[task, c]


follow(CrosscheckState, Rule(choose, learn, drop, shares))


@dataclass(frozen=True, slots=True)
class Crosscheck:
    """Weigh answers by workers' other tasks and workers by the others' answers, and ask the best about the least certain."""

    name: ClassVar[str] = "crosscheck"
    explore: float = 2.0
    """How many labels of each worker in each context exploration takes, on average; at most a fifth of the budget."""
    frequencies: bool = True
    """Learn how frequent the classes are in each context."""
    share: bool = True
    """Let a worker's answers in one context inform what is believed of them in the others."""

    def __post_init__(self) -> None:
        number("crosscheck:explore={}", self.explore, 0.0, 1000.0)

    def notes(self, setup: Setup) -> list[str]:
        """There is nothing to say."""
        return []

    def grow(self, state: CrosscheckState | None, setup: Setup) -> CrosscheckState:
        """Make room for whoever and whatever joins; those who were there keep what was learned of them."""
        old_trust = state.trust if state else trust.no_trust(setup.classes, self.share)
        old_crossing = state.crossing if state else crossing.empty_crossing(setup.classes, self.frequencies)
        old_frontier = state.frontier if state else frontier.empty_frontier()
        known = old_crossing.context.size
        newcomers = setup.workers > old_trust.labels.shape[1]
        grown = CrosscheckState(
            explore=self._labels(setup),
            told=state.told.copy() if state else np.zeros(1, np.int64),
            trust=trust.with_newcomers(old_trust, setup),
            crossing=crossing.with_room_for(old_crossing, setup),
            mirror=mirror.no_mirror(old_trust.level.size),
            contenders=contenders.contenders_for(setup.workers, setup.classes),
            frontier=frontier.with_room_for(old_frontier, setup),
            begin=np.zeros(setup.contexts),
            workers=np.zeros(setup.workers, np.int64),
        )
        _admit(grown, known, newcomers)
        return grown

    def _labels(self, setup: Setup) -> int:
        wish = self.explore * setup.workers * setup.contexts
        return int(min(wish, setup.tasks, setup.budget / 5))


@compiled
def _admit(state: CrosscheckState, known: int, newcomers: bool) -> None:
    """Enter new tasks; with new workers, tasks that were used up are open again."""
    for task in range(state.crossing.context.size):
        if task >= known:
            frontier.put_fresh(state.frontier, task)
        elif newcomers and state.crossing.after[task] >= 0:
            certainty = 0.0
            for probability in state.crossing.posterior[task]:
                certainty = max(certainty, probability)
            frontier.put_scored(state.frontier, state.crossing.context[task], task, certainty)
        elif newcomers:
            frontier.put_fresh(state.frontier, task)

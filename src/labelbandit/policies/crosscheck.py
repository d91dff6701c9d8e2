"""Crosscheck, the house policy: few labels, by checking answers against each other and workers against each other's tasks.

Tasks and workers are believed of each other by belief propagation (`crossing`, `trust`, `mirror`). While it explores, tasks are
finished one by one, by workers drawn as likely as they may be the best: a finished task tells who is good. Then the best worker
of each context gets its tasks, first those in doubt, next those nobody labelled, and in the end the least certain.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.checks import number
from labelbandit.policies import audits, confusion, contenders, crossing, frontier, likeness, mirror, search, trust
from labelbandit.policies.contract import ADAPTING, EXPLORING, NO_CHOICE, Choice, Rule, Setup, Why, follow
from labelbandit.policies.openings import Openings, takers, used_up

MOST_CLASSES = 20
"""With more classes, errors are taken to be alike: there would be more kinds of them than labels."""
_DOOR = int(Purpose.DOOR)
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
    search: search.Search


@compiled
def choose(state: CrosscheckState, openings: Openings, draw: Draw) -> Choice:
    """A task where a label is worth most, and the best worker for it; while exploring, one who may be the best."""
    exploring = state.told[0] < state.explore
    task, score, for_expert = _next_task(state, openings, exploring)
    if task < 0:
        return NO_CHOICE
    context, workers = state.crossing.context[task], state.search.workers
    count = takers(openings, task, False, workers.size, workers)
    count = contenders.leave_in(state.trust, workers, count, for_expert)
    for_expert = state.trust.expert[workers[0]]
    unclear = state.search.roomy[context] and abs(state.mirror.lean[context]) < mirror.CLEAR
    if not for_expert and (exploring or unclear):
        worker, propensity = contenders.probable(state.contenders, state.trust, openings, context, workers, count, draw)
        return Choice(task, worker, propensity, score, EXPLORING)
    worker, propensity = contenders.best(state.trust, openings, context, workers, count, draw)
    return Choice(task, worker, propensity, score, ADAPTING)


@inner
def _next_task(state: CrosscheckState, openings: Openings, exploring: bool) -> tuple[int, float, bool]:
    """The task to label next, how certain it is, and whether it is for an expert: for its own sake, or to audit its context."""
    task, score, for_expert, worth = search.next_task(state.search, state.frontier, state.trust, openings, exploring)
    if task >= 0 and not exploring and state.search.price[-1] < np.inf:
        least, workers = worth * state.search.price[-1], state.search.workers
        audited = audits.task_to_audit(state.mirror, state.crossing, state.trust, openings, least, workers)
        if audited >= 0:
            return audited, crossing.certainty(state.crossing, audited), True
    return task, score, for_expert


@compiled
def greet(state: CrosscheckState, openings: Openings, in_reach: Openings, arrivals: Floats, draw: Draw) -> tuple[Choice, float]:
    """Someone comes alone. Explorers and newcomers are welcome; else it counts how they stand beside those in reach."""
    choice = choose(state, openings, draw)
    if choice.task < 0 or choice.phase == EXPLORING:
        return choice, 1.0
    if state.trust.expert[choice.worker]:
        exploring = state.told[0] < state.explore
        _, _, wanted = _next_task(state, in_reach, exploring)
        return (choice, 1.0) if wanted else (NO_CHOICE, 0.0)
    context, workers = state.crossing.context[choice.task], state.search.workers
    if state.trust.labels[context, choice.worker] == 0:  # nothing is known of them yet, so they are worth a try
        return choice, 1.0
    count = takers(in_reach, choice.task, False, workers.size, workers)
    count = contenders.leave_in(state.trust, workers, count, False)
    alpha = contenders.compared(state.trust, in_reach, context, workers, count, choice.worker)
    if uniform(draw, _DOOR, choice.worker) < alpha:
        return Choice(choice.task, choice.worker, 1.0, choice.score, ADAPTING), alpha
    return NO_CHOICE, 0.0


@compiled
def learn(
    state: CrosscheckState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw
) -> None:
    """Weigh the task, a few others of its context, the worker, and one more worker."""
    sheet, context = openings.sheet, state.crossing.context[task]
    state.told[0] += 1
    trust.admit_label(state.trust, context, worker)
    if state.trust.expert[worker]:
        crossing.believe_expert(state.crossing, state.trust, sheet, task, answer)
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
    _take_stock(state, openings, context, worker)


@inner
def _take_stock(state: CrosscheckState, openings: Openings, context: int, worker: int) -> None:
    """Once for as many labels as there are workers, and when an expert spoke: how alike errors and workers are, how to read."""
    if state.trust.heard[context] % state.trust.labels.shape[1] != 0 and not state.trust.expert[worker]:
        return
    if state.trust.confusion.used:
        confusion.judge(state.trust.confusion, state.trust.accuracy, context)
    if state.trust.classes == 2:
        mirror.check(state.mirror, state.crossing, state.trust, openings.sheet, context)
    if state.search.roomy[context]:
        likeness.compare(state.trust, state.search.roomy)


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
        frontier.put_scored(state.frontier, state.crossing.context[task], task, crossing.certainty(state.crossing, task))


@compiled
def shares(state: CrosscheckState, openings: Openings, task: int, out: Floats) -> None:
    """The posterior; nothing for a task nobody labelled."""
    for c in range(out.size):
        out[c] = state.crossing.posterior[task, c]


follow(CrosscheckState, Rule(choose, learn, drop, shares, greet))


@dataclass(frozen=True, slots=True)
class Crosscheck:
    """Weigh answers by workers' other tasks and workers by the others' answers, and ask the best about the least certain."""

    name: ClassVar[str] = "crosscheck"
    why: ClassVar[Why] = Why(
        exploring="tasks are finished one by one, to see who is good at {kind}; it was {score:.0%} certain",
        adapting="one more label was expected to make most of the difference there; it was {score:.0%} certain",
        explorer="drawn as likely as they may be the best at {kind}",
        worker="found by what their answers tell about {kind}, as far as their other answers show",
        expert="an expert was worth the price, for the task itself or to see how answers about {kind} are to be read; "
        "it was {score:.0%} certain",
    )
    explore: float = 1.5
    """Labels of each worker in each context that exploration takes; at most a fifth of the budget, or half a label per task."""
    frequencies: bool = True
    """Learn how frequent the classes are in each context."""
    errors: Literal["by-class", "alike"] = "by-class"
    """Whether workers may be better at some classes than at others, and prone to certain errors."""
    share: bool = True
    """Let a worker's answers in one context inform what is believed of them in the others."""

    def __post_init__(self) -> None:
        number("crosscheck:explore={}", self.explore, 0.0, 1000.0)

    def notes(self, setup: Setup) -> list[str]:
        """There is nothing to say."""
        return []

    def grow(self, state: CrosscheckState | None, setup: Setup) -> CrosscheckState:
        """Make room for whoever and whatever joins; those who were there keep what was learned of them."""
        state = state if state and state.told[0] else None  # before the first answer there is nothing to keep
        by_class = self._tells_classes_apart(setup)
        nobody = trust.no_trust(setup.classes, share=self.share, by_class=by_class, habits=setup.contexts == 1)
        old_trust = state.trust if state else nobody
        old_crossing = state.crossing if state else crossing.empty_crossing(setup.classes, self.frequencies)
        old_frontier = state.frontier if state else frontier.empty_frontier()
        old_mirror = state.mirror if state else mirror.no_mirror(old_trust.levels.expected)
        known = old_crossing.context.size
        newcomers = setup.workers > old_trust.labels.shape[1]
        grown = CrosscheckState(
            explore=self._labels(setup),
            told=state.told.copy() if state else np.zeros(1, np.int64),
            trust=trust.with_newcomers(old_trust, setup),
            crossing=crossing.with_room_for(old_crossing, setup),
            mirror=mirror.with_room_for(old_mirror, setup.contexts),
            contenders=contenders.contenders_for(setup.workers, setup.classes, old_trust.levels),
            frontier=frontier.with_room_for(old_frontier, setup),
            search=search.search_for(setup),
        )
        _admit(grown, known, newcomers)
        return grown

    def doubts(self, state: CrosscheckState) -> Floats:
        """The probability that each context is read the wrong way round; none where that was not checked yet."""
        return np.array([mirror.doubt(lean) if lean < np.inf else 0.0 for lean in state.mirror.lean])

    def _tells_classes_apart(self, setup: Setup) -> bool:
        if setup.classes == 2 and setup.contexts > 1 and not self.frequencies:
            return False  # who names the frequent class of a context would seem to have a habit
        return self.errors == "by-class" and setup.classes <= MOST_CLASSES

    def _labels(self, setup: Setup) -> int:
        roomy = np.bincount(setup.context, minlength=setup.contexts) >= search.ROOMY * setup.workers
        wish = self.explore * setup.workers * int(roomy.sum())
        return int(min(wish, setup.tasks / 2, setup.budget / 5))


@compiled
def _admit(state: CrosscheckState, known: int, newcomers: bool) -> None:
    """Enter new tasks; with new workers, tasks that were used up are open again."""
    for task in range(state.crossing.context.size):
        if task >= known:
            frontier.put_fresh(state.frontier, task)
        elif newcomers and state.crossing.after[task] >= 0:
            frontier.put_scored(state.frontier, state.crossing.context[task], task, crossing.certainty(state.crossing, task))
        elif newcomers:
            frontier.put_fresh(state.frontier, task)

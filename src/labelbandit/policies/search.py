"""The search for the task where a label is worth most.

Within a context, tasks in doubt come first, then those nobody labelled, then the least certain: finished tasks are what tells
good workers from bad. Where all are alike, new tasks come first. Between contexts, the task with the largest gain comes first;
the gain counts less in a context that took many labels per task already, where expectations have proved wrong. While exploring,
contexts take turns.
"""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner, whole
from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.policies.blocks import BLOCK
from labelbandit.policies.confidence import NO_CANDIDATE, POINTS, Candidate, in_points
from labelbandit.policies.contract import Setup
from labelbandit.policies.frontier import Frontier
from labelbandit.policies.gain import gain
from labelbandit.policies.levels import EVEN
from labelbandit.policies.likeness import spread
from labelbandit.policies.openings import Openings, paid, takeable
from labelbandit.policies.trust import Trust

FINISHED = 0.98
"""While exploring, a task this certain is finished for now, and the next one is begun."""
DOUBTFUL = 0.9
"""Afterwards, a task less certain than this comes before new ones, unless the context's best worker is less sure themselves."""
WEAK = 0.6
"""The same in a small context, and where workers are alike: new tasks come first."""
ALIKE, UNLIKE = 0.09, 0.14
"""Workers who differ by no more than the first count as alike, by more than the second as unlike, and between them in part."""
ROOMY = 1.2
"""A context with fewer tasks per worker is small: there, knowing the workers comes too late to be of use."""


class Search(NamedTuple):
    """Scratch, but for the sizes: of each context, the accuracy of the best worker present and the leading tasks."""

    tasks: Longs
    """Tasks of each context."""
    price: Floats
    """Of each context, what the best worker present costs, infinite if there is none; and in the end the cheapest expert."""
    roomy: Bools
    """Whether the context is not small."""
    accuracy: Floats
    labelled: Longs
    fresh: Longs
    workers: Longs


def search_for(setup: Setup) -> Search:
    """Room for the contexts and workers of the setup."""
    tasks = np.bincount(setup.context, minlength=setup.contexts)
    return Search(
        tasks=tasks,
        roomy=tasks >= ROOMY * setup.workers,
        price=np.zeros(setup.contexts + 1),
        accuracy=np.zeros(setup.contexts),
        labelled=np.zeros(setup.contexts, np.int64),
        fresh=np.zeros(setup.contexts, np.int64),
        workers=np.zeros(setup.workers, np.int64),
    )


@inner
def next_task(
    search: Search, frontier: Frontier, trust: Trust, openings: Openings, exploring: bool
) -> tuple[int, float, bool, float]:
    """The task to label next among those someone present may take, how certain it is, if it is for an expert, and its worth.

    One that waits comes only if all do.
    """
    _find_best_workers(search, trust, openings)
    _find_labelled(search, frontier, openings)
    _find_fresh(search, frontier, openings)
    doubtful = _doubtful(search, trust)
    found, highest, score, for_expert = -1, -np.inf, 0.0, False
    for context in range(search.accuracy.size):
        task, begun = _leader(search, frontier, context, exploring, doubtful)
        if task < 0:
            continue
        certainty = frontier.scored.key[frontier.slot[task]] if begun else 1.0 / trust.classes
        worth, wanted = -1.0 * trust.heard[context], False
        if not exploring:
            worth, wanted = _worth(search, trust, openings, context, certainty)
        if worth > highest:
            found, highest, score, for_expert = task, worth, certainty, wanted
    if found >= 0:
        return found, score, for_expert, highest
    waiting = _least_waiting(search, frontier, openings)
    return waiting.task, waiting.points / POINTS, False, 0.0


@inner
def _worth(search: Search, trust: Trust, openings: Openings, context: int, certainty: float) -> tuple[float, bool]:
    """What a label of the context's first task brings for its price, and whether it should be an expert's.

    An expert takes all doubt away. They are asked where that is worth more than the best worker who may yet be found.
    """
    worth, for_expert = gain(certainty, search.accuracy[context]) / search.price[context], False
    doubt = (1.0 - certainty) / search.price[-1]
    if doubt > worth and doubt > gain(certainty, _best_there_may_be(trust, openings, context)) / search.price[context]:
        worth, for_expert = doubt, True
    return worth / (1.0 + trust.heard[context] / search.tasks[context]), for_expert


@inner
def _best_there_may_be(trust: Trust, openings: Openings, context: int) -> float:
    """The accuracy of the best worker present, known or not: as likely to be more as to be less."""
    for g in range(len(EVEN) - 1, -1, -1):
        nobody = 1.0
        for worker in range(trust.expert.size):
            below = 1.0
            for level in range(g, len(EVEN)):
                below -= trust.belief[context, worker, level]
            if openings.present[worker] and not trust.expert[worker]:
                nobody *= max(below, 0.0)
        if nobody < 0.5:
            return EVEN[g]
    return EVEN[0]


@inner
def _find_best_workers(search: Search, trust: Trust, openings: Openings) -> None:
    """In each context, who of those present tells most for their price; and the cheapest expert."""
    search.price[:] = np.inf
    for context in range(search.accuracy.size):
        most = -1.0
        search.accuracy[context] = 1.0 / trust.classes
        for worker in range(search.workers.size):
            value = trust.value[context, worker] / paid(openings, worker)
            if value > most and openings.present[worker] and not trust.expert[worker]:
                most = value
                search.accuracy[context] = trust.accuracy[context, worker]
                search.price[context] = paid(openings, worker)
    for worker in range(search.workers.size):
        if openings.present[worker] and trust.expert[worker]:
            search.price[-1] = min(search.price[-1], paid(openings, worker))


@inner
def _doubtful(search: Search, trust: Trust) -> float:
    """How certain a task must be before new ones come. It is not known who is alike before there is a label for each task."""
    if trust.heard.sum() < search.tasks.sum():
        return DOUBTFUL
    unlike = min(max((spread(trust) - ALIKE) / (UNLIKE - ALIKE), 0.0), 1.0)
    return WEAK + (DOUBTFUL - WEAK) * unlike


@inner
def _leader(search: Search, frontier: Frontier, context: int, exploring: bool, doubtful: float) -> tuple[int, bool]:
    """The context's first task, and whether it has labels."""
    labelled, fresh = search.labelled[context], search.fresh[context]
    if labelled < 0:
        return int(fresh), False
    if fresh < 0:
        return int(labelled), True
    sure = max(search.accuracy[context], 1.0 - search.accuracy[context])
    enough = FINISHED if exploring else min(doubtful if search.roomy[context] else WEAK, sure)
    begun = frontier.scored.key[frontier.slot[labelled]] < enough
    return int(labelled if begun else fresh), begun


@inner
def _find_labelled(search: Search, frontier: Frontier, openings: Openings) -> None:
    """Of each context, the least certain task that waits for nobody."""
    search.labelled[:] = -1
    for block in range(frontier.context.size):
        context = frontier.context[block]
        leader = search.labelled[context]
        lowest = in_points(frontier.scored.key[frontier.slot[leader]]) if leader >= 0 else NO_CANDIDATE.points
        if frontier.scored.least[block] == np.inf or in_points(frontier.scored.least[block]) > lowest:
            continue
        for slot in range(block * BLOCK, (block + 1) * BLOCK):
            if frontier.scored.key[slot] == np.inf:
                continue
            task, points, leader = frontier.task[slot], in_points(frontier.scored.key[slot]), search.labelled[context]
            if points > lowest or (points == lowest and frontier.rank[task] > frontier.rank[leader]):
                continue
            if openings.sheet.waiting[task] == 0 and takeable(openings, task, False, search.workers):
                search.labelled[context], lowest = task, points


@inner
def _find_fresh(search: Search, frontier: Frontier, openings: Openings) -> None:
    """Of each context, the first of the permutation among tasks that nobody labelled and that wait for nobody."""
    search.fresh[:] = -1
    for block in range(frontier.context.size):
        context = frontier.context[block]
        leader = search.fresh[context]
        first = frontier.rank[leader] if leader >= 0 else np.inf
        if frontier.fresh.least[block] >= first:
            continue
        for slot in range(block * BLOCK, (block + 1) * BLOCK):
            rank, task = frontier.fresh.key[slot], frontier.task[slot]
            if rank < first and openings.sheet.waiting[task] == 0 and takeable(openings, task, False, search.workers):
                search.fresh[context], first = task, rank


@inner
def _least_waiting(search: Search, frontier: Frontier, openings: Openings) -> Candidate:
    """Every task waits for someone: take one that waits for fewest, the least certain of them."""
    best = NO_CANDIDATE
    for slot in range(frontier.task.size):
        score = frontier.scored.key[slot] if frontier.fresh.key[slot] == np.inf else 0.0
        if score == np.inf:
            continue
        task = whole(frontier.task[slot])
        mine = (whole(openings.sheet.waiting[task]), in_points(score), frontier.rank[task])
        if mine < (best.waiting, best.points, best.rank) and takeable(openings, task, False, search.workers):
            best = Candidate(task, mine[0], mine[1], mine[2])
    return best

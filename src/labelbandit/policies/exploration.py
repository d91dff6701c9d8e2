"""Pure exploration (Algorithm 1, lines 10 to 13): a few tasks of every context, asked of everyone and scored by majority.

Nothing waits for the last worker: the majority and the losses are those of the labels heard so far, settled anew with each
one, so whatever the order of arrival they end as the paper's.
"""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner, whole
from labelbandit.model.arrays import Bools, Floats, Longs, Shorts
from labelbandit.model.chance import Draw, Purpose
from labelbandit.policies.contract import Setup
from labelbandit.policies.openings import Openings, takeable, takers, used_up
from labelbandit.policies.vote import tally, winner

_MAJORITY = int(Purpose.MAJORITY)


class Exploration(NamedTuple):
    """The explored tasks."""

    chosen: Bools
    majority: Shorts
    """The majority's answer so far, or -1."""
    queue: Longs
    """Explored tasks that someone has yet to take, in the order of the permutation."""
    length: Longs
    """One number: the length of the queue."""
    gold: Shorts
    """The true class of each task, -1 where it is not known."""
    even: Floats
    """Everyone weighs the same here (equation 2)."""


def no_exploration(tasks: int, workers: int) -> Exploration:
    """Nothing is explored."""
    return Exploration(
        chosen=np.zeros(tasks, np.bool_),
        majority=np.full(tasks, -1, np.int16),
        queue=np.zeros(tasks, np.int64),
        length=np.zeros(1, np.int64),
        gold=np.full(tasks, -1, np.int16),
        even=np.ones(workers),
    )


def affordable(explore: int, setup: Setup) -> int:
    """The largest N' up to the one wished for whose exploration the budget can pay."""
    sizes = np.bincount(setup.context, minlength=setup.contexts)
    tries: list[int] = [explore, *range(min(explore, int(sizes.max(initial=1)) - 1), 0, -1)]
    for tried in tries:
        if setup.workers * int(np.minimum(sizes, tried).sum()) <= setup.budget:
            return tried
    return 0


def explore_more(exploration: Exploration, rank: Floats, known: int, explore: int, setup: Setup) -> None:
    """Choose among the tasks not known before, gold first, then by the permutation, until each context has N' or no more."""
    missing = explore - np.bincount(setup.context[exploration.chosen], minlength=setup.contexts)
    order = np.lexsort((rank, exploration.gold < 0))
    for task in order[order >= known]:
        if (missing <= 0).all():
            break
        if missing[setup.context[task]] > 0:
            missing[setup.context[task]] -= 1
            exploration.chosen[task] = True
    queue = order[exploration.chosen[order]]
    exploration.queue[: queue.size] = queue
    exploration.length[0] = queue.size


@inner
def next_pair(exploration: Exploration, openings: Openings, scratch: Longs) -> tuple[int, int]:
    """The next explored task and a worker who has yet to label it, or (-1, -1)."""
    for index in range(exploration.length[0]):
        task = exploration.queue[index]
        if takeable(openings, task, False, scratch):
            takers(openings, task, False, 1, scratch)
            return task, scratch[0]
    return -1, -1


@inner
def settle(
    exploration: Exploration, openings: Openings, task: int, worker: int, loss: Floats, votes: Floats, draw: Draw, scale: float
) -> None:
    """Score the task's labels by their majority: one loss, times the scale, to each who differs (line 13), and none twice."""
    sheet = openings.sheet
    tally(sheet, task, exploration.even, votes)
    before = exploration.majority[task]
    after = whole(exploration.gold[task])
    if after < 0:
        after = winner(votes, exploration.even.size, Draw(draw.seed, task), _MAJORITY)
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] < 0:
            continue
        if sheet.worker[at] != worker:
            loss[sheet.worker[at]] -= scale * (sheet.answer[at] != before)
        loss[sheet.worker[at]] += scale * (sheet.answer[at] != after)
    exploration.majority[task] = after
    _leave_queue(exploration, openings, task)


@inner
def _leave_queue(exploration: Exploration, openings: Openings, task: int) -> None:
    if not used_up(openings, task, False):
        return
    kept = 0
    for index in range(exploration.length[0]):
        if exploration.queue[index] != task:
            exploration.queue[kept] = exploration.queue[index]
            kept += 1
    exploration.length[0] = kept


def with_room_for(exploration: Exploration, setup: Setup) -> Exploration:
    """Room for tasks and workers that join."""
    grown = no_exploration(setup.tasks, setup.workers)
    known = exploration.chosen.size
    grown.chosen[:known] = exploration.chosen
    grown.majority[:known] = exploration.majority
    grown.gold[:] = setup.known_truth
    return grown

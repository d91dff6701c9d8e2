"""One pass over the tasks: which is in hand, and whom to ask about it, best first."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.policies.contract import Setup
from labelbandit.policies.openings import Openings, takers_ever

_ORDER, _RANK = int(Purpose.ORDER), int(Purpose.RANK)


class Visits(NamedTuple):
    """Where the pass stands. The plan is only a copy of what follows from state and task, so `choose` may draw it up."""

    seed: np.uint64
    rank: Floats
    """Each task's place in the permutation."""
    order: Longs
    """The tasks in the order of the permutation."""
    place: Longs
    """One number: the place in the order of the task in hand; those before it are finished."""
    plan: Longs
    """Workers, in the order in which they are asked."""
    planned: Longs
    """Two numbers: the task the plan is for, or -1, and how many workers are in it."""
    lot: Floats
    """Scratch: settles the order of workers who rank the same."""


def no_visits() -> Visits:
    """There are no tasks."""
    nothing = np.zeros(0, np.int64)
    return Visits(np.uint64(0), np.zeros(0), nothing, np.zeros(1, np.int64), nothing, np.array([-1, 0]), np.zeros(0))


def with_room_for(visits: Visits, setup: Setup) -> Visits:
    """Tasks that join take their place in the permutation among those to come; the task in hand is drawn up anew."""
    visited = visits.order[: visits.place[0] + 1]
    joining = [uniform(Draw(setup.seed, task), _ORDER, 0) for task in range(visits.rank.size, setup.tasks)]
    rank = np.append(visits.rank, joining)
    to_come = np.setdiff1d(np.arange(setup.tasks), visited)
    return Visits(
        seed=setup.seed,
        rank=rank,
        order=np.append(visited, to_come[np.argsort(rank[to_come], kind="stable")]),
        place=visits.place.copy(),
        plan=np.zeros(setup.workers, np.int64),
        planned=np.array([-1, 0]),
        lot=np.zeros(setup.workers),
    )


@inner
def task_in_hand(visits: Visits, openings: Openings) -> int:
    """The task in hand, or -1 when the pass is over; tasks that nobody could ever label are passed by."""
    for place in range(visits.place[0], visits.order.size):
        task = visits.order[place]
        if takers_ever(openings, task) > 0:
            return int(task)
    return -1


@inner
def finish(visits: Visits, task: int) -> None:
    """Go on to the task after this one."""
    while visits.order[visits.place[0]] != task:
        visits.place[0] += 1
    visits.place[0] += 1


@inner
def enlist(visits: Visits, openings: Openings, task: int) -> int:
    """Put everyone who could ever label the task into the plan, with a lot each; how many they are."""
    pairs, count = openings.pairs, takers_ever(openings, task)
    for index in range(count):
        worker = index if pairs.start.size == 0 else pairs.worker[pairs.start[task] + index]
        visits.plan[index] = worker
        visits.lot[worker] = uniform(Draw(visits.seed, task), _RANK, worker)
    return count


@inner
def sort_plan(visits: Visits, value: Floats, count: int) -> None:
    """Order the first `count` of the plan by value, the highest first, ties by lot (heapsort: it needs no memory)."""
    for root in range(count // 2 - 1, -1, -1):
        _sift(visits, value, root, count)
    for end in range(count - 1, 0, -1):
        visits.plan[0], visits.plan[end] = visits.plan[end], visits.plan[0]
        _sift(visits, value, 0, end)


@inner
def _sift(visits: Visits, value: Floats, root: int, end: int) -> None:
    """Let the worker at the root sink until nobody below would be asked later."""
    plan = visits.plan
    child = 2 * root + 1
    while child < end:
        if child + 1 < end and _precedes(visits, value, plan[child], plan[child + 1]):
            child += 1
        if not _precedes(visits, value, plan[root], plan[child]):
            return
        plan[root], plan[child] = plan[child], plan[root]
        root, child = child, 2 * child + 1


@inner
def _precedes(visits: Visits, value: Floats, one: int, other: int) -> bool:
    if value[one] != value[other]:
        return bool(value[one] > value[other])
    return bool(visits.lot[one] < visits.lot[other])

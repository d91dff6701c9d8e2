"""The pool: drawing a task uniformly at random among those someone present may take."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.policies.openings import Openings, takeable

_SAMPLE = int(Purpose.SAMPLE)
_TRIES = 64
"""Blind draws before looking at every task; either way each task that qualifies is equally likely."""


class Pool(NamedTuple):
    """The tasks that are not used up, in no particular order."""

    task: Longs
    slot: Longs
    """Where each task stands in the pool, or -1."""
    length: Longs
    """One number: how many tasks are in the pool."""


def empty_pool(tasks: int) -> Pool:
    """A pool with no task in it."""
    return Pool(np.zeros(tasks, np.int64), np.full(tasks, -1, np.int64), np.zeros(1, np.int64))


def with_room_for(pool: Pool, tasks: int) -> Pool:
    """Room for tasks that join."""
    grown = empty_pool(tasks)
    grown.task[: pool.task.size] = pool.task
    grown.slot[: pool.slot.size] = pool.slot
    grown.length[0] = pool.length[0]
    return grown


@compiled
def enter(pool: Pool, task: int) -> None:
    """Put a task in, unless it is in."""
    if pool.slot[task] < 0:
        pool.slot[task] = pool.length[0]
        pool.task[pool.length[0]] = task
        pool.length[0] += 1


@inner
def leave(pool: Pool, task: int) -> None:
    """Take a task out, unless it is out."""
    if pool.slot[task] >= 0:
        pool.length[0] -= 1
        last = pool.task[pool.length[0]]
        pool.task[pool.slot[task]] = last
        pool.slot[last] = pool.slot[task]
        pool.slot[task] = -1


@inner
def draw_task(pool: Pool, openings: Openings, repeats: bool, draw: Draw, scratch: Longs) -> int:
    """A task among those that wait for fewest answers, each with the same probability; -1 if there is none."""
    for k in range(_TRIES if pool.length[0] > 0 else 0):
        task = pool.task[int(uniform(draw, _SAMPLE, k) * pool.length[0])]
        if openings.sheet.waiting[task] == 0 and takeable(openings, task, repeats, scratch):
            return int(task)
    return _draw_after_looking(pool, openings, repeats, draw, scratch)


@inner
def _draw_after_looking(pool: Pool, openings: Openings, repeats: bool, draw: Draw, scratch: Longs) -> int:
    fewest, qualified = -1, 0
    for index in range(pool.length[0]):
        task = pool.task[index]
        waiting = openings.sheet.waiting[task]
        if (fewest < 0 or waiting <= fewest) and takeable(openings, task, repeats, scratch):
            qualified = qualified + 1 if waiting == fewest else 1
            fewest = waiting
    chosen = int(uniform(draw, _SAMPLE, _TRIES) * qualified)
    for index in range(pool.length[0] if qualified > 0 else 0):
        task = pool.task[index]
        if openings.sheet.waiting[task] == fewest and takeable(openings, task, repeats, scratch):
            if chosen == 0:
                return int(task)
            chosen -= 1
    return -1

"""The naive baseline: a random task, a random worker who has not labelled it, and a majority vote."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from labelbandit.compiled import compiled
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.policies import pool
from labelbandit.policies.contract import ADAPTING, NO_CHOICE, Choice, Rule, Setup, Why, follow
from labelbandit.policies.openings import Openings, takers, used_up
from labelbandit.policies.vote import tally

_WORKER = int(Purpose.WORKER)


class RandomState(NamedTuple):
    """Which tasks are not used up. Nothing is learned of anyone."""

    pool: pool.Pool
    even: Floats
    workers: Longs
    """Scratch, one number per worker."""


@compiled
def choose(state: RandomState, openings: Openings, draw: Draw) -> Choice:
    """Any task, any worker who may take it."""
    task = pool.draw_task(state.pool, openings, False, draw, state.workers)
    if task < 0:
        return NO_CHOICE
    count = takers(openings, task, False, state.workers.size, state.workers)
    worker = state.workers[int(uniform(draw, _WORKER, 0) * count)]
    return Choice(task, worker, 1.0 / count, 0.0, ADAPTING)


@compiled
def learn(state: RandomState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw) -> None:
    """Leave out a task that everyone labelled."""
    drop(state, openings, task, worker)


@compiled
def drop(state: RandomState, openings: Openings, task: int, worker: int) -> None:
    """Keep the pool to tasks that someone could still take."""
    if used_up(openings, task, False):
        pool.leave(state.pool, task)
    else:
        pool.enter(state.pool, task)


@compiled
def shares(state: RandomState, openings: Openings, task: int, out: Floats) -> None:
    """Everyone's vote counts the same."""
    tally(openings.sheet, task, state.even, out)
    out /= state.even.size


follow(RandomState, Rule(choose, learn, drop, shares))


@dataclass(frozen=True, slots=True)
class Random:
    """Assign at random and count votes: what most tools do, and the paper's naive baseline."""

    name: ClassVar[str] = "random"
    why: ClassVar[Why] = Why(
        exploring="it was drawn",
        adapting="it was drawn among the tasks that wait for fewest answers",
        explorer="drawn with the same chance as anyone",
        worker="drawn with the same chance as anyone",
    )

    def notes(self, setup: Setup) -> list[str]:
        """There is nothing to say."""
        return []

    def grow(self, state: RandomState | None, setup: Setup) -> RandomState:
        """Every task not used up is in the pool; with new workers, none is used up."""
        old = state or RandomState(pool.empty_pool(0), np.zeros(0), np.zeros(0, np.int64))
        grown = RandomState(
            pool=pool.with_room_for(old.pool, setup.tasks),
            even=np.ones(setup.workers),
            workers=np.zeros(setup.workers, np.int64),
        )
        first = 0 if setup.workers > old.even.size else old.pool.task.size
        for task in range(first, setup.tasks):
            pool.enter(grown.pool, task)
        return grown

"""The frontier: tasks kept so that the least confident one is found without rescoring them all.

Every answer moves the weights of a context, and with them the scores of all its tasks; but we can say by how much a score may
have fallen (`weights.adopt`). So with `drift` the sum of these falls since the beginning, a task scored `x` when the drift was
`d` scores at least `x + d - drift` now: the key `x + d` need not change until the task is scored again. Only tasks labelled by
a worker who is charged fall further, and have their keys lowered. Tasks nobody labelled score exactly 0: their key is their
place in the permutation. A task that is used up has no key.
"""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.policies import blocks
from labelbandit.policies.blocks import BLOCK, Blocks
from labelbandit.policies.contract import Setup
from labelbandit.policies.sheet import Sheet

_ORDER = int(Purpose.ORDER)


class Frontier(NamedTuple):
    """Every task has a slot for life, in a block of its context."""

    rank: Floats
    """The task's place in the permutation."""
    slot: Longs
    task: Longs
    """The task in each slot, or -1."""
    context: Longs
    """The context of each block."""
    fresh: Blocks
    """Ranks of the tasks nobody labelled."""
    scored: Blocks
    """Scores of the others at their last scoring, plus the drift of that moment."""
    drift: Floats


def empty_frontier() -> Frontier:
    """A frontier without tasks."""
    nothing = np.zeros(0, np.int64)
    return Frontier(
        rank=np.zeros(0),
        slot=nothing,
        task=nothing,
        context=nothing,
        fresh=blocks.empty_blocks(0),
        scored=blocks.empty_blocks(0),
        drift=np.zeros(0),
    )


def with_room_for(frontier: Frontier, setup: Setup) -> Frontier:
    """Slots for tasks that join, in blocks of their contexts, and their places in the permutation."""
    known = frontier.rank.size
    slots, contexts = [frontier.task], [frontier.context]
    for context in range(setup.contexts):
        joining = known + np.flatnonzero(setup.context[known:] == context)
        gap = -joining.size % BLOCK
        slots.append(np.append(joining, np.full(gap, -1)))
        contexts.append(np.full((joining.size + gap) // BLOCK, context))
    task = np.concatenate(slots)
    slot = np.zeros(setup.tasks, np.int64)
    slot[task[task >= 0]] = np.flatnonzero(task >= 0)
    rank = np.append(frontier.rank, np.zeros(setup.tasks - known))
    rank_tasks(rank, known, setup.seed)
    return Frontier(
        rank=rank,
        slot=slot,
        task=task,
        context=np.concatenate(contexts),
        fresh=blocks.with_room_for(frontier.fresh, task.size // BLOCK),
        scored=blocks.with_room_for(frontier.scored, task.size // BLOCK),
        drift=np.append(frontier.drift, np.zeros(setup.contexts - frontier.drift.size)),
    )


@compiled
def rank_tasks(rank: Floats, known: int, seed: np.uint64) -> None:
    """Give each new task its place in the permutation that the seed fixes."""
    for task in range(known, rank.size):
        rank[task] = uniform(Draw(seed, task), _ORDER, 0)


@inner
def put_fresh(frontier: Frontier, task: int) -> None:
    """Enter a task nobody labelled."""
    blocks.put(frontier.fresh, frontier.slot[task], frontier.rank[task])


@inner
def put_scored(frontier: Frontier, context: int, task: int, score: float) -> None:
    """Enter a labelled task with the score it has now."""
    blocks.put(frontier.fresh, frontier.slot[task], np.inf)
    blocks.put(frontier.scored, frontier.slot[task], score + frontier.drift[context])


@inner
def is_scored(frontier: Frontier, task: int) -> bool:
    """Whether the task has labels and may get more."""
    return bool(frontier.scored.key[frontier.slot[task]] < np.inf)


@inner
def put_unscored(frontier: Frontier, context: int, task: int) -> None:
    """Enter a labelled task whose score is yet to be found: it is 0 or more."""
    put_scored(frontier, context, task, 0.0)


@inner
def take_out(frontier: Frontier, task: int) -> None:
    """Nobody is left who could take the task."""
    blocks.put(frontier.fresh, frontier.slot[task], np.inf)
    blocks.put(frontier.scored, frontier.slot[task], np.inf)


@inner
def let_fall(frontier: Frontier, context: int, sheet: Sheet, worker: int, fall: float) -> None:
    """Let the context's tasks that this worker labelled fall further than the rest."""
    scored = frontier.scored
    entry = sheet.latest[context, worker]
    while entry >= 0:
        slot = frontier.slot[sheet.diary_task[entry]]
        block = slot // BLOCK
        scored.key[slot] -= fall
        scored.least[block] = min(scored.least[block], scored.key[slot])
        entry = sheet.diary_before[entry]

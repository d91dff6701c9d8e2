"""A world: tasks with contexts and true classes, and a crowd whose every answer is fixed, by the seed or on record."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner, whole
from labelbandit.model.arrays import Bools, Floats, Longs, Shorts
from labelbandit.model.chance import Draw, Purpose, as_seed, philox, uniform, unit
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput
from labelbandit.policies.openings import EVERY_PAIR, Pairs
from labelbandit.simulation.crowds import Crowd, crowd_from

NO_RECORD = -1
"""In place of an answer: the recorded data have no label for this pair."""

_ANSWER = int(Purpose.ANSWER)
_NOTHING_RECORDED = np.zeros(0, np.int16)


class World(NamedTuple):
    """What a simulation knows and a policy does not."""

    seed: np.uint64
    """Of the answers and of the policy; in a recorded world, of the policy alone."""
    classes: int
    context: Longs
    truth: Longs
    accuracy: Floats
    """Contexts by workers; in a recorded world the share of labels that are right, NaN where there are none."""
    misleads: Bools
    pairs: Pairs
    recorded: Shorts
    """The answer of each pair, beside `pairs.worker`; empty in a world whose answers are drawn."""

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return self.truth.size

    @property
    def contexts(self) -> int:
        """How many contexts there are."""
        return int(self.accuracy.shape[0])

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return int(self.accuracy.shape[1])


@inner
def _on_record(world: World, task: int, worker: int) -> int:
    """The recorded answer, by binary search in the task's row."""
    low, end = world.pairs.start[task], world.pairs.start[task + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if world.pairs.worker[middle] < worker:
            low = middle + 1
        else:
            high = middle
    if low == end or world.pairs.worker[low] != worker:
        return NO_RECORD
    return whole(world.recorded[low])


@compiled
def answer_of(world: World, task: int, worker: int) -> int:
    """What the worker says: always the same, whoever asks and whenever; `NO_RECORD` for a pair that was never recorded."""
    if world.recorded.size > 0:
        return _on_record(world, task, worker)
    x0, x1, x2, x3 = philox(world.seed, task, _ANSWER, worker)
    context, truth = world.context[task], world.truth[task]
    if unit(x0, x1) < world.accuracy[context, worker]:
        return int(truth)
    step = 1
    if not world.misleads[context, worker]:
        step += int(unit(x2, x3) * (world.classes - 1))
    return int((truth + step) % world.classes)


def make_world(
    crowd: Crowd | str, tasks: int, workers: int, contexts: int, classes: int, seed: int, *, crowd_seed: int | None = None
) -> World:
    """A world with contexts of even size and balanced truth in random order; worlds with one crowd seed share their crowd."""
    crowd = crowd_from(crowd) if isinstance(crowd, str) else crowd
    tasks, workers = whole_number("{} tasks", tasks, 1), whole_number("{} workers", workers, 1)
    contexts, classes = (
        whole_number("{} contexts", contexts, 1),
        whole_number("{} classes", classes, 2, 2**15 - 1),
    )
    if contexts > tasks:
        raise BadInput(f"{contexts} contexts cannot share {tasks} tasks: give at least one task for each context")
    key = as_seed(seed)
    lots = [uniform(Draw(key, task), Purpose.TRUTH.value, 0) for task in range(tasks)]
    truth = np.empty(tasks, np.int64)
    truth[np.argsort(lots, kind="stable")] = np.arange(tasks) % classes
    return populate(crowd, np.arange(tasks, dtype=np.int64) % contexts, truth, workers, classes, seed, crowd_seed)


def populate(
    crowd: Crowd | str, context: Longs, truth: Longs, workers: int, classes: int, seed: int, crowd_seed: int | None = None
) -> World:
    """Given tasks, with a crowd of so many workers made for them."""
    crowd = crowd_from(crowd) if isinstance(crowd, str) else crowd
    contexts = int(context.max()) + 1
    skills = crowd.skills(contexts, workers, classes, as_seed(seed if crowd_seed is None else crowd_seed))
    return World(
        seed=as_seed(seed),
        classes=classes,
        context=context,
        truth=truth,
        accuracy=skills.accuracy,
        misleads=skills.misleads,
        pairs=EVERY_PAIR,
        recorded=_NOTHING_RECORDED,
    )


def recorded_world(context: Longs, truth: Longs, workers: int, classes: int, pairs: Pairs, answers: Shorts, seed: int) -> World:
    """A world that repeats what was recorded: only pairs that exist can be asked, and the seed is the policy's alone."""
    contexts = int(context.max()) + 1
    task = np.repeat(np.arange(truth.size), np.diff(pairs.start))
    right, labels = np.zeros((contexts, workers)), np.zeros((contexts, workers))
    np.add.at(right, (context[task], pairs.worker), answers == truth[task])
    np.add.at(labels, (context[task], pairs.worker), 1.0)
    return World(
        seed=as_seed(seed),
        classes=classes,
        context=context,
        truth=truth,
        accuracy=np.divide(right, labels, out=np.full_like(right, np.nan), where=labels > 0),
        misleads=np.zeros((contexts, workers), np.bool_),
        pairs=pairs,
        recorded=answers,
    )

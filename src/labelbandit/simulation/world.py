"""A world: tasks with contexts and true classes, and a crowd whose every answer is fixed by the seed."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled
from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.model.chance import Draw, Purpose, as_seed, philox, uniform, unit
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput
from labelbandit.policies.openings import EVERY_PAIR, Pairs
from labelbandit.simulation.crowds import Crowd, crowd_from

_ANSWER = int(Purpose.ANSWER)


class World(NamedTuple):
    """What a simulation knows and a policy does not."""

    seed: np.uint64
    classes: int
    context: Longs
    truth: Longs
    accuracy: Floats
    misleads: Bools
    pairs: Pairs

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


@compiled
def answer_of(world: World, task: int, worker: int) -> int:
    """What the worker says: always the same, whoever asks and whenever."""
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
    skills = crowd.skills(contexts, workers, classes, key if crowd_seed is None else as_seed(crowd_seed))
    lots = [uniform(Draw(key, task), Purpose.TRUTH.value, 0) for task in range(tasks)]
    truth = np.empty(tasks, np.int64)
    truth[np.argsort(lots, kind="stable")] = np.arange(tasks) % classes
    return World(
        seed=key,
        classes=classes,
        context=np.arange(tasks, dtype=np.int64) % contexts,
        truth=truth,
        accuracy=skills.accuracy,
        misleads=skills.misleads,
        pairs=EVERY_PAIR,
    )

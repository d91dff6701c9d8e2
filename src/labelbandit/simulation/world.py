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
_NO_FAVOURITES, _NO_LEAN = np.zeros((0, 0), np.int64), np.zeros((0, 0))
_ONE_EACH, _NO_EXPERTS = np.zeros(0, np.int64), np.zeros(0, np.bool_)


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
    favourite: Longs = _NO_FAVOURITES
    """Contexts by workers: the class a worker says too often; empty if nobody has one."""
    lean: Floats = _NO_LEAN
    """Contexts by workers: how much more accurate they are where the truth is their favourite, and less where not."""
    price: Longs = _ONE_EACH
    """What a label of each worker costs; empty if all cost 1."""
    expert: Bools = _NO_EXPERTS
    """Which workers are trusted; empty if nobody is."""

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


@inner
def right_chance(world: World, context: int, worker: int, truth: int) -> float:
    """The probability that the worker is right about a task of that context and class."""
    accuracy = float(world.accuracy[context, worker])
    if world.favourite.size == 0:
        return accuracy
    lean = world.lean[context, worker]
    return float(min(max(accuracy + (lean if world.favourite[context, worker] == truth else -lean), 0.0), 1.0))


@inner
def chance_of(world: World, context: int, worker: int, truth: int, answer: int) -> float:
    """The probability that the worker gives this answer to a task of that context and class."""
    right = right_chance(world, context, worker, truth)
    if answer == truth:
        return right
    if world.favourite.size > 0 and world.favourite[context, worker] != truth:
        return 1.0 - right if world.favourite[context, worker] == answer else 0.0
    if world.misleads[context, worker]:
        return 1.0 - right if (truth + 1) % world.classes == answer else 0.0
    return (1.0 - right) / (world.classes - 1)


@compiled
def answer_of(world: World, task: int, worker: int) -> int:
    """What the worker says: always the same, whoever asks and whenever; `NO_RECORD` for a pair that was never recorded."""
    if world.recorded.size > 0:
        return _on_record(world, task, worker)
    x0, x1, x2, x3 = philox(world.seed, task, _ANSWER, worker)
    context, truth = world.context[task], world.truth[task]
    if unit(x0, x1) < right_chance(world, context, worker, truth):
        return int(truth)
    if world.favourite.size > 0 and world.favourite[context, worker] != truth:
        return int(world.favourite[context, worker])
    step = 1
    if not world.misleads[context, worker]:
        step += int(unit(x2, x3) * (world.classes - 1))
    return int((truth + step) % world.classes)


def make_world(
    crowd: Crowd | str,
    tasks: int,
    workers: int,
    contexts: int,
    classes: int,
    seed: int,
    *,
    crowd_seed: int | None = None,
    uneven: bool = False,
    frequent: float | None = None,
) -> World:
    """A world with contexts of even size and balanced truth in random order; worlds with one crowd seed share their crowd.

    Uneven contexts are sized as 1 : 2 : 3 and so on; class 0 can be made as frequent as is said, the others sharing the rest.
    """
    tasks, workers = whole_number("{} tasks", tasks, 1), whole_number("{} workers", workers, 1)
    contexts, classes = (
        whole_number("{} contexts", contexts, 1),
        whole_number("{} classes", classes, 2, 2**15 - 1),
    )
    if contexts > tasks:
        raise BadInput(f"{contexts} contexts cannot share {tasks} tasks: give at least one task for each context")
    truth = _truth(tasks, classes, as_seed(seed), frequent)
    context = _uneven(tasks, contexts) if uneven else np.arange(tasks, dtype=np.int64) % contexts
    return populate(crowd, context, truth, workers, classes, seed, crowd_seed)


def _truth(tasks: int, classes: int, seed: np.uint64, frequent: float | None) -> Longs:
    """True classes in random order: balanced, or with class 0 as frequent as is said."""
    lots = [uniform(Draw(seed, task), Purpose.TRUTH.value, 0) for task in range(tasks)]
    dealt = np.arange(tasks) % classes
    if frequent is not None:
        if not 0.0 <= frequent <= 1.0:
            raise BadInput(f"{frequent} is no share of the tasks: give a number from 0 to 1")
        first = round(frequent * tasks)
        dealt = np.append(np.zeros(first, np.int64), 1 + np.arange(tasks - first) % (classes - 1))
    truth = np.empty(tasks, np.int64)
    truth[np.argsort(lots, kind="stable")] = dealt
    return truth


def _uneven(tasks: int, contexts: int) -> Longs:
    """Contexts sized as 1 : 2 : 3 and so on, each with one task at least."""
    ends = np.arange(1, contexts + 1)
    spread = np.searchsorted(np.cumsum(ends) / ends.sum(), (np.arange(tasks - contexts) + 0.5) / max(tasks - contexts, 1))
    return np.append(np.arange(contexts), spread).astype(np.int64)


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
        favourite=skills.favourite,
        lean=skills.lean,
    )


def with_experts(world: World, experts: int, price: int, accuracy: float = 0.99) -> World:
    """The same world with experts besides: trusted, nearly always right, and so many times as expensive as the others."""
    if world.recorded.size > 0:
        raise BadInput("experts have no recorded labels: give a world whose answers are drawn")
    experts, price = whole_number("{} experts", experts, 1), whole_number("a price of {}", price, 1)
    new = (world.contexts, experts)
    favoured = world.favourite.size > 0
    return world._replace(
        accuracy=np.hstack([world.accuracy, np.full(new, accuracy)]),
        misleads=np.hstack([world.misleads, np.zeros(new, np.bool_)]),
        favourite=np.hstack([world.favourite, np.zeros(new, np.int64)]) if favoured else world.favourite,
        lean=np.hstack([world.lean, np.zeros(new)]) if favoured else world.lean,
        price=np.append(np.ones(world.workers, np.int64), np.full(experts, price)),
        expert=np.append(np.zeros(world.workers, np.bool_), np.ones(experts, np.bool_)),
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

"""The oracle: what could be reached if every worker's accuracy were known. It is a limit, not a policy for campaigns.

It asks about the task it is least certain of, and of those who may take it the worker whose answer says most: one known
to be always wrong is worth as much as one always right. Answers are weighed by their log-odds, so its vote is Bayes' rule.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from labelbandit.compiled import compiled, inner, whole
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.errors import BadInput, UnknownPolicy
from labelbandit.model.grammar import parse
from labelbandit.policies.confidence import POINTS, in_points
from labelbandit.policies.contract import ADAPTING, NO_CHOICE, Choice, Policy, Rule, Setup, follow
from labelbandit.policies.openings import Openings, takers
from labelbandit.policies.registry import known_policies
from labelbandit.policies.vote import top_two
from labelbandit.simulation.world import World

_SURE = 1e-6
"""Nobody is taken to be right or wrong more surely than this: one mistake must not forbid a class for good."""
_WORTHLESS = 1e-9
"""An answer that says less than this, in nats, says nothing."""


class OracleState(NamedTuple):
    """What is known of the crowd, and what follows from the answers."""

    context: Longs
    right: Floats
    """Contexts by workers: log-likelihood of the answer if it is the truth."""
    wrong: Floats
    """Contexts by workers: log-likelihood of the answer for a class that a wrong answer may stand for."""
    misleads: npt.NDArray[np.bool_]
    worth: Floats
    """Contexts by workers: how much an answer says of the truth, in nats."""
    belief: Floats
    """Tasks by classes: the log-likelihood of all answers so far."""
    certainty: Longs
    """Per task, the probability of its likeliest class, in points."""
    rank: Floats
    """Per task, its place in the permutation."""
    workers: Longs
    """Scratch, one number per worker."""


@inner
def _best_taker(state: OracleState, openings: Openings, task: int) -> int:
    """Of those who may take the task the one whose answer says most; -1 if nobody may."""
    count = takers(openings, task, False, state.workers.size, state.workers)
    best = -1
    for index in range(count):
        worker = whole(state.workers[index])
        if best < 0 or state.worth[state.context[task], worker] > state.worth[state.context[task], best]:
            best = worker
    return best


@inner
def _before(state: OracleState, openings: Openings, task: int, other: int) -> bool:
    """Whether the task is to be asked about rather than the other: fewer answers waited for, less certain, first in order."""
    waiting = openings.sheet.waiting
    if other < 0 or waiting[task] != waiting[other]:
        return bool(other < 0 or waiting[task] < waiting[other])
    if state.certainty[task] != state.certainty[other]:
        return bool(state.certainty[task] < state.certainty[other])
    return bool(state.rank[task] < state.rank[other])


@compiled
def choose(state: OracleState, openings: Openings, draw: Draw) -> Choice:
    """The least certain task, and the worker who says most about it; tasks of which nobody can say anything come last."""
    best, best_worker, idle, idle_worker = -1, -1, -1, -1
    for task in range(state.context.size):
        first, second = _before(state, openings, task, best), _before(state, openings, task, idle)
        if not (first or (best < 0 and second)):
            continue
        worker = _best_taker(state, openings, task)
        if worker < 0:
            continue
        if first and state.worth[state.context[task], worker] > _WORTHLESS:
            best, best_worker = task, worker
        elif second:
            idle, idle_worker = task, worker
    if best < 0:
        best, best_worker = idle, idle_worker
    if best < 0:
        return NO_CHOICE
    return Choice(best, best_worker, 1.0, state.certainty[best] / POINTS, ADAPTING)


@compiled
def learn(state: OracleState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw) -> None:
    """Weigh the answer by what is known of the worker."""
    context, classes = state.context[task], state.belief.shape[1]
    right, wrong = state.right[context, worker], state.wrong[context, worker]
    for truth in range(classes):
        if truth == answer:
            state.belief[task, truth] += right
        elif not state.misleads[context, worker] or (truth + 1) % classes == answer:
            state.belief[task, truth] += wrong
        else:
            state.belief[task, truth] += math.log(_SURE)
    top, total = top_two(state.belief[task])[0], 0.0
    for truth in range(classes):
        total += math.exp(state.belief[task, truth] - top)
    state.certainty[task] = in_points(1.0 / total)


@compiled
def drop(state: OracleState, openings: Openings, task: int, worker: int) -> None:
    """Nothing follows from an answer that did not come."""


@compiled
def shares(state: OracleState, openings: Openings, task: int, out: Floats) -> None:
    """The probability of each class."""
    top, total = top_two(state.belief[task])[0], 0.0
    for truth in range(out.size):
        out[truth] = math.exp(state.belief[task, truth] - top)
        total += out[truth]
    out /= total


follow(OracleState, Rule(choose, learn, drop, shares))


@dataclass(frozen=True, slots=True)
class Oracle:
    """Knows every worker's accuracy: the limit for everyone who has to find out."""

    name: ClassVar[str] = "oracle"

    def notes(self, setup: Setup) -> list[str]:
        """There is nothing to say."""
        return []

    def grow(self, state: OracleState | None, setup: Setup) -> OracleState:
        """Refuse: a setup does not say how good anyone is."""
        raise BadInput("the oracle must know how good every worker is, so it can be simulated only: use bbta")

    def told(self, world: World, setup: Setup) -> OracleState:
        """The state of one who is told all about the crowd, and nothing about the truth."""
        accuracy = np.clip(known_accuracy(world), _SURE, 1.0 - _SURE)
        others = np.where(world.misleads, 1, setup.classes - 1)
        doubt = -(accuracy * np.log(accuracy) + (1.0 - accuracy) * np.log((1.0 - accuracy) / others))
        lots = [uniform(Draw(setup.seed, task), Purpose.ORDER.value, 0) for task in range(setup.tasks)]
        return OracleState(
            context=setup.context,
            right=np.log(accuracy),
            wrong=np.log((1.0 - accuracy) / others),
            misleads=world.misleads,
            worth=math.log(setup.classes) - doubt,
            belief=np.zeros((setup.tasks, setup.classes)),
            certainty=np.full(setup.tasks, int(np.rint(POINTS / setup.classes)), np.int64),
            rank=np.array(lots),
            workers=np.zeros(setup.workers, np.int64),
        )


def known_accuracy(world: World) -> Floats:
    """Contexts by workers; where nothing is on record, the worker's share of right labels in all contexts."""
    if not np.isnan(world.accuracy).any():
        return world.accuracy
    task = np.repeat(np.arange(world.tasks), np.diff(world.pairs.start))
    labels = np.bincount(world.pairs.worker, minlength=world.workers)
    right = np.bincount(world.pairs.worker, world.recorded == world.truth[task], minlength=world.workers)
    overall = np.divide(right, labels, out=np.full(world.workers, 0.5), where=labels > 0)
    return np.where(np.isnan(world.accuracy), overall, world.accuracy)


def policy_to_simulate(text: str) -> Policy:
    """The policy that `name[:key=value,…]` stands for; in a simulation it may be the oracle."""
    return parse(text, {**known_policies(), Oracle.name: Oracle}, "policy", UnknownPolicy)

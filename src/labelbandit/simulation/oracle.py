"""The oracle: what could be reached if every worker's accuracy were known. It is a limit, not a policy for campaigns.

It asks about the task it is least certain of, and of those who may take it the worker whose answer says most: one known
to be always wrong is worth as much as one always right. Answers are weighed by their log-odds, so its vote is Bayes' rule.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

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
from labelbandit.simulation.world import World, chance_of

_SURE = 1e-6
"""Nobody is taken to be right or wrong more surely than this: one mistake must not forbid a class for good."""
_WORTHLESS = 1e-9
"""An answer that says less than this, in nats, says nothing."""


class OracleState(NamedTuple):
    """What is known of the crowd, and what follows from the answers."""

    crowd: World
    """Of which the truth is not looked at."""
    worth: Floats
    """Contexts by workers: how much an answer says of the truth, in nats, per unit of price."""
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
        if best < 0 or state.worth[state.crowd.context[task], worker] > state.worth[state.crowd.context[task], best]:
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
    for task in range(state.crowd.context.size):
        first, second = _before(state, openings, task, best), _before(state, openings, task, idle)
        if not (first or (best < 0 and second)):
            continue
        worker = _best_taker(state, openings, task)
        if worker < 0:
            continue
        if first and state.worth[state.crowd.context[task], worker] > _WORTHLESS:
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
    context, classes = state.crowd.context[task], state.belief.shape[1]
    for truth in range(classes):
        chance = chance_of(state.crowd, context, worker, truth, answer)
        state.belief[task, truth] += math.log(min(max(chance, _SURE), 1.0 - _SURE))
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
        crowd = world._replace(accuracy=known_accuracy(world))
        lots = [uniform(Draw(setup.seed, task), Purpose.ORDER.value, 0) for task in range(setup.tasks)]
        return OracleState(
            crowd=crowd,
            worth=_worth(crowd) / crowd.price if crowd.price.size else _worth(crowd),
            belief=np.zeros((setup.tasks, setup.classes)),
            certainty=np.full(setup.tasks, int(np.rint(POINTS / setup.classes)), np.int64),
            rank=np.array(lots),
            workers=np.zeros(setup.workers, np.int64),
        )


def _worth(crowd: World) -> Floats:
    """Contexts by workers: how much an answer says of the truth if all classes are as likely, in nats."""
    if crowd.favourite.size:
        return _worth_of_the_biased(crowd)
    accuracy = np.clip(crowd.accuracy, _SURE, 1.0 - _SURE)
    others = np.where(crowd.misleads, 1, crowd.classes - 1)
    doubt = -(accuracy * np.log(accuracy) + (1.0 - accuracy) * np.log((1.0 - accuracy) / others))
    return np.asarray(math.log(crowd.classes) - doubt, np.float64)


@compiled
def _fill_chances(crowd: World, out: Floats) -> None:
    for context, worker, truth, answer in np.ndindex(out.shape):
        out[context, worker, truth, answer] = chance_of(crowd, context, worker, truth, answer)


def _worth_of_the_biased(crowd: World) -> Floats:
    """The same where answers are not as frequent as each other."""
    chances = np.zeros((crowd.contexts, crowd.workers, crowd.classes, crowd.classes))
    _fill_chances(crowd, chances)
    chances = np.clip(chances, _SURE, 1.0)
    overall = chances.mean(axis=2, keepdims=True)
    return np.asarray((chances * np.log(chances / overall)).sum(axis=3).mean(axis=2), np.float64)


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

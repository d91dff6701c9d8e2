"""The contract of a policy: arrays for a state, and functions over them, written once and driven twice.

`choose`, `learn`, `drop` and `shares` go to the rule registered for the type of the state, in plain Python and in compiled
loops alike; so the live engine and the simulator run the same code. `grow` is a method of the policy's parameters.

- `choose(state, openings, draw)` says who should label what, and changes nothing that could change an answer;
- `learn(state, openings, task, worker, answer, propensity, draw)` is all that learns; the sheet has the answer already;
- `drop(state, openings, task, worker)` is told when an assignment is declined or lapses, after the sheet was; and, with no
  worker (-1), when the task was closed or opened again;
- `shares(state, openings, task, out)` fills in each class's share of the weight of all workers;
- `greet(state, openings, in_reach, arrivals, draw)`, for policies that weigh workers: whether the one worker present is served,
  and with what, seen against everyone in reach; returns a choice and the probability with which the door was opened;
- `Policy.grow(state, setup)` makes room for tasks, workers and contexts that join, and starts from nothing when state is None.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numba.extending import overload

from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.model.chance import Draw
from labelbandit.policies.openings import Openings

EXPLORING, ADAPTING = 0, 1
"""Phases of a choice."""
ATTACHED = 2**62
"""Labels that nobody was asked for have decision numbers of their own, from here on."""


NOBODY = -1
"""In place of a worker."""


class Choice(NamedTuple):
    """Who should label what: with what probability this worker was drawn, and why this task."""

    task: int
    worker: int
    propensity: float
    score: float
    phase: int


NO_CHOICE = Choice(-1, -1, 0.0, 0.0, ADAPTING)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a policy is told about the world: sizes, each task's context, the budget in labels, the seed and what is known."""

    context: Longs
    contexts: int
    workers: int
    classes: int
    budget: int
    seed: np.uint64
    gold: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    """The true class of each task, -1 where it is not known; empty if none is."""
    expert: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Workers whose answers are taken as true; empty if there are none."""

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return self.context.size

    @property
    def known_truth(self) -> Longs:
        """The true class of each task, -1 where it is not known."""
        return self.gold if self.gold.size else np.full(self.tasks, -1, np.int64)

    @property
    def known_experts(self) -> Bools:
        """Whether each worker is an expert."""
        return self.expert if self.expert.size else np.zeros(self.workers, np.bool_)


class Why(NamedTuple):
    """Why a task and a worker come first, in a policy's own terms; {score} and {kind} of task are filled in."""

    exploring: str
    adapting: str
    explorer: str
    worker: str
    """How the worker was found among those who could take the task, while exploring and afterwards."""
    expert: str = ""
    """In place of `adapting`, why the task was given to an expert; empty if that makes no difference."""


PLAIN_WHY = Why(
    exploring="it was chosen to learn who is good at {kind}",
    adapting="the policy gave it a score of {score:.3f}",
    explorer="the policy chose them",
    worker="the policy chose them",
)
"""For policies that say nothing themselves."""


class Policy(Protocol):
    """A policy's parameters, and how its state comes to be."""

    name: ClassVar[str]

    def notes(self, setup: Setup) -> list[str]:
        """Say, in sentences, what will be done otherwise than the parameters ask."""

    def grow(self, state: Any, setup: Setup) -> Any:
        """Return the state for this setup, keeping what was learned."""


def serve_everyone(
    state: NamedTuple, openings: Openings, in_reach: Openings, arrivals: Floats, draw: Draw
) -> tuple[Choice, float]:
    """The door is open: for policies that weigh nobody."""
    return choose(state, openings, draw), 1.0


class Rule(NamedTuple):
    """The compiled functions of one kind of state."""

    choose: Callable[..., Choice]
    learn: Callable[..., None]
    drop: Callable[..., None]
    shares: Callable[..., None]
    greet: Callable[..., tuple[Choice, float]] = serve_everyone


_RULES: dict[type | None, Rule] = {}


def follow(state_type: type, rule: Rule) -> None:
    """Let states of this type follow this rule."""
    _RULES[state_type] = rule


def rule_of(state: NamedTuple) -> Rule:
    """The rule that the state follows."""
    return _RULES[type(state)]


def choose(state: NamedTuple, openings: Openings, draw: Draw) -> Choice:
    """Say who should label what, or `NO_CHOICE`."""
    return _RULES[type(state)].choose(state, openings, draw)


def learn(state: NamedTuple, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw) -> None:
    """Learn from an answer that the sheet has already."""
    _RULES[type(state)].learn(state, openings, task, worker, answer, propensity, draw)


def drop(state: NamedTuple, openings: Openings, task: int, worker: int) -> None:
    """Take note that an assignment came to nothing."""
    _RULES[type(state)].drop(state, openings, task, worker)


def shares(state: NamedTuple, openings: Openings, task: int, out: Floats) -> None:
    """Fill in each class's share of the weight of all workers."""
    _RULES[type(state)].shares(state, openings, task, out)


def greet(state: NamedTuple, openings: Openings, in_reach: Openings, arrivals: Floats, draw: Draw) -> tuple[Choice, float]:
    """Serve the one worker present, or not."""
    return _RULES[type(state)].greet(state, openings, in_reach, arrivals, draw)


def _compile_for(generic: Callable[..., object], function: str) -> None:
    """In compiled code too, let the generic function go to the rule of its state."""

    @overload(generic, strict=False)
    def typed(*args: Any) -> Callable[..., object] | None:
        rule = _RULES.get(getattr(args[0], "instance_class", None))
        if rule is None:
            return None
        kernel = getattr(rule, function)
        return lambda *args: kernel(*args)


for _generic in (choose, learn, drop, shares):
    _compile_for(_generic, _generic.__name__)

"""Crowds: who is how good at what (paper, section 5.1), in the heterogeneous setting.

Every worker has one context they are good at. What they do in the others makes the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.errors import BadInput, UnknownCrowd
from labelbandit.model.grammar import parse

Deal = Literal["random", "even"]


class Skills(NamedTuple):
    """Each worker's accuracy in each context, and where a wrong answer is not by chance but by design."""

    accuracy: Floats
    """Contexts by workers."""
    misleads: Bools
    """Contexts by workers: a wrong answer is always the class after the true one."""
    good: Longs
    """The context each worker is good at."""


class Crowd(Protocol):
    """A model of a crowd."""

    name: ClassVar[str]

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""


def _dealt(contexts: int, workers: int, seed: np.uint64, deal: Deal) -> Longs:
    """The context each worker is good at: drawn for each alone, or dealt out like cards."""
    lots = np.array([uniform(Draw(seed, worker), Purpose.SKILL.value, 0) for worker in range(workers)])
    if deal == "random":
        return (lots * contexts).astype(np.int64)
    good = np.empty(workers, np.int64)
    good[np.argsort(lots, kind="stable")] = np.arange(workers) % contexts
    return good


def _skills(good: Longs, contexts: int, good_at: float, otherwise: float) -> Skills:
    accuracy = np.full((contexts, good.size), otherwise)
    accuracy[good, np.arange(good.size)] = good_at
    return Skills(accuracy, np.zeros((contexts, good.size), np.bool_), good)


def _check_accuracies(crowd: str, **accuracies: float) -> None:
    for key, value in accuracies.items():
        if not 0.0 <= value <= 1.0:
            raise BadInput(f"{crowd}:{key}={value} is not a probability: give a number from 0 to 1")


@dataclass(frozen=True, slots=True)
class SpammerHammer:
    """Everyone is a hammer (always right) on one context and a spammer (random answers) on the others."""

    name: ClassVar[str] = "spammer-hammer"
    deal: Deal = "random"

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""
        return _skills(_dealt(contexts, workers, seed, self.deal), contexts, 1.0, 1.0 / classes)


@dataclass(frozen=True, slots=True)
class OneCoin:
    """Everyone is right with a higher probability on one context and with a lower one on the others."""

    name: ClassVar[str] = "one-coin"
    good: float = 0.9
    normal: float = 0.6
    deal: Deal = "random"

    def __post_init__(self) -> None:
        _check_accuracies(self.name, good=self.good, normal=self.normal)

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""
        return _skills(_dealt(contexts, workers, seed, self.deal), contexts, self.good, self.normal)


@dataclass(frozen=True, slots=True)
class Malicious:
    """Like one-coin, but in one more context everyone misleads."""

    name: ClassVar[str] = "malicious"
    good: float = 0.9
    normal: float = 0.6
    bad: float = 0.3
    deal: Deal = "random"

    def __post_init__(self) -> None:
        _check_accuracies(self.name, good=self.good, normal=self.normal, bad=self.bad)

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""
        if contexts < 2:
            raise BadInput("the malicious crowd needs a context to mislead in besides the good one: give 2 contexts or more")
        skills = _skills(_dealt(contexts, workers, seed, self.deal), contexts, self.good, self.normal)
        everyone = np.arange(workers)
        lots = np.array([uniform(Draw(seed, worker), Purpose.SKILL.value, 1) for worker in range(workers)])
        bad_at = (skills.good + 1 + (lots * (contexts - 1)).astype(np.int64)) % contexts
        skills.accuracy[bad_at, everyone] = self.bad
        skills.misleads[bad_at, everyone] = True
        return skills


CROWDS: Mapping[str, type[Crowd]] = {kind.name: kind for kind in (SpammerHammer, OneCoin, Malicious)}


def crowd_from(text: str) -> Crowd:
    """The crowd that `name[:key=value,…]` stands for."""
    return parse(text, CROWDS, "crowd", UnknownCrowd)

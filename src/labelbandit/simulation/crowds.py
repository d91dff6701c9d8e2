"""Crowds: who is how good at what. Three are the paper's (section 5.1, the heterogeneous setting), others are harder.

In the paper's, every worker has one context they are good at. What they do in the others makes the model.
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
_NO_FAVOURITES = np.zeros((0, 0), np.int64)
_NO_LEAN = np.zeros((0, 0))


class Skills(NamedTuple):
    """Each worker's accuracy in each context, and where a wrong answer is not by chance but by design."""

    accuracy: Floats
    """Contexts by workers."""
    misleads: Bools
    """Contexts by workers: a wrong answer is always the class after the true one."""
    good: Longs
    """The context each worker is good at."""
    favourite: Longs = _NO_FAVOURITES
    """Contexts by workers: the class that a worker says too often; empty if nobody has one."""
    lean: Floats = _NO_LEAN
    """Contexts by workers: by how much they are more accurate where the truth is their favourite, and less where not."""


class Crowd(Protocol):
    """A model of a crowd."""

    name: ClassVar[str]

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""


def _lots(workers: int, seed: np.uint64, k: int) -> Floats:
    return np.array([uniform(Draw(seed, worker), Purpose.SKILL.value, k) for worker in range(workers)])


def _dealt(contexts: int, workers: int, seed: np.uint64, deal: Deal) -> Longs:
    """The context each worker is good at: drawn for each alone, or dealt out like cards."""
    lots = _lots(workers, seed, 0)
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
        bad_at = (skills.good + 1 + (_lots(workers, seed, 1) * (contexts - 1)).astype(np.int64)) % contexts
        skills.accuracy[bad_at, everyone] = self.bad
        skills.misleads[bad_at, everyone] = True
        return skills


@dataclass(frozen=True, slots=True)
class Graded:
    """Everyone's accuracy lies anywhere between two bounds: the same in all contexts, or drawn anew for each."""

    name: ClassVar[str] = "graded"
    low: float = 0.5
    high: float = 1.0
    contexts: Literal["alike", "unrelated"] = "unrelated"

    def __post_init__(self) -> None:
        _check_accuracies(self.name, low=self.low, high=self.high)
        if self.low > self.high:
            raise BadInput(
                f"graded:low={self.low},high={self.high} leaves nothing between: give a low that is not above the high"
            )

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""
        drawn = [_lots(workers, seed, 0 if self.contexts == "alike" else context) for context in range(contexts)]
        accuracy = self.low + (self.high - self.low) * np.array(drawn)
        return Skills(accuracy, np.zeros_like(accuracy, np.bool_), accuracy.argmax(axis=0))


@dataclass(frozen=True, slots=True)
class MajorityMalicious:
    """Like one-coin, but in every second context most workers mislead: those who are not good at it, up to a share of all."""

    name: ClassVar[str] = "majority-malicious"
    good: float = 0.9
    normal: float = 0.6
    bad: float = 0.3
    share: float = 0.6
    deal: Deal = "random"

    def __post_init__(self) -> None:
        _check_accuracies(self.name, good=self.good, normal=self.normal, bad=self.bad, share=self.share)

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""
        skills = _skills(_dealt(contexts, workers, seed, self.deal), contexts, self.good, self.normal)
        for context in range(0, contexts, 2):
            drawn = np.argsort(_lots(workers, seed, 1 + context), kind="stable")
            bad = drawn[skills.good[drawn] != context][: round(self.share * workers)]
            skills.accuracy[context, bad] = self.bad
            skills.misleads[context, bad] = True
        return skills


@dataclass(frozen=True, slots=True)
class ClassBiased:
    """Like one-coin, but everyone has a favourite class: their errors are to say it where it is not so."""

    name: ClassVar[str] = "class-biased"
    good: float = 0.9
    normal: float = 0.7
    lean: float = 0.2
    deal: Deal = "random"

    def __post_init__(self) -> None:
        _check_accuracies(self.name, good=self.good, normal=self.normal, lean=self.lean)

    def skills(self, contexts: int, workers: int, classes: int, seed: np.uint64) -> Skills:
        """Make the workers of one world."""
        skills = _skills(_dealt(contexts, workers, seed, self.deal), contexts, self.good, self.normal)
        favourite = (_lots(workers, seed, 1) * classes).astype(np.int64)
        everywhere = np.ones((contexts, 1))
        return skills._replace(favourite=np.tile(favourite, (contexts, 1)), lean=everywhere * np.full(workers, self.lean))


CROWDS: Mapping[str, type[Crowd]] = {kind.name: kind for kind in (SpammerHammer, OneCoin, Malicious)}
"""The paper's."""
OTHER_CROWDS: Mapping[str, type[Crowd]] = {kind.name: kind for kind in (Graded, MajorityMalicious, ClassBiased)}


def crowd_from(text: str) -> Crowd:
    """The crowd that `name[:key=value,…]` stands for."""
    return parse(text, {**CROWDS, **OTHER_CROWDS}, "crowd", UnknownCrowd)

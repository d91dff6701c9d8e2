"""Grounds: what worlds are made of, for experiments of many runs. A ground carries all it needs to another process."""

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from labelbandit.model.arrays import Longs
from labelbandit.simulation.benchmarks import read_benchmark
from labelbandit.simulation.contexts import benchmark_contexts
from labelbandit.simulation.datasets import Dataset
from labelbandit.simulation.world import World, make_world, populate, with_experts

SHAPES = {"ionosphere": (3, 30), "breast": (4, 40), "pima": (5, 50)}
"""Contexts and workers of each benchmark (paper, section 5.1)."""


class Ground(Protocol):
    """Where the worlds of an experiment come from, one for each seed."""

    @property
    def tasks(self) -> int:
        """How many tasks there are."""

    @property
    def workers(self) -> int:
        """How many workers there are."""

    @property
    def contexts(self) -> int:
        """How many contexts there are."""

    @property
    def classes(self) -> int:
        """How many classes there are."""

    def world(self, seed: int) -> World:
        """The world of that seed."""


@dataclass(frozen=True, slots=True)
class MadeUp:
    """Tasks in contexts of even size with balanced truth, unless said otherwise, and a simulated crowd."""

    crowd: str
    tasks: int
    workers: int
    contexts: int
    classes: int = 2
    uneven: bool = False
    """Whether contexts are sized as 1 : 2 : 3 and so on."""
    frequent: float | None = None
    """How frequent class 0 is, if classes are not balanced."""

    def world(self, seed: int) -> World:
        """Truth, crowd and answers are fresh."""
        sizes = (self.tasks, self.workers, self.contexts, self.classes)
        return make_world(self.crowd, *sizes, seed, uneven=self.uneven, frequent=self.frequent)


@dataclass(frozen=True, slots=True)
class WithExperts:
    """Made-up worlds with experts besides."""

    made_up: MadeUp
    experts: int
    price: int
    """Of an expert's label; the others' cost 1."""

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return self.made_up.tasks

    @property
    def workers(self) -> int:
        """How many workers there are, experts among them."""
        return self.made_up.workers + self.experts

    @property
    def contexts(self) -> int:
        """How many contexts there are."""
        return self.made_up.contexts

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.made_up.classes

    @property
    def crowd(self) -> str:
        """Who is good at what, besides the experts."""
        return self.made_up.crowd

    def world(self, seed: int) -> World:
        """Truth, crowd and answers are fresh."""
        return with_experts(self.made_up.world(seed), self.experts, self.price)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Tasks whose contexts and truth are given, and a simulated crowd."""

    crowd: str
    context: Longs
    truth: Longs
    workers: int
    classes: int

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return self.truth.size

    @property
    def contexts(self) -> int:
        """How many contexts there are."""
        return int(self.context.max()) + 1

    def world(self, seed: int) -> World:
        """Crowd and answers are fresh."""
        return populate(self.crowd, self.context, self.truth, self.workers, self.classes, seed)


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """Labels that were recorded, replayed; the seed is the policy's alone."""

    dataset: Dataset
    use_contexts: bool = True

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self.dataset.tasks)

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return len(self.dataset.workers)

    @property
    def contexts(self) -> int:
        """How many contexts there are."""
        return len(self.dataset.contexts) if self.use_contexts else 1

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.dataset.classes)

    def world(self, seed: int) -> World:
        """Nothing is fresh but the policy's luck."""
        return self.dataset.world(seed, contexts=self.use_contexts)


def benchmark_ground(name: str, crowd: str, workers: int, contexts: int) -> Given:
    """The tasks of a benchmark in contexts by k-means, found here so that other processes need not."""
    data = read_benchmark(name)
    return Given(crowd, benchmark_contexts(name, contexts), data.truth, workers, len(data.classes))


def digest(ground: Ground) -> str:
    """A digest of everything the worlds of a ground depend on besides the seed."""
    world = ground.world(0)
    parts = (ground.tasks, ground.workers, ground.contexts, ground.classes, getattr(ground, "crowd", ""))
    found = hashlib.sha256(repr(parts).encode())
    for array in (
        world.context,
        world.truth,
        world.pairs.start,
        world.pairs.worker,
        world.recorded,
        world.accuracy,
        world.price,
    ):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]

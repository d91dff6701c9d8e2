"""Small worlds for tests: who is there, which pairs exist, what everyone answers."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from labelbandit.policies.openings import EVERY_PAIR, Pairs


@dataclass(frozen=True)
class SmallWorld:
    context: list[int]
    workers: int
    classes: int
    budget: int
    seed: int
    answers: np.ndarray = field(repr=False)
    exists: list[set[int]] | None
    absent: list[set[int]]
    """Who is away at each step, over and over."""

    def present(self, n):
        everyone = set(range(self.workers))
        return everyone - self.absent[n % len(self.absent)] if self.absent else everyone

    def pairs(self):
        if self.exists is None:
            return EVERY_PAIR
        start = np.cumsum([0] + [len(row) for row in self.exists]).astype(np.int64)
        return Pairs(start, np.array([j for row in self.exists for j in sorted(row)], np.int32))


@st.composite
def small_worlds(draw, masks=True):
    contexts = draw(st.integers(1, 3))
    context = draw(st.lists(st.integers(0, contexts - 1), min_size=1, max_size=14))
    context = [sorted(set(context)).index(s) for s in context]
    workers = draw(st.integers(1, 7))
    classes = draw(st.integers(2, 4))
    seed = draw(st.integers(0, 2**64 - 1))
    bias = draw(st.sampled_from([0.3, 0.6, 0.9, 1.0]))
    rng = np.random.default_rng(seed % 2**32)
    truth = rng.integers(0, classes, len(context))
    right = rng.random((len(context), workers)) < bias
    answers = np.where(right, truth[:, None], rng.integers(0, classes, (len(context), workers)))
    exists = absent = None
    if masks and draw(st.booleans()):
        exists = [set(np.flatnonzero(rng.random(workers) < 0.6).tolist()) for _ in context]
    if masks and draw(st.booleans()):
        absent = [set(np.flatnonzero(rng.random(workers) < 0.4).tolist()) for _ in range(7)]
    budget = draw(st.integers(1, 2 * len(context) * workers))
    return SmallWorld(context, workers, classes, budget, seed, answers, exists, absent or [])

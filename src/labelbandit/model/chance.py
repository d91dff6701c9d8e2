"""Randomness without state: every random number is a function of a seed and of what it is for.

Philox4x32-10 (Salmon et al., SC 2011): a block cipher on a counter. Nothing is stored, any decision can be derived again,
and the order in which numbers are asked for changes none of them.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled
from labelbandit.model.checks import whole_number


class Purpose(IntEnum):
    """What a random number is for. The numbers are part of the log's meaning: never reuse or renumber one."""

    ORDER = 1
    """The permutation of tasks (n = task, k = 0) and of pairs (n = task, k = 1 + worker)."""
    WORKER = 2
    """Which worker is drawn (n = decision)."""
    VOTE = 3
    """A tied vote when an answer is scored (n = decision)."""
    DOOR = 4
    """Whether a worker who comes alone is served (n = decision)."""
    SAMPLE = 5
    """Which task is drawn, by policies that draw tasks (n = decision)."""
    ANSWER = 6
    """What a simulated worker answers (n = task, k = worker)."""
    MAJORITY = 7
    """A tied majority on an explored or visited task (n = task: the order of arrival must not matter)."""
    RUN = 8
    """The seed of a run (n = run)."""
    TRUTH = 9
    """The true classes of a simulated world (n = task)."""
    SKILL = 10
    """Who is good at what in a simulated crowd (n = worker)."""
    LOSS = 11
    """Losses fixed in advance, for experiments on regret (n = step, k = worker)."""
    RANK = 12
    """The order of workers who rank the same, by policies that visit tasks (n = task, k = worker)."""
    OUTSIDER = 13
    """Which worker joins the best ones, whatever their rank (n = task, k = worker)."""
    PRESENCE = 14
    """Who is present in a simulation where workers come and go (n = stretch of time, k = worker)."""
    DRIFT = 15
    """Whose skills change in a simulation (n = worker)."""


class Draw(NamedTuple):
    """The randomness of one decision: the seed and the decision number."""

    seed: np.uint64
    n: int


_LOW = np.uint64(0xFFFFFFFF)
_WORD = np.uint64(32)
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_LOW_53_BITS = 1.0 / 9007199254740992.0


@compiled
def philox(seed: np.uint64, n: int, purpose: int, k: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random 32-bit words for key `seed` and counter (n low, n high, purpose, k)."""
    counter = np.uint64(n)
    x0, x1, x2, x3 = counter & _LOW, counter >> _WORD, np.uint64(purpose), np.uint64(k)
    key0, key1 = seed & _LOW, seed >> _WORD
    for _ in range(10):
        product0 = _MULTIPLIER_0 * x0
        product1 = _MULTIPLIER_1 * x2
        x0, x1, x2, x3 = (
            (product1 >> _WORD) ^ x1 ^ key0,
            product1 & _LOW,
            (product0 >> _WORD) ^ x3 ^ key1,
            product0 & _LOW,
        )
        key0 = (key0 + _WEYL_0) & _LOW
        key1 = (key1 + _WEYL_1) & _LOW
    return x0, x1, x2, x3


@compiled
def unit(high: np.uint64, low: np.uint64) -> float:
    """Two words as a float in [0, 1) with 53 random bits."""
    return float((high >> np.uint64(5)) * np.uint64(67108864) + (low >> np.uint64(6))) * _LOW_53_BITS


@compiled
def uniform(draw: Draw, purpose: int, k: int) -> float:
    """A number in [0, 1) for this decision and purpose."""
    x0, x1, _, _ = philox(draw.seed, draw.n, purpose, k)
    return unit(x0, x1)


def as_seed(seed: int) -> np.uint64:
    """A seed as the kernels take it, refusing what does not fit in 64 bits."""
    return np.uint64(whole_number("seed {}", seed, 0, 2**64 - 1))


def run_seed(seed: int, run: int) -> int:
    """The seed of run number `run` of an experiment with this seed."""
    x0, x1, _, _ = philox(as_seed(seed), run, Purpose.RUN.value, 0)
    return int(x0) << 32 | int(x1)

"""Levels of skill: how likely a worker gives each answer, as one of a few possibilities, and what an answer says for each.

A belief over levels is a short row of numbers, so nothing has to be assumed of its shape: a crowd of spammers and hammers, of
experts and novices, or with some who mislead, are all rows with two or three peaks. A worker at an even level r gives the true
class with probability r and each of the others with probability (1 - r) / (C - 1). With two classes there are also levels with
a habit: with probability b the worker says one and the same class whatever is true, otherwise they are at level r.
"""

import math
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats, Longs

EVEN = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Symmetric about 1/2, as are all levels: read the other way round, a belief is still a belief over levels."""
HABITS = ((0.5, 0.05), (0.5, 0.2), (0.5, 0.35), (0.5, 0.5), (0.5, 0.65), (0.5, 0.8), (0.5, 0.95), (0.85, 0.5))
"""How strong a habit is, and the level besides."""
HABITUAL = 0.005
"""The share of workers with a habit in a crowd of which nothing is known."""

MOST_CERTAIN = 1.0 - 1e-6
"""Messages stay this far from 0 and 1, so that no answer ever makes anything impossible."""


class Levels(NamedTuple):
    """What a worker may be like."""

    hit: Floats
    """Levels by classes: the probability of giving the class where it is true."""
    miss: Floats
    """Levels by classes: the probability of giving the class where another one is true."""
    image: Longs
    """The level that each is when a context of two classes is read the other way round."""
    expected: Floats
    """What is believed of a worker in a crowd of which nothing is known: the better, the likelier."""


def levels_for(classes: int, habits: bool) -> Levels:
    """Even levels, and with habits those too."""
    even = np.array(EVEN)
    hit = np.tile(even[:, None], classes)
    miss = (1.0 - hit) / (classes - 1)
    image = np.arange(even.size - 1, -1, -1)
    expected = even / even.sum()
    if not habits:
        return Levels(hit, miss, image, expected)
    rows = [(b + (1.0 - b) * r, (1.0 - b) * r) for b, r in HABITS]
    hit = np.concatenate([hit, rows, [row[::-1] for row in rows]])
    besides = np.array([r for _, r in HABITS])
    mirrored = [HABITS.index((b, round(1.0 - r, 2))) for b, r in HABITS]
    image = np.concatenate([image, even.size + np.array(mirrored), even.size + len(HABITS) + np.array(mirrored)])
    habitual = HABITUAL * besides / besides.sum() / 2.0
    expected = np.concatenate([(1.0 - HABITUAL) * expected, habitual, habitual])
    return Levels(hit, 1.0 - hit[:, ::-1], image, expected)


@inner
def support(levels: Levels, g: int, answer: int, message: float) -> float:
    """The probability of an answer that the others hold to be right with probability `message`, at this level."""
    return float(message * levels.hit[g, answer] + (1.0 - message) * levels.miss[g, answer])


@inner
def largest(evidence: Floats) -> float:
    """The greatest of some numbers; subtracted before exponents are taken, it keeps them in range."""
    greatest = float(evidence[0])
    for g in range(1, evidence.size):
        greatest = max(greatest, evidence[g])
    return greatest


@inner
def believe(prior: Floats, evidence: Floats, out: Floats) -> float:
    """Bayes: prior times likelihood, normalised; returns the logarithm of the probability of the evidence."""
    greatest = largest(evidence)
    total = 0.0
    for g in range(evidence.size):
        out[g] = prior[g] * math.exp(evidence[g] - greatest)
        total += out[g]
    for g in range(evidence.size):
        out[g] /= total
    return math.log(total) + greatest


@inner
def mean_over(probability: Floats, belief: Floats, answer: int) -> float:
    """The mean over the belief of a probability that depends on level and class."""
    mean = 0.0
    for g in range(belief.size):
        mean += probability[g, answer] * belief[g]
    return mean


@compiled
def information(hit: float, miss: float, classes: int) -> float:
    """What one answer tells of a task of which nothing is known, in nats; it is so likely where right and where wrong."""
    mean = (hit + (classes - 1) * miss) / classes
    return (hit * math.log(hit / mean) + (classes - 1) * miss * math.log(miss / mean)) / classes

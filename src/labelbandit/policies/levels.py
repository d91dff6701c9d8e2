"""Levels of skill: how often a worker is right, as one of a few probabilities, and what an answer says for each of them.

A belief over levels is a short row of numbers, so nothing has to be assumed of its shape: a crowd of spammers and hammers, of
experts and novices, or with some who mislead, are all rows with two or three peaks. A worker at level r gives the true class
with probability r and each of the others with probability (1 - r) / (C - 1).
"""

import math

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats

LEVELS = np.array([0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
"""Symmetric about 1/2: with two classes, the mirror image of a belief is the same row read backwards."""

MOST_CERTAIN = 1.0 - 1e-6
"""Messages stay this far from 0 and 1, so that no answer ever makes anything impossible."""


def expected_levels() -> Floats:
    """What is believed of a worker in a crowd of which nothing is known: the better, the likelier (Beta(2, 1))."""
    return np.asarray(LEVELS / LEVELS.sum(), np.float64)


@inner
def support(message: float, level: float, classes: int) -> float:
    """The probability of an answer that the others hold to be right with probability `message`, for this level."""
    return message * level + (1.0 - message) * (1.0 - level) / (classes - 1)


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
def mean_level(level: Floats, belief: Floats) -> float:
    """How often the worker is right, on average over the belief."""
    mean = 0.0
    for g in range(level.size):
        mean += level[g] * belief[g]
    return mean


@compiled
def information(accuracy: float, classes: int) -> float:
    """What an answer tells about a task of which nothing is known, in nats; who is always wrong tells something too."""
    wrong = 1.0 - accuracy
    return math.log(classes) + accuracy * math.log(accuracy) + wrong * math.log(wrong / (classes - 1))

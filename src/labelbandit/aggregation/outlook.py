"""The outlook: how many of the answers are likely to be right, judged by what is believed of the tasks alone."""

from typing import NamedTuple

import numpy as np

from labelbandit.aggregation.labels import Probabilities
from labelbandit.model.arrays import Floats, Longs

WIDER = 2.0
"""Tasks are not independent, since they share workers who may be misjudged: the variance is so many times larger."""
TAIL = 0.025
"""What lies beyond each end of the interval."""
_NEGLIGIBLE = 1e-6
_STEPS = 2000
"""Accuracies are told apart to one part in so many."""


_EXAGGERATED = 1.5
"""Workers are judged by each other, so the logarithm that speaks for a reading is so many times too large."""


class Outlook(NamedTuple):
    """The accuracy to expect, and the ends of its 95 % interval."""

    expected: float
    low: float
    high: float


def doubts(lean: Floats) -> Floats:
    """The probability that each context is read the wrong way round, by how much the logarithm speaks for its reading."""
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(lean, 700.0) / _EXAGGERATED)), np.float64)


def outlook(belief: Probabilities, context: Longs, doubt: Floats) -> Outlook:
    """The accuracy of answering each task's likeliest class.

    `doubt` is, for each context, the probability that it is read the wrong way round: all that is held to be right there is
    then wrong, and with two classes the other way round too. Contexts without doubt only add spread.
    """
    tasks, certain = belief.shape[0], belief.max(axis=1)
    contexts = doubt.size
    right = np.bincount(context, weights=certain, minlength=contexts) / tasks
    share = np.bincount(context, minlength=contexts) / tasks
    spread = np.bincount(context, weights=certain * (1.0 - certain), minlength=contexts) * WIDER / tasks**2
    chances = _spread_out(float(right.sum()), float(spread.sum()))
    for s in np.flatnonzero(doubt > _NEGLIGIBLE):
        fall = 2.0 * right[s] - share[s]
        chances = (1.0 - doubt[s]) * chances + doubt[s] * _moved(chances, -fall)
    steps = np.arange(_STEPS + 1) / _STEPS
    below = np.cumsum(chances)
    low, high = np.searchsorted(below, [TAIL, 1.0 - TAIL])
    return Outlook(float(chances @ steps), float(low / _STEPS), float(min(high, _STEPS) / _STEPS))


def _spread_out(mean: float, variance: float) -> Floats:
    """A normal distribution over the steps; what lies outside of them counts at their ends."""
    steps = np.arange(_STEPS + 1) / _STEPS
    deviation = max(np.sqrt(variance), 0.5 / _STEPS)
    chances = np.exp(-0.5 * ((steps - mean) / deviation) ** 2)
    return np.asarray(chances / chances.sum(), np.float64)


def _moved(chances: Floats, by: float) -> Floats:
    """The same chances, so much higher or lower."""
    places = np.clip(np.arange(_STEPS + 1) + round(by * _STEPS), 0, _STEPS)
    return np.asarray(np.bincount(places, weights=chances, minlength=_STEPS + 1), np.float64)

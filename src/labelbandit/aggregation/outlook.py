"""The outlook: how many of the answers are likely to be right, judged by what is believed of the tasks alone."""

from typing import NamedTuple

import numpy as np

from labelbandit.aggregation.labels import Probabilities
from labelbandit.model.arrays import Floats, Ints, Longs

REPUTATION, IN_COMMON = 1.3, 0.2
"""By how much the errors to expect may be misjudged, as parts of them: where a task has a single label, which is as good as its
worker's reputation, falling with the square of its labels; and in any case, since tasks share their workers."""
TAIL = 0.025
"""What lies beyond each end of the interval."""
_NEGLIGIBLE = 1e-6
_STEPS = 2000
"""Accuracies are told apart to one part in so many."""


class Outlook(NamedTuple):
    """The accuracy to expect, and the ends of its 95 % interval."""

    expected: float
    low: float
    high: float


def outlook(belief: Probabilities, labels: Ints | Longs, context: Longs, doubt: Floats) -> Outlook:
    """The accuracy of answering each task's likeliest class, by what is believed of it and how many labels it has.

    `doubt` is, for each context, the probability that it is read the wrong way round: all that is held to be right there is
    then wrong, and with two classes the other way round too.
    """
    tasks, certain = belief.shape[0], belief.max(axis=1)
    contexts = doubt.size
    right = np.bincount(context, weights=certain, minlength=contexts) / tasks
    share = np.bincount(context, minlength=contexts) / tasks
    chances = _spread_out(float(right.sum()), _variance(certain, labels))
    for s in np.flatnonzero(doubt > _NEGLIGIBLE):
        fall = 2.0 * right[s] - share[s]
        chances = (1.0 - doubt[s]) * chances + doubt[s] * _moved(chances, -fall)
    steps = np.arange(_STEPS + 1) / _STEPS
    below = np.cumsum(chances)
    low, high = np.searchsorted(below, [TAIL, 1.0 - TAIL])
    return Outlook(float(chances @ steps), float(low / _STEPS), float(min(high, _STEPS) / _STEPS))


def _variance(certain: Floats, labels: Ints | Longs) -> float:
    """Of the accuracy: by chance, task by task, and by misjudging what is believed of all of them."""
    tasks, wrong = certain.size, (1.0 - certain) * (labels > 0)
    by_chance = float((certain * (1.0 - certain)).sum()) / tasks**2
    misjudged = max(REPUTATION * float((wrong / np.maximum(labels, 1) ** 2).sum()), IN_COMMON * float(wrong.sum())) / tasks
    return by_chance + misjudged**2


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

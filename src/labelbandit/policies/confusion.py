"""Confusion: which classes a worker takes for which.

Labels are counted by true class and answer. That errors are alike counts as so many labels of each class besides; how many, is
learned from the crowd: of a few numbers, the one under which the counts are likeliest (a Dirichlet prior of that strength).
With two classes there is little to take for another, so there errors are alike until the labels speak against it.
"""

import math
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats
from labelbandit.policies.contract import Setup

OF_TWO = np.array([np.inf, 4.0, 15.0, 60.0])
OF_MORE = np.array([15.0, 4.0, 60.0])
"""The numbers to choose from, where there are two classes and where there are more."""
_DOUBT = 3.0
"""By how much the logarithm must speak for another number than the first."""


class Confusion(NamedTuple):
    """Counts, and how alike errors are."""

    used: bool
    """Whether errors are learned for each class; otherwise they are alike, and nothing is counted."""
    numbers: Floats
    """As how many labels of each class it may count that errors are alike."""
    counts: Floats
    """Contexts by workers by true class by answer: labels counted by the posterior of their task."""
    fit: Floats
    """Contexts by numbers: how well each number explains the counts."""
    alike: Floats
    """The one of them that holds."""


def no_confusion(classes: int, *, used: bool) -> Confusion:
    """Nobody is there yet."""
    numbers = OF_TWO if classes == 2 else OF_MORE
    return Confusion(used, numbers, np.zeros((0, 0, classes, classes)), np.zeros((0, numbers.size)), numbers[:1].copy())


def with_room_for(confusion: Confusion, setup: Setup) -> Confusion:
    """Room for contexts and workers that join."""
    count = confusion.counts
    if confusion.used:
        count = np.zeros((setup.contexts, setup.workers, setup.classes, setup.classes))
        count[: confusion.counts.shape[0], : confusion.counts.shape[1]] = confusion.counts
    more = setup.contexts - confusion.fit.shape[0]
    fit = np.append(confusion.fit, np.zeros((more, confusion.numbers.size)), axis=0)
    return confusion._replace(counts=count, fit=fit, alike=confusion.alike.copy())


@inner
def chance(confusion: Confusion, count: Floats, answer: int, alike: float, mine: float) -> float:
    """How likely an answer is where a class is true: by its row of counts, less one's own, and by `alike`."""
    if confusion.alike[0] == np.inf:
        return alike
    labels = -mine
    for k in range(count.size):
        labels += count[k]
    counted = max(count[answer] - mine, 0.0)
    weight = confusion.alike[0]
    return float((weight * alike + counted) / (weight + max(labels, counted)))


@inner
def judge(confusion: Confusion, accuracy: Floats, context: int) -> None:
    """See how alike the errors of the context's workers are, and with what all contexts say, those of the crowd."""
    for number in range(confusion.numbers.size):
        fit = 0.0
        for worker in range(accuracy.shape[1]):
            fit += _fit(confusion.counts[context, worker], accuracy[context, worker], confusion.numbers[number])
        confusion.fit[context, number] = fit
    most = -np.inf
    for number in range(confusion.numbers.size):
        fit = 0.0 if number else _DOUBT
        for other in range(confusion.fit.shape[0]):
            fit += confusion.fit[other, number]
        if fit > most:
            most = fit
            confusion.alike[0] = confusion.numbers[number]


@inner
def _fit(count: Floats, accuracy: float, alike: float) -> float:
    """The logarithm of the probability of a worker's counts, if errors being alike counts as so many labels."""
    classes, fit = count.shape[0], 0.0
    wrong = (1.0 - accuracy) / (classes - 1)
    for c in range(classes):
        labels = 0.0
        for answer in range(classes):
            chance, counted = accuracy if answer == c else wrong, max(count[c, answer], 0.0)
            if alike == np.inf:
                fit += counted * math.log(chance)
            else:
                fit += math.lgamma(alike * chance + counted) - math.lgamma(alike * chance)
            labels += counted
        if alike < np.inf:
            fit += math.lgamma(alike) - math.lgamma(alike + labels)
    return fit

"""The door: a worker who comes alone is served by their weight against everyone in reach; a bad one cannot eat the budget.

Whoever weighs most of those in reach is always served, and so is someone who is alone. Others are served now and then, with a
probability that is noted, so that what they answer can be counted honestly.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.policies import confidence
from labelbandit.policies.confidence import Candidate, Scoring, least_confident, precedes
from labelbandit.policies.frontier import Frontier
from labelbandit.policies.openings import Openings, takers
from labelbandit.policies.weights import Weights


class Line(NamedTuple):
    """Scratch: the least confident task of each context that the caller may take, or -1, and what orders them."""

    task: Longs
    waiting: Longs
    points: Longs
    rank: Floats


def empty_line(contexts: int) -> Line:
    """Room for one task of each context."""
    task, waiting, points = np.full((3, contexts), -1, np.int64)
    return Line(task, waiting, points, np.zeros(contexts))


@inner
def line_up(line: Line, frontier: Frontier, weights: Weights, scoring: Scoring, openings: Openings) -> None:
    """Find the task of each context."""
    for context in range(line.task.size):
        best = least_confident(frontier, weights, scoring, openings, context)
        line.task[context], line.waiting[context] = best.task, best.waiting
        line.points[context], line.rank[context] = best.points, best.rank


@inner
def first_in_line(line: Line) -> Candidate:
    """The least confident of the tasks still in line, or no candidate."""
    first = confidence.NO_CANDIDATE
    for context in range(line.task.size):
        if line.task[context] >= 0 and precedes(line.waiting[context], line.points[context], line.rank[context], first):
            first = Candidate(line.task[context], line.waiting[context], line.points[context], line.rank[context])
    return first


@inner
def opening(
    weights: Weights, rate: float, scoring: Scoring, in_reach: Openings, arrivals: Floats, task: int, caller: int
) -> tuple[float, float]:
    """How likely the door opens, α = w_j / max w, and the propensity r_j w_j / Σ r w, over those in reach who may take it."""
    loss, may = weights.loss[scoring.context[task]], scoring.workers
    count = takers(in_reach, task, False, may.size, may)
    least = np.inf
    for index in range(count):
        least = min(least, loss[may[index]])
    total = 0.0
    for index in range(count):
        total += arrivals[may[index]] * exp(-rate * (loss[may[index]] - least))
    alpha = exp(-rate * (loss[caller] - least))
    return alpha, arrivals[caller] * alpha / total

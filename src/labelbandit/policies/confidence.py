"""The search for the least confident task (Algorithm 1, line 17), exact without rescoring every task."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner, whole
from labelbandit.model.arrays import Floats, Longs
from labelbandit.policies.blocks import BLOCK, find_least
from labelbandit.policies.frontier import Frontier
from labelbandit.policies.openings import Openings, takeable
from labelbandit.policies.sheet import Sheet
from labelbandit.policies.vote import tally, top_two
from labelbandit.policies.weights import Weights

MARGIN, LEAST_CONFIDENCE = 0, 1
"""Ways to score a task: top share minus second share (the paper), or top share alone (Zhang & Sugiyama, 2015)."""

POINTS = float(2**40)
"""Scores are compared as whole numbers of 2^-40, so that rounding never decides between tasks."""
SLACK = 1e-9
"""Room for the rounding of bounds: far above what sums of a million steps lose, far below any real difference."""
_WORST = 2**62


class Candidate(NamedTuple):
    """A task in the running: fewest open assignments first, then fewest points, then the permutation."""

    task: int
    waiting: int
    points: int
    rank: float


NO_CANDIDATE = Candidate(-1, _WORST, _WORST, np.inf)
ANY = -1
"""In place of a context: all of them."""


class Scoring(NamedTuple):
    """What it takes to score a task."""

    context: Longs
    kind: int
    repeats: bool
    votes: Floats
    """Scratch, one number per class."""
    workers: Longs
    """Scratch, one number per worker."""


@inner
def confidence(scoring: Scoring, weights: Weights, sheet: Sheet, task: int) -> float:
    """Equation 1 for any number of classes: |ȳ| is the top share less the second, over the weight of all workers."""
    context = scoring.context[task]
    tally(sheet, task, weights.weight[context], scoring.votes)
    top, second = top_two(scoring.votes)
    if scoring.kind == LEAST_CONFIDENCE:
        second = 0.0
    return float((top - second) / weights.total[context])


@inner
def in_points(score: float) -> int:
    """The score as a whole number, for comparing."""
    return int(np.rint(score * POINTS))


@inner
def precedes(waiting: int, points: int, rank: float, other: Candidate) -> bool:
    """Whether a task comes before the other one."""
    if waiting != other.waiting:
        return waiting < other.waiting
    if points != other.points:
        return points < other.points
    return rank < other.rank


@inner
def least_confident(frontier: Frontier, weights: Weights, scoring: Scoring, openings: Openings, context: int) -> Candidate:
    """The task to label next, of a context or of any, among those someone present may take; one that waits only if all do."""
    best = _most_promising(frontier, weights, scoring, openings, context)
    for block in range(frontier.context.size):
        if context != ANY and frontier.context[block] != context:
            continue
        first = frontier.fresh.least[block]
        if first < np.inf and precedes(0, 0, first, best):
            best = _search_fresh(frontier, scoring, openings, block, best)
        drift = frontier.drift[frontier.context[block]]
        if (frontier.scored.least[block] - drift - SLACK) * POINTS <= best.points:
            best = _search_scored(frontier, weights, scoring, openings, block, best)
    if best.task < 0:
        best = _search_waiting(frontier, weights, scoring, openings, context)
    return best


@inner
def _most_promising(frontier: Frontier, weights: Weights, scoring: Scoring, openings: Openings, context: int) -> Candidate:
    """Score the task with the lowest bound first: whatever it scores spares the others whose bounds are higher."""
    lowest, promising = np.inf, -1
    for block in range(frontier.context.size):
        bound = frontier.scored.least[block] - frontier.drift[frontier.context[block]]
        if bound < lowest and (context == ANY or frontier.context[block] == context):
            lowest, promising = bound, block
    if promising < 0:
        return NO_CANDIDATE
    start = promising * BLOCK
    slot = start + np.argmin(frontier.scored.key[start : start + BLOCK])
    best = _improve(NO_CANDIDATE, frontier, weights, scoring, openings, frontier.task[slot])
    find_least(frontier.scored, promising)
    return best


@inner
def _search_fresh(frontier: Frontier, scoring: Scoring, openings: Openings, block: int, best: Candidate) -> Candidate:
    """Unlabelled tasks score 0: the first of the permutation that someone may take is the best of them."""
    for slot in range(block * BLOCK, (block + 1) * BLOCK):
        rank = frontier.fresh.key[slot]
        if rank < np.inf and precedes(0, 0, rank, best):
            task = frontier.task[slot]
            if openings.sheet.waiting[task] == 0 and takeable(openings, task, scoring.repeats, scoring.workers):
                best = Candidate(task, 0, 0, rank)
    return best


@inner
def _search_scored(
    frontier: Frontier, weights: Weights, scoring: Scoring, openings: Openings, block: int, best: Candidate
) -> Candidate:
    """Score every task whose bound does not rule it out: stopping at the first hit would miss ties."""
    drift = frontier.drift[frontier.context[block]]
    for slot in range(block * BLOCK, (block + 1) * BLOCK):
        if (frontier.scored.key[slot] - drift - SLACK) * POINTS <= best.points:
            best = _improve(best, frontier, weights, scoring, openings, frontier.task[slot])
    find_least(frontier.scored, block)
    return best


@inner
def _improve(
    best: Candidate, frontier: Frontier, weights: Weights, scoring: Scoring, openings: Openings, task: int
) -> Candidate:
    """Score the task anew, and let it take the lead if it may."""
    if openings.sheet.waiting[task] > 0:
        return best
    score = confidence(scoring, weights, openings.sheet, task)
    frontier.scored.key[frontier.slot[task]] = score + frontier.drift[scoring.context[task]]
    points, rank = in_points(score), frontier.rank[task]
    if precedes(0, points, rank, best) and takeable(openings, task, scoring.repeats, scoring.workers):
        return Candidate(task, 0, points, rank)
    return best


@inner
def _search_waiting(frontier: Frontier, weights: Weights, scoring: Scoring, openings: Openings, context: int) -> Candidate:
    """Every task waits for someone: take one that waits for fewest."""
    best = NO_CANDIDATE
    for slot in range(frontier.task.size):
        task = frontier.task[slot]
        elsewhere = context != ANY and frontier.context[slot // BLOCK] != context
        if elsewhere or min(frontier.fresh.key[slot], frontier.scored.key[slot]) == np.inf:
            continue
        waiting, rank = whole(openings.sheet.waiting[task]), frontier.rank[task]
        points = in_points(confidence(scoring, weights, openings.sheet, task))
        if precedes(waiting, points, rank, best) and takeable(openings, task, scoring.repeats, scoring.workers):
            best = Candidate(task, waiting, points, rank)
    return best

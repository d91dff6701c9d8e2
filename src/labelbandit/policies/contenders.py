"""Contenders: whom to give a task, among those who may take it."""

import math
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.policies.confidence import in_points
from labelbandit.policies.levels import Levels, information
from labelbandit.policies.openings import Openings, paid
from labelbandit.policies.trust import Trust

_WORKER = int(Purpose.WORKER)


class Contenders(NamedTuple):
    """Scratch for the draw."""

    order: Longs
    """The levels, those that tell most first."""
    below: Floats
    """Per worker: the probability of a level that comes later in the order."""
    weight: Floats
    chance: Floats
    """Per worker: the propensity."""


def contenders_for(workers: int, classes: int, levels: Levels) -> Contenders:
    """Room for that many workers. Of two levels that tell as much, the one that is more often right comes first."""
    told = [
        round(sum(information(float(levels.hit[g, c]), float(levels.miss[g, c]), classes) for c in range(classes)), 9)
        for g in range(levels.expected.size)
    ]
    order = sorted(range(levels.expected.size), key=lambda g: (-told[g], -levels.hit[g].sum()))
    return Contenders(np.array(order, np.int64), np.zeros(workers), np.zeros(workers), np.zeros(workers))


@inner
def leave_in(trust: Trust, may: Longs, count: int, experts: bool) -> int:
    """Keep only the experts of those who may take the task, or only the others; all, if that leaves nobody."""
    kept = 0
    for index in range(count):
        kept += trust.expert[may[index]] == experts
    if kept == 0:
        return count
    kept = 0
    for index in range(count):
        if trust.expert[may[index]] == experts:
            may[kept] = may[index]
            kept += 1
    return kept


@inner
def best(trust: Trust, openings: Openings, context: int, may: Longs, count: int, draw: Draw) -> tuple[int, float]:
    """The worker whose answer is worth most for its price; ties by lot."""
    most, tied = -1, 0
    for index in range(count):
        points = in_points(_value(trust, openings, context, may[index]))
        if points > most:
            most, tied = points, 0
        tied += points == most
    chosen = int(uniform(draw, _WORKER, 0) * tied)
    for index in range(count):
        if in_points(_value(trust, openings, context, may[index])) == most:
            if chosen == 0:
                return int(may[index]), 1.0 / tied
            chosen -= 1
    return -1, 0.0


@inner
def compared(trust: Trust, openings: Openings, context: int, may: Longs, count: int, worker: int) -> float:
    """How much more often right than a guess the worker is for the money, as a part of how much the best of these is.

    What an answer tells grows with the square of that, so that small differences between good workers would count double.
    """
    best = worker
    for index in range(count):
        if _value(trust, openings, context, may[index]) > _value(trust, openings, context, best):
            best = may[index]
    told = trust.value[context, worker] / max(trust.value[context, best], 1e-12)
    return min(math.sqrt(told) * paid(openings, best) / paid(openings, worker), 1.0) if best != worker else 1.0


@inner
def _value(trust: Trust, openings: Openings, context: int, worker: int) -> float:
    value = 1.0 if trust.expert[worker] else trust.value[context, worker]
    return value / paid(openings, worker)


@inner
def probable(
    contenders: Contenders, trust: Trust, openings: Openings, context: int, may: Longs, count: int, draw: Draw
) -> tuple[int, float]:
    """A worker as likely as they may be the best, and the likelier the cheaper.

    Draw the highest level among them all, then who might have it.
    """
    below, weight, chance = contenders.below, contenders.weight, contenders.chance
    below[:count] = 1.0
    chance[:count] = 0.0
    reached = 1.0
    for g in contenders.order:
        none = 1.0
        total = 0.0
        for index in range(count):
            belief = trust.belief[context, may[index], g]
            weight[index] = belief / max(below[index], 1e-300)
            total += weight[index]
            below[index] = max(below[index] - belief, 0.0)
            none *= below[index]
        for index in range(count if total > 0.0 else 0):
            chance[index] += (reached - none) * weight[index] / total
        reached = none
    for index in range(count):
        chance[index] /= paid(openings, may[index])
    return _drawn(chance, may, count, uniform(draw, _WORKER, 0))


@inner
def _drawn(chance: Floats, may: Longs, count: int, lot: float) -> tuple[int, float]:
    total = 0.0
    for index in range(count):
        total += chance[index]
    reached, chosen = 0.0, 0
    for index in range(count):
        if chance[index] > 0.0:
            chosen = index
            reached += chance[index]
            if reached > lot * total:
                break
    return int(may[chosen]), chance[chosen] / total

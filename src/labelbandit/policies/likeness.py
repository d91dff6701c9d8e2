"""Likeness: whether the workers of a crowd differ at all, and by how much.

Two kinds of crowd may explain the evidence: one whose workers differ, with its mix of levels, or one whose workers are all at
the same level. Both are believed as likely as they make what was answered. Where all are alike, the best of thirty is the
luckiest: an answer of theirs says no more than another's, and there is nobody to be found out.
"""

import math

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Bools
from labelbandit.policies.levels import believe
from labelbandit.policies.trust import Trust, mix_if_unlike, mix_levels


@inner
def compare(trust: Trust, roomy: Bools) -> None:
    """Judge by contexts that are not small how likely it is that all workers are alike, and at which level they are then."""
    mix_if_unlike(trust)
    unlike = 0.0
    trust.one[:] = 0.0
    for context in range(trust.labels.shape[0]):
        for worker in range(trust.labels.shape[1]):
            if roomy[context] and trust.labels[context, worker] > 0:
                evidence = trust.evidence[context, worker]
                unlike += believe(trust.mix, evidence, trust.general)
                for g in range(trust.one.size):
                    trust.one[g] += evidence[g]
    alike = believe(trust.levels.expected, trust.one, trust.one)
    trust.alike[0] = 1.0 / (1.0 + math.exp(min(unlike - alike, 700.0)))


@compiled
def spread(trust: Trust) -> float:
    """How much workers differ: the standard deviation of how often they are right."""
    mix_levels(trust)
    mean, square = 0.0, 0.0
    for g in range(trust.mix.size):
        right = trust.levels.hit[g].mean()
        mean += trust.mix[g] * right
        square += trust.mix[g] * right * right
    return math.sqrt(max(square - mean * mean, 0.0))

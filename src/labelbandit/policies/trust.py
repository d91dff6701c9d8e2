"""Trust: what is believed of each worker in each context, in levels of skill.

The prior is learned: it is the crowd's mix of levels, as far as workers differ at all (`likeness`), and what the worker's other
contexts say. A worker has one general level, drawn from the crowd's mix; in each context they work at that level with
probability λ, otherwise at a level drawn anew. λ is learned too: near 1 where skills carry over, near 0 where they do not.
Until the labels speak for it, contexts are kept apart: what does not carry over would be noise.
"""

import math
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.policies import confusion
from labelbandit.policies.confusion import Confusion
from labelbandit.policies.contract import Setup
from labelbandit.policies.levels import Levels, believe, information, largest, levels_for, mean_over

CAUTION = 4.0
"""The expected mix of levels counts as so many workers when the crowd's own is learned."""
CARRIED = np.array([0.02, 0.1, 0.25, 0.45, 0.7, 0.95])
"""What λ may be,"""
LIKELY = np.log(np.array([0.15, 0.25, 0.25, 0.15, 0.1, 0.1]))
"""and the logarithm of how likely each of these is beforehand."""
APART = 0.05
"""Other contexts count once it is less likely than this that λ is the least it may be."""


class Trust(NamedTuple):
    """Beliefs, and the sums they are learned from."""

    classes: int
    share: bool
    """Whether a worker's contexts inform each other."""
    levels: Levels
    confusion: Confusion
    expert: Bools
    """Workers whose answers are true: nothing is to be learned of them."""
    labels: Longs
    """Contexts by workers; those of experts are not counted."""
    heard: Longs
    """Labels of each context."""
    evidence: Floats
    """Contexts by workers by levels: the log-likelihood of their answers, each as the others on its task see it."""
    firm: Floats
    """The part of it that comes from tasks whose truth is known: it is the same whichever way round a context is read."""
    prior: Floats
    belief: Floats
    accuracy: Floats
    """Contexts by workers: how often they are right, on average over the belief and the classes."""
    value: Floats
    """Contexts by workers: what an answer is worth."""
    same: Floats
    """Contexts by workers: how much likelier their answers are at their general level than at one drawn anew; 0 if unknown."""
    carried: Floats
    """One number for each that λ may be: the logarithm of how likely it makes all of these."""
    crowd: Floats
    """The sum of beliefs over all pairs of context and worker with labels."""
    known: Floats
    """One number: such pairs."""
    turn: Longs
    """One number: the worker to review next."""
    alike: Floats
    """One number: the probability that all workers are alike."""
    one: Floats
    """How likely they are at each level then."""
    mix: Floats
    general: Floats
    factor: Floats
    """Scratch: one number per level; likewise; contexts by levels."""


def no_trust(classes: int, *, share: bool, by_class: bool, habits: bool) -> Trust:
    """Nobody is there yet."""
    levels = levels_for(classes, habits and by_class and classes == 2)
    size = levels.expected.size
    pairs, rows = np.zeros((0, 0)), np.zeros((0, 0, size))
    return Trust(
        classes=classes,
        share=share,
        levels=levels,
        confusion=confusion.no_confusion(classes, used=by_class and not (classes == 2 and habits)),
        expert=np.zeros(0, np.bool_),
        labels=np.zeros((0, 0), np.int64),
        heard=np.zeros(0, np.int64),
        evidence=rows,
        firm=rows,
        prior=rows,
        belief=rows,
        accuracy=pairs,
        value=pairs,
        same=pairs,
        carried=LIKELY.copy(),
        crowd=np.zeros(size),
        known=np.zeros(1),
        turn=np.zeros(1, np.int64),
        alike=np.zeros(1),
        one=levels.expected.copy(),
        mix=np.zeros(size),
        general=np.zeros(size),
        factor=np.zeros((0, size)),
    )


def with_newcomers(trust: Trust, setup: Setup) -> Trust:
    """Room for contexts and workers that join; newcomers are believed to be like the crowd."""

    def wider(old: Floats) -> Floats:
        new = np.zeros((setup.contexts, setup.workers, *old.shape[2:]), old.dtype)
        new[: old.shape[0], : old.shape[1]] = old
        return new

    grown = trust._replace(
        expert=setup.known_experts,
        labels=wider(trust.labels),  # type: ignore[arg-type]
        heard=np.append(trust.heard, np.zeros(setup.contexts - trust.heard.size, np.int64)),
        confusion=confusion.with_room_for(trust.confusion, setup),
        evidence=wider(trust.evidence),
        firm=wider(trust.firm),
        prior=wider(trust.prior),
        belief=wider(trust.belief),
        accuracy=wider(trust.accuracy),
        value=wider(trust.value),
        same=wider(trust.same),
        factor=np.zeros((setup.contexts, trust.mix.size)),
    )
    for worker in range(setup.workers):
        review(grown, worker)
    return grown


@inner
def mix_if_unlike(trust: Trust) -> None:
    """The crowd's mix of levels, as far as it is known, if its workers differ."""
    for g in range(trust.mix.size):
        trust.mix[g] = (CAUTION * trust.levels.expected[g] + trust.crowd[g]) / (CAUTION + trust.known[0])


@inner
def mix_levels(trust: Trust) -> None:
    """What is expected of anyone in this crowd, whether its workers differ or are all alike."""
    mix_if_unlike(trust)
    for g in range(trust.mix.size):
        trust.mix[g] += trust.alike[0] * (trust.one[g] - trust.mix[g])


@inner
def _carried_over(trust: Trust) -> tuple[float, float]:
    """λ, how often workers are as good in one context as in general; and λ as it counts: 0 while contexts are kept apart."""
    if not trust.share:
        return 0.0, 0.0
    greatest, total, mean = largest(trust.carried), 0.0, 0.0
    for k in range(CARRIED.size):
        weight = math.exp(trust.carried[k] - greatest)
        total += weight
        mean += weight * CARRIED[k]
    apart = math.exp(trust.carried[0] - greatest) / total >= APART
    return mean / total, 0.0 if apart else mean / total


@compiled
def review(trust: Trust, worker: int) -> None:
    """Think the worker over, in all contexts."""
    mix_levels(trust)
    carried, counted = _carried_over(trust)
    heard = _generalise(trust, worker, carried)
    for context in range(trust.labels.shape[0]):
        if carried > 0.0 and heard > (trust.labels[context, worker] > 0):
            _expect_general(trust, context, worker, counted)
        else:
            for g in range(trust.mix.size):
                trust.prior[context, worker, g] = trust.mix[g]
        renew(trust, context, worker)


@inner
def _generalise(trust: Trust, worker: int, carried: float) -> int:
    """Gather what each context says of the general level; returns how many say anything."""
    heard = 0
    trust.general[:] = 0.0
    for context in range(trust.labels.shape[0]):
        if carried == 0.0 or trust.labels[context, worker] == 0:
            continue
        heard += 1
        evidence, factor = trust.evidence[context, worker], trust.factor[context]
        greatest = largest(evidence)
        anew = 0.0
        for g in range(evidence.size):
            factor[g] = math.exp(evidence[g] - greatest)
            anew += trust.mix[g] * factor[g]
        for g in range(evidence.size):
            factor[g] = math.log((1.0 - carried) * anew + carried * factor[g])
            trust.general[g] += factor[g]
    return heard


@inner
def _expect_general(trust: Trust, context: int, worker: int, carried: float) -> None:
    """The prior here: the crowd's mix, and with probability λ what the other contexts say of the general level."""
    prior, labels = trust.prior[context, worker], trust.labels[context, worker]
    for g in range(prior.size):
        prior[g] = trust.general[g] - (trust.factor[context, g] if labels > 0 else 0.0)
    believe(trust.mix, prior, prior)
    if labels > 0:
        _judge_sameness(trust, context, worker)
    for g in range(prior.size):
        prior[g] = (1.0 - carried) * trust.mix[g] + carried * prior[g]


@inner
def _judge_sameness(trust: Trust, context: int, worker: int) -> None:
    """How much likelier the worker's answers here are at their general level, whose belief the prior is for the moment."""
    evidence = trust.evidence[context, worker]
    greatest = largest(evidence)
    general, anew = 0.0, 0.0
    for g in range(evidence.size):
        likelihood = math.exp(evidence[g] - greatest)
        general += trust.prior[context, worker, g] * likelihood
        anew += trust.mix[g] * likelihood
    before, now = trust.same[context, worker], general / anew
    for k in range(CARRIED.size):
        trust.carried[k] += math.log(1.0 + CARRIED[k] * (now - 1.0))
        if before > 0.0:
            trust.carried[k] -= math.log(1.0 + CARRIED[k] * (before - 1.0))
    trust.same[context, worker] = now


@inner
def renew(trust: Trust, context: int, worker: int) -> None:
    """Prior and evidence make the belief; the crowd's mix follows."""
    belief, counted = trust.belief[context, worker], trust.labels[context, worker] > 0
    for g in range(belief.size if counted else 0):
        trust.crowd[g] -= belief[g]
    believe(trust.prior[context, worker], trust.evidence[context, worker], belief)
    for g in range(belief.size if counted else 0):
        trust.crowd[g] += belief[g]
    _appraise(trust, context, worker)


@inner
def _appraise(trust: Trust, context: int, worker: int) -> None:
    """How often the worker is right, and what an answer of theirs is worth."""
    belief, classes = trust.belief[context, worker], trust.classes
    accuracy, value = 0.0, 0.0
    for answer in range(classes if classes == 2 else 1):
        hit = mean_over(trust.levels.hit, belief, answer)
        accuracy += hit
        value += information(hit, mean_over(trust.levels.miss, belief, answer), classes)
    trust.accuracy[context, worker] = accuracy / 2.0 if classes == 2 else accuracy
    trust.value[context, worker] = value if classes == 2 else value * classes
    if trust.confusion.used and trust.confusion.alike[0] < np.inf:
        trust.value[context, worker] = _value_if_confused(trust, context, worker)


@inner
def _value_if_confused(trust: Trust, context: int, worker: int) -> float:
    """What an answer tells of a task of which nothing is known, if the worker takes some classes for others."""
    accuracy, classes, value = trust.accuracy[context, worker], trust.classes, 0.0
    wrong = (1.0 - accuracy) / (classes - 1)
    for answer in range(classes):
        mean, told = 0.0, 0.0
        for c in range(classes):
            count = trust.confusion.counts[context, worker, c]
            probability = confusion.chance(trust.confusion, count, answer, accuracy if c == answer else wrong, 0.0)
            mean += probability
            told += probability * math.log(probability)
        value += told - mean * math.log(mean / classes)
    return value / classes


@inner
def admit_label(trust: Trust, context: int, worker: int) -> None:
    """Count a label; with their first, the worker counts in the crowd's mix."""
    trust.heard[context] += 1
    if trust.expert[worker]:
        return
    if trust.labels[context, worker] == 0:
        trust.known[0] += 1.0
        for g in range(trust.mix.size):
            trust.crowd[g] += trust.belief[context, worker, g]
    trust.labels[context, worker] += 1


@inner
def review_next(trust: Trust) -> None:
    """Everyone's turn comes round."""
    review(trust, trust.turn[0])
    trust.turn[0] = (trust.turn[0] + 1) % trust.labels.shape[1]

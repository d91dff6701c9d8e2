"""The mirror check: with two classes, everything said of a context could be said the other way round.

If every answer of a context were right where it is held to be wrong, the labels would be exactly as likely; only what is known
of crowds tells the two readings apart. Contexts have the same crowd, so readings under which their workers are alike are the
likelier: one mix of levels is fitted to all contexts as they are read, another to the same with one context turned round. What
is expected of any crowd, that most are more often right than wrong, counts besides, and alone tells how all are to be read.
"""

import math
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats
from labelbandit.policies.crossing import Crossing, count
from labelbandit.policies.levels import believe
from labelbandit.policies.sheet import Sheet
from labelbandit.policies.trust import CAUTION, Trust, renew

EXPECTED = 0.5
"""How much what is expected of any crowd counts where other contexts tell more."""
STEPS = 3
"""Steps of EM at each check."""
ENOUGH = 8.0
"""In a context with fewer labelled tasks the two readings are too much alike."""
CLEAR = 3.0
"""As long as the logarithm speaks for either reading by less, the context is still explored."""
SURER = 1.0
"""By how much the logarithm must speak for the image: a context of few labels is not turned round by chance."""


EXAGGERATED = 1.5
"""Workers are judged by each other, so the logarithm that speaks for a reading is so many times too large."""


class Mirror(NamedTuple):
    """Which way round each context is read."""

    lean: Floats
    """Of each context: by how much the logarithm speaks for the reading it has; infinite where it was not checked yet."""
    unaided: Floats
    """The same under the expected mix alone, 0 where it was not checked."""
    mix: Floats
    """The mix of levels that fits all contexts as they are read."""
    turned: Floats
    """Contexts by levels: the mix that fits if this one context is turned round."""
    sums: Floats
    image: Floats
    belief: Floats
    """Scratch: one number per level each."""


def no_mirror(expected: Floats) -> Mirror:
    """No contexts."""
    scratch = (np.zeros(expected.size) for _ in range(3))
    return Mirror(np.zeros(0), np.zeros(0), expected.copy(), np.zeros((0, expected.size)), *scratch)


def with_room_for(mirror: Mirror, contexts: int) -> Mirror:
    """Room for contexts that join."""
    more = contexts - mirror.turned.shape[0]
    return mirror._replace(
        lean=np.append(mirror.lean, np.full(more, np.inf)),
        unaided=np.append(mirror.unaided, np.zeros(more)),
        mix=mirror.mix.copy(),
        turned=np.append(mirror.turned, np.tile(mirror.mix, (more, 1)), axis=0),
    )


@compiled
def doubt(lean: float) -> float:
    """The probability that a context is read the wrong way round, by how much the logarithm speaks for its reading."""
    return 1.0 / (1.0 + math.exp(min(lean / EXAGGERATED, 700.0)))


@compiled
def check(mirror: Mirror, crossing: Crossing, trust: Trust, sheet: Sheet, context: int) -> None:
    """Turn the context round if its mirror image is the likelier, and all of them if that is."""
    if crossing.labelled[context] < ENOUGH:
        return
    mirror.unaided[context] = _unaided(mirror, trust, context)
    mirror.lean[context] = mirror.unaided[context]
    if trust.labels.shape[0] > 1:
        as_read, turned = _fit(mirror, trust, mirror.mix, -1), _fit(mirror, trust, mirror.turned[context], context)
        mirror.lean[context] = EXPECTED * mirror.unaided[context] + as_read - turned
    if mirror.lean[context] < -SURER:
        for g in range(mirror.mix.size):
            kept = mirror.mix[g]
            mirror.mix[g] = mirror.turned[context, g]
            mirror.turned[context, g] = kept
        _turn(mirror, crossing, trust, sheet, context)
    _check_all(mirror, crossing, trust, sheet)


@inner
def _fit(mirror: Mirror, trust: Trust, mix: Floats, turned: int) -> float:
    """Take a mix a few steps further to the likeliest (EM), with one context turned round; how well it explains all labels."""
    explained = 0.0
    for _ in range(STEPS):
        explained, pairs = 0.0, CAUTION
        for g in range(mix.size):
            mirror.sums[g] = CAUTION * trust.levels.expected[g]
            explained += mirror.sums[g] * math.log(mix[g])
        for context in range(trust.labels.shape[0]):
            for worker in range(trust.labels.shape[1]):
                if trust.labels[context, worker] > 0:
                    pairs += 1.0
                    evidence = trust.evidence[context, worker]
                    if context == turned:
                        _image(mirror, trust, context, worker)
                        evidence = mirror.image
                    explained += believe(mix, evidence, mirror.belief)
                    for g in range(mix.size):
                        mirror.sums[g] += mirror.belief[g]
        for g in range(mix.size):
            mix[g] = mirror.sums[g] / pairs
    return explained


@inner
def _check_all(mirror: Mirror, crossing: Crossing, trust: Trust, sheet: Sheet) -> None:
    """Contexts that are all read the wrong way round agree with each other; only what is expected of any crowd tells."""
    total = 0.0
    for context in range(mirror.unaided.size):
        total += mirror.unaided[context]
    if total >= -SURER:
        return
    _reverse(mirror, trust, mirror.mix)
    for context in range(mirror.unaided.size):
        _reverse(mirror, trust, mirror.turned[context])
        if crossing.cursor[context] >= 0:
            _turn(mirror, crossing, trust, sheet, context)


@inner
def _reverse(mirror: Mirror, trust: Trust, row: Floats) -> None:
    """A row of numbers, one per level, as it is the other way round."""
    for g in range(row.size):
        mirror.image[g] = row[trust.levels.image[g]]
    for g in range(row.size):
        row[g] = mirror.image[g]


@inner
def _turn(mirror: Mirror, crossing: Crossing, trust: Trust, sheet: Sheet, context: int) -> None:
    """Read the context the other way round."""
    if mirror.lean[context] < np.inf:
        mirror.lean[context] = -mirror.lean[context]
    mirror.unaided[context] = -mirror.unaided[context]
    _turn_workers(mirror, trust, context)
    last = crossing.cursor[context]
    task = last
    kept = crossing.frequency[context, 0]
    crossing.frequency[context, 0] = crossing.frequency[context, 1]
    crossing.frequency[context, 1] = kept
    while True:
        task = crossing.after[task]
        if crossing.known[task] < 0:
            _turn_task(crossing, trust, sheet, task)
        else:  # what is known stays as it is
            for c in range(2):
                crossing.frequency[context, c] += crossing.posterior[task, c] - crossing.posterior[task, 1 - c]
        if task == last:
            break


@inner
def _unaided(mirror: Mirror, trust: Trust, context: int) -> float:
    """How much likelier the evidence is as it is read than turned round, as a logarithm, under what is expected of a crowd."""
    lean = 0.0
    for worker in range(trust.labels.shape[1]):
        if trust.labels[context, worker] > 0:
            _image(mirror, trust, context, worker)
            lean += believe(trust.levels.expected, trust.evidence[context, worker], mirror.belief)
            lean -= believe(trust.levels.expected, mirror.image, mirror.belief)
    return lean


@inner
def _image(mirror: Mirror, trust: Trust, context: int, worker: int) -> None:
    """What the worker's answers say of them if the context is read the other way round; what is known of tasks stays."""
    evidence, firm = trust.evidence[context, worker], trust.firm[context, worker]
    for g in range(evidence.size):
        turned = trust.levels.image[g]
        mirror.image[g] = evidence[turned] - firm[turned] + firm[g]


@inner
def _turn_workers(mirror: Mirror, trust: Trust, context: int) -> None:
    for worker in range(trust.labels.shape[1]):
        if trust.labels[context, worker] > 0:
            _image(mirror, trust, context, worker)
            for g in range(mirror.image.size):
                trust.evidence[context, worker, g] = mirror.image[g]
            renew(trust, context, worker)


@inner
def _turn_task(crossing: Crossing, trust: Trust, sheet: Sheet, task: int) -> None:
    if trust.confusion.used:
        count(crossing, trust, sheet, task, -1.0)
    kept = crossing.posterior[task, 0]
    crossing.posterior[task, 0] = crossing.posterior[task, 1]
    crossing.posterior[task, 1] = kept
    for at in range(sheet.start[task], sheet.start[task] + sheet.size[task]):
        if sheet.message[at] >= 0.0:
            sheet.message[at] = 1.0 - np.float64(sheet.message[at])
    if trust.confusion.used:
        count(crossing, trust, sheet, task, 1.0)

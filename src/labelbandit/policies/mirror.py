"""The mirror check: with two classes, everything said of a context could be said the other way round.

If every answer of a context were right where it is held to be wrong, the labels would be exactly as likely; only what is known
of crowds tells the two readings apart. So the beliefs of a context are compared with their mirror image, under the mix of
levels seen in the *other* contexts and the one expected of any crowd, and turned round where the image is the likelier.
"""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats
from labelbandit.policies.crossing import Crossing
from labelbandit.policies.levels import believe
from labelbandit.policies.sheet import Sheet
from labelbandit.policies.trust import CAUTION, Trust, renew

EXPECTED = 0.5
"""How much the expected mix of levels counts, against the one seen in the other contexts."""
STEPS = 3
"""Steps of EM at each check."""
ENOUGH = 8.0
"""In a context with fewer labelled tasks the two readings are too much alike."""
CLEAR = 3.0
"""As long as the logarithm speaks for either reading by less, the context is still explored."""
SURER = 1.0
"""By how much the logarithm must speak for the image: a context of few labels is not turned round by chance."""


class Mirror(NamedTuple):
    """Which way round each context is read."""

    lean: Floats
    """Of each context: by how much the logarithm speaks for the reading it has; infinite where it was not checked yet."""
    unaided: Floats
    """The same under the expected mix alone, 0 where it was not checked."""
    outside: Floats
    """Contexts by levels: the mix of levels outside each context."""
    prior: Floats
    image: Floats
    belief: Floats
    """Scratch: one number per level each."""


def no_mirror(levels: int) -> Mirror:
    """No contexts."""
    return Mirror(np.zeros(0), np.zeros(0), np.zeros((0, levels)), np.zeros(levels), np.zeros(levels), np.zeros(levels))


def with_room_for(mirror: Mirror, expected: Floats, contexts: int) -> Mirror:
    """Room for contexts that join."""
    more = contexts - mirror.outside.shape[0]
    return mirror._replace(
        lean=np.append(mirror.lean, np.full(more, np.inf)),
        unaided=np.append(mirror.unaided, np.zeros(more)),
        outside=np.append(mirror.outside, np.tile(expected, (more, 1)), axis=0),
    )


@compiled
def check(mirror: Mirror, crossing: Crossing, trust: Trust, sheet: Sheet, context: int) -> None:
    """Turn the context round if its mirror image is the likelier, and all of them if that is."""
    if crossing.labelled[context] < ENOUGH:
        return
    _look_outside(mirror, trust, context)
    for g in range(trust.mix.size):
        mirror.prior[g] = (1.0 - EXPECTED) * mirror.outside[context, g] + EXPECTED * trust.levels.expected[g]
    mirror.lean[context] = _lean(mirror, trust, context)
    for g in range(trust.mix.size):
        mirror.prior[g] = trust.levels.expected[g]
    mirror.unaided[context] = _lean(mirror, trust, context)
    if mirror.lean[context] < -SURER:
        _turn(mirror, crossing, trust, sheet, context)
    _check_all(mirror, crossing, trust, sheet)


@inner
def _check_all(mirror: Mirror, crossing: Crossing, trust: Trust, sheet: Sheet) -> None:
    """Contexts that are all read the wrong way round agree with each other; only what is expected of any crowd tells."""
    total = 0.0
    for context in range(mirror.unaided.size):
        total += mirror.unaided[context]
    if total >= -SURER:
        return
    for context in range(mirror.unaided.size):
        _reverse(mirror, trust, mirror.outside[context])
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
            _turn_task(crossing, sheet, task)
        else:  # what is known stays as it is
            for c in range(2):
                crossing.frequency[context, c] += crossing.posterior[task, c] - crossing.posterior[task, 1 - c]
        if task == last:
            break


@inner
def _lean(mirror: Mirror, trust: Trust, context: int) -> float:
    """How much likelier the evidence is as it is read than turned round, as a logarithm, under the prior."""
    levels, lean = trust.mix.size, 0.0
    for worker in range(trust.labels.shape[1]):
        if trust.labels[context, worker] > 0:
            evidence = trust.evidence[context, worker]
            lean += believe(mirror.prior, evidence, mirror.belief)
            for g in range(levels):
                mirror.image[g] = evidence[trust.levels.image[g]]
            lean -= believe(mirror.prior, mirror.image, mirror.belief)
    return lean


@inner
def _look_outside(mirror: Mirror, trust: Trust, context: int) -> None:
    """Take the mix of levels in the other contexts a few steps further to the likeliest (EM)."""
    levels, outside = trust.mix.size, mirror.outside[context]
    for _ in range(STEPS):
        pairs = CAUTION
        for g in range(levels):
            mirror.prior[g] = CAUTION * trust.levels.expected[g]
        for other in range(trust.labels.shape[0]):
            for worker in range(trust.labels.shape[1]):
                if other != context and trust.labels[other, worker] > 0:
                    pairs += 1.0
                    believe(outside, trust.evidence[other, worker], mirror.belief)
                    for g in range(levels):
                        mirror.prior[g] += mirror.belief[g]
        for g in range(levels):
            outside[g] = mirror.prior[g] / pairs


@inner
def _turn_workers(mirror: Mirror, trust: Trust, context: int) -> None:
    for worker in range(trust.labels.shape[1]):
        if trust.labels[context, worker] > 0:
            _reverse(mirror, trust, trust.evidence[context, worker])
            renew(trust, context, worker)


@inner
def _turn_task(crossing: Crossing, sheet: Sheet, task: int) -> None:
    kept = crossing.posterior[task, 0]
    crossing.posterior[task, 0] = crossing.posterior[task, 1]
    crossing.posterior[task, 1] = kept
    for at in range(sheet.start[task], sheet.start[task] + sheet.size[task]):
        if sheet.message[at] >= 0.0:
            sheet.message[at] = 1.0 - np.float64(sheet.message[at])

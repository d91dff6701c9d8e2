"""Crossing: what is believed of each task, and the messages between tasks and workers.

Belief propagation on the graph of labels (Liu, Peng, Ihler: Variational Inference for Crowdsourcing, NIPS 2012). A worker is
judged by what the *others* say of their tasks, and a task by workers as they are known from their *other* tasks: no answer ever
speaks for itself. The message beside a label is the probability, to the others, that the answer is right.
"""

import math
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.policies.confusion import chance
from labelbandit.policies.contract import Setup
from labelbandit.policies.levels import MOST_CERTAIN, largest, support
from labelbandit.policies.sheet import Sheet
from labelbandit.policies.trust import Trust

EVENNESS = 4.0
"""Each class counts as so many tasks when frequencies are learned."""


UNKNOWN, CONTESTED = -1, -2
_IMPOSSIBLE = -50.0
"""In place of the logarithm of a probability: a class that the truth is known not to be."""
UNCHANGED = 1e-4
"""A message that moves by less is left as it is."""


class Crossing(NamedTuple):
    """Posteriors of the tasks, and how frequent the classes are in each context."""

    context: Longs
    learn_frequency: bool
    known: Longs
    """The true class of each task where gold or an expert tells, UNKNOWN elsewhere and where experts differ."""
    posterior: Floats
    """Tasks by classes."""
    frequency: Floats
    """Contexts by classes: the sum of the posteriors of tasks that count."""
    counts: Floats
    """1 for a task that counts in the frequencies, else 0: what one worker alone says of many tasks would speak for itself."""
    labelled: Floats
    """Labelled tasks of each context."""
    after: Longs
    """Labelled tasks of a context form a ring: the next one, or -1 for a task that is not in it."""
    cursor: Longs
    """Where each context is on its ring, or -1."""
    logs: Floats
    own: Floats
    """Scratch: one number per class; workers by classes."""


def empty_crossing(classes: int, learn_frequency: bool) -> Crossing:
    """No tasks."""
    return Crossing(
        context=np.zeros(0, np.int64),
        learn_frequency=learn_frequency,
        known=np.zeros(0, np.int64),
        posterior=np.zeros((0, classes)),
        frequency=np.zeros((0, classes)),
        counts=np.zeros(0),
        labelled=np.zeros(0),
        after=np.zeros(0, np.int64),
        cursor=np.zeros(0, np.int64),
        logs=np.zeros(classes),
        own=np.zeros((0, classes)),
    )


def with_room_for(crossing: Crossing, setup: Setup) -> Crossing:
    """Room for tasks, contexts and workers that join."""
    before, tasks = crossing.context.size, setup.tasks - crossing.context.size
    contexts = setup.contexts - crossing.cursor.size
    return crossing._replace(
        context=setup.context,
        known=np.append(crossing.known, setup.known_truth[before:]),
        posterior=np.append(crossing.posterior, np.zeros((tasks, setup.classes)), axis=0),
        frequency=np.append(crossing.frequency, np.zeros((contexts, setup.classes)), axis=0),
        counts=np.append(crossing.counts, np.zeros(tasks)),
        labelled=np.append(crossing.labelled, np.zeros(contexts)),
        after=np.append(crossing.after, np.full(tasks, -1)),
        cursor=np.append(crossing.cursor, np.full(contexts, -1)),
        own=np.zeros((setup.workers, setup.classes)),
    )


@inner
def join_ring(crossing: Crossing, task: int) -> None:
    """A task that got its first label joins its context's ring, behind the cursor."""
    context = crossing.context[task]
    cursor = crossing.cursor[context]
    if cursor < 0:
        crossing.after[task] = task
        crossing.cursor[context] = task
    else:
        crossing.after[task] = crossing.after[cursor]
        crossing.after[cursor] = task
        crossing.cursor[context] = task
    crossing.labelled[context] += 1.0


@inner
def believe_expert(crossing: Crossing, trust: Trust, sheet: Sheet, task: int, answer: int) -> None:
    """Take the expert's answer as the truth; nothing is known where two of them differ."""
    spoken = 0
    for at in range(sheet.start[task], sheet.start[task] + sheet.size[task]):
        spoken += sheet.answer[at] >= 0 and trust.expert[sheet.worker[at]]
    if crossing.known[task] == UNKNOWN:
        crossing.known[task] = answer
        _hold_firm(crossing, trust, sheet, task, 1.0)
    elif crossing.known[task] >= 0 and crossing.known[task] != answer and spoken > 1:
        crossing.known[task] = CONTESTED
        _hold_firm(crossing, trust, sheet, task, -1.0)


@inner
def _hold_firm(crossing: Crossing, trust: Trust, sheet: Sheet, task: int, by: float) -> None:
    """What the task's labels said of their workers counts as firm, or no longer does."""
    context = crossing.context[task]
    for at in range(sheet.start[task], sheet.start[task] + sheet.size[task]):
        if _is_weighed(trust, sheet, at) and sheet.message[at] >= 0.0:
            firm = trust.firm[context, sheet.worker[at]]
            for g in range(firm.size):
                firm[g] += by * math.log(support(trust.levels, g, sheet.answer[at], np.float64(sheet.message[at])))


@inner
def _is_weighed(trust: Trust, sheet: Sheet, at: int) -> bool:
    """Whether the entry is a label whose worker has to be believed first: an expert is believed as they are."""
    return bool(sheet.answer[at] >= 0 and not trust.expert[sheet.worker[at]])


@inner
def _begin(crossing: Crossing, task: int) -> None:
    """What is known of the task without its labels: the truth, or how frequent the classes are among the context's others."""
    context, classes, known = crossing.context[task], crossing.logs.size, crossing.known[task]
    for c in range(classes):
        if known >= 0:
            crossing.logs[c] = 0.0 if c == known else _IMPOSSIBLE
        elif crossing.learn_frequency:
            others = crossing.frequency[context, c] - crossing.counts[task] * crossing.posterior[task, c]
            crossing.logs[c] = math.log(max(others, 0.0) + EVENNESS)
        else:
            crossing.logs[c] = 0.0


@inner
def _expect(trust: Trust, context: int, worker: int, answer: int, message: float) -> tuple[float, float]:
    """How likely the answer is where right and where wrong, as far as the worker's other tasks tell."""
    evidence, prior, levels = trust.evidence[context, worker], trust.prior[context, worker], trust.levels
    greatest = largest(evidence)
    total, right, wrong = 0.0, 0.0, 0.0
    for g in range(evidence.size):
        weight = prior[g] * math.exp(evidence[g] - greatest)
        if message >= 0.0:
            weight /= support(levels, g, answer, message)
        total += weight
        right += weight * levels.hit[g, answer]
        wrong += weight * levels.miss[g, answer]
    return right / total, wrong / total


@compiled
def cross(crossing: Crossing, trust: Trust, sheet: Sheet, task: int) -> None:
    """Weigh the task's answers by workers' other tasks, then tell each worker's evidence what the others make of the answer."""
    start = sheet.start[task]
    _begin(crossing, task)
    for offset in range(sheet.size[task]):
        if _is_weighed(trust, sheet, start + offset):
            _hear(crossing, trust, sheet, task, start + offset, crossing.own[offset])
            for c in range(trust.classes):
                crossing.logs[c] += crossing.own[offset, c]
    if trust.confusion.used:
        count(crossing, trust, sheet, task, -1.0)
    for offset in range(sheet.size[task]):
        if _is_weighed(trust, sheet, start + offset):
            _send(crossing, trust, sheet, task, start + offset, crossing.own[offset])
    _conclude(crossing, task, sheet.heard[task] > 1 or crossing.known[task] >= 0)
    if trust.confusion.used:
        count(crossing, trust, sheet, task, 1.0)


@inner
def _hear(crossing: Crossing, trust: Trust, sheet: Sheet, task: int, at: int, own: Floats) -> None:
    """The log-probability of one answer for each true class, as far as the worker's other tasks tell."""
    context, answer, worker = crossing.context[task], sheet.answer[at], sheet.worker[at]
    message = np.float64(sheet.message[at])
    right, wrong = _expect(trust, context, worker, answer, message)
    for c in range(trust.classes):
        probability = right if c == answer else wrong
        if trust.confusion.used:
            mine = crossing.posterior[task, c] if message >= 0.0 else 0.0
            probability = chance(trust.confusion, trust.confusion.counts[context, worker, c], answer, probability, mine)
        own[c] = math.log(probability)


@inner
def count(crossing: Crossing, trust: Trust, sheet: Sheet, task: int, by: float) -> None:
    """Add the task's labels to the confusion of their workers, or take them away."""
    context = crossing.context[task]
    for at in range(sheet.start[task], sheet.start[task] + sheet.size[task]):
        if sheet.answer[at] >= 0 and sheet.message[at] >= 0.0:
            for c in range(crossing.logs.size):
                trust.confusion.counts[context, sheet.worker[at], c, sheet.answer[at]] += by * crossing.posterior[task, c]


@inner
def _send(crossing: Crossing, trust: Trust, sheet: Sheet, task: int, at: int, own: Floats) -> None:
    """Replace the message beside one label, and what it said of its worker."""
    answer, worker, classes = sheet.answer[at], sheet.worker[at], trust.classes
    before = np.float64(sheet.message[at])
    greatest = -np.inf
    for c in range(classes):
        greatest = max(greatest, crossing.logs[c] - own[c])
    total = 0.0
    for c in range(classes):
        total += math.exp(crossing.logs[c] - own[c] - greatest)
    message = math.exp(crossing.logs[answer] - own[answer] - greatest) / total
    message = min(max(message, 1.0 - MOST_CERTAIN), MOST_CERTAIN)
    if before >= 0.0 and abs(message - before) < UNCHANGED:
        return
    sheet.message[at] = message
    after = np.float64(sheet.message[at])  # as rounded: what is added now is what will be taken away
    context, is_firm = crossing.context[task], crossing.known[task] >= 0
    evidence, firm = trust.evidence[context, worker], trust.firm[context, worker]
    for g in range(evidence.size):
        new = support(trust.levels, g, answer, after)
        old = support(trust.levels, g, answer, before) if before >= 0.0 else 1.0
        said = math.log(new / old)
        evidence[g] += said
        if is_firm:
            firm[g] += said


@inner
def _conclude(crossing: Crossing, task: int, is_counted: bool) -> None:
    """The posterior of the task, and the frequencies with it."""
    context, classes = crossing.context[task], crossing.logs.size
    greatest = largest(crossing.logs)
    total = 0.0
    for c in range(classes):
        crossing.logs[c] = math.exp(crossing.logs[c] - greatest)
        total += crossing.logs[c]
    for c in range(classes):
        probability = crossing.logs[c] / total
        crossing.frequency[context, c] -= crossing.counts[task] * crossing.posterior[task, c]
        crossing.frequency[context, c] += probability if is_counted else 0.0
        crossing.posterior[task, c] = probability
    crossing.counts[task] = 1.0 if is_counted else 0.0


@inner
def certainty(crossing: Crossing, task: int) -> float:
    """The probability of the task's likeliest class."""
    return largest(crossing.posterior[task])


@inner
def cross_next(crossing: Crossing, trust: Trust, sheet: Sheet, context: int) -> None:
    """The next task on the context's ring."""
    task = crossing.after[crossing.cursor[context]]
    crossing.cursor[context] = task
    cross(crossing, trust, sheet, task)

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
from labelbandit.policies.contract import Setup
from labelbandit.policies.levels import MOST_CERTAIN, support
from labelbandit.policies.sheet import Sheet
from labelbandit.policies.trust import Trust

EVENNESS = 2.0
"""Each class counts as so many tasks when frequencies are learned."""


class Crossing(NamedTuple):
    """Posteriors of the tasks, and how frequent the classes are in each context."""

    context: Longs
    learn_frequency: bool
    posterior: Floats
    """Tasks by classes."""
    frequency: Floats
    """Contexts by classes: the sum of the posteriors of labelled tasks."""
    labelled: Floats
    """Labelled tasks of each context."""
    after: Longs
    """Labelled tasks of a context form a ring: the next one, or -1 for a task that is not in it."""
    cursor: Longs
    """Where each context is on its ring, or -1."""
    logs: Floats
    right: Floats
    wrong: Floats
    """Scratch: one number per class; two per worker."""


def empty_crossing(classes: int, learn_frequency: bool) -> Crossing:
    """No tasks."""
    return Crossing(
        context=np.zeros(0, np.int64),
        learn_frequency=learn_frequency,
        posterior=np.zeros((0, classes)),
        frequency=np.zeros((0, classes)),
        labelled=np.zeros(0),
        after=np.zeros(0, np.int64),
        cursor=np.zeros(0, np.int64),
        logs=np.zeros(classes),
        right=np.zeros(0),
        wrong=np.zeros(0),
    )


def with_room_for(crossing: Crossing, setup: Setup) -> Crossing:
    """Room for tasks, contexts and workers that join."""
    tasks = setup.tasks - crossing.context.size
    contexts = setup.contexts - crossing.cursor.size
    return crossing._replace(
        context=setup.context,
        posterior=np.append(crossing.posterior, np.zeros((tasks, setup.classes)), axis=0),
        frequency=np.append(crossing.frequency, np.zeros((contexts, setup.classes)), axis=0),
        labelled=np.append(crossing.labelled, np.zeros(contexts)),
        after=np.append(crossing.after, np.full(tasks, -1)),
        cursor=np.append(crossing.cursor, np.full(contexts, -1)),
        right=np.zeros(setup.workers),
        wrong=np.zeros(setup.workers),
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
def _begin(crossing: Crossing, task: int) -> None:
    """How frequent the classes are in the task's context, this task left out."""
    context, classes = crossing.context[task], crossing.logs.size
    if not crossing.learn_frequency:
        crossing.logs[:] = 0.0
        return
    for c in range(classes):
        others = crossing.frequency[context, c] - crossing.posterior[task, c]
        crossing.logs[c] = math.log(max(others, 0.0) + EVENNESS)


@inner
def _accuracy_elsewhere(trust: Trust, context: int, worker: int, message: float) -> float:
    """How often the worker is right as far as their other tasks tell."""
    evidence, prior, level = trust.evidence[context, worker], trust.prior[context, worker], trust.level
    greatest = -np.inf
    for g in range(level.size):
        greatest = max(greatest, evidence[g])
    total, right = 0.0, 0.0
    for g in range(level.size):
        weight = prior[g] * math.exp(evidence[g] - greatest)
        if message >= 0.0:
            weight /= support(message, level[g], trust.classes)
        total += weight
        right += weight * level[g]
    return right / total


@compiled
def cross(crossing: Crossing, trust: Trust, sheet: Sheet, task: int) -> None:
    """Weigh the task's answers by workers' other tasks, then tell each worker's evidence what the others make of the answer."""
    context, start = crossing.context[task], sheet.start[task]
    _begin(crossing, task)
    for offset in range(sheet.size[task]):
        answer = sheet.answer[start + offset]
        if answer < 0:
            continue
        worker, message = sheet.worker[start + offset], np.float64(sheet.message[start + offset])
        accuracy = _accuracy_elsewhere(trust, context, worker, message)
        crossing.right[offset] = math.log(accuracy)
        crossing.wrong[offset] = math.log((1.0 - accuracy) / (trust.classes - 1))
        for c in range(trust.classes):
            crossing.logs[c] += crossing.right[offset] if c == answer else crossing.wrong[offset]
    for offset in range(sheet.size[task]):
        if sheet.answer[start + offset] >= 0:
            _send(crossing, trust, sheet, context, start + offset, offset)
    _conclude(crossing, task)


@inner
def _send(crossing: Crossing, trust: Trust, sheet: Sheet, context: int, at: int, offset: int) -> None:
    """Replace the message beside one label, and what it said of its worker."""
    answer, worker, classes = sheet.answer[at], sheet.worker[at], trust.classes
    before = np.float64(sheet.message[at])
    greatest = -np.inf
    for c in range(classes):
        own = crossing.right[offset] if c == answer else crossing.wrong[offset]
        greatest = max(greatest, crossing.logs[c] - own)
    total = 0.0
    for c in range(classes):
        own = crossing.right[offset] if c == answer else crossing.wrong[offset]
        total += math.exp(crossing.logs[c] - own - greatest)
    message = math.exp(crossing.logs[answer] - crossing.right[offset] - greatest) / total
    message = min(max(message, 1.0 - MOST_CERTAIN), MOST_CERTAIN)
    sheet.message[at] = message
    message = np.float64(sheet.message[at])  # as rounded: what is added now is what will be taken away
    evidence = trust.evidence[context, worker]
    for g in range(trust.level.size):
        new = support(message, trust.level[g], classes)
        old = support(before, trust.level[g], classes) if before >= 0.0 else 1.0
        evidence[g] += math.log(new / old)


@inner
def _conclude(crossing: Crossing, task: int) -> None:
    """The posterior of the task, and the frequencies with it."""
    context, classes = crossing.context[task], crossing.logs.size
    greatest = crossing.logs[0]
    for c in range(1, classes):
        greatest = max(greatest, crossing.logs[c])
    total = 0.0
    for c in range(classes):
        crossing.logs[c] = math.exp(crossing.logs[c] - greatest)
        total += crossing.logs[c]
    for c in range(classes):
        probability = crossing.logs[c] / total
        crossing.frequency[context, c] += probability - crossing.posterior[task, c]
        crossing.posterior[task, c] = probability


@inner
def cross_next(crossing: Crossing, trust: Trust, sheet: Sheet, context: int) -> None:
    """The next task on the context's ring."""
    task = crossing.after[crossing.cursor[context]]
    crossing.cursor[context] = task
    cross(crossing, trust, sheet, task)

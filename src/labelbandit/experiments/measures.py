"""What is read off a run at its marks, and off a curve."""

from dataclasses import dataclass

import numpy as np

from labelbandit.experiments.calibration import log_losses, reliability
from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.simulation.oracle import known_accuracy
from labelbandit.simulation.run import Story, Trace
from labelbandit.simulation.world import World

COLUMNS = ("panel", "policy", "run", "budget", "labels", "accuracy", "right", "in_good", "entropy", "log_loss")
"""Of tidy results."""


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """What a run looked like at each of its marks."""

    labels: Longs
    """Labels spent."""
    accuracy: Floats
    right: Floats
    """The share of all labels so far that are right."""
    in_good: Floats
    """The share of all labels so far by workers in their good context; NaN where there is one context only."""
    entropy: Floats
    """In nats, of the workers asked since the mark before, averaged over contexts by their labels; NaN if nobody was."""
    log_loss: Floats
    """Of the probabilities believed in, mean over tasks, in nats."""
    reliability: Floats
    """How often answers believed in so far are right, at a few marks: rows as in `calibration`, one after the other."""


def measure(world: World, story: Story) -> Measures:
    """Measure a run at its marks; those that it did not reach say what was true at its end."""
    curve, trace = story.curve, story.trace
    labels = np.minimum(curve.marks, curve.labels)
    context = world.context[trace.task]
    good = good_contexts(world)[context, trace.worker]
    right = trace.answer == world.truth[trace.task]
    return Measures(
        labels=labels,
        accuracy=curve.accuracy,
        right=_shares(right, labels),
        in_good=_shares(good, labels) if world.contexts > 1 else np.full(labels.size, np.nan),
        entropy=_entropies(world, context, trace, labels),
        log_loss=log_losses(story.beliefs, world.truth),
        reliability=reliability(story.beliefs, world.truth, curve.marks),
    )


def good_contexts(world: World) -> Bools:
    """Contexts by workers: where each worker's accuracy is highest."""
    accuracy = known_accuracy(world)
    return np.asarray(accuracy == accuracy.max(axis=0), np.bool_)


def _shares(yes: Bools, labels: Longs) -> Floats:
    so_far = np.concatenate(([0], np.cumsum(yes)))[labels]
    return np.asarray(np.divide(so_far, labels, out=np.full(labels.size, np.nan), where=labels > 0), np.float64)


def _entropies(world: World, context: Longs, trace: Trace, labels: Longs) -> Floats:
    found = np.full(labels.size, np.nan)
    since = 0
    for at, until in enumerate(labels.tolist()):
        if until > since:
            counts = np.zeros((world.contexts, world.workers))
            np.add.at(counts, (context[since:until], trace.worker[since:until]), 1.0)
            found[at] = _entropy(counts)
        since = until
    return found


def _entropy(counts: Floats) -> float:
    """Of the workers in each context, averaged by labels."""
    totals = counts.sum(axis=1, keepdims=True)
    parts = np.divide(counts, totals, out=np.ones_like(counts), where=counts > 0)
    return float(-(counts * np.log(parts)).sum() / totals.sum())


def labels_to_reach(budget: Floats, accuracy: Floats, wanted: float) -> float | None:
    """Labels per task at which a curve first reaches an accuracy, linear between marks; None if it never does."""
    reached = np.flatnonzero(accuracy >= wanted)
    if not reached.size:
        return None
    at = int(reached[0])
    if at == 0:
        return float(budget[0])
    below, above = accuracy[at - 1], accuracy[at]
    return float(budget[at - 1] + (budget[at] - budget[at - 1]) * (wanted - below) / (above - below))


def convergence(budget: Floats, accuracy: Floats, share: float = 0.95) -> float | None:
    """Labels per task at which a curve reaches that share of its own accuracy at the end."""
    return labels_to_reach(budget, accuracy, share * float(accuracy[-1])) if accuracy.size else None

"""Exponential weights per context: the bandit of the paper (Algorithm 1, lines 18 to 22)."""

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.policies.contract import NOBODY
from labelbandit.policies.sheet import Sheet

NOTHING, SEVERAL = -1, -2
EVERYTHING = 2**62
"""A memory without end."""


class Weights(NamedTuple):
    """What was learned of each worker in each context."""

    loss: Floats
    """Cumulative losses L, contexts by workers."""
    steps: Longs
    """Answers learned in each context: t^s."""
    weight: Floats
    """w as of the last answer of the context; all ones before the first."""
    total: Floats
    """The sum of each context's weights."""
    stale: Bools
    """Contexts whose weights do not know their last answers yet: they are weighed anew when next needed."""
    charged: Longs
    """Per context, who was charged since it was last weighed: a worker, NOBODY or SEVERAL."""
    labelled: Longs
    """Per context, what was labelled since it was last weighed: a task, NOTHING or SEVERAL."""
    scratch: Floats
    memory: int
    """How many answers of a context count, or EVERYTHING: losses fade by the factor 1 - 1/memory with each."""


def even_weights(contexts: int, workers: int, memory: int = EVERYTHING) -> Weights:
    """Nothing learned yet: everyone weighs the same."""
    return Weights(
        loss=np.zeros((contexts, workers)),
        steps=np.zeros(contexts, np.int64),
        weight=np.ones((contexts, workers)),
        total=np.full(contexts, float(workers)),
        stale=np.zeros(contexts, np.bool_),
        charged=np.full(contexts, NOBODY, np.int64),
        labelled=np.full(contexts, NOTHING, np.int64),
        scratch=np.zeros(workers),
        memory=memory,
    )


@compiled
def learning_rate(weights: Weights, steps: int) -> float:
    """η = sqrt(ln K / (t K)), line 19, with t at most the memory; nothing is weighed before the first step."""
    if steps == 0:
        return 0.0
    workers = weights.loss.shape[1]
    return float(sqrt(log(workers) / (min(steps, weights.memory) * workers)))


@inner
def fade(weights: Weights, context: int) -> None:
    """L ← λ L with λ = 1 - 1/memory: what was learned long ago counts less and less."""
    kept = 1.0 - 1.0 / weights.memory
    for worker in range(weights.loss.shape[1]):
        weights.loss[context, worker] *= kept


@compiled
def weigh(loss: Floats, rate: float, out: Floats) -> float:
    """w_j = exp(-η L_j), line 19, and their sum. Only ratios matter, so the smallest loss is taken off first."""
    least = np.inf
    for worker in range(loss.size):
        least = min(least, loss[worker])
    total = 0.0
    for worker in range(loss.size):
        out[worker] = exp(-rate * (loss[worker] - least))
        total += out[worker]
    return total


@inner
def draw_worker(weights: Weights, context: int, rate: float, workers: Longs, count: int, u: float) -> tuple[int, float]:
    """Draw among these workers with p_j = w_j / Σ w, line 20, and say with what probability."""
    loss, odds = weights.loss[context], weights.scratch
    least = np.inf
    for index in range(count):
        least = min(least, loss[workers[index]])
    total = 0.0
    for index in range(count):
        odds[index] = exp(-rate * (loss[workers[index]] - least))
        total += odds[index]
    reached, chosen = 0.0, 0
    for index in range(count):
        if odds[index] > 0.0:
            chosen = index
            reached += odds[index]
            if reached > u * total:
                break
    return workers[chosen], odds[chosen] / total


@inner
def weigh_labellers(weights: Weights, context: int, sheet: Sheet, task: int) -> None:
    """Weigh those who have an entry for the task, at the context's present step, into scratch."""
    loss, rate = weights.loss[context], learning_rate(weights, weights.steps[context])
    least = np.inf
    for worker in range(loss.size):
        least = min(least, loss[worker])
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        worker = sheet.worker[at]
        weights.scratch[worker] = exp(-rate * (loss[worker] - least))


@inner
def outdate(weights: Weights, context: int, task: int, charged: int) -> None:
    """Take note that the context's weights must be found anew, by which task's answer and by whose charge."""
    weights.labelled[context] = SEVERAL if weights.stale[context] and weights.labelled[context] != task else task
    weights.stale[context] = True
    if charged != NOBODY:
        alone = weights.charged[context] == NOBODY or weights.charged[context] == charged
        weights.charged[context] = charged if alone else SEVERAL


@inner
def weigh_context(weights: Weights, context: int) -> float:
    """Weigh the context's workers at its present step, into scratch; the sum."""
    rate = learning_rate(weights, weights.steps[context])
    return weigh(weights.loss[context], rate, weights.scratch)


@inner
def adopt(weights: Weights, context: int, total: float, charged: int) -> tuple[float, float]:
    """Make the weights in scratch the context's own; say how far scores may have fallen.

    With p a worker's share of the weight and any r, a score m becomes at least r m - Σ |p' - r p| over those who labelled the
    task. Charging one worker moves everyone else's share by one factor: with r that factor, little is left for tasks the
    charged worker did not label. The first number holds for all tasks, the second is to be added for those they labelled.
    """
    new, old, old_total = weights.scratch, weights.weight[context], weights.total[context]
    ratio, heaviest = 1.0, 0.0
    for worker in range(new.size if charged >= 0 else 0):
        if worker != charged and old[worker] > heaviest:
            heaviest = old[worker]
            ratio = (new[worker] / total) / (old[worker] / old_total)
    fall, own_fall = max(0.0, 1.0 - ratio), 0.0
    for worker in range(new.size):
        moved = abs(new[worker] / total - ratio * (old[worker] / old_total))
        if worker == charged:
            own_fall = moved
        else:
            fall += moved
        old[worker] = new[worker]
    weights.total[context] = total
    weights.stale[context], weights.charged[context], weights.labelled[context] = False, NOBODY, NOTHING
    return fall, own_fall


def with_newcomers(weights: Weights, contexts: int, workers: int) -> Weights:
    """Room for contexts and workers that join. A newcomer starts with the mean weight: neither trusted nor doubted."""
    known_contexts, known = weights.loss.shape
    grown = even_weights(contexts, workers, weights.memory)
    grown.steps[:known_contexts] = weights.steps
    grown.stale[:known_contexts] = True
    grown.charged[:known_contexts] = SEVERAL
    grown.labelled[:known_contexts] = SEVERAL
    for context in range(known_contexts):
        loss = grown.loss[context]
        loss[:known] = weights.loss[context]
        if known and workers > known:
            rate = learning_rate(grown, max(1, int(grown.steps[context])))
            loss[known:] = _loss_of_mean_weight(loss[:known], rate)
        grown.weight[context, :known] = weights.weight[context]
        grown.weight[context, known:] = 0.0
        grown.total[context] = weights.total[context] if known else float(workers)
    return grown


def _loss_of_mean_weight(loss: Floats, rate: float) -> float:
    if rate == 0.0:
        return float(loss.mean())
    mean = weigh(loss, rate, np.empty_like(loss)) / loss.size
    return float(loss.min() - log(mean) / rate)

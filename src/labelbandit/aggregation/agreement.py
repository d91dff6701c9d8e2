"""Agreement between workers: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha, and why one may be undefined.

Labels are three columns of numbers: task, worker, answer; a worker labels a task at most once. All measures are nominal:
two answers agree or they do not. Percent, Fleiss and alpha differ in what they expect of chance.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from labelbandit.model.arrays import Floats, Longs


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of agreement; without a value it says why."""

    value: float | None
    why: str | None = None
    tasks: int = 0
    """How many tasks it rests on."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far workers agree, over all tasks with two labels or more."""

    percent: Measure
    fleiss: Measure
    alpha: Measure


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two workers agree on the tasks both labelled."""

    workers: tuple[int, int]
    percent: Measure
    cohen: Measure


_NONE_SHARED = "no task has two labels"
_ONE_CLASS = "every label is of one class, so agreement by chance is certain"


def agreement(task: Longs, answer: Longs, classes: int) -> Agreement:
    """Percent, Fleiss' kappa and Krippendorff's alpha of all labels."""
    counts = _counts(task, answer, classes)
    counts = counts[counts.sum(axis=1) >= 2]
    tasks = int(counts.shape[0])
    if not tasks:
        return Agreement(Measure(None, _NONE_SHARED), Measure(None, _NONE_SHARED), Measure(None, _NONE_SHARED))
    labels = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (labels * (labels - 1))
    return Agreement(
        percent=Measure(float(agreeing.mean()), tasks=tasks),
        fleiss=_beyond_chance(float(agreeing.mean()), _chance(counts), tasks),
        alpha=_alpha(counts, labels, tasks),
    )


def pair_agreements(task: Longs, worker: Longs, answer: Longs, classes: int, workers: Longs) -> list[PairAgreement]:
    """Percent and Cohen's kappa for every two of these workers."""
    said = {int(one): dict(zip(task[worker == one].tolist(), answer[worker == one].tolist(), strict=True)) for one in workers}
    return [_pair(first, second, said[first], said[second], classes) for first, second in combinations(said, 2)]


def _pair(first: int, second: int, mine: dict[int, int], theirs: dict[int, int], classes: int) -> PairAgreement:
    shared = sorted(mine.keys() & theirs.keys())
    if not shared:
        nothing = Measure(None, "they labelled no task in common")
        return PairAgreement((first, second), nothing, nothing)
    table = np.zeros((classes, classes))
    for one in shared:
        table[mine[one], theirs[one]] += 1.0
    table /= table.sum()
    same, chance = float(np.trace(table)), float(table.sum(axis=1) @ table.sum(axis=0))
    return PairAgreement((first, second), Measure(same, tasks=len(shared)), _beyond_chance(same, chance, len(shared)))


def _counts(task: Longs, answer: Longs, classes: int) -> Floats:
    _, row = np.unique(task, return_inverse=True)
    counts = np.zeros((int(row.max()) + 1 if row.size else 0, classes))
    np.add.at(counts, (row, answer), 1.0)
    return counts


def _chance(counts: Floats) -> float:
    share = counts.sum(axis=0) / counts.sum()
    return float(share @ share)


def _beyond_chance(same: float, chance: float, tasks: int) -> Measure:
    if chance >= 1.0 - 1e-12:
        return Measure(None, _ONE_CLASS, tasks)
    return Measure((same - chance) / (1.0 - chance), tasks=tasks)


def _alpha(counts: Floats, labels: Floats, tasks: int) -> Measure:
    """1 - observed over expected disagreement; a task weighs as its labels do."""
    total = labels.sum()
    per_class = counts.sum(axis=0)
    expected = 1.0 - float((per_class * (per_class - 1.0)).sum() / (total * (total - 1.0)))
    if expected <= 1e-12:
        return Measure(None, _ONE_CLASS, tasks)
    differing = (labels**2 - (counts**2).sum(axis=1)) / (labels - 1.0)
    return Measure(1.0 - float(differing.sum() / total) / expected, tasks=tasks)

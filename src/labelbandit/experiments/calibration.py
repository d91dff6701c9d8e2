"""Whether probabilities mean something: log loss, expected calibration error, reliability, and intervals that cover.

What a run leaves of this is a table with fine bins of certainty (the probability of a task's likeliest class), even in
log-odds; tables of many runs and panels are added up, and then cut into bins that hold equally many tasks.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from labelbandit.model.arrays import Floats, Longs

BUDGETS = (2.0, 3.0, 5.0)
"""Labels per task at which certainty is compared with what is right."""
EQUAL_BINS = 15
_LEAST = 1e-12
"""No probability is taken to be less: one certain error must not be infinitely bad."""
_PER_NAT = 8
"""Fine bins to a unit of log-odds."""
_MOST = 16.0
_TIE = 1e-12
_COLUMNS = 5


class Bins(NamedTuple):
    """Bins of certainty, from the least to the most."""

    tasks: Floats
    certainty: Floats
    """Mean over the tasks of a bin."""
    right: Floats
    """The share of them that are answered rightly."""

    @property
    def error(self) -> float:
        """Expected calibration error: how far certainty and what is right are apart, over all tasks."""
        return float((self.tasks * np.abs(self.certainty - self.right)).sum() / self.tasks.sum())


def log_losses(beliefs: Floats, truth: Longs) -> Floats:
    """At each mark the mean over tasks; one that nobody labelled counts with the probabilities believed in without labels."""
    return np.asarray(-np.log(np.maximum(_of_truth(beliefs, truth), _LEAST)).mean(axis=1), np.float64)


def credits_of(beliefs: Floats, truth: Longs) -> Floats:
    """Marks by tasks: 1 if the likeliest class is the truth, 0 if not, and 1/m if it is among m tied."""
    floor = beliefs.max(axis=2) - _TIE
    tied = (beliefs >= floor[:, :, None]).sum(axis=2)
    return np.where(_of_truth(beliefs, truth) >= floor, 1.0 / tied, 0.0)


def _of_truth(beliefs: Floats, truth: Longs) -> Floats:
    return np.asarray(beliefs[:, np.arange(truth.size), truth])


def reliability(beliefs: Floats, truth: Longs, marks: Longs) -> Floats:
    """Rows of (labels per task, fine bin, tasks, sum of certainty, right), one after the other, at the budgets looked at."""
    rows: list[Floats] = []
    credits_at, certainty_at = credits_of(beliefs, truth), beliefs.max(axis=2)
    for budget in BUDGETS:
        for at in np.flatnonzero(marks == int(budget * truth.size)):
            certainty, right = certainty_at[at], credits_at[at]
            fine, place = np.unique(_fine_bin(certainty), return_inverse=True)
            sums = [np.bincount(place, weights) for weights in (np.ones_like(right), certainty, right)]
            rows.append(np.column_stack([np.full(fine.size, budget), fine, *sums]))
    return np.concatenate(rows).ravel() if rows else np.zeros(0)


def _fine_bin(certainty: Floats) -> Floats:
    odds = np.maximum(certainty, _LEAST) / np.maximum(1.0 - certainty, _LEAST)
    return np.asarray(np.floor(_PER_NAT * np.clip(np.log(odds), -_MOST, _MOST)), np.float64)


def equal_mass(tables: Iterable[Floats], budget: float, bins: int = EQUAL_BINS) -> Bins | None:
    """The tables of many runs together, in bins with equally many tasks; None if there is nothing at that budget."""
    rows = np.concatenate([np.zeros((0, _COLUMNS)), *(table.reshape(-1, _COLUMNS) for table in tables)])
    rows = rows[rows[:, 0] == budget]
    if not rows.size:
        return None
    fine, place = np.unique(rows[:, 1], return_inverse=True)
    tasks, certainty, right = (np.bincount(place, rows[:, column], minlength=fine.size) for column in (2, 3, 4))
    ends = np.append(0.0, np.cumsum(tasks))
    cuts = np.linspace(0.0, ends[-1], min(bins, int(ends[-1])) + 1)
    # Fine bins that lie across a cut are divided: what is in them is nearly alike.
    parts = [np.diff(np.interp(cuts, ends, np.append(0.0, np.cumsum(column)))) for column in (tasks, certainty, right)]
    return Bins(parts[0], parts[1] / parts[0], parts[2] / parts[0])


class Coverage(NamedTuple):
    """How an interval of a campaign's accuracy did, over runs."""

    share: float
    """The share of runs whose accuracy was inside."""
    width: float
    """Mean over runs."""


def coverage(beliefs: Iterable[Floats], truth: Iterable[Longs], interval: Callable[[Floats], tuple[float, float]]) -> Coverage:
    """Try an interval of the accuracy, made from the probabilities (tasks by classes) that a run believed in, on many runs."""
    inside, widths = [], []
    for believed, true in zip(beliefs, truth, strict=True):
        low, high = interval(believed)
        inside.append(low <= float(credits_of(believed[None], true).mean()) <= high)
        widths.append(high - low)
    return Coverage(float(np.mean(inside)), float(np.mean(widths)))

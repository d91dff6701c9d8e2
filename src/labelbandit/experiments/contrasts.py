"""What is read off curves: accuracy at a budget, area under the curve, labels until so much is right; and paired curves."""

from typing import NamedTuple

import numpy as np

from labelbandit.experiments import measures
from labelbandit.experiments.results import Curves, Results
from labelbandit.model.arrays import Floats, Longs

AREA = (2.0, 15.0)
"""The budgets, in labels per task, between which areas are taken."""


class Sample(NamedTuple):
    """One number per run, and where it was taken."""

    values: Floats
    where: str


def area(curves: Curves, low: float = AREA[0], high: float = AREA[1]) -> Sample | None:
    """Each run's mean accuracy between two budgets: the area under its curve over the width."""
    reached = ~np.isnan(curves.accuracy).any(axis=0) & (curves.budget >= low) & (curves.budget <= high)
    if reached.sum() < 2:
        return None
    budget, accuracy = curves.budget[reached], curves.accuracy[:, reached]
    return Sample(np.trapezoid(accuracy, budget, axis=1) / (budget[-1] - budget[0]), _span(budget[0], budget[-1]))


def at(curves: Curves, budget: float, reading: str = "accuracy") -> Sample | None:
    """Each run's reading at a budget, or at the last mark before it where the curve ends earlier."""
    marks = np.flatnonzero(curves.budget <= budget + 1e-6)
    values = curves.readings[reading]
    if marks.size == 0 or np.isnan(values[:, marks[-1]]).any():
        return None
    return Sample(values[:, marks[-1]], f"{curves.budget[marks[-1]]:g}N")


def together(results: Results, panel: str, one: str, other: str) -> tuple[Curves, Curves] | None:
    """The curves of two methods on a panel, cut to the runs and marks that both have."""
    first, second = results.curves(panel, one), results.curves(panel, other)
    if first is None or second is None:
        return None
    runs = np.intersect1d(first.runs, second.runs)
    reached = [each.budget[~np.isnan(each.accuracy).any(axis=0)] for each in (first, second)]
    marks = np.intersect1d(reached[0], reached[1])
    if runs.size == 0 or marks.size == 0:
        return None
    return _cut(first, runs, marks), _cut(second, runs, marks)


def labels_to_reach(curves: Curves, accuracy: float) -> float | None:
    """Labels per task at which the mean curve first comes to that accuracy, on a straight line between marks; None if never."""
    mean = curves.accuracy.mean(axis=0)
    known = ~np.isnan(mean)
    return measures.labels_to_reach(curves.budget[known], mean[known], accuracy)


def _span(low: float, high: float) -> str:
    return f"area {low:g}N–{high:g}N"


def _cut(curves: Curves, runs: Longs, marks: Floats) -> Curves:
    rows, columns = np.isin(curves.runs, runs), np.isin(curves.budget, marks)
    readings = {name: values[rows][:, columns] for name, values in curves.readings.items()}
    return Curves(curves.budget[columns], curves.runs[rows], readings)

"""Labels as columns: the one form that every way of aggregating takes."""

from dataclasses import dataclass

import numpy as np

from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.errors import BadInput

Probabilities = Floats
"""Tasks by classes; each row sums to 1, and is even for a task without labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Who said what of which task, a label in each place, and the context of each task."""

    task: Longs
    worker: Longs
    answer: Longs
    context: Longs
    """One for each task, labelled or not."""
    workers: int
    classes: int

    def __post_init__(self) -> None:
        if not self.task.size == self.worker.size == self.answer.size:
            sizes = f"{self.task.size} tasks, {self.worker.size} workers and {self.answer.size} answers"
            raise BadInput(f"{sizes} do not make labels: give one of each for every label")
        _check_range("task", self.task, self.context.size)
        _check_range("worker", self.worker, self.workers)
        _check_range("answer", self.answer, self.classes)

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return self.context.size

    @property
    def contexts(self) -> int:
        """How many contexts there are."""
        return int(self.context.max(initial=-1)) + 1

    @property
    def pair(self) -> Longs:
        """For each label, the number of its pair of context and worker."""
        return self.context[self.task] * self.workers + self.worker


def _check_range(what: str, numbers: Longs, count: int) -> None:
    outside = (numbers < 0) | (numbers >= count)
    if outside.any():
        raise BadInput(f"{what} {numbers[outside][0]} is unknown: give numbers from 0 to {count - 1}")


def normalised(logs: Floats) -> Probabilities:
    """Rows of log-weights as rows of probabilities."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)

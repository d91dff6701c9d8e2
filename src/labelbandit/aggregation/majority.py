"""Majority: every label counts the same."""

import numpy as np

from labelbandit.aggregation.labels import Labels, Probabilities


def majority(labels: Labels) -> Probabilities:
    """Each class's part of the task's labels."""
    votes = np.zeros((labels.tasks, labels.classes))
    np.add.at(votes, (labels.task, labels.answer), 1.0)
    counts = votes.sum(axis=1, keepdims=True)
    return np.where(counts > 0, votes / np.maximum(counts, 1.0), 1.0 / labels.classes)

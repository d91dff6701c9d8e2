"""One-coin EM: in each context a worker is right with one probability, learned together with the answers.

Dawid and Skene's scheme (Applied Statistics 28, 1979) with a single number for each worker in each context. The prior
Beta(2, 1) says that workers are more often right than wrong; without it, a crowd and its mirror image would be equally likely.
"""

import numpy as np

from labelbandit.aggregation.labels import Labels, Probabilities, normalised
from labelbandit.aggregation.majority import majority
from labelbandit.model.arrays import Floats

ROUNDS = 30
RIGHT, WRONG = 2.0, 1.0
"""Everyone starts as if right so often and wrong so often."""
_SURE = 0.98
_LEAST = 1e-6


def one_coin(labels: Labels) -> Probabilities:
    """The probability of each class, workers weighed by how often they are right in the task's context."""
    belief = _SURE * majority(labels) + (1.0 - _SURE) / labels.classes
    for _ in range(ROUNDS):
        accuracy = accuracies(labels, belief).ravel()[labels.pair]
        logs = np.zeros((labels.tasks, labels.classes))
        np.add.at(logs, (labels.task, labels.answer), np.log(accuracy * (labels.classes - 1) / (1.0 - accuracy)))
        belief = normalised(logs)
    return belief


def accuracies(labels: Labels, belief: Probabilities) -> Floats:
    """Contexts by workers: how often each is right, if tasks are what they are believed to be."""
    right = np.zeros(labels.contexts * labels.workers)
    count = np.zeros_like(right)
    np.add.at(right, labels.pair, belief[labels.task, labels.answer])
    np.add.at(count, labels.pair, 1.0)
    rate = (RIGHT + right) / (RIGHT + WRONG + count)
    return np.clip(rate, _LEAST, 1.0 - _LEAST).reshape(labels.contexts, labels.workers)

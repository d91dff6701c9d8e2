"""Dawid and Skene: every worker has, in each context, a probability of each answer for each true class.

Dawid and Skene: Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Applied Statistics 28, 1979. It
starts from the majority and counts a few made-up right answers for everyone, so that few labels do not make anyone infallible.
"""

import numpy as np

from labelbandit.aggregation.labels import Labels, Probabilities, normalised
from labelbandit.aggregation.majority import majority
from labelbandit.model.arrays import Floats

ROUNDS = 30
RIGHT, ANY = 1.0, 0.5
"""Everyone starts as if they had given the right answer so often, and any answer so often, for each true class."""


def dawid_skene(labels: Labels) -> Probabilities:
    """The probability of each class; how frequent classes are in each context is learned too."""
    belief = majority(labels)
    labelled = np.bincount(labels.task, minlength=labels.tasks) > 0
    for _ in range(ROUNDS):
        answers = np.log(confusions(labels, belief))
        logs = np.log(_frequencies(labels, belief, labelled))[labels.context]
        np.add.at(logs, labels.task, answers[labels.pair, :, labels.answer])
        belief = np.where(labelled[:, None], normalised(logs), 1.0 / labels.classes)
    return belief


def confusions(labels: Labels, belief: Probabilities) -> Floats:
    """Pairs of context and worker, by true class, by answer: how likely it is, if tasks are what they are believed to be."""
    counts = np.full((labels.contexts * labels.workers, labels.classes, labels.classes), ANY)
    counts += RIGHT * np.eye(labels.classes)
    by_answer = counts.transpose(0, 2, 1)
    np.add.at(by_answer, (labels.pair, labels.answer), belief[labels.task])
    return np.asarray(counts / counts.sum(axis=2, keepdims=True), np.float64)


def _frequencies(labels: Labels, belief: Probabilities, labelled: np.ndarray) -> Floats:
    counts = np.ones((labels.contexts, labels.classes))
    np.add.at(counts, labels.context[labelled], belief[labelled])
    return np.asarray(counts / counts.sum(axis=1, keepdims=True), np.float64)

"""Gain: how much more accurate one more label is expected to make the estimates."""

from labelbandit.compiled import compiled, inner

AHEAD = 4
"""A single answer cannot overturn a certain task, so we look this many answers ahead."""
_CURIOSITY = 1e-3
"""Where even those could not, the less certain task still comes first."""


@compiled
def gain(certainty: float, accuracy: float) -> float:
    """The rise of a task's certainty to expect per answer of a worker this often right, asking for up to `AHEAD`."""
    right = max(accuracy, 1.0 - accuracy)
    most = 0.0
    for answers in range(1, AHEAD + 1):
        most = max(most, (_certainty_after(certainty, right, answers) - certainty) / answers)
    return most + _CURIOSITY * (1.0 - certainty) * (2.0 * right - 1.0)


@inner
def _certainty_after(certainty: float, right: float, answers: int) -> float:
    """The mean certainty after so many answers, each for the leading class or against it."""
    wrong = 1.0 - right
    lead, rest = certainty, 1.0 - certainty
    for _ in range(answers):
        lead *= right
        rest *= wrong
    expected, ways = 0.0, 1.0
    for against in range(answers + 1):
        expected += ways * max(lead, rest)
        ways = ways * (answers - against) / (against + 1)
        lead *= wrong / right
        rest *= right / wrong
    return expected

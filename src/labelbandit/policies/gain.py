"""Gain: how much more accurate one more label is expected to make the estimates."""


from labelbandit.compiled import compiled, inner

AHEAD = 4
"""A single answer cannot overturn a certain task, so we look this many answers ahead."""
_CURIOSITY = 1e-3
"""Where even those could not, the less certain task still comes first."""


@compiled
def gain(certainty: float, accuracy: float) -> float:
    """The expected rise of a task's certainty per answer of a worker this often right, if up to `AHEAD` answers are asked for."""
    right = max(accuracy, 1.0 - accuracy)
    most = 0.0
    for answers in range(1, AHEAD + 1):
        most = max(most, (_certainty_after(certainty, right, answers) - certainty) / answers)
    return most + _CURIOSITY * (1.0 - certainty) * (2.0 * right - 1.0) ** 2


@inner
def _certainty_after(certainty: float, right: float, answers: int) -> float:
    """The mean certainty after so many answers, each for the leading class or against it."""
    expected, ways = 0.0, 1.0
    for against in range(answers + 1):
        lead = certainty * right ** (answers - against) * (1.0 - right) ** against
        rest = (1.0 - certainty) * (1.0 - right) ** (answers - against) * right**against
        expected += ways * max(lead, rest)
        ways = ways * (answers - against) / (against + 1)
    return expected

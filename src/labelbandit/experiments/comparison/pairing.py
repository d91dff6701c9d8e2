"""Paired comparisons: one method less another, run by run on the same worlds, corrected for their number (Holm, 1979)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from labelbandit.experiments.contrasts import together
from labelbandit.experiments.intervals import Interval
from labelbandit.experiments.results import Results
from labelbandit.model.arrays import Floats
from labelbandit.policies.student import beyond, critical_value

BUDGETS = (2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 15.0)
"""Labels per task at which methods are compared, as far as a panel goes."""
LEVEL = 0.05
"""The probability that any of the intervals leaves its true difference out, in the sense of Holm."""
TOLERATED = 0.01
"""So much less accuracy is no exception, however sure it is."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One method less another on a panel at a budget."""

    panel: str
    one: str
    other: str
    budget: float
    difference: Interval
    """Mean over runs, in accuracy."""
    p: float
    """Two-sided, before any correction."""
    runs: int

    @property
    def exception(self) -> bool:
        """Whether the first is surely worse, and by more than is tolerated."""
        return self.difference.high < 0.0 and self.difference.value <= -TOLERATED

    @property
    def better(self) -> bool:
        """Whether the first is surely better."""
        return self.difference.low > 0.0


def pairings(results: Results, one: str, others: Sequence[str], budgets: Sequence[float] = BUDGETS) -> list[Pairing]:
    """The method against each of the others, on every panel that has both, with intervals corrected over all of these."""
    found = [
        pairing
        for panel in results.panels
        for other in others
        for pairing in _on_panel(results, panel.name, one, other, budgets)
    ]
    return with_holm(found)


def _on_panel(results: Results, panel: str, one: str, other: str, budgets: Sequence[float]) -> Iterator[Pairing]:
    both = together(results, panel, one, other)
    if both is None:
        return
    first, second = both
    for budget in budgets:
        for mark in np.flatnonzero(np.isclose(first.budget, budget)):
            yield _paired(panel, one, other, budget, first.accuracy[:, mark] - second.accuracy[:, mark])


def _paired(panel: str, one: str, other: str, budget: float, differences: Floats) -> Pairing:
    mean, error = float(differences.mean()), _standard_error(differences)
    p = _p_value(mean, error, differences.size)
    return Pairing(panel, one, other, budget, Interval(mean, mean - error, mean + error), p, differences.size)


def _standard_error(differences: Floats) -> float:
    return float(differences.std(ddof=1)) / sqrt(differences.size) if differences.size > 1 else 0.0


def _p_value(mean: float, error: float, runs: int) -> float:
    if error == 0.0:  # every run says the same; of one run nothing can be said
        return 1.0 if mean == 0.0 or runs < 2 else 0.0
    return beyond(mean / error, runs - 1)


def with_holm(found: Iterable[Pairing]) -> list[Pairing]:
    """Intervals of a standard error each way, widened so that all of them hold together.

    The surest difference has to pass the level over their number, the next over one less, and so on; from the first that does
    not pass on, all have the width of that one.
    """
    given = list(found)
    order = sorted(range(len(given)), key=lambda at: given[at].p)
    made, alpha, passing = list(given), LEVEL, True
    for rank, at in enumerate(order):
        if passing:
            alpha = LEVEL / (len(given) - rank)
            passing = given[at].p <= alpha
        made[at] = _widened(given[at], alpha)
    return made


def _widened(pairing: Pairing, alpha: float) -> Pairing:
    if pairing.runs < 2:
        unknown = Interval(pairing.difference.value, -1.0, 1.0)
        return replace(pairing, difference=unknown)
    value, error = pairing.difference.value, pairing.difference.high - pairing.difference.value
    reach = critical_value(alpha, pairing.runs - 1) * error
    return replace(pairing, difference=Interval(value, value - reach, value + reach))

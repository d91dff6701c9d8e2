"""How sure a number is: 95 % intervals of a mean over runs (Student's t), and of anything else (bootstrap over runs)."""

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from labelbandit.model.arrays import Floats
from labelbandit.policies.student import critical_values

_ALPHA = 0.05
_RESAMPLES = 2000


class Interval(NamedTuple):
    """A number, and the 95 % interval around it."""

    value: float
    low: float
    high: float


UNKNOWN = Interval(float("nan"), float("nan"), float("nan"))


def of_mean(sample: Floats) -> Interval:
    """The mean of independent runs; of fewer than two nothing can be said."""
    if sample.size < 2 or np.isnan(sample).any():
        return UNKNOWN
    return around(float(sample.mean()), float(sample.std(ddof=1)) / sqrt(sample.size), sample.size - 1)


def around(value: float, error: float, freedom: int) -> Interval:
    """A mean with its standard error, at so many degrees of freedom; with none nothing can be said."""
    if freedom < 1:
        return UNKNOWN
    reach = float(critical_values(_ALPHA, freedom)[freedom]) * error
    return Interval(value, value - reach, value + reach)


def of_difference(one: Floats, other: Floats) -> Interval:
    """The mean of one group less that of another, which have nothing to do with each other (Welch)."""
    if min(one.size, other.size) < 2:
        return UNKNOWN
    errors = one.var(ddof=1) / one.size, other.var(ddof=1) / other.size
    total = errors[0] + errors[1]
    value = float(one.mean() - other.mean())
    if total == 0.0:
        return Interval(value, value, value)
    freedom = total**2 / (errors[0] ** 2 / (one.size - 1) + errors[1] ** 2 / (other.size - 1))
    return around(value, sqrt(total), max(1, int(freedom)))


def by_bootstrap(sample: Floats, statistic: Callable[[Floats], Floats]) -> Interval:
    """Any statistic of independent runs: `statistic` takes samples in rows. The same sample gives the same interval."""
    if sample.size < 2 or np.isnan(sample).any():
        return UNKNOWN
    drawn = np.random.default_rng(0).integers(sample.size, size=(_RESAMPLES, sample.size))
    low, high = np.quantile(statistic(sample[drawn]), (_ALPHA / 2, 1 - _ALPHA / 2))
    return Interval(float(statistic(sample[None, :])[0]), float(low), float(high))

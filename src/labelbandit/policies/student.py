"""Critical values of Student's t-distribution for whole degrees of freedom (Abramowitz and Stegun, 26.7), without SciPy."""

from functools import lru_cache
from math import atan, cos, exp, lgamma, log, log1p, pi, sin, sqrt
from statistics import NormalDist

import numpy as np

from labelbandit.model.arrays import Floats

_SUMMED = 300
"""Degrees of freedom up to which the distribution is summed; from there on its expansion errs by less than 1e-11."""


def critical_values(alpha: float, most: int) -> Floats:
    """The values exceeded with probability alpha / 2, for 1 to `most` degrees of freedom, at the index of that number."""
    table = np.full(most + 1, np.nan)
    summed = _summed(alpha)[: most + 1]
    table[: len(summed)] = summed
    table[_SUMMED + 1 :] = _expanded(_normal(alpha), np.arange(_SUMMED + 1, most + 1, dtype=np.float64))
    return table


def critical_value(alpha: float, freedom: int) -> float:
    """The value exceeded with probability alpha / 2 at so many degrees of freedom."""
    return _critical_value(alpha, freedom) if freedom <= _SUMMED else float(critical_values(alpha, freedom)[freedom])


def beyond(value: float, freedom: int) -> float:
    """P(|T| > value): the two-sided p-value."""
    return max(0.0, 1.0 - _within(abs(value), freedom))


@lru_cache(maxsize=8)
def _summed(alpha: float) -> tuple[float, ...]:
    return (float("nan"), *(_critical_value(alpha, freedom) for freedom in range(1, _SUMMED + 1)))


def _normal(alpha: float) -> float:
    return -NormalDist().inv_cdf(alpha / 2)


def _critical_value(alpha: float, freedom: int) -> float:
    # P(|T| < t) is concave in t, so Newton's steps from the left (the normal value) never pass the solution.
    value = _normal(alpha)
    while True:
        further = value + (1.0 - alpha - _within(value, freedom)) / (2.0 * _density(value, freedom))
        if further <= value * (1.0 + 1e-15):
            return value
        value = further


def _within(value: float, freedom: int) -> float:
    """P(|T| < value): 26.7.3 for odd, 26.7.4 for even degrees of freedom."""
    angle = atan(value / sqrt(freedom))
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(2 + odd, freedom - 1, 2):
        term *= cos(angle) ** 2 * (step - 1) / step
        total += term
    return 2.0 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def _density(value: float, freedom: int) -> float:
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(scale - (freedom + 1) / 2 * log1p(value * value / freedom))


def _expanded(z: float, freedom: Floats) -> Floats:
    """26.7.5, around the normal value z."""
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom

"""Beta beliefs: what one answer does to them, and how much of a belief lies on the wrong side of 1/2.

A task's chance θ of a positive answer is Beta(a, b), a worker's chance ρ of being right Beta(c, d), and an answer is positive
with probability ρθ + (1-ρ)(1-θ) (Chen, Lin, Zhou: JMLR 16, 2015, the model with worker reliability). After an answer the belief
is a mixture of two products of Betas; its first two moments have closed forms, and Betas with those moments take its place.
"""

import math

from labelbandit.compiled import compiled, inner

_LN_2 = math.log(2.0)
_PRECISION = 1e-14
"""Steps close in fast for parameters as small as these: two steps this close mean the last is exact but for rounding."""
_MOST_STEPS = 10_000
_TINY, _HUGE = 1e-100, 1e100


@inner
def match(mean: float, square: float) -> tuple[float, float]:
    """The Beta with this mean and this mean square."""
    size = (mean - square) / (square - mean * mean)
    return mean * size, (1.0 - mean) * size


@compiled
def task_after(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """The task after a positive answer; only the ratio of c and d matters. A negative answer: the same with c and d swapped."""
    n = a + b
    weight = a * c + b * d
    mean = a * ((a + 1.0) * c + b * d) / ((n + 1.0) * weight)
    square = a * (a + 1.0) * ((a + 2.0) * c + b * d) / ((n + 1.0) * (n + 2.0) * weight)
    return match(mean, square)


@compiled
def worker_after(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """The worker after a positive answer; after a negative one, the same with a and b swapped."""
    if a == b:  # nothing is known of the task, so agreeing with it says nothing: exactly, whatever rounding says
        return c, d
    n = c + d
    weight = a * c + b * d
    mean = c * (a * (c + 1.0) + b * d) / ((n + 1.0) * weight)
    square = c * (c + 1.0) * (a * (c + 2.0) + b * d) / ((n + 1.0) * (n + 2.0) * weight)
    return match(mean, square)


@compiled
def doubt(a: float, b: float) -> float:
    """The probability on the lighter side of 1/2: 1 - h(I(a, b)) in the paper's terms."""
    p, q = max(a, b), min(a, b)
    if p == q:
        return 0.5
    front = math.lgamma(p + q) - math.lgamma(p) - math.lgamma(q) - (p + q) * _LN_2
    return math.exp(front) / p * _fraction(p, q)


@compiled
def above_half(a: float, b: float) -> float:
    """I(a, b) in the paper: P(θ ≥ 1/2) for θ ~ Beta(a, b)."""
    light = doubt(a, b)
    return 1.0 - light if a >= b else light


@compiled
def gain(a: float, b: float, c: float, d: float, before: float) -> float:
    """max(R₁, R₂) for a task whose doubt is `before`: how much doubt the better of the worker's two answers would take away."""
    up_a, up_b = task_after(a, b, c, d)
    down_a, down_b = task_after(a, b, d, c)
    up, up_less = max(up_a, up_b), min(up_a, up_b)
    down, down_less = max(down_a, down_b), min(down_a, down_b)
    # Beta(p, q) moves up as p grows or q falls: as a rule one answer is better in both, and the other need not be computed.
    if up >= down and up_less <= down_less:
        return before - doubt(up, up_less)
    if up <= down and up_less >= down_less:
        return before - doubt(down, down_less)
    return before - min(doubt(up, up_less), doubt(down, down_less))


@inner
def _fraction(p: float, q: float) -> float:
    """The continued fraction of the incomplete beta function at 1/2, which for p ≥ q converges in about ten steps.

    Numerators and denominators are carried along (Wallis) instead of their ratios (Lentz): no division waits for another.
    """
    top_before, bottom_before = 1.0, 1.0
    top, bottom = 1.0, 1.0 - 0.5 * (p + q) / (p + 1.0)
    for m in range(1, _MOST_STEPS):
        x = p + 2.0 * m
        scale = 0.5 / ((x - 1.0) * x * (x + 1.0))
        even, odd = m * (q - m) * (x + 1.0) * scale, -(p + m) * (p + q + m) * (x - 1.0) * scale
        top_even, bottom_even = top + even * top_before, bottom + even * bottom_before
        top_odd, bottom_odd = top_even + odd * top, bottom_even + odd * bottom
        done = abs(top_odd * bottom - top * bottom_odd) <= _PRECISION * abs(top_odd * bottom)
        top_before, bottom_before, top, bottom = top_even, bottom_even, top_odd, bottom_odd
        if done:
            break
        if not _TINY < abs(bottom) < _HUGE:
            top_before, bottom_before, top, bottom = top_before / bottom, bottom_before / bottom, top / bottom, 1.0
    return top / bottom

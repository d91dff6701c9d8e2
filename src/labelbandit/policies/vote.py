"""Weighted votes over a row of the sheet. Sums run by ascending worker, one by one: the arithmetic is part of the rule."""

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats
from labelbandit.model.chance import Draw, uniform
from labelbandit.policies.sheet import Sheet

TIE = 1e-12
"""Shares of the total weight closer than this count as equal."""


@inner
def tally(sheet: Sheet, task: int, weight: Floats, votes: Floats) -> None:
    """Add up the weight behind each class."""
    votes[:] = 0.0
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0:
            votes[sheet.answer[at]] += weight[sheet.worker[at]]


@inner
def top_two(votes: Floats) -> tuple[float, float]:
    """The largest and the second largest."""
    top, second = -np.inf, -np.inf
    for value in votes:
        if value > top:
            top, second = value, top
        elif value > second:
            second = value
    return top, second


@inner
def winner(votes: Floats, total: float, draw: Draw, purpose: int) -> int:
    """The class with most weight behind it, ties settled by lot."""
    top, second = top_two(votes)
    floor = top - TIE * total
    if second < floor:
        return int(np.argmax(votes))
    tied = 0
    for value in votes:
        tied += value >= floor
    chosen = int(uniform(draw, purpose, 0) * tied)
    for answer in range(votes.size):
        if votes[answer] >= floor:
            if chosen == 0:
                return answer
            chosen -= 1
    return -1

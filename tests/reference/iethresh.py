"""IEThresh (Donmez, Carbonell, Schneider 2009; the paper's section 4.1), transcribed: lists of rewards, a loop over the tasks.

It shares nothing with the engine but the random numbers. `decisions` yields (task, worker, propensity) and is sent the answer,
or None if the worker declines. Open questions are answered as in docs/decisions/0006.
"""

from functools import cache
from math import cos, gamma, pi, sqrt, tan

import numpy as np

from labelbandit.model.chance import Draw, Purpose, uniform
from tests.reference.votes import plurality


class LiteralIEThresh:
    def __init__(self, world, alpha=0.05, threshold=0.9):
        self.world, self.alpha, self.threshold = world, alpha, threshold
        self.rewards = [[0, 1] for _ in range(world.workers)]
        self.y = [{} for _ in world.context]

    def upper(self, j):
        r = self.rewards[j]
        n = len(r)
        m = sum(r) / n
        s = sqrt(m * (1.0 - m))  # the standard deviation of zeros and ones, divided by n
        return m + critical(self.alpha, n - 1) * s / sqrt(n)

    def decisions(self):
        world, seed = self.world, np.uint64(self.world.seed)
        for i in sorted(range(len(world.context)), key=lambda i: uniform(Draw(seed, i), Purpose.ORDER.value, 0)):
            may = world.exists[i] if world.exists is not None else set(range(world.workers))
            ui = {j: self.upper(j) for j in may}
            asked = [j for j in may if ui[j] >= self.threshold * max(ui.values())]
            lot = {j: uniform(Draw(seed, i), Purpose.RANK.value, j) for j in asked}
            for j in sorted(asked, key=lambda j: (-ui[j], lot[j])):
                answer = yield i, j, 1.0
                if answer is not None:
                    self.y[i][j] = answer
            if self.y[i]:
                votes = [0.0] * world.classes
                for answer in self.y[i].values():
                    votes[answer] += 1.0
                majority = plurality(votes, world.workers, Draw(seed, i))
                for j, answer in self.y[i].items():
                    self.rewards[j].append(int(answer == majority))

    def shares(self, i):
        return [sum(answer == c for answer in self.y[i].values()) / self.world.workers for c in range(self.world.classes)]


@cache
def critical(alpha, freedom):
    """Where Student's density, integrated from 0 by Simpson's rule in the angle, leaves alpha / 2: found by bisection."""
    scale = gamma((freedom + 1) / 2) / (sqrt(pi) * gamma(freedom / 2))
    low, high = 0.0, pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if scale * _cosines(middle, freedom - 1) < 0.5 - alpha / 2:
            low = middle
        else:
            high = middle
    return sqrt(freedom) * tan(low)


def _cosines(angle, power, steps=200):
    width = angle / steps
    heights = [cos(step * width) ** power for step in range(steps + 1)]
    return width / 3 * (heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]))

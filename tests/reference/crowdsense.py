"""CrowdSense (Ertekin, Rudin, Hirsh 2014; the paper's section 4.2), transcribed: one loop over the tasks, no cleverness.

It shares nothing with the engine but the random numbers. `decisions` yields (task, worker, propensity) and is sent the answer,
or None if the worker declines. Open questions are answered as in docs/decisions/0006.
"""

import numpy as np

from labelbandit.model.chance import Draw, Purpose, uniform
from tests.reference.votes import plurality


class LiteralCrowdSense:
    def __init__(self, world, smoothing=100.0, threshold=0.1):
        self.world, self.smoothing, self.threshold = world, smoothing, threshold
        self.a = [0] * world.workers
        self.c = [0] * world.workers
        self.y = [{} for _ in world.context]
        self.verdicts = {}

    def quality(self, j):
        return (self.a[j] + self.smoothing) / (self.c[j] + 2.0 * self.smoothing)

    def votes(self, i):
        votes = [0.0] * self.world.classes
        for j in sorted(self.y[i]):
            votes[self.y[i][j]] += self.quality(j)
        return votes

    def score(self, i):
        """With two classes this is |Σ y_j Q_j|."""
        top, second = sorted(self.votes(i), reverse=True)[:2]
        return top - second

    def decisions(self):
        world, seed = self.world, np.uint64(self.world.seed)
        for i in sorted(range(len(world.context)), key=lambda i: uniform(Draw(seed, i), Purpose.ORDER.value, 0)):
            may = world.exists[i] if world.exists is not None else set(range(world.workers))
            lot = {j: uniform(Draw(seed, i), Purpose.RANK.value, j) for j in may}
            ranked = sorted(may, key=lambda j: (-self.quality(j), lot[j]))
            first, rest = [(j, 1.0) for j in ranked[:2]], ranked[2:]
            if rest:
                outsider = min(rest, key=lambda j: uniform(Draw(seed, i), Purpose.OUTSIDER.value, j))
                first.append((outsider, 1.0 / len(rest)))
                rest.remove(outsider)
            for j, propensity in first:
                self.hear(i, j, (yield i, j, propensity))
            for candidate in rest:
                if not (self.score(i) - self.quality(candidate)) / (len(self.y[i]) + 1) < self.threshold - 1e-12:
                    break
                self.hear(i, candidate, (yield i, candidate, 1.0))
            self.settle(i)

    def hear(self, i, j, answer):
        if answer is not None:
            self.y[i][j] = answer

    def settle(self, i):
        verdict = plurality(self.votes(i), self.total(), Draw(np.uint64(self.world.seed), i))
        self.verdicts[i] = self.shares(i)
        for j, answer in self.y[i].items():
            self.c[j] += 1
            self.a[j] += answer == verdict

    def total(self):
        total = 0.0
        for j in range(self.world.workers):
            total += self.quality(j)
        return total

    def shares(self, i):
        return self.verdicts[i] if i in self.verdicts else [vote / self.total() for vote in self.votes(i)]

"""The naive baseline, transcribed: a task at random, a worker at random who has not labelled it, a majority vote.

It shares nothing with the engine but the random numbers. `decisions` yields (task, worker, propensity) and is sent the answer.
"""

import numpy as np

from labelbandit.model.chance import Draw, Purpose, uniform


class LiteralRandom:
    def __init__(self, world):
        self.world = world
        self.y = [{} for _ in world.context]

    def decisions(self):
        world, seed = self.world, np.uint64(self.world.seed)
        unfinished = list(range(len(world.context)))
        n = 0
        while unfinished:
            place = int(uniform(Draw(seed, n), Purpose.SAMPLE.value, 0) * len(unfinished))
            i = unfinished[place]
            free = [j for j in range(world.workers) if j not in self.y[i]]
            j = free[int(uniform(Draw(seed, n), Purpose.WORKER.value, 0) * len(free))]
            self.y[i][j] = yield i, j, 1.0 / len(free)
            n += 1
            if len(free) == 1:
                unfinished[place] = unfinished[-1]  # the last one takes the place of the one that leaves
                unfinished.pop()

    def shares(self, i):
        return [sum(answer == c for answer in self.y[i].values()) / self.world.workers for c in range(self.world.classes)]

"""OptKG transcribed from the specification: every pair scored before every ask, no cache, no cleverness.

It shares nothing with the fast one but the random numbers and I(a, b), which has tests of its own.
"""

from dataclasses import dataclass, field

from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.policies.beta import above_half


def moments(a, b, c, d, z):
    """E θ, E θ², E ρ, E ρ² after the answer z, as the specification has them."""
    if z > 0:
        w = a * c + b * d
        return (
            a * ((a + 1) * c + b * d) / ((a + b + 1) * w),
            a * (a + 1) * ((a + 2) * c + b * d) / ((a + b + 1) * (a + b + 2) * w),
            c * (a * (c + 1) + b * d) / ((c + d + 1) * w),
            c * (c + 1) * (a * (c + 2) + b * d) / ((c + d + 1) * (c + d + 2) * w),
        )
    w = b * c + a * d
    return (
        a * (b * c + (a + 1) * d) / ((a + b + 1) * w),
        a * (a + 1) * (b * c + (a + 2) * d) / ((a + b + 1) * (a + b + 2) * w),
        c * (b * (c + 1) + a * d) / ((c + d + 1) * w),
        c * (c + 1) * (b * (c + 2) + a * d) / ((c + d + 1) * (c + d + 2) * w),
    )


def matched(m1, m2):
    k = (m1 - m2) / (m2 - m1 * m1)
    return m1 * k, (1 - m1) * k


def h(x):
    return max(x, 1 - x)


@dataclass
class LiteralOptkg:
    tasks: list[int]
    """Those of this instance; beliefs are by task number."""
    workers: int
    seed: object
    equal: bool = False
    priors: tuple[float, float, float, float] = (1.0, 1.0, 4.0, 1.0)
    exists: list[set[int]] | None = None
    used: dict[int, set[int]] = field(init=False)

    def __post_init__(self):
        a, b, c, d = self.priors
        self.task = dict.fromkeys(self.tasks, (a, b))
        self.worker = dict.fromkeys(range(self.workers), (c, d))
        self.used = {i: set() for i in self.tasks}
        self.pending = {i: set() for i in self.tasks}

    def may_take(self, i, present):
        exists = self.exists[i] if self.exists is not None else set(range(self.workers))
        return sorted((present & exists) - self.used[i] - self.pending[i])

    def after(self, i, j, z):
        (a, b), (c, d) = self.task[i], self.worker[j]
        if self.equal:
            return ((a + 1, b) if z > 0 else (a, b + 1)), (c, d)
        m1, m2, m3, m4 = moments(a, b, c, d, z)
        return matched(m1, m2), (c, d) if a == b else matched(m3, m4)

    def reward(self, i, j):
        now = h(above_half(*self.task[i]))
        return max(h(above_half(*self.after(i, j, z)[0])) - now for z in (+1, -1))

    def key(self, i, j):
        rank = uniform(Draw(self.seed, i), Purpose.ORDER.value, 0 if self.equal else 1 + j)
        return len(self.pending[i]), -round(self.reward(i, j) * 2**40), rank

    def choose(self, present, n):
        open_pairs = [(i, j) for i in self.tasks for j in self.may_take(i, present)]
        if not open_pairs:
            return None
        i, j = min(open_pairs, key=lambda pair: self.key(*pair))
        if not self.equal:
            return i, j, 1.0
        may = self.may_take(i, present)
        return i, may[int(uniform(Draw(self.seed, n), Purpose.WORKER.value, 0) * len(may))], 1.0 / len(may)

    def learn(self, i, j, answer):
        self.pending[i].discard(j)
        self.used[i].add(j)
        self.task[i], self.worker[j] = self.after(i, j, 1 if answer == 1 else -1)

"""Algorithm 1 of the paper, transcribed line by line: matrices, full rescoring, no cleverness.

It shares nothing with the engine but the random numbers. Questions the paper leaves open are answered as in
docs/decisions/0002. Sums run over workers in ascending order, one by one.
"""

from dataclasses import dataclass, field
from math import exp, log, sqrt

from labelbandit.model.chance import Draw, Purpose, uniform

TOLERANCE = 1e-12


@dataclass
class LiteralBbta:
    context: list[int]
    workers: int
    classes: int
    budget: int
    seed: object
    explore: int = 1
    repeats: bool = False
    pick: str = "margin"
    loss_of: str = "importance"
    asleep: str = "spared"
    scale: float = 1.0
    memory: int = 0
    vote_by: str = "weights"
    exists: list[set[int]] | None = None
    y: list[dict[int, int]] = field(init=False)
    pending: list[set[int]] = field(init=False)
    declined: list[set[int]] = field(init=False)

    def __post_init__(self):
        tasks, contexts = range(len(self.context)), range(max(self.context) + 1)
        self.y = [{} for _ in tasks]  # line 7
        self.pending = [set() for _ in tasks]
        self.declined = [set() for _ in tasks]
        self.t = [0 for _ in contexts]  # line 9
        self.loss = [[0.0] * self.workers for _ in contexts]
        self.rank = [uniform(Draw(self.seed, i), Purpose.ORDER.value, 0) for i in tasks]
        order = sorted(tasks, key=lambda i: self.rank[i])
        sizes = [self.context.count(s) for s in contexts]
        explore = self.explore
        while explore and self.workers * sum(min(explore, n) for n in sizes) > self.budget:
            explore -= 1
        picked = {s: [i for i in order if self.context[i] == s][:explore] for s in contexts}  # line 11
        self.explored = [i for i in order if i in picked[self.context[i]]]
        self.majority = {}

    # who may take what

    def may_take(self, i, present, repeats):
        used = self.pending[i] | self.declined[i] | (set() if repeats else set(self.y[i]))
        exists = self.exists[i] if self.exists is not None else set(range(self.workers))
        return [j for j in range(self.workers) if j in present and j in exists and j not in used]

    # weights

    def eta(self, steps):
        counted = min(steps, self.memory) if self.memory else steps
        return sqrt(log(self.workers) / (counted * self.workers)) if steps else 0.0  # line 19

    def weights(self, s, eta):
        least = min(self.loss[s])
        return [exp(-eta * (value - least)) for value in self.loss[s]]

    def join(self, newcomers):
        """Workers who come midway start in each context with the mean weight."""
        self.workers += newcomers
        for s, loss in enumerate(self.loss):
            eta = self.eta(max(1, self.t[s]))
            mean = sum_in_order(self.weights(s, eta)) / len(loss)
            self.loss[s] = loss + [min(loss) - log(mean) / eta] * newcomers

    # votes

    def shares(self, i, weights):
        votes = [0.0] * self.classes
        for j in sorted(self.y[i]):
            votes[self.y[i][j]] += weights[j]
        return votes

    def vote(self, i, weights, draw, purpose):
        votes, total = self.shares(i, weights), sum_in_order(weights)
        tied = [c for c in range(self.classes) if votes[c] >= max(votes) - TOLERANCE * total]
        if len(tied) == 1:
            return tied[0]
        return tied[int(uniform(draw, purpose.value, 0) * len(tied))]

    def points(self, i):
        s = self.context[i]
        weights = self.weights(s, self.eta(self.t[s]))
        top, second = sorted(self.shares(i, weights), reverse=True)[:2]
        if self.pick == "least-confidence":
            second = 0.0
        return round((top - second) / sum_in_order(weights) * 2**40)

    # one step

    def choose(self, present, n):
        for i in self.explored:  # line 12
            if may := self.may_take(i, present, repeats=False):
                return i, may[0], 1.0
        everyone = set(range(self.workers))
        adaptive = [
            i
            for i in range(len(self.context))
            if i not in self.explored  # line 14
            and (not self.repeats or len(self.y[i]) < len(self.may_take_ever(i, everyone)))  # lines 24 to 26
            and self.may_take(i, present, self.repeats)
        ]
        if not adaptive:
            return None
        i = min(adaptive, key=lambda i: (len(self.pending[i]), self.points(i), self.rank[i]))  # line 17
        s = self.context[i]
        eta = self.eta(self.t[s] + 1)  # lines 18, 19
        may = self.may_take(i, present, self.repeats)
        least = min(self.loss[s][j] for j in may)
        weights = [exp(-eta * (self.loss[s][j] - least)) for j in may]
        u, total = uniform(Draw(self.seed, n), Purpose.WORKER.value, 0), sum_in_order(weights)
        reached = 0.0
        for j, weight in zip(may, weights, strict=True):  # line 20
            if weight > 0.0:
                chosen, propensity = j, weight / total
                reached += weight
                if reached > u * total:
                    break
        return i, chosen, propensity

    def may_take_ever(self, i, everyone):
        return self.exists[i] if self.exists is not None else everyone

    def learn(self, i, j, answer, propensity, n):
        self.pending[i].discard(j)
        if i in self.explored:
            self.learn_explored(i, j, answer)
            return
        self.y[i][j] = answer
        s = self.context[i]
        self.t[s] += 1  # line 18
        weights = self.weights(s, self.eta(self.t[s]))  # line 19
        verdict = self.vote(i, weights, Draw(self.seed, n), Purpose.VOTE)  # line 21
        if self.memory:
            self.loss[s] = [(1.0 - 1.0 / self.memory) * value for value in self.loss[s]]
        if verdict != answer:
            added = self.eta(self.t[s]) / 2.0 if self.loss_of == "implicit" else 0.0
            self.loss[s][j] += 1.0 / (propensity + added)  # line 22
            if self.asleep == "charged":
                self.charge_asleep(i, j)

    def charge_asleep(self, i, j):
        """SB-EXP3: whoever could not have been asked instead loses as much as was lost, which is 1."""
        awake = self.may_take_ever(i, set(range(self.workers))) - self.pending[i] - self.declined[i]
        awake -= set() if self.repeats else set(self.y[i])
        for k in range(self.workers):
            if k != j and k not in awake:
                self.loss[self.context[i]][k] += 1.0

    def learn_explored(self, i, j, answer):
        """Line 13, of the labels heard so far: take back what the last majority charged, and charge by the new one."""
        loss = self.loss[self.context[i]]
        before = self.majority.get(i)
        labels_before = dict(self.y[i])
        self.y[i][j] = answer
        after = self.majority[i] = self.vote(i, [1.0] * self.workers, Draw(self.seed, i), Purpose.MAJORITY)
        for k, label in sorted(self.y[i].items()):
            if k in labels_before:
                loss[k] -= self.scale * (label != before)
            loss[k] += self.scale * (label != after)

    def normalised_shares(self, i):
        s = self.context[i]
        if self.vote_by == "em":
            return self.em(s)[i] if self.y[i] else [0.0] * self.classes
        weights = self.weights(s, self.eta(self.t[s]))
        return [vote / sum_in_order(weights) for vote in self.shares(i, weights)]

    def em(self, s):
        """One-coin EM over the labels of a context: thirty rounds from near the majority, with a prior of Beta(2, 1)."""
        tasks, classes = [i for i in range(len(self.context)) if self.context[i] == s], range(self.classes)
        said = {i: sorted(self.y[i].items()) for i in tasks}
        belief = {i: [0.98 * self.part(i, c) + 0.02 / self.classes for c in classes] for i in tasks}
        for _ in range(30):
            right, given = [0.0] * self.workers, [0.0] * self.workers
            for i in tasks:
                for j, answer in said[i]:
                    right[j] += belief[i][answer]
                    given[j] += 1.0
            rate = [min(max((2.0 + r) / (3.0 + n), 1e-6), 1.0 - 1e-6) for r, n in zip(right, given, strict=True)]
            for i in tasks:
                logs = [0.0] * self.classes
                for j, answer in said[i]:
                    logs[answer] += log(rate[j] * (self.classes - 1) / (1.0 - rate[j]))
                odds = [exp(value - max(logs)) for value in logs]
                belief[i] = [value / sum_in_order(odds) for value in odds]
        return belief

    def part(self, i, c):
        """Of the task's labels, those that say c."""
        return sum(answer == c for answer in self.y[i].values()) / len(self.y[i]) if self.y[i] else 1.0 / self.classes


def sum_in_order(values):
    total = 0.0
    for value in values:
        total += value
    return total

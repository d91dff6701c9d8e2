"""Crosscheck as its documents describe it: dictionaries, lists and full searches, no blocks, no rings, no arena.

It shares nothing with the fast one but the random numbers. Sums run in ascending order, one by one; what the rule keeps as
running sums is kept as running sums here, for "the same" means to the last bit.
"""

from dataclasses import dataclass, field
from math import exp, inf, lgamma, log, sqrt

import numpy as np

from labelbandit.model.chance import Draw, Purpose, uniform
from tests.reference.crosscheck_levels import levels_of

CARRIED = [0.02, 0.1, 0.25, 0.45, 0.7, 0.95]


def points(score):
    return round(score * 2**40)


def posterior_of(prior, evidence):
    greatest = max(evidence)
    weights = [p * exp(e - greatest) for p, e in zip(prior, evidence, strict=True)]
    total = 0.0
    for weight in weights:
        total += weight
    return [weight / total for weight in weights], log(total) + greatest


@dataclass
class LiteralCrosscheck:
    context: list[int]
    workers: int
    classes: int
    budget: int
    seed: object
    explore: float = 1.5
    frequencies: bool = True
    errors: str = "by-class"
    share: bool = True
    exists: list[set[int]] | None = None
    y: list[dict[int, int]] = field(init=False)
    pending: list[set[int]] = field(init=False)

    def __post_init__(self):
        self.levels = levels_of(self.classes, max(self.context) + 1, self.errors == "by-class")
        self.G, self.expected = range(len(self.levels)), [level.expected for level in self.levels]
        names = [level.name for level in self.levels]
        self.image = [names.index(level.image) for level in self.levels]
        tasks, self.contexts = range(len(self.context)), range(max(self.context) + 1)
        self.confusing = self.errors == "by-class" and (self.classes > 2 or (len(self.contexts) > 1 and self.frequencies))
        self.numbers = [15.0, 4.0, 60.0] if self.classes > 2 else [inf, 4.0, 15.0, 60.0]
        pairs = [(s, j) for s in self.contexts for j in range(self.workers)]
        self.y, self.pending = [{} for _ in tasks], [set() for _ in tasks]
        self.message = [{} for _ in tasks]
        self.rank = [uniform(Draw(self.seed, i), Purpose.ORDER.value, 0) for i in tasks]
        self.posterior = [[0.0] * self.classes for _ in tasks]
        self.frequency = [[0.0] * self.classes for _ in self.contexts]
        self.counts = [0.0 for _ in tasks]
        self.labels, self.heard, self.told = dict.fromkeys(pairs, 0), [0 for _ in self.contexts], 0
        self.evidence = {pair: [0.0 for _ in self.G] for pair in pairs}
        self.prior = {pair: list(self.expected) for pair in pairs}
        self.belief, self.accuracy, self.value = {}, {}, {}
        self.same = dict.fromkeys(pairs, 0.0)
        self.crowd, self.known = [0.0 for _ in self.G], 0.0
        self.all_alike, self.one = 0.0, list(self.expected)
        self.carried = [float(np.log(likely)) for likely in (0.15, 0.25, 0.25, 0.15, 0.1, 0.1)]
        self.confusion = {pair: [[0.0] * self.classes for _ in range(self.classes)] for pair in pairs}
        self.ring, self.at = [[] for _ in self.contexts], [-1 for _ in self.contexts]
        self.as_read, self.turned = list(self.expected), [list(self.expected) for _ in self.contexts]
        self.lean, self.unaided = [inf for _ in self.contexts], [0.0 for _ in self.contexts]
        self.alike, self.fit = self.numbers[0], [[0.0 for _ in self.numbers] for _ in self.contexts]
        self.roomy = [self.context.count(s) >= 1.2 * self.workers for s in self.contexts]
        self.turn = 0
        wish = self.explore * self.workers * sum(self.roomy)
        self.exploration = int(min(wish, len(self.context) / 2, self.budget / 5))
        for j in range(self.workers):
            self.review(j)

    # workers

    def mix_if_unlike(self):
        return [(4.0 * self.expected[g] + self.crowd[g]) / (4.0 + self.known) for g in self.G]

    def mix(self):
        return [mix + self.all_alike * (one - mix) for mix, one in zip(self.mix_if_unlike(), self.one, strict=True)]

    def compare_workers(self):
        """Are they all at one level, or is there a mix?"""
        unlike, together, mix = 0.0, [0.0 for _ in self.G], self.mix_if_unlike()
        for s in self.contexts:
            for j in range(self.workers):
                if self.roomy[s] and self.labels[s, j] > 0:
                    unlike += posterior_of(mix, self.evidence[s, j])[1]
                    together = [together[g] + self.evidence[s, j][g] for g in self.G]
        self.one, alike = posterior_of(self.expected, together)
        self.all_alike = 1.0 / (1.0 + exp(min(unlike - alike, 700.0)))

    def spread(self):
        mean, square = 0.0, 0.0
        for share, level in zip(self.mix(), self.levels, strict=True):
            right = 0.0
            for hit in level.hit:
                right += hit
            right /= len(level.hit)
            mean += share * right
            square += share * right * right
        return sqrt(max(square - mean * mean, 0.0))

    def review(self, j):
        mix = self.mix()
        carried = self.carried_over() if self.share else 0.0
        counted = carried if self.is_carried_over() else 0.0
        general, factor = [0.0 for _ in self.G], {}
        for s in self.contexts:
            if carried == 0.0 or self.labels[s, j] == 0:
                continue
            evidence = self.evidence[s, j]
            likelihood = [exp(e - max(evidence)) for e in evidence]
            anew = 0.0
            for g in self.G:
                anew += mix[g] * likelihood[g]
            factor[s] = [log((1.0 - carried) * anew + carried * likelihood[g]) for g in self.G]
            general = [general[g] + factor[s][g] for g in self.G]
        for s in self.contexts:
            if carried > 0.0 and len(factor) > (self.labels[s, j] > 0):
                self.expect(s, j, mix, counted, [general[g] - (factor[s][g] if s in factor else 0.0) for g in self.G])
            else:
                self.prior[s, j] = mix
            self.renew(s, j)

    def carried_over(self):
        total, mean = 0.0, 0.0
        for each, fit in zip(CARRIED, self.carried, strict=True):
            total += exp(fit - max(self.carried))
            mean += exp(fit - max(self.carried)) * each
        return mean / total

    def is_carried_over(self):
        total = 0.0
        for fit in self.carried:
            total += exp(fit - max(self.carried))
        return exp(self.carried[0] - max(self.carried)) / total < 0.05

    def expect(self, s, j, mix, carried, elsewhere):
        level, _ = posterior_of(mix, elsewhere)
        if self.labels[s, j] > 0:
            at_general, anew = 0.0, 0.0
            for g in self.G:
                likelihood = exp(self.evidence[s, j][g] - max(self.evidence[s, j]))
                at_general += level[g] * likelihood
                anew += mix[g] * likelihood
            before, self.same[s, j] = self.same[s, j], at_general / anew
            for k, each in enumerate(CARRIED):
                self.carried[k] += log(1.0 + each * (self.same[s, j] - 1.0))
                if before > 0.0:
                    self.carried[k] -= log(1.0 + each * (before - 1.0))
        self.prior[s, j] = [(1.0 - carried) * mix[g] + carried * level[g] for g in self.G]

    def renew(self, s, j):
        counted = self.labels[s, j] > 0
        if counted:
            self.crowd = [self.crowd[g] - self.belief[s, j][g] for g in self.G]
        self.belief[s, j], _ = posterior_of(self.prior[s, j], self.evidence[s, j])
        if counted:
            self.crowd = [self.crowd[g] + self.belief[s, j][g] for g in self.G]
        self.appraise(s, j)

    def appraise(self, s, j):
        accuracy, value = 0.0, 0.0
        for c in range(self.classes if self.classes == 2 else 1):
            hit, miss = 0.0, 0.0
            for g in self.G:
                hit += self.levels[g].hit[c] * self.belief[s, j][g]
                miss += self.levels[g].miss[c] * self.belief[s, j][g]
            accuracy += hit
            value += self.information(hit, miss)
        self.accuracy[s, j] = accuracy / 2.0 if self.classes == 2 else accuracy
        self.value[s, j] = value if self.classes == 2 else value * self.classes
        if self.confusing and self.alike < inf:
            self.value[s, j] = self.value_if_confused(s, j)

    def information(self, hit, miss):
        mean = (hit + (self.classes - 1) * miss) / self.classes
        return (hit * log(hit / mean) + (self.classes - 1) * miss * log(miss / mean)) / self.classes

    def value_if_confused(self, s, j):
        value, wrong = 0.0, (1.0 - self.accuracy[s, j]) / (self.classes - 1)
        for answer in range(self.classes):
            mean, told = 0.0, 0.0
            for c in range(self.classes):
                chance = self.chance(self.confusion[s, j][c], answer, self.accuracy[s, j] if c == answer else wrong, 0.0)
                mean += chance
                told += chance * log(chance)
            value += told - mean * log(mean / self.classes)
        return value / self.classes

    def chance(self, counts, answer, alike, mine):
        if self.alike == inf:
            return alike
        labels = -mine
        for count in counts:
            labels += count
        counted = max(counts[answer] - mine, 0.0)
        return (self.alike * alike + counted) / (self.alike + max(labels, counted))

    def judge_errors(self, s):
        for number, alike in enumerate(self.numbers):
            self.fit[s][number] = 0.0
            for j in range(self.workers):
                self.fit[s][number] += self.fit_of(self.confusion[s, j], self.accuracy[s, j], alike)
        totals = [0.0 if number else 3.0 for number in range(len(self.numbers))]
        for number in range(len(totals)):
            for other in self.contexts:
                totals[number] += self.fit[other][number]
        self.alike = self.numbers[totals.index(max(totals))]

    def fit_of(self, confusion, accuracy, alike):
        fit, wrong = 0.0, (1.0 - accuracy) / (self.classes - 1)
        for c in range(self.classes):
            labels = 0.0
            for answer in range(self.classes):
                chance, counted = accuracy if answer == c else wrong, max(confusion[c][answer], 0.0)
                if alike == inf:
                    fit += counted * log(chance)
                else:
                    fit += lgamma(alike * chance + counted) - lgamma(alike * chance)
                labels += counted
            fit += lgamma(alike) - lgamma(alike + labels) if alike < inf else 0.0
        return fit

    # tasks

    def support(self, message, g, answer):
        return message * self.levels[g].hit[answer] + (1.0 - message) * self.levels[g].miss[answer]

    def answer_logs(self, i, j):
        """The log-probability of j's answer for each true class, as far as j's other tasks tell."""
        s, answer, before = self.context[i], self.y[i][j], self.message[i].get(j)
        evidence, total, right, wrong = self.evidence[s, j], 0.0, 0.0, 0.0
        for g in self.G:
            weight = self.prior[s, j][g] * exp(evidence[g] - max(evidence))
            if before is not None:
                weight /= self.support(before, g, answer)
            total += weight
            right += weight * self.levels[g].hit[answer]
            wrong += weight * self.levels[g].miss[answer]
        logs = []
        for c in range(self.classes):
            chance = right / total if c == answer else wrong / total
            if self.confusing:
                mine = self.posterior[i][c] if before is not None else 0.0
                chance = self.chance(self.confusion[s, j][c], answer, chance, mine)
            logs.append(log(chance))
        return logs

    def cross(self, i):
        s, classes = self.context[i], range(self.classes)
        logs = [0.0 for _ in classes]
        if self.frequencies:
            logs = [log(max(self.frequency[s][c] - self.counts[i] * self.posterior[i][c], 0.0) + 4.0) for c in classes]
        own = {j: self.answer_logs(i, j) for j in sorted(self.y[i])}
        for j in own:
            logs = [logs[c] + own[j][c] for c in classes]
        self.count(i, -1.0)
        for j in own:
            self.send(i, j, [logs[c] - own[j][c] for c in classes])
        weights, total = [exp(value - max(logs)) for value in logs], 0.0
        for weight in weights:
            total += weight
        for c in classes:
            self.frequency[s][c] -= self.counts[i] * self.posterior[i][c]
            self.frequency[s][c] += weights[c] / total if len(own) > 1 else 0.0
            self.posterior[i][c] = weights[c] / total
        self.counts[i] = float(len(own) > 1)
        self.count(i, 1.0)

    def count(self, i, by):
        for j in sorted(self.message[i]):
            for c in range(self.classes):
                self.confusion[self.context[i], j][c][self.y[i][j]] += by * self.posterior[i][c]

    def send(self, i, j, others):
        total = 0.0
        for value in others:
            total += exp(value - max(others))
        message = exp(others[self.y[i][j]] - max(others)) / total
        message = min(max(message, 1.0 - (1.0 - 1e-6)), 1.0 - 1e-6)
        before, evidence, answer = self.message[i].get(j), self.evidence[self.context[i], j], self.y[i][j]
        if before is not None and abs(message - before) < 1e-4:
            return
        after = float(np.float32(message))
        for g in self.G:
            old = self.support(before, g, answer) if before is not None else 1.0
            evidence[g] += log(self.support(after, g, answer) / old)
        self.message[i][j] = after

    # the mirror

    def check_mirror(self, s):
        if len(self.ring[s]) < 8:
            return
        self.lean[s] = self.unaided[s] = self.leaning(s, self.expected)
        if len(self.contexts) > 1:
            self.as_read, fits = self.fitted(self.as_read, None)
            self.turned[s], would_fit = self.fitted(self.turned[s], s)
            self.lean[s] = 0.5 * self.unaided[s] + fits - would_fit
        if self.lean[s] < -1.0:
            self.as_read, self.turned[s] = self.turned[s], self.as_read
            self.turn_round(s)
        total = 0.0
        for other in self.contexts:
            total += self.unaided[other]
        if total < -1.0:
            self.as_read = self.reversed(self.as_read)
            self.turned = [self.reversed(row) for row in self.turned]
            for other in self.contexts:
                if self.ring[other]:
                    self.turn_round(other)

    def fitted(self, mix, turned):
        """Three steps of EM towards the likeliest mix of levels, with one context turned round, and how well the last fits."""
        fit = 0.0
        for _ in range(3):
            sums, pairs, fit = [4.0 * self.expected[g] for g in self.G], 4.0, 0.0
            for g in self.G:
                fit += sums[g] * log(mix[g])
            for s in self.contexts:
                for j in range(self.workers):
                    if self.labels[s, j] > 0:
                        evidence = self.reversed(self.evidence[s, j]) if s == turned else self.evidence[s, j]
                        belief, explained = posterior_of(mix, evidence)
                        sums, pairs, fit = [sums[g] + belief[g] for g in self.G], pairs + 1.0, fit + explained
            mix = [sums[g] / pairs for g in self.G]
        return mix, fit

    def leaning(self, s, prior):
        lean = 0.0
        for j in range(self.workers):
            if self.labels[s, j] > 0:
                lean += posterior_of(prior, self.evidence[s, j])[1]
                lean -= posterior_of(prior, self.reversed(self.evidence[s, j]))[1]
        return lean

    def reversed(self, row):
        return [row[self.image[g]] for g in self.G]

    def turn_round(self, s):
        self.lean[s] = -self.lean[s] if self.lean[s] < inf else inf
        self.unaided[s] = -self.unaided[s]
        for j in range(self.workers):
            if self.labels[s, j] > 0:
                self.evidence[s, j] = self.reversed(self.evidence[s, j])
                self.renew(s, j)
        self.frequency[s].reverse()
        for i in self.ring[s]:
            self.count(i, -1.0)
            self.posterior[i].reverse()
            self.count(i, 1.0)
            for j in self.message[i]:
                self.message[i][j] = float(np.float32(1.0 - self.message[i][j]))

    # one step

    def learn(self, i, j, answer):
        s = self.context[i]
        self.pending[i].discard(j)
        self.y[i][j] = answer
        self.told += 1
        if self.labels[s, j] == 0:
            self.known += 1.0
            self.crowd = [self.crowd[g] + self.belief[s, j][g] for g in self.G]
        self.labels[s, j] += 1
        self.heard[s] += 1
        if i not in self.ring[s]:
            self.at[s] += 1
            self.ring[s].insert(self.at[s], i)
        self.cross(i)
        for k in sorted(self.y[i]):
            self.renew(s, k)
        for _ in range(8):
            self.at[s] = (self.at[s] + 1) % len(self.ring[s])
            self.cross(self.ring[s][self.at[s]])
        self.review(j)
        self.review(self.turn)
        self.turn = (self.turn + 1) % self.workers
        if self.heard[s] % self.workers == 0:
            if self.confusing:
                self.judge_errors(s)
            if self.classes == 2:
                self.check_mirror(s)
            if self.roomy[s]:
                self.compare_workers()

    def may_take(self, i, present):
        exists = self.exists[i] if self.exists is not None else set(range(self.workers))
        return [
            j for j in range(self.workers) if j in present and j in exists and j not in self.pending[i] and j not in self.y[i]
        ]

    def gain(self, certainty, accuracy):
        right, most = max(accuracy, 1.0 - accuracy), 0.0
        wrong = 1.0 - right
        for answers in range(1, 5):
            lead, rest, expected, ways = certainty, 1.0 - certainty, 0.0, 1.0
            for _ in range(answers):
                lead, rest = lead * right, rest * wrong
            for against in range(answers + 1):
                expected += ways * max(lead, rest)
                ways = ways * (answers - against) / (against + 1)
                lead, rest = lead * (wrong / right), rest * (right / wrong)
            most = max(most, (expected - certainty) / answers)
        return most + 1e-3 * (1.0 - certainty) * (2.0 * right - 1.0)

    def choose(self, present, n):
        open_tasks = [i for i in range(len(self.context)) if self.may_take(i, present)]
        if not open_tasks:
            return None
        exploring = self.told < self.exploration
        i = self.pick(open_tasks, present, exploring)
        may = self.may_take(i, present)
        s, lot = self.context[i], uniform(Draw(self.seed, n), Purpose.WORKER.value, 0)
        if exploring or (self.roomy[s] and abs(self.lean[s]) < 3.0):
            return i, *self.draw(s, may, lot)
        most = max(points(self.value[s, j]) for j in may)
        tied = [j for j in may if points(self.value[s, j]) == most]
        return i, tied[int(lot * len(tied))], 1.0 / len(tied)

    def pick(self, open_tasks, present, exploring):
        found, highest, doubtful = None, -np.inf, 0.9
        if self.told >= len(self.context):
            doubtful = 0.6 + (0.9 - 0.6) * min(max((self.spread() - 0.09) / (0.14 - 0.09), 0.0), 1.0)
        for s in self.contexts:
            here = [i for i in open_tasks if self.context[i] == s and not self.pending[i]]
            best = self.accuracy[s, max(sorted(present), key=lambda j: self.value[s, j])] if present else 0.0
            labelled = min(
                (i for i in here if self.y[i]), key=lambda i: (points(max(self.posterior[i])), self.rank[i]), default=None
            )
            fresh = min((i for i in here if not self.y[i]), key=lambda i: self.rank[i], default=None)
            enough = 0.98 if exploring else min(doubtful if self.roomy[s] else 0.6, max(best, 1.0 - best))
            task = labelled
            if labelled is None or (fresh is not None and max(self.posterior[labelled]) >= enough):
                task = fresh
            if task is None:
                continue
            certainty = max(self.posterior[task]) if self.y[task] else 1.0 / self.classes
            worth = -self.heard[s] if exploring else self.gain(certainty, best) / (1.0 + self.heard[s] / self.context.count(s))
            if worth > highest:
                found, highest = task, worth
        if found is not None:
            return found
        return min(open_tasks, key=lambda i: (len(self.pending[i]), points(max(self.posterior[i])), self.rank[i]))

    def draw(self, s, may, lot):
        classes = range(self.classes)
        told = [round(sum(self.information(level.hit[c], level.miss[c]) for c in classes), 9) for level in self.levels]
        order = sorted(self.G, key=lambda g: (-told[g], -sum(self.levels[g].hit)))
        below, chance, reached = dict.fromkeys(may, 1.0), dict.fromkeys(may, 0.0), 1.0
        for g in order:
            none, total, weight = 1.0, 0.0, {}
            for j in may:
                weight[j] = self.belief[s, j][g] / max(below[j], 1e-300)
                total += weight[j]
                below[j] = max(below[j] - self.belief[s, j][g], 0.0)
                none *= below[j]
            for j in may if total > 0.0 else ():
                chance[j] += (reached - none) * weight[j] / total
            reached = none
        total, so_far = 0.0, 0.0
        for j in may:
            total += chance[j]
        for j in may:
            if chance[j] > 0.0:
                chosen = j
                so_far += chance[j]
                if so_far > lot * total:
                    break
        return chosen, chance[chosen] / total

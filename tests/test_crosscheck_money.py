"""Crosscheck with prices, experts and gold: what a label brings is set against what it costs, and the known is believed."""

from dataclasses import replace

import numpy as np
import pytest

from labelbandit.model.chance import Draw
from labelbandit.policies.contract import Setup, choose, learn, shares
from labelbandit.policies.crosscheck import Crosscheck
from labelbandit.policies.openings import all_present
from labelbandit.policies.sheet import blank_sheet, write

TASKS, SEED = 60, np.uint64(5)
TRUTH = np.arange(TASKS) % 2


class Bench:
    """One context, workers who are right so often, and a state that learns from them."""

    def __init__(self, accuracy, price=None, expert=(), gold=None, luck=3):
        workers = len(accuracy)
        self.accuracy = accuracy
        self.lots = np.random.default_rng(luck).random((TASKS, workers))
        setup = Setup(np.zeros(TASKS, np.int64), 1, workers, 2, 10 * TASKS, SEED)
        setup = replace(
            setup, expert=np.isin(np.arange(workers), expert), gold=np.array([] if gold is None else gold, np.int64)
        )
        self.state = Crosscheck().grow(None, setup)
        self.openings = all_present(workers, blank_sheet(setup.context, workers, 4000))
        if price is not None:
            self.openings.price[:] = price
        self.asked = []

    def tell(self, task, worker, answer):
        write(self.openings.sheet, task, worker, answer)
        learn(self.state, self.openings, task, worker, answer, 1.0, Draw(SEED, len(self.asked)))

    def step(self):
        choice = choose(self.state, self.openings, Draw(SEED, len(self.asked)))
        right = self.lots[choice.task, choice.worker] < self.accuracy[choice.worker]
        self.tell(choice.task, choice.worker, int(TRUTH[choice.task] if right else 1 - TRUTH[choice.task]))
        self.asked.append(choice.worker)

    def labels(self, steps):
        """How many labels each worker gives in so many steps."""
        for _ in range(steps):
            self.step()
        return np.bincount(self.asked, minlength=len(self.accuracy))

    def probability(self, task, answer):
        votes = np.zeros(2)
        shares(self.state, self.openings, task, votes)
        return votes[answer]


def test_of_workers_equally_good_the_cheaper_are_asked():
    labels = Bench([0.9] * 8, price=[1, 1, 1, 1, 5, 5, 5, 5]).labels(120)
    assert labels[:4].sum() > 5 * labels[4:].sum()


def test_a_dearer_worker_is_asked_who_brings_more_for_the_money():
    labels = sum(Bench([0.7] * 6 + [0.97] * 2, price=[1] * 6 + [2] * 2, luck=luck).labels(200) for luck in range(30))
    assert labels[6:].min() > labels[:6].max()


def test_an_expert_is_hardly_asked_while_the_crowd_tells_more_for_the_money():
    labels = Bench([0.9, 0.9, 0.9, 0.9, 1.0], price=[1, 1, 1, 1, 10], expert=[4]).labels(150)
    assert labels[4] < 10


def test_an_expert_is_asked_where_nobody_else_knows():
    bench = Bench([0.5] * 4 + [1.0], price=[1, 1, 1, 1, 3], expert=[4])
    assert bench.labels(150)[4] > 30


def test_an_expert_who_is_there_alone_is_asked():
    bench = Bench([0.9, 0.9, 1.0], expert=[2])
    bench.openings.present[:2] = False
    bench.openings.away[0] = 2
    assert bench.labels(10)[2] == 10


def test_an_expert_is_taken_at_their_word_and_teaches_about_the_others():
    bench = Bench([0.5, 0.5, 1.0], expert=[2])
    for task in range(12):
        bench.tell(task, 0, TRUTH[task])
        bench.tell(task, 1, 1 - TRUTH[task])
    for task in range(12):
        bench.tell(task, 2, TRUTH[task])
    assert min(bench.probability(task, TRUTH[task]) for task in range(12)) > 0.999
    assert bench.state.trust.accuracy[0, 0] > 0.8 > 0.2 > bench.state.trust.accuracy[0, 1]


def test_where_experts_differ_neither_is_taken_at_their_word():
    bench = Bench([0.9, 1.0, 1.0], expert=[1, 2])
    bench.tell(0, 1, 1)
    assert bench.probability(0, 1) > 0.999
    bench.tell(0, 2, 0)
    assert bench.probability(0, 1) == pytest.approx(0.5, abs=0.2)


def test_answers_to_gold_are_judged_by_its_truth():
    gold = np.where(np.arange(TASKS) < 12, TRUTH, -1)
    bench = Bench([0.5, 0.5], gold=gold)
    for task in range(12):
        bench.tell(task, 0, TRUTH[task])
        bench.tell(task, 1, 1 - TRUTH[task])
    assert bench.probability(0, TRUTH[0]) > 0.999
    assert bench.state.trust.accuracy[0, 0] > 0.8 > 0.2 > bench.state.trust.accuracy[0, 1]


def right_answers(bench):
    return np.mean([bench.probability(task, TRUTH[task]) > 0.5 for task in range(TASKS)])


def test_an_expert_about_a_few_tasks_turns_a_context_of_liars_round():
    bench = Bench([0.1] * 6 + [1.0], expert=[6])
    bench.openings.present[6] = False
    bench.openings.away[0] = 1
    bench.labels(180)
    assert right_answers(bench) < 0.1
    for task in range(5):
        bench.tell(task, 6, TRUTH[task])
    assert right_answers(bench) > 0.9


def test_an_expert_is_asked_about_a_certain_task_of_a_context_that_may_be_read_either_way():
    bench = Bench([0.5] * 4 + [0.9] * 2 + [0.25] * 5 + [1.0], price=[1] * 11 + [10], expert=[11])
    bench.openings.present[11] = False
    bench.openings.away[0] = 1
    bench.labels(120)
    bench.state.mirror.lean[0] = 0.5
    bench.openings.present[11] = True
    bench.openings.away[0] = 0
    choice = choose(bench.state, bench.openings, Draw(SEED, 1000))
    assert choice.worker == 11
    assert choice.score == max(bench.state.crossing.posterior.max(axis=1))

"""Replay: recorded labels as a world, in which only pairs that exist can be asked."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.compiled import compiled
from labelbandit.model.chance import Draw
from labelbandit.policies.bbta import Bbta
from labelbandit.policies.contract import choose, learn
from labelbandit.policies.openings import Pairs, all_present
from labelbandit.policies.registry import policy_from
from labelbandit.policies.sheet import blank_sheet, write
from labelbandit.simulation.datasets import find_dataset, read_dataset
from labelbandit.simulation.regret import losses_of
from labelbandit.simulation.run import play, setup_for
from labelbandit.simulation.world import NO_RECORD, answer_of, recorded_world

POLICIES = ["bbta", "bbta:explore=0", "bbta:pick=random", "random"]


def recorded(exists, seed=0, classes=2, contexts=2):
    """A world with labels where the matrix says so: right for even workers, wrong for odd ones."""
    exists = np.asarray(exists, bool)
    tasks, workers = exists.shape
    truth = np.arange(tasks) // 2 % classes
    task, worker = np.nonzero(exists)
    pairs = Pairs(np.concatenate(([0], np.cumsum(exists.sum(axis=1)))).astype(np.int64), worker.astype(np.int32))
    answers = ((truth[task] + worker % 2) % classes).astype(np.int16)
    return recorded_world(np.arange(tasks) % contexts, truth, workers, classes, pairs, answers, seed)


def asked_in(world, policy, budget):
    """Every pair that the policy asks, step by step, as the simulator's loop does."""
    setup = setup_for(world, budget)
    state = policy_from(policy).grow(None, setup)
    openings = all_present(world.workers, blank_sheet(world.context, world.workers, budget), world.pairs)
    asked = []
    while len(asked) < budget and (choice := _choose(state, openings, Draw(world.seed, len(asked)))).task >= 0:
        draw, answer = Draw(world.seed, len(asked)), answer_of(world, choice.task, choice.worker)
        write(openings.sheet, choice.task, choice.worker, answer)
        _learn(state, openings, choice.task, choice.worker, answer, choice.propensity, draw)
        asked.append((choice.task, choice.worker))
    return asked


@compiled
def _choose(state, openings, draw):
    return choose(state, openings, draw)


@compiled
def _learn(state, openings, task, worker, answer, propensity, draw):
    learn(state, openings, task, worker, answer, propensity, draw)


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 9), st.integers(2, 4))
def test_the_answer_is_the_one_on_record(seed, tasks, workers, classes):
    rng = np.random.default_rng(seed)
    table = np.where(rng.random((tasks, workers)) < 0.5, rng.integers(0, classes, (tasks, workers)), NO_RECORD)
    table[0, 0] = 0
    task, worker = np.nonzero(table >= 0)
    start = np.concatenate(([0], np.cumsum((table >= 0).sum(axis=1)))).astype(np.int64)
    pairs = Pairs(start, worker.astype(np.int32))
    world = recorded_world(
        np.zeros(tasks, np.int64), table.max(axis=1).clip(0), workers, classes, pairs, table[task, worker].astype(np.int16), 0
    )
    said = [[answer_of(world, i, j) for j in range(workers)] for i in range(tasks)]
    assert said == table.tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_replay_asks_only_pairs_that_exist_and_each_once(policy):
    exists = np.random.default_rng(4).random((20, 7)) < 0.5
    asked = asked_in(recorded(exists), policy, budget=200)
    assert sorted(asked) == list(zip(*(side.tolist() for side in np.nonzero(exists)), strict=True))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_budget_ends_where_the_data_end(policy):
    exists = np.random.default_rng(5).random((20, 7)) < 0.5
    curve = lb.simulate(policy, recorded(exists), budget=9)
    assert curve.labels == exists.sum()
    assert curve.accuracy.size == 9
    assert len(set(curve.accuracy[exists.sum() // 20 :])) == 1


def test_asking_everyone_gives_the_majority():
    exists = np.ones((12, 5))
    assert lb.simulate("random", recorded(exists), 5).accuracy[-1] == 1.0  # 3 right, 2 wrong
    exists[:, 4] = 0
    assert lb.simulate("random", recorded(exists), 5).accuracy[-1] == 0.5  # 2 against 2: a tie everywhere


def test_bbta_finds_out_whom_to_believe():
    rng = np.random.default_rng(1)
    exists = rng.random((400, 10)) < 0.8
    exists[:, [0, 2]] = True
    world = recorded(exists)
    recorded_noise = np.where(rng.random(world.recorded.size) < 0.5, world.recorded, 1 - world.recorded).astype(np.int16)
    noisy = world._replace(
        recorded=np.where(world.pairs.worker < 3, world.truth[task_of(world)], recorded_noise).astype(np.int16)
    )
    assert lb.simulate("bbta", noisy, 5).accuracy[-1] > lb.simulate("random", noisy, 5).accuracy[-1] + 0.03


def task_of(world):
    return np.repeat(np.arange(world.tasks), np.diff(world.pairs.start))


def test_the_seed_is_the_policys_alone():
    exists = np.random.default_rng(6).random((20, 7)) < 0.5
    first, second = recorded(exists, seed=1), recorded(exists, seed=2)
    assert asked_in(first, "bbta", 30) == asked_in(recorded(exists, seed=1), "bbta", 30) != asked_in(second, "bbta", 30)
    assert (first.recorded == second.recorded).all()


def test_a_full_record_of_a_simulated_world_gives_the_same_curve():
    drawn = lb.make_world("malicious", 60, 8, 3, 3, seed=3)
    answers = [answer_of(drawn, task, worker) for task in range(60) for worker in range(8)]
    pairs = Pairs(8 * np.arange(61), np.tile(np.arange(8, dtype=np.int32), 60))
    replayed = recorded_world(drawn.context, drawn.truth, 8, 3, pairs, np.array(answers, np.int16), seed=3)
    for policy in POLICIES:
        assert (lb.simulate(policy, drawn, 6).accuracy == lb.simulate(policy, replayed, 6).accuracy).all()


def test_drawn_and_recorded_worlds_share_one_compiled_loop():
    lb.simulate("random", lb.make_world("one-coin", 12, 5, 2, 2, seed=0), 2)
    before = len(play.signatures)
    lb.simulate("random", recorded(np.ones((12, 5))), 2)
    assert len(play.signatures) == before


def test_accuracy_is_counted_and_unknown_where_nothing_was_said():
    exists = np.ones((8, 3))
    exists[::2, 2] = 0
    assert np.array_equal(recorded(exists).accuracy, [[1, 0, np.nan], [1, 0, 1]], equal_nan=True)


def test_regret_wants_every_answer():
    exists = np.ones((8, 3))
    marks = np.array([12])
    assert losses_of(Bbta(explore=0), recorded(exists), marks).each.shape == (1, 2, 3)
    exists[3, 1] = 0
    with pytest.raises(lb.BadInput, match="every worker's answer"):
        losses_of(Bbta(explore=0), recorded(exists), marks)


REAL = [
    ("rte", (800, 164, 8000, 2, 7), 0.8969),
    ("four_domains", (200, 27, 5400, 2, 4), 0.915),
    ("bluebirds", (108, 39, 4212, 2, 1), 0.759),
    ("dog", (807, 109, 8070, 4, 1), 0.822),
]


@pytest.mark.parametrize(("name", "counts", "majority"), REAL)
def test_real_data_have_the_counts_and_the_majority_vote_that_are_known(name, counts, majority):
    if not os.environ.get("LABELBANDIT_DATA"):
        pytest.skip("not run: LABELBANDIT_DATA is not set")
    data = read_dataset(find_dataset(name))
    assert (len(data.tasks), len(data.workers), data.answers.size, len(data.classes), len(data.contexts)) == counts
    merged = data.world(seed=0, contexts=False)
    assert (merged.contexts, data.world(seed=0).contexts) == (1, counts[-1])
    everything = lb.simulate("random", merged, counts[1])
    assert everything.labels == counts[2]
    assert everything.accuracy[-1] == pytest.approx(majority, abs=6e-4)

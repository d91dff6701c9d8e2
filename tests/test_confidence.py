"""The search for the least confident task, against rescoring every task, in worlds of many blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import labelbandit as lb
from labelbandit.model.chance import Draw
from labelbandit.policies import confidence
from labelbandit.policies.bbta import Bbta
from labelbandit.policies.contract import ADAPTING, choose, learn
from labelbandit.policies.openings import all_present, used_up
from labelbandit.policies.sheet import blank_sheet, write
from labelbandit.policies.weights import EVERYTHING, adopt, even_weights, fade, weigh_context
from labelbandit.simulation.run import setup_for
from labelbandit.simulation.world import answer_of


@njit
def least_by_rescoring(state, openings):
    """Score them all."""
    best, best_points, best_rank = -1, 2**62, 2.0
    for task in range(state.scoring.context.size):
        if state.exploration.chosen[task] or used_up(openings, task, state.scoring.repeats):
            continue
        points = confidence.in_points(confidence.confidence(state.scoring, state.weights, openings.sheet, task))
        rank = state.frontier.rank[task]
        if points < best_points or (points == best_points and rank < best_rank):
            best, best_points, best_rank = task, points, rank
    return best, best_points


@pytest.mark.parametrize("memory", [0, 1, 60])
@pytest.mark.parametrize("pick", ["margin", "least-confidence"])
@pytest.mark.parametrize("crowd", ["spammer-hammer", "one-coin", "malicious"])
def test_the_lazy_search_finds_what_rescoring_all_finds(crowd, pick, memory):
    world = lb.make_world(crowd, 700, 9, 3, 2, seed=4)
    setup = setup_for(world, 5000)
    policy, openings = Bbta(explore=2, pick=pick, memory=memory), all_present(9, blank_sheet(world.context, 9, 5000))
    state = policy.grow(None, setup)
    checked = 0
    for n in range(5000):
        draw = Draw(world.seed, n)
        choice = choose(state, openings, draw)
        if choice.phase == ADAPTING:
            assert (choice.task, choice.score * 2**40) == least_by_rescoring(state, openings)
            checked += 1
        answer = answer_of(world, choice.task, choice.worker)
        write(openings.sheet, choice.task, choice.worker, answer)
        learn(state, openings, choice.task, choice.worker, answer, choice.propensity, draw)
    assert checked == 5000 - 2 * 3 * 9


def test_two_classes_give_the_numbers_of_equation_1():
    bench = lb.Engine("bbta:explore=0", [0] * 20, workers=5, budget=60)
    answers = {}
    while assignment := bench.ask():
        answers[assignment.task, assignment.worker] = (assignment.task * assignment.worker) % 3 % 2
        bench.tell(assignment, answers[assignment.task, assignment.worker])
    weights = bench._state.weights.weight[0]
    for task in range(20):
        signed = sum(weights[j] * (1 if answers[task, j] else -1) for j in range(5) if (task, j) in answers)
        estimate = bench.estimate(task)
        assert estimate.margin == pytest.approx(abs(signed) / weights.sum(), abs=1e-12)
        if estimate.answer is not None:
            assert estimate.answer == (signed > 0)


@pytest.mark.parametrize("memory", [0, 30])
def test_labels_learned_late_leave_the_bounds_sound(memory):
    """Every key less the drift stays below the score it bounds, whatever was learned in between."""
    world = lb.make_world("one-coin", 150, 8, 2, 3, seed=8)
    bench = lb.Engine(f"bbta:explore=1,memory={memory}", world.context, workers=8, classes=3, budget=900, seed=3)
    held = []
    for _ in range(900):
        if assignment := bench.ask():
            held.append(assignment)
        if len(held) > 12:
            late = held.pop(0)
            bench.tell(late, answer_of(world, late.task, late.worker))
    frontier, scored = bench._state.frontier, 0
    for task in range(150):
        key = frontier.scored.key[frontier.slot[task]]
        if np.isfinite(key):
            scored += 1
            assert key - frontier.drift[world.context[task]] <= bench.estimate(task).margin + 1e-9
    assert scored > 100


@njit
def fall_of(weights, charged):
    return adopt(weights, 0, weigh_context(weights, 0), charged)


@njit
def fade_all(weights):
    fade(weights, 0)


@given(
    workers=st.integers(2, 8),
    steps=st.integers(1, 400),
    charge=st.floats(0, 60),
    charge_someone=st.booleans(),
    memory=st.sampled_from([EVERYTHING, 1, 2, 50]),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_score_falls_by_more_than_the_weights_admit(workers, steps, charge, charge_someone, memory, seed):
    rng = np.random.default_rng(seed)
    weights = even_weights(1, workers, memory)
    weights.loss[0] = rng.exponential(20, workers)
    weights.steps[0] = steps
    fall_of(weights, -1)
    before = weights.weight[0] / weights.total[0]
    weights.steps[0] += 1
    fade_all(weights)
    weights.loss[0, 0] += charge
    fall, own_fall = fall_of(weights, 0 if charge_someone else -1)
    after = weights.weight[0] / weights.total[0]
    for _ in range(20):
        votes = rng.integers(-1, 2, workers)  # for one class, for the other, or not asked
        allowed = fall + (own_fall if votes[0] else 0.0)
        assert abs(votes @ after) >= abs(votes @ before) - allowed - 1e-12

"""Crosscheck: decision by decision as its literal transcription, and what it promises."""

import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.model.chance import Draw, run_seed
from labelbandit.policies.contract import Setup, choose, learn, shares
from labelbandit.policies.crosscheck import Crosscheck
from labelbandit.policies.gain import gain
from labelbandit.policies.likeness import spread
from labelbandit.policies.openings import all_present
from labelbandit.policies.search import UNLIKE
from labelbandit.policies.sheet import PENDING, blank_sheet, erase, write
from labelbandit.simulation.world import answer_of
from tests.reference.crosscheck import LiteralCrosscheck
from tests.worlds import small_worlds

WORLDS = int(os.environ.get("LABELBANDIT_WORLDS", "250")) // 5

parameters = st.fixed_dictionaries(
    {
        "explore": st.sampled_from([0.0, 1.5, 5.0]),
        "frequencies": st.booleans(),
        "errors": st.sampled_from(["by-class", "alike"]),
        "share": st.booleans(),
    }
)


def begin(world, parameters):
    seed = np.uint64(world.seed)
    setup = Setup(np.array(world.context, np.int64), max(world.context) + 1, world.workers, world.classes, world.budget, seed)
    fast = Crosscheck(**parameters).grow(None, setup)
    openings = all_present(world.workers, blank_sheet(setup.context, world.workers, world.budget), world.pairs())
    literal = LiteralCrosscheck(
        world.context, world.workers, world.classes, world.budget, seed, exists=world.exists, **parameters
    )
    return fast, openings, literal


def admit(openings, present):
    openings.present[:] = False
    openings.present[list(present)] = True
    openings.away[0] = openings.present.size - len(present)


def assert_same_choice(choice, wanted):
    if wanted is None:
        assert choice.task == -1
    else:
        assert (choice.task, choice.worker, choice.propensity) == wanted


def assert_same_beliefs(world, fast, openings, literal):
    votes = np.zeros(world.classes)
    for i in range(len(world.context)):
        shares(fast, openings, i, votes)
        assert votes.tolist() == literal.posterior[i]
    for (s, j), accuracy in literal.accuracy.items():
        assert fast.trust.accuracy[s, j] == accuracy


def tell(world, fast, openings, literal, choice, n):
    answer = int(world.answers[choice.task, choice.worker])
    write(openings.sheet, choice.task, choice.worker, answer)
    learn(fast, openings, choice.task, choice.worker, answer, choice.propensity, Draw(np.uint64(world.seed), n))
    literal.learn(choice.task, choice.worker, answer)


@settings(max_examples=WORLDS, deadline=None)
@given(small_worlds(), parameters)
def test_every_step_is_that_of_the_transcription(world, parameters):
    fast, openings, literal = begin(world, parameters)
    for n in range(min(world.budget, 60)):
        admit(openings, world.present(n))
        choice = choose(fast, openings, Draw(np.uint64(world.seed), n))
        assert_same_choice(choice, literal.choose(world.present(n), n))
        if choice.task >= 0:
            tell(world, fast, openings, literal, choice, n)
    assert_same_beliefs(world, fast, openings, literal)


@settings(max_examples=WORLDS // 2, deadline=None)
@given(small_worlds(), parameters, st.data())
def test_answers_may_come_late_in_parallel_and_out_of_order(world, parameters, data):
    fast, openings, literal = begin(world, parameters)
    waiting = []
    for n in range(min(world.budget, 40)):
        admit(openings, world.present(n))
        choice = choose(fast, openings, Draw(np.uint64(world.seed), n))
        assert_same_choice(choice, literal.choose(world.present(n), n))
        if choice.task >= 0:
            write(openings.sheet, choice.task, choice.worker, PENDING)
            literal.pending[choice.task].add(choice.worker)
            waiting.append((choice, n))
        while waiting and data.draw(st.booleans()):
            tell(world, fast, openings, literal, *waiting.pop(data.draw(st.integers(0, len(waiting) - 1))))
    for told, _ in waiting:
        erase(openings.sheet, told.task, told.worker)
    assert_same_beliefs(world, fast, openings, literal)


def mean_accuracy(policy, crowd, labels, runs=4, **shape):
    shape = {"tasks": 240, "workers": 20, "contexts": 3, "classes": 2} | shape
    return np.mean(
        [lb.simulate(policy, lb.make_world(crowd, **shape, seed=run_seed(77, r)), labels).accuracy[-1] for r in range(runs)]
    )


@pytest.mark.parametrize("crowd", ["spammer-hammer", "one-coin", "malicious"])
def test_five_labels_a_task_suffice_where_bbta_is_far_behind(crowd):
    ours = mean_accuracy("crosscheck", crowd, 5)
    assert ours > 0.97
    assert ours > mean_accuracy("bbta", crowd, 5) + 0.05


def test_four_classes_need_few_labels_too():
    assert mean_accuracy("crosscheck", "one-coin", 5, classes=4) > 0.95


def test_what_a_worker_does_in_one_context_is_expected_in_the_others_where_skills_carry_over():
    contexts = np.arange(200) % 10
    rng = np.random.default_rng(3)
    truth, skill = rng.integers(0, 2, 200), np.where(np.arange(12) < 4, 0.95, 0.55)

    def right(policy):
        engine = lb.Engine(policy, contexts, workers=12, budget=600, seed=1)
        lots = np.random.default_rng(4).random((200, 12))
        while lent := engine.ask():
            engine.tell(
                lent, int(truth[lent.task] if lots[lent.task, lent.worker] < skill[lent.worker] else 1 - truth[lent.task])
            )
        return sum(engine.estimate(task).answer == truth[task] for task in range(200))

    assert right("crosscheck") > right("crosscheck:share=no")


EQUALS = "graded:low=0.75,high=0.75"


def played(crowd, labels, run=0):
    """An engine that has been through so many labels of a world of 240 tasks."""
    world = lb.make_world(crowd, 240, 20, 2, 2, seed=run_seed(80, run))
    engine = lb.Engine("crosscheck", world.context, workers=20, budget=3600, seed=80)
    for _ in range(labels):
        lent = engine.ask()
        engine.tell(lent, answer_of(world, lent.task, lent.worker))
    return engine


def test_a_crowd_of_equals_is_told_from_one_of_good_and_bad():
    equals, others = (played(crowd, 600)._state.trust for crowd in (EQUALS, "one-coin"))
    assert others.alike[0] < 0.05 < equals.alike[0]
    assert spread(equals) < UNLIKE < spread(others)


def test_where_workers_are_alike_every_task_gets_a_label_before_others_are_finished():
    def unlabelled(crowd):
        engines = [played(crowd, 600, run) for run in range(6)]
        return sum(engine.estimate(task).answer is None for engine in engines for task in range(240))

    assert unlabelled(EQUALS) < 20 < unlabelled("graded:low=0.5,high=0.9")


def test_contexts_are_kept_apart_until_the_labels_speak_for_skills_that_carry_over():
    world = lb.make_world("graded:contexts=alike", 240, 12, 20, 2, seed=7)
    shared, apart = (lb.simulate(policy, world, 4).accuracy for policy in ("crosscheck", "crosscheck:share=no"))
    assert shared[0] == apart[0]
    assert shared[2] > apart[2]


def test_estimates_are_probabilities_and_a_task_nobody_labelled_has_none():
    engine = lb.Engine("crosscheck", [0] * 6, workers=3, budget=4)
    assert engine.estimate(0).answer is None
    while lent := engine.ask():
        engine.tell(lent, 1)
    for task in range(6):
        estimate = engine.estimate(task)
        assert math.isclose(sum(estimate.probabilities), 1.0)
        assert (estimate.answer is None) == (sum(estimate.votes) == 0)


def test_a_context_of_liars_is_read_the_right_way_round():
    world = lb.make_world("malicious:deal=even", 240, 24, 2, 2, seed=run_seed(78, 0))
    accuracy = world.accuracy.copy()
    accuracy[1] = np.where(accuracy[1] > 0.8, 0.9, 0.3)
    assert lb.simulate("crosscheck", world._replace(accuracy=accuracy), 8).accuracy[-1] > 0.95


def test_a_crowd_with_a_habit_is_seen_through():
    rng = np.random.default_rng(8)
    truth, lots = rng.integers(0, 2, 120), rng.random((120, 24))
    right = np.where(np.arange(24)[:, None] < 5, [0.9, 0.9], [0.9, 0.25])  # most say 0 whatever is true

    def accuracy(policy):
        engine = lb.Engine(policy, [0] * 120, workers=24, budget=1200, seed=2)
        while lent := engine.ask():
            true = int(truth[lent.task])
            engine.tell(lent, true if lots[lent.task, lent.worker] < right[lent.worker, true] else 1 - true)
        return np.mean([engine.estimate(task).answer == truth[task] for task in range(120)])

    assert accuracy("crosscheck") > 0.95
    assert accuracy("crosscheck") > accuracy("crosscheck:errors=alike") + 0.05


def test_a_favourite_class_is_seen_through_in_several_contexts_too():
    shape = {"labels": 4, "runs": 8}
    ours, alike = (mean_accuracy(policy, "class-biased", **shape) for policy in ("crosscheck", "crosscheck:errors=alike"))
    assert ours > alike + 0.005


def test_a_world_is_not_read_the_wrong_way_round_as_a_whole():
    for run in range(3):
        world = lb.make_world("one-coin:good=0.9,normal=0.6", 400, 20, 16, 2, seed=run_seed(79, run))
        assert lb.simulate("crosscheck", world, 6).accuracy[-1] > 0.6


def test_newcomers_are_believed_to_be_like_the_crowd_and_what_was_learned_stays():
    world = lb.make_world("one-coin", 60, 6, 2, 2, seed=5)
    engine = lb.Engine("crosscheck", world.context, workers=6, budget=400, seed=5)
    for _ in range(150):
        lent = engine.ask()
        engine.tell(lent, answer_of(world, lent.task, lent.worker))
    before = [engine.estimate(task).probabilities for task in range(60)]
    engine.add_workers(2)
    engine.add_tasks([0, 2])
    assert [engine.estimate(task).probabilities for task in range(60)] == before
    trust = engine._state.trust
    assert trust.accuracy[0, 6] == trust.accuracy[0, 7]
    assert trust.accuracy[0, :6].min() < trust.accuracy[0, 6] < trust.accuracy[0, :6].max()


@given(st.floats(0.5, 1.0), st.floats(0.01, 0.99))
def test_a_label_is_worth_most_in_doubt_and_never_less_than_nothing(certainty, accuracy):
    assert 0.0 <= gain(certainty, accuracy) <= gain(0.5, accuracy) + 1e-9


def test_exploration_draws_with_the_propensity_it_states():
    setup = Setup(np.zeros(40, np.int64), 1, 5, 2, 10_000, np.uint64(9))
    state, openings = Crosscheck(explore=1000.0).grow(None, setup), all_present(5, blank_sheet(setup.context, 5, 1000))
    rng = np.random.default_rng(1)
    for n in range(17):
        choice = choose(state, openings, Draw(np.uint64(9), n))
        answer = int(rng.random() < 0.5 + 0.1 * choice.worker)
        write(openings.sheet, choice.task, choice.worker, answer)
        learn(state, openings, choice.task, choice.worker, answer, choice.propensity, Draw(np.uint64(9), n))
    choices = [choose(state, openings, Draw(np.uint64(9), 10**6 + n)) for n in range(4000)]
    for worker in {choice.worker for choice in choices}:
        claimed = next(choice.propensity for choice in choices if choice.worker == worker)
        drawn = np.mean([choice.worker == worker for choice in choices])
        assert drawn == pytest.approx(claimed, abs=4 * math.sqrt(claimed * (1 - claimed) / 4000))


@pytest.mark.parametrize(("text", "named"), [("explore=-1", "-1"), ("errors=none", "'none'"), ("share=maybe", "'maybe'")])
def test_bad_parameters_are_refused(text, named):
    with pytest.raises(lb.LabelbanditError, match=named):
        lb.Engine(f"crosscheck:{text}", [0], workers=2, budget=2)

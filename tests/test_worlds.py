import numpy as np
import pytest

import labelbandit as lb
from labelbandit.model.grammar import spell
from labelbandit.simulation.crowds import CROWDS, crowd_from
from labelbandit.simulation.run import budget_marks
from labelbandit.simulation.world import answer_of


def answers_of(world):
    return np.array([[answer_of(world, i, j) for j in range(world.workers)] for i in range(world.tasks)])


def accuracy_by_skill(world):
    right = answers_of(world) == world.truth[:, None]
    skill = world.accuracy[world.context]
    return {level: right[skill == level].mean() for level in np.unique(skill)}


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("crowd", sorted(CROWDS))
def test_workers_are_right_as_often_as_their_skill_says(crowd, classes):
    for level, share in accuracy_by_skill(lb.make_world(crowd, 900, 30, 3, classes, seed=2)).items():
        assert share == pytest.approx(level, abs=0.02)


def test_spammers_answer_at_random_and_hammers_never_err():
    world = lb.make_world("spammer-hammer", 300, 12, 3, 4, seed=1)
    assert sorted(np.unique(world.accuracy)) == [0.25, 1.0]
    assert (np.sort(world.accuracy, axis=0)[:-1] == 0.25).all()


def test_everyone_is_good_at_one_context_and_misleads_in_another():
    world = lb.make_world("malicious", 90, 40, 3, 2, seed=1)
    assert (np.sort(world.accuracy, axis=0) == np.array([[0.3], [0.6], [0.9]])).all()
    assert np.array_equal(world.misleads, world.accuracy == 0.3)


def test_a_misleading_answer_is_the_next_class():
    world = lb.make_world("malicious", 300, 10, 2, 5, seed=3)
    answers = answers_of(world)
    misled = world.misleads[world.context] & (answers != world.truth[:, None])
    assert misled.any()
    assert ((world.truth[:, None] + 1) % 5 == answers)[misled].all()


def test_other_wrong_answers_are_spread_over_the_other_classes():
    world = lb.make_world("one-coin:good=0.4,normal=0.4", 900, 20, 2, 4, seed=3)
    steps = (answers_of(world) - world.truth[:, None]) % 4
    shares = np.bincount(steps.ravel(), minlength=4) / steps.size
    assert shares == pytest.approx([0.4, 0.2, 0.2, 0.2], abs=0.02)


def test_contexts_are_even_and_truth_is_balanced():
    world = lb.make_world("one-coin", 351, 5, 3, 2, seed=9)
    assert np.bincount(world.context).tolist() == [117, 117, 117]
    assert sorted(np.bincount(world.truth)) == [175, 176]


def test_good_contexts_can_be_dealt_evenly():
    world = lb.make_world("one-coin:deal=even", 20, 5, 2, 2, seed=9)
    assert sorted((world.accuracy == 0.9).sum(axis=1)) == [2, 3]


def test_worlds_with_one_crowd_seed_share_their_crowd_only():
    first, second = (lb.make_world("malicious", 50, 9, 3, 2, seed, crowd_seed=1) for seed in (1, 2))
    assert np.array_equal(first.accuracy, second.accuracy)
    assert not np.array_equal(first.truth, second.truth)


def test_all_policies_see_the_same_answers():
    assert np.array_equal(*(answers_of(lb.make_world("one-coin", 20, 4, 2, 2, seed=5)) for _ in range(2)))


def test_an_undecided_task_scores_its_chance():
    world = lb.make_world("one-coin", 10, 1, 1, 4, seed=0)
    assert lb.simulate("random", world, 0.1).accuracy[-1] == pytest.approx((9 / 4 + 1) / 10, abs=0.1 + 1e-9)


def test_a_curve_stays_level_once_all_labels_are_in():
    curve = lb.simulate("bbta", lb.make_world("one-coin", 10, 3, 2, 2, seed=0), 6)
    assert curve.labels == 30
    assert curve.accuracy[2] == curve.accuracy[5]


@pytest.mark.parametrize(("budget", "marks"), [(2, [10, 20]), (2.5, [10, 20, 25]), (0.3, [3]), (1.19, [10, 11])])
def test_there_is_a_mark_for_each_label_per_task_and_for_the_budget(budget, marks):
    assert budget_marks(10, budget).tolist() == marks


@pytest.mark.parametrize("text", ["spammer-hammer:deal=even", "one-coin:good=0.8,normal=0.5,deal=random"])
def test_a_crowd_is_spelled_as_it_is_read(text):
    assert spell(crowd_from(text)) == text


BAD_WORLDS = [
    (("malicious", 5, 3, 1, 2, 0), "2 contexts"),
    (("one-coin", 0, 3, 1, 2, 0), "0"),
    (("one-coin", 5, 0, 1, 2, 0), "0"),
    (("one-coin", 5, 3, 9, 2, 0), "9 contexts"),
    (("one-coin", 5, 3, 1, 1, 0), "1"),
    (("one-coin", 5, 3, 1, 40_000, 0), "40000"),
    (("honest", 5, 3, 1, 2, 0), "'honest'"),
    (("one-coin:good=1.2", 5, 3, 1, 2, 0), "1.2"),
    (("one-coin:good=nan", 5, 3, 1, 2, 0), "nan"),
    (("one-coin:best=1", 5, 3, 1, 2, 0), "'best'"),
    (("one-coin", 5, 3, 1, 2, -1), "-1"),
]


@pytest.mark.parametrize(("world", "named"), BAD_WORLDS)
def test_an_impossible_world_is_refused_in_a_sentence_that_names_why(world, named):
    with pytest.raises(lb.BadInput) as refused:
        lb.make_world(*world)
    assert named in str(refused.value)

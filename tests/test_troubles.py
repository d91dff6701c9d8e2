"""Worlds that are hard in one way each, and runs in which things go wrong."""

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.model.grammar import spell
from labelbandit.simulation.crowds import OTHER_CROWDS, crowd_from
from labelbandit.simulation.run import budget_marks, simulate, simulate_whole
from labelbandit.simulation.troubles import drifted, no_troubles, troubles_from
from labelbandit.simulation.world import answer_of, with_experts

POLICIES = ["random", "bbta"]


def world_of(crowd="one-coin", **more):
    return lb.make_world(crowd, **{"tasks": 60, "workers": 9, "contexts": 3, "classes": 2, "seed": 4} | more)


def answers_of(world):
    return np.array([[answer_of(world, i, j) for j in range(world.workers)] for i in range(world.tasks)])


def test_graded_workers_are_alike_or_not_in_all_contexts():
    alike, unrelated = world_of("graded:contexts=alike"), world_of("graded")
    assert (alike.accuracy == alike.accuracy[0]).all()
    assert np.unique(unrelated.accuracy).size == unrelated.accuracy.size
    assert ((unrelated.accuracy >= 0.5) & (unrelated.accuracy <= 1.0)).all()


def test_identical_workers_are_graded_between_equal_bounds():
    assert (world_of("graded:low=0.75,high=0.75").accuracy == 0.75).all()


def test_where_most_are_malicious_more_than_half_mislead_in_every_second_context():
    world = world_of("majority-malicious", workers=30)
    assert (world.misleads.mean(axis=1) > 0.5).tolist() == [True, False, True]
    assert (world.accuracy[world.misleads] == 0.3).all()


@pytest.mark.parametrize("classes", [2, 4])
def test_biased_workers_err_towards_their_favourite(classes):
    world = world_of("class-biased:good=0.7,normal=0.7,lean=0.2", tasks=2000, classes=classes, workers=6)
    answers, favourite = answers_of(world), world.favourite[0]
    favoured = world.truth[:, None] == favourite
    right = answers == world.truth[:, None]
    assert right[favoured].mean() == pytest.approx(0.9, abs=0.02)
    assert right[~favoured].mean() == pytest.approx(0.5, abs=0.02)
    wrong = ~right & ~favoured
    assert (answers == favourite)[wrong].all()


@pytest.mark.parametrize("name", sorted(OTHER_CROWDS))
def test_every_crowd_is_spelled_as_it_is_read(name):
    assert spell(crowd_from(spell(crowd_from(name)))) == spell(crowd_from(name))


def test_a_class_can_be_frequent_and_contexts_uneven():
    world = world_of(tasks=120, frequent=0.85, uneven=True)
    assert np.bincount(world.truth).tolist() == [102, 18]
    assert np.bincount(world.context).tolist() == sorted(np.bincount(world.context).tolist())
    assert np.bincount(world.context)[2] > 2 * np.bincount(world.context)[0]


def test_experts_are_trusted_expensive_and_nearly_always_right():
    world = with_experts(world_of(), 2, 10)
    assert world.expert.tolist() == [False] * 9 + [True] * 2
    assert world.price.tolist() == [1] * 9 + [10] * 2
    assert (world.accuracy[:, 9:] == 0.99).all()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_budget_of_money_is_never_exceeded(policy):
    world = with_experts(world_of(), 2, 10)
    story = simulate_whole(policy, world, budget_marks(60, 3.7))
    spent = world.price[story.trace.worker].sum()
    assert spent <= 222
    assert spent > 222 - 10


@pytest.mark.parametrize("policy", [*POLICIES, "oracle"])
def test_a_run_without_troubles_is_the_run_it_always_was(policy):
    world = world_of()
    plain = simulate(policy, world, 4)
    whole = simulate_whole(policy, world, budget_marks(60, 4), no_troubles(world))
    assert plain.accuracy.tolist() == whole.curve.accuracy.tolist()
    assert whole.beliefs.sum(axis=2) == pytest.approx(np.ones((4, 60)))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("troubles", [["late:by=7"], ["away"], ["late:by=5", "away:present=0.2,stretch=3", "drift:at=2"]])
def test_whatever_goes_wrong_every_label_is_bought_once_and_the_budget_is_spent(policy, troubles):
    world = world_of()
    story = simulate_whole(policy, world, budget_marks(60, 8), troubles_from(troubles, world))
    pairs = set(zip(story.trace.task.tolist(), story.trace.worker.tolist(), strict=True))
    assert len(pairs) == story.curve.labels == 480


def test_with_all_to_be_asked_late_answers_all_come_in():
    world = world_of()
    late = simulate("bbta", world, 9, troubles_from(["late:by=50"], world))
    assert late.labels == 540
    assert late.accuracy[-1] == pytest.approx(simulate("bbta", world, 9).accuracy[-1], abs=0.1)


def test_only_those_present_are_asked():
    world = world_of(workers=30)
    story = simulate_whole("random", world, budget_marks(60, 5), troubles_from(["away:present=0.2,stretch=50"], world))
    stretches = [set(story.trace.worker[at : at + 50].tolist()) for at in range(0, 300, 50)]
    assert all(len(asked) < 15 for asked in stretches)
    assert len(set().union(*stretches)) > 15


def test_workers_who_drift_answer_otherwise_from_the_turn_on_and_others_do_not():
    world = world_of("spammer-hammer:deal=even")
    after = drifted(world, 0.5)
    moved = (after.accuracy != world.accuracy).any(axis=0)
    assert moved.sum() in {4, 5}
    assert (np.sort(after.accuracy, axis=0) == np.sort(world.accuracy, axis=0)).all()
    story = simulate_whole("random", world, budget_marks(60, 6), troubles_from(["drift:at=3"], world))
    for n, (task, worker, answer) in enumerate(zip(*story.trace, strict=True)):
        assert answer == answer_of(after if n >= 180 else world, task, worker)


def test_the_oracle_uses_what_it_knows_of_favourites():
    world = world_of("class-biased:good=0.6,normal=0.6,lean=0.3", workers=4)
    story = simulate_whole("oracle", world, budget_marks(60, 1))
    for task, worker, answer in zip(*story.trace, strict=True):
        expected = 0.9 / (0.9 + 0.7) if answer == world.favourite[0, worker] else 0.3 / (0.3 + 0.1)
        assert story.beliefs[0, task, answer] == pytest.approx(expected)


REFUSED = [
    (lambda: troubles_from(["late:by=-1"], world_of()), "late:by=-1"),
    (lambda: troubles_from(["away:present=2"], world_of()), "away:present=2"),
    (lambda: troubles_from(["drift:share=7"], world_of()), "drift:share=7"),
    (lambda: troubles_from(["hail"], world_of()), "'hail'"),
    (lambda: world_of("graded:low=0.9,high=0.5"), "graded:low=0.9"),
    (lambda: world_of(frequent=1.5), "1.5"),
    (lambda: with_experts(world_of(), 0, 1), "0 experts"),
    (lambda: with_experts(world_of(), 1, 0), "price of 0"),
]


@pytest.mark.parametrize(("make", "named"), REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence_that_names_it(make, named):
    with pytest.raises(lb.BadInput) as refused:
        make()
    assert named in str(refused.value)

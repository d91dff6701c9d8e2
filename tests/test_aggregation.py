"""Aggregation: what to believe of labels that are there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.aggregation.dawid_skene import dawid_skene
from labelbandit.aggregation.em import accuracies, one_coin
from labelbandit.aggregation.labels import Labels
from labelbandit.aggregation.majority import majority
from labelbandit.model.errors import BadInput
from labelbandit.simulation.run import budget_marks, simulate_whole

RULES = [majority, one_coin, dawid_skene]


def labels_of(answers, contexts=None, classes=2):
    """A matrix of tasks by workers, -1 where there is no label."""
    task, worker = np.nonzero(answers >= 0)
    context = np.zeros(len(answers), np.int64) if contexts is None else np.asarray(contexts)
    return Labels(task, worker, answers[task, worker], context, answers.shape[1], classes)


def crowd(rng, truth, skill, classes):
    right = rng.random((truth.size, skill.shape[-1])) < skill
    wrong = (truth[:, None] + rng.integers(1, classes, right.shape)) % classes
    return np.where(right, truth[:, None], wrong)


def accuracy_of(rule, labels, truth):
    return np.mean(rule(labels).argmax(axis=1) == truth)


@pytest.mark.parametrize("rule", RULES)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_probabilities_sum_to_one_and_are_even_without_labels(rule, seed, classes):
    rng = np.random.default_rng(seed)
    answers = np.where(rng.random((7, 4)) < 0.6, rng.integers(0, classes, (7, 4)), -1)
    answers[3] = -1
    believed = rule(labels_of(answers, [0, 1, 0, 1, 0, 1, 2], classes))
    assert np.allclose(believed.sum(axis=1), 1.0)
    assert np.allclose(believed[3], 1.0 / classes)


@pytest.mark.parametrize("rule", RULES)
def test_classes_have_no_order(rule):
    rng = np.random.default_rng(1)
    answers = crowd(rng, rng.integers(0, 3, 40), np.full(6, 0.7), 3)
    renamed = np.array([2, 0, 1])[answers]
    assert np.allclose(rule(labels_of(answers, classes=3)), rule(labels_of(renamed, classes=3))[:, [2, 0, 1]])


def test_majority_counts_heads():
    assert majority(labels_of(np.array([[0, 1, 1, 1], [-1, 0, -1, -1]]))).tolist() == [[0.25, 0.75], [1.0, 0.0]]


def test_em_follows_the_few_who_are_good_in_a_context():
    rng = np.random.default_rng(2)
    context, truth = np.arange(200) % 2, rng.integers(0, 2, 200)
    skill = np.where((np.arange(9) < 3)[None] == (context == 0)[:, None], 0.95, 0.5)
    labels = labels_of(crowd(rng, truth, skill, 2), context)
    assert accuracy_of(one_coin, labels, truth) > accuracy_of(majority, labels, truth) + 0.02
    assert (accuracies(labels, one_coin(labels)) > 0.8).sum() == 9


def test_dawid_skene_undoes_what_workers_confuse():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    answers = crowd(rng, truth, np.full(8, 0.8), 3)
    answers[:, :5] = np.where((truth == 2)[:, None] & (rng.random((300, 5)) < 0.8), 1, answers[:, :5])
    labels = labels_of(answers, classes=3)
    assert accuracy_of(dawid_skene, labels, truth) > accuracy_of(one_coin, labels, truth) + 0.02


@pytest.mark.parametrize(("column", "named"), [("task", "task 9"), ("worker", "worker 9"), ("answer", "answer 9")])
def test_labels_out_of_range_are_refused(column, named):
    columns = {"task": np.array([0]), "worker": np.array([0]), "answer": np.array([0])} | {column: np.array([9])}
    with pytest.raises(BadInput, match=named):
        Labels(**columns, context=np.array([0]), workers=2, classes=2)


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(BadInput, match="do not make labels"):
        Labels(np.array([0]), np.array([0, 1]), np.array([0]), np.array([0]), 2, 2)


def test_bbta_with_em_believes_what_em_says_of_its_labels():
    world = lb.make_world("one-coin", 60, 8, 2, 3, seed=5)
    story = simulate_whole("bbta:vote=em", world, budget_marks(60, 4))
    task, worker, answer = (column.astype(np.int64) for column in story.trace)
    wanted = one_coin(Labels(task, worker, answer, world.context, 8, 3))
    assert story.beliefs[-1] == pytest.approx(wanted, abs=1e-9)

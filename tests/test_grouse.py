"""Matrix completion, and labels completed with it."""

from dataclasses import replace

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.policies.openings import Pairs
from labelbandit.simulation.datasets import Dataset
from labelbandit.simulation.grouse import complete, complete_labels, rate_settings


def low_rank(rows, columns, rank, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, columns)), rng.random((rows, columns)) < 0.5


def dataset(table):
    """A data set of two classes with the labels of a table, tasks by workers; -1 stands for none."""
    table = np.asarray(table)
    task, worker = np.nonzero(table >= 0)
    return Dataset(
        name="made",
        tasks=tuple(f"t{i}" for i in range(table.shape[0])),
        workers=tuple(f"w{j}" for j in range(table.shape[1])),
        classes=("no", "yes"),
        contexts=("all",),
        context=np.zeros(table.shape[0], np.int64),
        truth=np.zeros(table.shape[0], np.int64),
        pairs=Pairs(np.concatenate(([0], np.cumsum((table >= 0).sum(axis=1)))).astype(np.int64), worker.astype(np.int32)),
        answers=table[task, worker].astype(np.int16),
    )


def answers(data):
    return data.answers.reshape(len(data.tasks), len(data.workers))


@pytest.mark.parametrize("step", [None, 1.0, 10.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_matrix_of_rank_4_is_recovered_from_half_its_entries(step, seed):
    matrix, seen = low_rank(60, 400, 4, seed)
    found = complete(np.where(seen, matrix, 0.0), seen, rank=4, step=step, seed=seed)
    missing = ~seen
    assert np.linalg.norm((found - matrix)[missing]) / np.linalg.norm(matrix[missing]) < 1e-6


def test_what_stands_in_unseen_entries_does_not_matter():
    matrix, seen = low_rank(12, 40, 2, 3)
    first, second = (complete(np.where(seen, matrix, hidden), seen, rank=2, passes=3) for hidden in (0.0, 7.0))
    assert (first == second).all()


def test_a_tall_matrix_is_completed_as_well():
    matrix, seen = low_rank(40, 300, 3, 2)
    found = complete(np.where(seen, matrix, 0.0).T, seen.T, rank=3)
    assert np.linalg.norm(found.T - matrix) / np.linalg.norm(matrix) < 1e-6


def test_a_column_that_nobody_saw_is_all_zero():
    matrix, seen = low_rank(10, 30, 1, 5)
    seen[:, 4] = False
    assert (complete(matrix, seen, rank=1)[:, 4] == 0.0).all()


def test_the_seed_decides_everything():
    matrix, seen = low_rank(10, 30, 2, 6)
    one, same, other = (complete(matrix, seen, rank=2, passes=1, step=0.1, seed=seed) for seed in (1, 1, 2))
    assert (one == same).all()
    assert not np.allclose(one, other)


@pytest.mark.parametrize(
    "arguments", [{"rank": 0}, {"rank": 11}, {"rank": 1, "passes": 0}, {"rank": 1, "step": 0.0}, {"rank": 1, "step": np.inf}]
)
def test_impossible_wishes_are_refused(arguments):
    matrix, seen = low_rank(10, 30, 2, 6)
    with pytest.raises(lb.BadInput):
        complete(matrix, seen, **arguments)


def crowd_table(seed=0, tasks=300, workers=20, accuracy=0.85):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, tasks)
    said = np.where(rng.random((tasks, workers)) < accuracy, truth[:, None], 1 - truth[:, None])
    return np.where(rng.random((tasks, workers)) < 0.4, said, -1), truth


def test_labels_on_record_stay_and_every_pair_gets_one():
    table, _ = crowd_table()
    full = complete_labels(dataset(table))
    assert full.pairs.start.tolist() == [20 * task for task in range(301)]
    assert (answers(full)[table >= 0] == table[table >= 0]).all()
    assert set(np.unique(full.answers)) == {0, 1}
    assert lb.simulate("random", full.world(seed=1), 20).labels == 300 * 20


def test_missing_labels_follow_the_consensus():
    table, truth = crowd_table()
    filled = answers(complete_labels(dataset(table))) == truth[:, None]
    assert filled[table < 0].mean() > 0.9


def test_settings_are_rated_by_hidden_labels_and_without_the_truth():
    table, _ = crowd_table()
    data = dataset(table)
    rated = rate_settings(data, ranks=(1, 4), steps=(3.0,), tries=2, passes=5)
    assert [settings.foretold for settings in rated] == sorted((settings.foretold for settings in rated), reverse=True)
    assert 0.5 < rated[0].foretold <= 1.0
    assert rated == rate_settings(replace(data, truth=1 - data.truth), ranks=(1, 4), steps=(3.0,), tries=2, passes=5)


def test_a_worker_without_labels_goes_with_the_others():
    table, _ = crowd_table()
    table[:, 3] = -1
    votes = (table == 1).sum(axis=1) - (table == 0).sum(axis=1)
    full = answers(complete_labels(dataset(table)))
    assert (full[votes > 0, 3] == 1).all()
    assert (full[votes < 0, 3] == 0).all()
    ties = full[votes == 0, 3]
    assert set(ties) == {0, 1}
    assert (ties == answers(complete_labels(dataset(table)))[votes == 0, 3]).all()
    assert (ties != answers(complete_labels(dataset(table), seed=9))[votes == 0, 3]).any()


def test_more_workers_than_tasks_are_no_trouble():
    table, _ = crowd_table(tasks=10, workers=30)
    table[:, 3] = -1
    assert answers(complete_labels(dataset(table))).shape == (10, 30)


def test_more_than_two_classes_are_refused_with_the_alternative():
    table, _ = crowd_table()
    with pytest.raises(lb.BadInput, match=r"3 classes .* replay"):
        complete_labels(replace(dataset(table), classes=("a", "b", "c")))

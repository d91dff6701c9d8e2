"""The oracle: it knows how good everyone is, and nothing of the truth."""

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.cli import main
from labelbandit.policies.openings import Pairs
from labelbandit.simulation.oracle import Oracle, known_accuracy
from labelbandit.simulation.run import simulate_traced
from labelbandit.simulation.world import recorded_world


@pytest.mark.parametrize("classes", [2, 4])
def test_with_hammers_in_every_context_one_label_per_task_is_enough(classes):
    world = lb.make_world("spammer-hammer:deal=even", tasks=30, workers=6, contexts=3, classes=classes, seed=2)
    assert lb.simulate("oracle", world, 1).accuracy[-1] == 1.0


def test_one_who_is_always_wrong_is_as_good_as_one_always_right():
    world = lb.make_world("malicious:good=0.6,normal=0.6,bad=0.0", tasks=40, workers=5, contexts=2, classes=3, seed=1)
    curve, trace = simulate_traced("oracle", world, 1)
    liars = world.accuracy[world.context[trace.task], trace.worker] == 0.0
    assert liars.all()
    assert curve.accuracy[-1] == 1.0


def test_a_task_that_nobody_can_say_anything_about_comes_last():
    world = lb.make_world("spammer-hammer", tasks=20, workers=1, contexts=2, classes=2, seed=1)
    _, trace = simulate_traced("oracle", world, 1)
    known = world.accuracy[world.context[trace.task], 0] == 1.0
    assert known.tolist() == [True] * 10 + [False] * 10


@pytest.mark.parametrize("crowd", ["spammer-hammer", "one-coin", "malicious"])
def test_nobody_does_better_than_the_oracle(crowd):
    world = lb.make_world(crowd, tasks=200, workers=12, contexts=3, classes=2, seed=4)
    limit = lb.simulate("oracle", world, 8).accuracy
    assert (limit >= lb.simulate("bbta", world, 8).accuracy - 0.01).all()
    assert limit[1] > lb.simulate("bbta", world, 8).accuracy[1] + 0.1


def test_where_nothing_is_on_record_the_worker_s_share_in_all_contexts_counts():
    pairs = Pairs(np.array([0, 2, 3, 4]), np.array([0, 1, 0, 0], np.int32))
    answers = np.array([0, 0, 1, 0], np.int16)
    world = recorded_world(np.array([0, 0, 1]), np.array([0, 1, 1]), 2, 2, pairs, answers, seed=0)
    assert known_accuracy(world).tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert lb.simulate("oracle", world, 3).labels == 4


def test_the_oracle_is_no_policy_for_campaigns():
    with pytest.raises(lb.BadInput, match="unknown policy 'oracle'"):
        lb.Engine("oracle", [0, 0], workers=2, budget=2)
    with pytest.raises(lb.BadInput, match="can be simulated only: use bbta"):
        lb.Engine(Oracle(), [0, 0], workers=2, budget=2)


def test_the_oracle_can_be_simulated_by_its_name(capsys):
    assert main(["simulate", "--tasks=12", "--workers=4", "--budget=3", "--runs=2", "--jobs=1", "--policy=oracle"]) == 0
    assert "oracle" in capsys.readouterr().out

"""The benchmark compares like with like."""

import numpy as np
from benchmarks.engine import numpy_bbta

import labelbandit as lb
from labelbandit.simulation.world import answer_of


def test_the_numpy_version_spends_the_same_budget_and_stops_when_all_labels_are_in():
    world = lb.make_world("spammer-hammer", 30, 6, 3, 2, seed=1)
    answers = np.array([[answer_of(world, i, j) for j in range(6)] for i in range(30)]) * 2 - 1
    assert numpy_bbta(world, answers, 90) == lb.simulate("bbta", world, 3).labels == 90
    assert numpy_bbta(world, answers, 10_000) == lb.simulate("bbta", world, 300).labels == 180

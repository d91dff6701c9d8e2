"""What is read off runs and off tidy results, and methods compared at equal mean cost."""

from math import log

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.experiments.measures import convergence, good_contexts, labels_to_reach, measure
from labelbandit.experiments.sweep import THRESHOLDS, Ends, at_equal_cost, ends_of, policies_of, swept
from labelbandit.model.errors import BadInput
from labelbandit.simulation.run import Curve, Story, Trace, simulate_traced
from labelbandit.simulation.world import answer_of


def trace_of(world, *pairs):
    task, worker = zip(*pairs, strict=True)
    answer = [answer_of(world, *pair) for pair in pairs]
    return Trace(np.array(task, np.int32), np.array(worker, np.int32), np.array(answer, np.int16))


def curve_of(*marks, labels):
    return Curve(np.array(marks), np.zeros(len(marks)), labels, ())


def measured(world, curve, trace):
    return measure(world, Story(curve, trace, np.full((curve.marks.size, world.tasks, world.classes), 1 / world.classes)))


@pytest.fixture
def world():
    return lb.make_world("spammer-hammer:deal=even", tasks=8, workers=4, contexts=2, classes=2, seed=1)


def test_a_trace_says_who_was_asked_what_in_order(world):
    curve, trace = simulate_traced("bbta", world, 3)
    assert trace.task.size == curve.labels == 24
    assert len(set(zip(trace.task.tolist(), trace.worker.tolist(), strict=True))) == 24
    assert [answer_of(world, *pair) for pair in zip(trace.task, trace.worker, strict=True)] == trace.answer.tolist()


@pytest.mark.parametrize("policy", ["random", "bbta", "optkg", "oracle"])
def test_tracing_changes_no_decision(world, policy):
    assert (simulate_traced(policy, world, 3)[0].accuracy == lb.simulate(policy, world, 3).accuracy).all()


def test_repeated_draws_are_in_the_trace(world):
    curve, trace = simulate_traced("bbta:repeats=yes,explore=0", world, 10)
    assert trace.task.size == curve.labels > world.tasks * world.workers


def test_labels_are_right_or_not_and_given_in_the_good_context_or_not(world):
    hammers = [int(np.flatnonzero(world.accuracy[context] == 1.0)[0]) for context in (0, 1)]
    good, bad = (0, hammers[0]), (0, hammers[1])
    found = measured(world, curve_of(1, 2, labels=2), trace_of(world, good, bad))
    spammer_is_right = answer_of(world, *bad) == world.truth[0]
    assert found.in_good.tolist() == [1.0, 0.5]
    assert found.right.tolist() == [1.0, (1 + spammer_is_right) / 2]


def test_entropy_is_of_the_labels_since_the_mark_before(world):
    one_worker, two_workers = [(0, 0), (2, 0)], [(4, 0), (6, 1)]
    found = measured(world, curve_of(2, 4, labels=4), trace_of(world, *one_worker, *two_workers))
    assert found.entropy.tolist() == pytest.approx([0.0, log(2)])


def test_entropy_is_averaged_over_contexts_by_their_labels(world):
    found = measured(world, curve_of(4, labels=4), trace_of(world, (0, 0), (2, 1), (1, 0), (3, 0)))
    assert found.entropy.tolist() == pytest.approx([log(2) / 2])


def test_marks_that_were_not_reached_say_what_was_true_at_the_end(world):
    found = measured(world, curve_of(1, 2, 3, labels=2), trace_of(world, (0, 0), (2, 0)))
    assert found.labels.tolist() == [1, 2, 2]
    assert found.right[1] == found.right[2]
    assert np.isnan(found.entropy[2])


def test_with_one_context_nobody_has_a_good_one():
    alone = lb.make_world("one-coin", tasks=4, workers=2, contexts=1, classes=2, seed=1)
    found = measured(alone, curve_of(1, labels=1), trace_of(alone, (0, 0)))
    assert np.isnan(found.in_good).all()


def test_a_worker_s_good_context_is_where_they_are_most_often_right(world):
    assert (good_contexts(world) == (world.accuracy == 1.0)).all()


def test_labels_to_reach_are_linear_between_marks():
    budget, accuracy = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.7, 0.9])
    assert labels_to_reach(budget, accuracy, 0.8) == pytest.approx(2.5)
    assert labels_to_reach(budget, accuracy, 0.4) == 1.0
    assert labels_to_reach(budget, accuracy, 0.95) is None


def test_convergence_is_to_a_share_of_the_own_end():
    assert convergence(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.95, 1.0])) == pytest.approx(2.0)


def test_a_sweep_is_read_where_it_crosses_a_mean_cost():
    ends = Ends(
        thresholds=np.array([0.9, 0.8]),
        cost=np.array([[3.0, 5.0], [7.0, 9.0]]),
        accuracy=np.array([[0.6, 0.7], [0.8, 0.9]]),
    )
    found = at_equal_cost(ends, [6.0, 4.0, 20.0])
    assert found.runs[:, 0].tolist() == pytest.approx([0.7, 0.8])
    assert found.mean[:2].tolist() == pytest.approx([0.75, 0.65])
    assert found.se[:2].tolist() == pytest.approx([0.05, 0.05])
    assert np.isnan(found.mean[2])


def test_the_ends_of_a_sweep_are_found_in_tidy_results():
    rows = {
        "panel": ["p", "p", "p", "p", "q", "p"],
        "policy": ["iethresh:threshold=0.9"] * 2 + ["iethresh:threshold=0.8"] * 2 + ["iethresh:threshold=0.9", "bbta"],
        "run": [0, 1, 1, 0, 0, 0],
        "budget": [3.0, 5.0, 9.0, 7.0, 1.0, 1.0],
        "accuracy": [0.6, 0.7, 0.9, 0.8, 0.0, 0.0],
    }
    ends = ends_of(rows, "p", "iethresh")
    assert ends.thresholds.tolist() == [0.9, 0.8]
    assert ends.cost.tolist() == [[3.0, 5.0], [7.0, 9.0]]
    with pytest.raises(BadInput, match="crowdsense was not run equally often"):
        ends_of(rows, "p", "crowdsense")


def test_thresholds_are_close_where_cost_changes_much():
    close = [step for step in THRESHOLDS["iethresh"] if 0.91 <= step <= 0.93]
    assert max(np.diff(sorted(close))) <= 0.005 + 1e-12
    assert set(policies_of("iethresh", thin=True)) < set(policies_of("iethresh"))
    assert swept("crowdsense:threshold=0.1")
    assert not swept("bbta")

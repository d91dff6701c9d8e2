"""The outlook: what accuracy to expect, and between what limits, from beliefs alone."""

import numpy as np
import pytest

from labelbandit.aggregation.outlook import doubts, outlook


def beliefs(certain):
    return np.column_stack([certain, 1.0 - np.asarray(certain)])


def test_the_expected_accuracy_is_the_mean_certainty():
    found = outlook(beliefs([0.9] * 50 + [0.7] * 50), np.zeros(100, np.int64), np.zeros(1))
    assert found.expected == pytest.approx(0.8, abs=0.005)
    assert 0.6 < found.low < 0.75
    assert 0.85 < found.high < 1.0


def test_the_more_tasks_the_narrower():
    few, many = (outlook(beliefs([0.9] * n), np.zeros(n, np.int64), np.zeros(1)) for n in (50, 5000))
    assert many.high - many.low < 0.3 * (few.high - few.low)


def test_certain_tasks_leave_no_room():
    found = outlook(beliefs([1.0] * 20), np.zeros(20, np.int64), np.zeros(1))
    assert found.expected == pytest.approx(1.0, abs=0.002)
    assert found.low > 0.99


def test_a_context_that_may_be_read_the_wrong_way_round_lowers_the_low_end():
    belief, context = beliefs([0.99] * 90), np.repeat(np.arange(3), 30)
    sure = outlook(belief, context, np.zeros(3))
    doubtful = outlook(belief, context, np.array([0.0, 0.1, 0.0]))
    assert sure.low > 0.95
    assert doubtful.low < 0.7
    assert doubtful.high == pytest.approx(sure.high, abs=0.01)
    assert doubtful.expected == pytest.approx(sure.expected - 0.1 * 0.98 / 3, abs=0.005)


def test_a_reading_for_which_nothing_speaks_is_even_and_one_never_checked_is_not_doubted():
    assert doubts(np.array([0.0, np.inf])).tolist() == pytest.approx([0.5, 0.0])
    assert doubts(np.array([4.0]))[0] < 0.2

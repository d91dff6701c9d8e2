"""The outlook: what accuracy to expect, and between what limits, from beliefs alone."""

import numpy as np
import pytest

from labelbandit.aggregation.outlook import outlook
from labelbandit.policies.mirror import doubt


def beliefs(certain):
    return np.column_stack([certain, 1.0 - np.asarray(certain)])


def outlook_of(certain, labels=5, doubts=(0.0,)):
    tasks = len(certain)
    context = np.arange(tasks) * len(doubts) // tasks
    return outlook(beliefs(certain), np.full(tasks, labels), context, np.array(doubts))


def test_the_expected_accuracy_is_the_mean_certainty():
    found = outlook_of([0.9] * 50 + [0.7] * 50)
    assert found.expected == pytest.approx(0.8, abs=0.005)
    assert 0.6 < found.low < 0.75
    assert 0.85 < found.high < 1.0


def test_the_more_tasks_the_narrower():
    few, many = (outlook_of([0.98] * n) for n in (50, 5000))
    assert many.high - many.low < 0.5 * (few.high - few.low)


def test_certainty_by_a_single_label_is_worth_less_than_the_same_by_many():
    single, many = (outlook_of([0.95] * 200, labels) for labels in (1, 4))
    assert single.low < many.low - 0.05
    assert single.high >= many.high


def test_tasks_nobody_labelled_are_guesses_and_not_misjudged():
    guesses = outlook_of([0.5] * 400, labels=0)
    assert 0.44 < guesses.low < guesses.high < 0.56


def test_certain_tasks_leave_no_room():
    found = outlook_of([1.0] * 20)
    assert found.expected == pytest.approx(1.0, abs=0.002)
    assert found.low > 0.99


def test_a_context_that_may_be_read_the_wrong_way_round_lowers_the_low_end():
    sure, doubtful = (outlook_of([0.99] * 90, doubts=(0.0, doubt, 0.0)) for doubt in (0.0, 0.1))
    assert sure.low > 0.95
    assert doubtful.low < 0.7
    assert doubtful.high == pytest.approx(sure.high, abs=0.01)
    assert doubtful.expected == pytest.approx(sure.expected - 0.1 * 0.98 / 3, abs=0.005)


def test_a_reading_for_which_nothing_speaks_is_even_and_the_more_speaks_for_it_the_less_it_is_doubted():
    assert doubt(0.0) == pytest.approx(0.5)
    assert 0.0 < doubt(8.0) < doubt(4.0) < 0.2

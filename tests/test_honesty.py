"""Propensities are those actually drawn with, and the loss estimate is unbiased."""

import numpy as np
import pytest

from labelbandit.model.chance import Draw
from labelbandit.policies.bbta import Bbta
from labelbandit.policies.contract import Setup, choose, learn
from labelbandit.policies.openings import all_present
from labelbandit.policies.sheet import blank_sheet, write

DRAWS = 6000


def a_policy_midway(workers, away=()):
    """A state with unequal weights, and a draw away from its next adaptive choice."""
    rng = np.random.default_rng(1)
    setup = Setup(np.zeros(40, np.int64), 1, workers, 2, 10_000, np.uint64(9))
    state, openings = Bbta(explore=1).grow(None, setup), all_present(workers, blank_sheet(setup.context, workers, 1000))
    for n in range(5 * workers):
        choice = choose(state, openings, Draw(np.uint64(9), n))
        answer = int(rng.random() < 0.5 + 0.4 * choice.worker / workers)
        write(openings.sheet, choice.task, choice.worker, answer)
        learn(state, openings, choice.task, choice.worker, answer, choice.propensity, Draw(np.uint64(9), n))
    openings.present[list(away)] = False
    openings.away[0] = len(away)
    return state, openings


def many_choices(state, openings):
    return [choose(state, openings, Draw(np.uint64(9), 10**6 + n)) for n in range(DRAWS)]


@pytest.mark.parametrize("away", [(), (0, 3)])
def test_each_worker_is_drawn_as_often_as_the_propensity_says(away):
    choices = many_choices(*a_policy_midway(6, away))
    drawn, propensity = np.array([c.worker for c in choices]), np.array([c.propensity for c in choices])
    workers = np.unique(drawn)
    assert workers.size > 2
    assert not set(away) & set(workers.tolist())
    for worker in workers:
        claimed = propensity[drawn == worker][0]
        error = np.sqrt(claimed * (1 - claimed) / DRAWS)
        assert np.mean(drawn == worker) == pytest.approx(claimed, abs=4 * error)


def test_drawn_over_propensity_averages_to_one():
    choices = many_choices(*a_policy_midway(6))
    for worker in {c.worker for c in choices}:
        weights = np.array([(c.worker == worker) / c.propensity for c in choices])
        assert weights.mean() == pytest.approx(1.0, abs=4 * weights.std() / np.sqrt(DRAWS))


def test_the_estimated_loss_averages_to_the_loss_of_each_worker():
    state, openings = a_policy_midway(6)
    choices = many_choices(state, openings)
    loss = np.array([0, 1, 1, 0, 1, 0])
    estimates = np.zeros((DRAWS, 6))
    for row, choice in enumerate(choices):
        estimates[row, choice.worker] = loss[choice.worker] / choice.propensity
    drawn = sorted({c.worker for c in choices})
    error = 4 * estimates.std(axis=0) / np.sqrt(DRAWS) + 1e-12
    assert (np.abs(estimates.mean(axis=0) - loss)[drawn] <= error[drawn]).all()

"""Regret and its bounds, in a reduced form of what `make prove LINE=2.5` measures."""

import math

import numpy as np
import pytest

from labelbandit.experiments.regret import (
    RegretWorld,
    growth,
    lemma_bound,
    measure_fixed,
    measure_regret,
    summarise,
    theorem_bound,
)
from labelbandit.policies.bbta import Bbta
from labelbandit.simulation.crowds import crowd_from
from labelbandit.simulation.regret import Losses


def test_the_bound_is_theorem_1():
    adaptive = 2 * math.sqrt((900 - 2 * 5 * 3) * 2 * 5 * math.log(5))
    assert theorem_bound(900, 2, 5, 3) == pytest.approx(adaptive + 2 * 9 / 4 * math.sqrt(math.log(5) / 5) + 2 * 3)


def test_the_lemma_is_the_theorem_for_one_context():
    assert lemma_bound(900, 5, 3) == theorem_bound(900, 1, 5, 3)


def test_the_best_mapping_is_chosen_after_averaging():
    first = Losses(own=np.array([[10.0]]), each=np.array([[[0.0, 8.0]]]))
    second = Losses(own=np.array([[10.0]]), each=np.array([[[9.0, 2.0]]]))
    regret = summarise(np.array([10]), [first, second])
    assert regret.regret.tolist() == [10 - 4.5]
    assert regret.strict_regret.tolist() == [10 - 1.0]


@pytest.mark.parametrize("crowd", ["spammer-hammer", "one-coin", "malicious"])
def test_bbta_stays_under_the_bound_and_under_half_of_uniform_choice(crowd):
    world, marks = RegretWorld(crowd_from(f"{crowd}:deal=even"), tasks=600), np.array([2400])
    ours = measure_regret(Bbta(explore=0, repeats=True), world, marks, 8)
    control = measure_regret(Bbta(explore=0, repeats=True, draw="uniform"), world, marks, 8)
    bound = theorem_bound(2400, 2, 5, 0)
    assert ours.regret[0] <= ours.strict_regret[0] < bound
    assert ours.strict_regret[0] < control.strict_regret[0] / 2


def test_with_losses_fixed_in_advance_regret_grows_like_a_root():
    marks = np.logspace(3, 4.5, 7).astype(np.int64)
    assert growth(measure_fixed(np.array([0.4] + [0.5] * 9), marks, 10, 0)) <= 0.6


def test_a_worker_who_is_always_the_best_leaves_nothing_to_regret():
    fixed = measure_fixed(np.array([0.0, 0.0]), np.array([100]), 2, 0)
    assert fixed.regret.tolist() == [0.0]

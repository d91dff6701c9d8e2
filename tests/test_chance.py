import numpy as np
import pytest

from labelbandit import BadInput
from labelbandit.model.chance import Draw, Purpose, as_seed, philox, run_seed, uniform


def words(seed, n, purpose, k):
    return [f"{int(word):08x}" for word in philox(np.uint64(seed), n, purpose, k)]


def test_all_zeros_give_the_published_words():
    assert words(0, 0, 0, 0) == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


def test_all_ones_give_the_published_words():
    everything = 2**64 - 1
    assert words(everything, -1, 0xFFFFFFFF, 0xFFFFFFFF) == ["408f276d", "41c83b0e", "a20bc7c6", "6d5451fd"]


def test_numbers_are_uniform_on_the_unit_interval():
    numbers = np.array([uniform(Draw(np.uint64(7), n), Purpose.SAMPLE.value, 0) for n in range(4000)])
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    counts = np.histogram(numbers, bins=20, range=(0, 1))[0]
    chi_square = ((counts - 200) ** 2 / 200).sum()
    assert chi_square < 43.8  # 99.9 % of the distribution with 19 degrees of freedom


def test_purposes_do_not_share_numbers():
    draw = Draw(np.uint64(3), 5)
    numbers = {uniform(draw, purpose.value, k) for purpose in Purpose for k in range(3)}
    assert len(numbers) == 3 * len(Purpose)


def test_runs_of_an_experiment_have_seeds_of_their_own():
    assert len({run_seed(0, run) for run in range(1000)}) == 1000


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, float("nan"), "x", True])
def test_a_seed_that_does_not_fit_is_refused(seed):
    with pytest.raises(BadInput, match="seed"):
        as_seed(seed)

"""The naive baseline against its literal transcription, decision by decision, on the same randomness."""

from hypothesis import given, settings

from labelbandit.policies.random import Random
from tests.passes import run_both
from tests.reference.random import LiteralRandom
from tests.worlds import small_worlds


@settings(max_examples=200)
@given(small_worlds(masks=False))
def test_every_step_is_the_naive_baselines(world):
    _, asked = run_both(world, Random(), LiteralRandom(world))
    assert asked == min(world.budget, len(world.context) * world.workers)

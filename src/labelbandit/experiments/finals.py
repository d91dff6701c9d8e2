"""Methods: a policy, and perhaps another rule for the final answers, written `policy+rule`, such as `random+em`."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from labelbandit.aggregation.dawid_skene import dawid_skene
from labelbandit.aggregation.em import one_coin
from labelbandit.aggregation.labels import Labels, Probabilities
from labelbandit.aggregation.majority import majority
from labelbandit.experiments.calibration import credits_of
from labelbandit.model.arrays import Longs
from labelbandit.model.errors import BadInput
from labelbandit.simulation.oracle import policy_to_simulate
from labelbandit.simulation.run import Story, simulate_whole
from labelbandit.simulation.troubles import Troubles
from labelbandit.simulation.world import World

FINAL_RULES: Mapping[str, Callable[[Labels], Probabilities]] = {
    "majority": majority,
    "em": one_coin,
    "dawid-skene": dawid_skene,
}
"""Ways to make final answers of labels, whoever collected them; EM and Dawid-Skene judge workers in each context apart."""


def policy_of(method: str) -> str:
    """The policy that collects the labels of a method."""
    return method.partition("+")[0]


def check_method(method: str) -> None:
    """Refuse a method that does not exist."""
    policy, plus, rule = method.partition("+")
    if plus and rule not in FINAL_RULES:
        raise BadInput(
            f"{method!r} ends in an unknown rule {rule!r}: choose one of {', '.join(FINAL_RULES)}, or leave +{rule} out"
        )
    policy_to_simulate(policy)


def story_of(method: str, world: World, marks: Longs, troubles: Troubles | None = None) -> Story:
    """Run the policy of a method; if it has a rule for final answers, what is believed is what that rule says."""
    policy, _, rule = method.partition("+")
    story = simulate_whole(policy, world, marks, troubles)
    return _with_finals(story, world, FINAL_RULES[rule]) if rule else story


def _with_finals(story: Story, world: World, rule: Callable[[Labels], Probabilities]) -> Story:
    trace = story.trace
    task, worker, answer = (column.astype(np.int64) for column in (trace.task, trace.worker, trace.answer))
    spent = np.cumsum(world.price[worker]) if world.price.size else np.arange(1, task.size + 1)
    beliefs = np.empty_like(story.beliefs)
    for at, until in enumerate(np.searchsorted(spent, story.curve.marks, side="left") + 1):
        beliefs[at] = rule(Labels(task[:until], worker[:until], answer[:until], world.context, world.workers, world.classes))
    return replace(story, beliefs=beliefs, curve=replace(story.curve, accuracy=credits_of(beliefs, world.truth).mean(axis=1)))

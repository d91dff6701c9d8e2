"""Runs that also note what every other worker would have lost: the raw material of regret (paper, section 3)."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.errors import BadInput
from labelbandit.policies.bbta import Bbta, BbtaState
from labelbandit.policies.contract import ADAPTING, choose, learn
from labelbandit.policies.openings import Openings, all_present
from labelbandit.policies.sheet import blank_sheet, has_entry, write
from labelbandit.policies.vote import tally, winner
from labelbandit.policies.weights import Weights, draw_worker, even_weights, learning_rate, weigh
from labelbandit.simulation.run import setup_for
from labelbandit.simulation.world import World, answer_of

_VOTE, _WORKER, _LOSS = int(Purpose.VOTE), int(Purpose.WORKER), int(Purpose.LOSS)


class Losses(NamedTuple):
    """Cumulative losses at each mark of the budget."""

    own: Floats
    """Of the policy: marks by contexts."""
    each: Floats
    """Of every worker, had they been asked at every step: marks by contexts by workers."""


@inner
def _losses_of_all(
    state: BbtaState, openings: Openings, world: World, task: int, draw: Draw, votes: Floats, out: Floats
) -> None:
    """What each worker would lose: whether the vote with their answer added goes against that answer."""
    context, weight = world.context[task], state.weights.scratch
    rate = learning_rate(state.weights, state.weights.steps[context] + 1)
    total = weigh(state.weights.loss[context], rate, weight)
    tally(openings.sheet, task, weight, votes)
    for worker in range(out.size):
        answer = answer_of(world, task, worker)
        added = 0.0 if has_entry(openings.sheet, task, worker) else weight[worker]
        votes[answer] += added
        out[worker] = winner(votes, total, draw, _VOTE) != answer
        votes[answer] -= added


@compiled
def _play(
    state: BbtaState, openings: Openings, world: World, marks: Longs, losses: Losses, votes: Floats, step_losses: Floats
) -> None:
    n, mark = 0, 0
    while mark < marks.size:
        choice = choose(state, openings, Draw(world.seed, n))
        if choice.task < 0:
            break
        task, worker, context = choice.task, choice.worker, world.context[choice.task]
        if choice.phase == ADAPTING:
            _losses_of_all(state, openings, world, task, Draw(world.seed, n), votes, step_losses)
            losses.own[mark, context] += step_losses[worker]
            for other in range(step_losses.size):
                losses.each[mark, context, other] += step_losses[other]
        answer = answer_of(world, task, worker)
        write(openings.sheet, task, worker, answer)
        learn(state, openings, task, worker, answer, choice.propensity, Draw(world.seed, n))
        n += 1
        if n == marks[mark]:
            mark += 1


def losses_of(policy: Bbta, world: World, marks: Longs) -> Losses:
    """Run BBTA on the world and add up the losses until each mark."""
    if 0 < world.recorded.size < world.tasks * world.workers:
        raise BadInput("regret needs every worker's answer to every task: complete the recorded labels first")
    setup = setup_for(world, int(marks[-1]))
    openings = all_present(world.workers, blank_sheet(world.context, world.workers, setup.budget), world.pairs)
    losses = Losses(
        own=np.zeros((marks.size, world.contexts)),
        each=np.zeros((marks.size, world.contexts, world.workers)),
    )
    scratch = np.zeros(world.classes), np.zeros(world.workers)
    _play(policy.grow(None, setup), openings, world, marks, losses, *scratch)
    return Losses(own=losses.own.cumsum(axis=0), each=losses.each.cumsum(axis=0))


@compiled
def _play_fixed(
    weights: Weights, means: Floats, everyone: Longs, loss_seed: np.uint64, seed: np.uint64, marks: Longs, losses: Losses
) -> None:
    mark = 0
    for step in range(marks[-1]):
        rate = learning_rate(weights, step + 1)
        worker, propensity = draw_worker(weights, 0, rate, everyone, everyone.size, uniform(Draw(seed, step), _WORKER, 0))
        weights.steps[0] += 1
        for other in range(everyone.size):
            loss = 1.0 if uniform(Draw(loss_seed, step), _LOSS, other) < means[other] else 0.0
            losses.each[mark, 0, other] += loss
            if other == worker:
                losses.own[mark, 0] += loss
                weights.loss[0, worker] += loss / propensity
        if step + 1 == marks[mark]:
            mark += 1


def losses_fixed_in_advance(means: Floats, marks: Longs, loss_seed: np.uint64, seed: np.uint64) -> Losses:
    """The theorem's own setting: losses that depend on nothing but the step, drawn with these means."""
    weights = even_weights(1, means.size)
    losses = Losses(own=np.zeros((marks.size, 1)), each=np.zeros((marks.size, 1, means.size)))
    _play_fixed(weights, means, np.arange(means.size), loss_seed, seed, marks, losses)
    return Losses(own=losses.own.cumsum(axis=0), each=losses.each.cumsum(axis=0))

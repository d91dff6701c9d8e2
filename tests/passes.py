"""Driving a policy beside its literal transcription, decision by decision."""

from contextlib import suppress

import numpy as np

from labelbandit.model.chance import Draw
from labelbandit.policies.contract import Setup, choose, drop, learn, shares
from labelbandit.policies.openings import all_present
from labelbandit.policies.sheet import DECLINED, blank_sheet, write
from labelbandit.simulation.run import blank_trace, play
from labelbandit.simulation.troubles import no_troubles, nothing_underway


def begin(world, policy):
    seed = np.uint64(world.seed)
    setup = Setup(np.array(world.context, np.int64), max(world.context) + 1, world.workers, world.classes, world.budget, seed)
    room = len(world.context) * world.workers
    return policy.grow(None, setup), all_present(world.workers, blank_sheet(setup.context, world.workers, room), world.pairs())


def run_both(world, policy, literal, declines=frozenset()):
    """Ask and tell in turn until the budget or the pass ends; say how many were asked."""
    state, openings = begin(world, policy)
    decisions, answer = literal.decisions(), None
    for n in range(world.budget):
        choice = choose(state, openings, Draw(np.uint64(world.seed), n))
        try:
            wanted = decisions.send(answer)
        except StopIteration:
            assert choice.task == -1
            break
        task, worker, propensity = wanted
        assert (choice.task, choice.worker, choice.propensity) == wanted
        if (task, worker) in declines:
            answer = None
            write(openings.sheet, task, worker, DECLINED)
            drop(state, openings, task, worker)
        else:
            answer = int(world.answers[task, worker])
            write(openings.sheet, task, worker, answer)
            learn(state, openings, task, worker, answer, propensity, Draw(np.uint64(world.seed), n))
    else:
        n = world.budget
        with suppress(StopIteration):  # the transcription is still to hear the last answer
            decisions.send(answer)
    assert_same_estimates(world, state, openings, literal)
    return state, n


def assert_same_estimates(world, state, openings, literal):
    votes = np.zeros(world.classes)
    for i in range(len(world.context)):
        shares(state, openings, i, votes)
        assert votes.tolist() == literal.shares(i)


def play_out(state, openings, world, budget):
    """The simulator's own loop, until the budget is spent; how many labels there were."""
    troubles, classes = no_troubles(world), np.zeros(world.classes)
    nothing = np.zeros((0, 0, 0))
    marks = np.array([budget])
    underway = nothing_underway(troubles)
    return play(state, openings, world, troubles, underway, marks, np.zeros(1), classes, blank_trace(0), nothing)

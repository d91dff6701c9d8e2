"""The fast engine against a literal transcription of Algorithm 1, decision by decision, on the same randomness."""

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from labelbandit.model.chance import Draw
from labelbandit.policies.bbta import Bbta
from labelbandit.policies.contract import Setup, choose, learn, shares
from labelbandit.policies.openings import all_present
from labelbandit.policies.sheet import PENDING, blank_sheet, erase, with_newcomers, write
from tests.reference.bbta import LiteralBbta
from tests.worlds import small_worlds

WORLDS = int(os.environ.get("LABELBANDIT_WORLDS", "250"))

parameters = st.fixed_dictionaries(
    {
        "explore": st.integers(0, 3),
        "repeats": st.booleans(),
        "pick": st.sampled_from(["margin", "least-confidence"]),
    }
)
variants = st.fixed_dictionaries(
    {
        "explore": st.integers(0, 2),
        "repeats": st.booleans(),
        "loss": st.sampled_from(["importance", "implicit"]),
        "asleep": st.sampled_from(["spared", "charged"]),
        "scale": st.sampled_from([1.0, 0.0, 3.0]),
        "memory": st.sampled_from([0, 1, 3, 20]),
        "vote": st.sampled_from(["weights", "em"]),
    }
)


def begin(world, parameters):
    seed = np.uint64(world.seed)
    setup = Setup(np.array(world.context, np.int64), max(world.context) + 1, world.workers, world.classes, world.budget, seed)
    fast = Bbta(**parameters).grow(None, setup)
    openings = all_present(world.workers, blank_sheet(setup.context, world.workers, world.budget), world.pairs())
    named = {"loss": "loss_of", "vote": "vote_by"}
    parameters = {named.get(key, key): value for key, value in parameters.items()}
    literal = LiteralBbta(world.context, world.workers, world.classes, world.budget, seed, exists=world.exists, **parameters)
    return fast, openings, literal


def admit(openings, present):
    openings.present[:] = False
    openings.present[list(present)] = True
    openings.away[0] = openings.present.size - len(present)


def assert_same_choice(choice, wanted):
    if wanted is None:
        assert choice.task == -1
    else:
        assert (choice.task, choice.worker) == wanted[:2]
        assert choice.propensity == wanted[2]


def assert_same_beliefs(world, fast, openings, literal):
    for s in range(max(world.context) + 1):
        assert fast.weights.loss[s].tolist() == literal.loss[s]
    votes = np.zeros(world.classes)
    for i in range(len(world.context)):
        shares(fast, openings, i, votes)
        # EM sums in another order at its start, and divides by a sum of parts: equal but for the last bits.
        wanted = literal.normalised_shares(i)
        assert votes.tolist() == (pytest.approx(wanted, abs=1e-9) if literal.vote_by == "em" else wanted)


@settings(max_examples=WORLDS)
@given(small_worlds(), parameters)
def test_every_step_is_the_papers(world, parameters):
    run_in_turn(world, parameters)


@settings(max_examples=WORLDS)
@given(small_worlds(), variants)
def test_every_variant_is_what_it_says(world, parameters):
    run_in_turn(world, parameters)


def run_in_turn(world, parameters):
    fast, openings, literal = begin(world, parameters)
    take_turns(world, fast, openings, literal, range(world.budget))
    assert_same_beliefs(world, fast, openings, literal)


def take_turns(world, fast, openings, literal, numbers):
    for n in numbers:
        admit(openings, world.present(n))
        choice = choose(fast, openings, Draw(np.uint64(world.seed), n))
        assert_same_choice(choice, literal.choose(world.present(n), n))
        if choice.task < 0:
            continue
        answer = int(world.answers[choice.task, choice.worker])
        write(openings.sheet, choice.task, choice.worker, answer)
        learn(fast, openings, choice.task, choice.worker, answer, choice.propensity, Draw(np.uint64(world.seed), n))
        literal.learn(choice.task, choice.worker, answer, choice.propensity, n)


@settings(max_examples=WORLDS // 2)
@given(small_worlds(masks=False), st.one_of(parameters, variants), st.integers(0, 60))
def test_workers_who_join_midway_start_with_the_mean_weight(world, parameters, joining):
    assume(world.workers > 1)
    known, joining = replace(world, workers=world.workers // 2), min(joining, world.budget)
    fast, openings, literal = begin(known, parameters)
    take_turns(known, fast, openings, literal, range(joining))
    seed, context = np.uint64(world.seed), np.array(world.context, np.int64)
    setup = Setup(context, max(world.context) + 1, world.workers, world.classes, world.budget, seed)
    fast = Bbta(**parameters).grow(fast, setup)
    openings = all_present(world.workers, with_newcomers(openings.sheet, context, world.workers))
    literal.join(world.workers - known.workers)
    take_turns(world, fast, openings, literal, range(joining, world.budget))
    assert_same_beliefs(world, fast, openings, literal)


@settings(max_examples=WORLDS // 2)
@given(small_worlds(), st.one_of(parameters, variants), st.data())
def test_answers_may_come_late_in_parallel_and_out_of_order(world, parameters, data):
    fast, openings, literal = begin(world, parameters | {"repeats": False})
    waiting = []
    for n in range(min(world.budget, 40)):
        admit(openings, world.present(n))
        choice = choose(fast, openings, Draw(np.uint64(world.seed), n))
        assert_same_choice(choice, literal.choose(world.present(n), n))
        if choice.task >= 0:
            write(openings.sheet, choice.task, choice.worker, PENDING)
            literal.pending[choice.task].add(choice.worker)
            waiting.append((choice, n))
        while waiting and data.draw(st.booleans()):
            told, number = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            answer = int(world.answers[told.task, told.worker])
            write(openings.sheet, told.task, told.worker, answer)
            learn(fast, openings, told.task, told.worker, answer, told.propensity, Draw(np.uint64(world.seed), number))
            literal.learn(told.task, told.worker, answer, told.propensity, number)
    for told, _ in waiting:
        erase(openings.sheet, told.task, told.worker)
        literal.pending[told.task].discard(told.worker)
    assert_same_beliefs(world, fast, openings, literal)

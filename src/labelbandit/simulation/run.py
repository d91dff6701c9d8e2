"""One run: a policy spends a budget on a world, in a compiled loop with no Python in it."""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, compiled_afresh, inner
from labelbandit.model.arrays import Floats, Ints, Longs, Shorts
from labelbandit.model.chance import Draw
from labelbandit.model.errors import BadInput
from labelbandit.policies.contract import Policy, Setup, choose, learn, shares
from labelbandit.policies.openings import Openings, all_present
from labelbandit.policies.sheet import blank_sheet, write
from labelbandit.policies.vote import TIE, top_two
from labelbandit.simulation.oracle import Oracle, policy_to_simulate
from labelbandit.simulation.world import World, answer_of


@dataclass(frozen=True, slots=True)
class Curve:
    """What a run yields: accuracy after each mark of the budget, and how many labels were used."""

    marks: Longs
    """Labels spent at each point."""
    accuracy: Floats
    labels: int
    notes: tuple[str, ...]


class Trace(NamedTuple):
    """Who was asked what, in order, and what they said; one without room notes nothing."""

    task: Ints
    worker: Ints
    answer: Shorts


def blank_trace(labels: int) -> Trace:
    """A trace with room for that many labels."""
    return Trace(np.zeros(labels, np.int32), np.zeros(labels, np.int32), np.zeros(labels, np.int16))


@inner
def _note(trace: Trace, n: int, task: int, worker: int, answer: int) -> None:
    if n < trace.task.size:
        trace.task[n], trace.worker[n], trace.answer[n] = task, worker, answer


@inner
def credit(votes: Floats, truth: int) -> float:
    """1 if the answer is right, 0 if wrong, and 1/m if m classes are tied and the truth is among them."""
    floor = top_two(votes)[0] - TIE
    if votes[truth] < floor:
        return 0.0
    tied = 0
    for value in votes:
        tied += value >= floor
    return 1.0 / tied


@inner
def _accuracy(state: NamedTuple, openings: Openings, world: World, votes: Floats) -> float:
    right = 0.0
    for task in range(world.truth.size):
        shares(state, openings, task, votes)
        right += credit(votes, world.truth[task])
    return right / world.truth.size


@compiled
def play(
    state: NamedTuple, openings: Openings, world: World, marks: Longs, accuracy: Floats, votes: Floats, trace: Trace
) -> int:
    """Ask and tell until the last mark or until nothing is left to ask; fill in the accuracy at each mark, and the trace."""
    n, mark = 0, 0
    while mark < marks.size:
        choice = choose(state, openings, Draw(world.seed, n))
        if choice.task < 0:
            break
        answer = answer_of(world, choice.task, choice.worker)
        write(openings.sheet, choice.task, choice.worker, answer)
        learn(state, openings, choice.task, choice.worker, answer, choice.propensity, Draw(world.seed, n))
        _note(trace, n, choice.task, choice.worker, answer)
        n += 1
        if n == marks[mark]:
            accuracy[mark] = _accuracy(state, openings, world, votes)
            mark += 1
    if mark < marks.size:
        accuracy[mark:] = _accuracy(state, openings, world, votes)
    return n


def budget_marks(tasks: int, budget: float) -> Longs:
    """One mark for each whole number of labels per task, and one for the budget itself."""
    if not np.isfinite(budget):
        raise BadInput(f"a budget of {budget:g} labels per task is none: give a finite number")
    last = int(budget * tasks)
    if last < 1:
        raise BadInput(f"a budget of {budget:g} labels per task buys nothing: give a positive number")
    marks = tasks * np.arange(1, int(budget) + 1, dtype=np.int64)
    return marks if marks.size and marks[-1] == last else np.append(marks, last)


def setup_for(world: World, budget: int) -> Setup:
    """What the policy is told of the world."""
    return Setup(world.context, world.contexts, world.workers, world.classes, budget, world.seed)


def simulate(policy: Policy | str, world: World, budget: float) -> Curve:
    """Run the policy on the world for so many labels per task."""
    return _run(policy, world, budget_marks(world.tasks, budget), blank_trace(0))


def simulate_traced(policy: Policy | str, world: World, budget: float) -> tuple[Curve, Trace]:
    """Run the policy on the world, and say also who was asked what."""
    marks = budget_marks(world.tasks, budget)
    trace = blank_trace(int(marks[-1]))
    curve = _run(policy, world, marks, trace)
    return curve, Trace(trace.task[: curve.labels], trace.worker[: curve.labels], trace.answer[: curve.labels])


def _run(policy: Policy | str, world: World, marks: Longs, trace: Trace) -> Curve:
    policy = policy_to_simulate(policy) if isinstance(policy, str) else policy
    setup = setup_for(world, int(marks[-1]))
    state = policy.told(world, setup) if isinstance(policy, Oracle) else policy.grow(None, setup)
    openings = all_present(world.workers, blank_sheet(world.context, world.workers, setup.budget), world.pairs)
    accuracy = np.zeros(marks.size)
    labels = _loop_for(state)(state, openings, world, marks, accuracy, np.zeros(world.classes), trace)
    return Curve(marks, accuracy, int(labels), tuple(policy.notes(setup)))


def _loop_for(state: Any) -> Any:
    ours = type(state).__module__.startswith("labelbandit.")
    return play if ours else _loop_for_others()


@cache
def _loop_for_others() -> Any:
    """One loop for all policies of users: compiled without the disk's cache, for each kind of state once."""
    return compiled_afresh(play)

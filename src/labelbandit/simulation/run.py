"""One run: a policy spends a budget on a world, in a compiled loop with no Python in it."""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, compiled_afresh, inner, whole
from labelbandit.model.arrays import Floats, Ints, Longs, Shorts
from labelbandit.model.chance import Draw
from labelbandit.model.errors import BadInput
from labelbandit.policies.contract import NO_CHOICE, NOBODY, Choice, Policy, Setup, choose, drop, learn, shares
from labelbandit.policies.openings import Openings, all_present
from labelbandit.policies.sheet import Sheet, blank_sheet, write
from labelbandit.policies.vote import TIE, top_two
from labelbandit.simulation.oracle import Oracle, policy_to_simulate
from labelbandit.simulation.troubles import (
    Troubles,
    Underway,
    call_in,
    come_and_go,
    keep_to_the_affordable,
    lend,
    no_troubles,
    nothing_underway,
)
from labelbandit.simulation.world import World, answer_of


@dataclass(frozen=True, slots=True)
class Curve:
    """What a run yields: accuracy after each mark of the budget, and how many labels were used."""

    marks: Longs
    """What was spent at each point, in labels if all cost 1."""
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
def _trust_experts(world: World, sheet: Sheet, task: int, votes: Floats) -> None:
    """What an expert said is the answer, whatever the policy makes of it."""
    if world.expert.size == 0 or not sheet.closed[task]:
        return
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.answer[at] >= 0 and world.expert[sheet.worker[at]]:
            votes[:] = 0.0
            votes[sheet.answer[at]] = 1.0


@inner
def _accuracy(state: NamedTuple, openings: Openings, world: World, votes: Floats, mark: int, beliefs: Floats) -> float:
    """How many tasks are answered rightly; and, if there is room to note them, the probabilities believed in."""
    right = 0.0
    for task in range(world.truth.size):
        shares(state, openings, task, votes)
        _trust_experts(world, openings.sheet, task, votes)
        right += credit(votes, world.truth[task])
        if mark < beliefs.shape[0]:
            unheard = 1.0
            for share in votes:
                unheard -= share
            for c in range(votes.size):
                beliefs[mark, task, c] = votes[c] + unheard / votes.size
    return right / world.truth.size


@inner
def _price(world: World, worker: int) -> int:
    return whole(world.price[worker]) if world.price.size > 0 else 1


@inner
def _next(state: NamedTuple, openings: Openings, world: World, troubles: Troubles, n: int, left: int) -> Choice:
    """Who is asked what next, among those who are there and whom the rest of the budget pays for."""
    come_and_go(troubles, openings, world.seed, n)
    keep_to_the_affordable(openings, world.price, left)
    choice = choose(state, openings, Draw(world.seed, n))
    if choice.task < 0 and troubles.present < 1.0:
        call_in(openings)
        keep_to_the_affordable(openings, world.price, left)
        choice = choose(state, openings, Draw(world.seed, n))
    return choice


@inner
def _hear(state: NamedTuple, openings: Openings, world: World, troubles: Troubles, underway: Underway, n: int) -> int:
    """The answer to the assignment of that decision comes, and is learned."""
    slot = n % underway.task.size
    task, worker = whole(underway.task[slot]), whole(underway.worker[slot])
    answer = answer_of(troubles.turned if n >= troubles.turn else world, task, worker)
    write(openings.sheet, task, worker, answer)
    learn(state, openings, task, worker, answer, underway.propensity[slot], Draw(world.seed, n))
    if world.expert.size > 0 and world.expert[worker]:  # as in a campaign, an expert settles the task
        openings.sheet.closed[task] = True
        drop(state, openings, task, NOBODY)
    return answer


@compiled
def play(
    state: NamedTuple,
    openings: Openings,
    world: World,
    troubles: Troubles,
    underway: Underway,
    marks: Longs,
    accuracy: Floats,
    votes: Floats,
    trace: Trace,
    beliefs: Floats,
) -> int:
    """Ask and tell until the budget is spent or nothing is left to ask; fill in accuracy, trace and beliefs."""
    asked, told, reserved, spent, mark = 0, 0, 0, 0, 0
    while mark < marks.size:
        choice = NO_CHOICE
        if reserved < marks[-1]:
            choice = _next(state, openings, world, troubles, asked, marks[-1] - reserved)
        if choice.task >= 0:
            lend(underway, openings.sheet, asked, choice)
            reserved += _price(world, choice.worker)
            asked += 1
        elif asked == told:
            break
        if choice.task < 0 or asked - told > troubles.late:
            slot = told % underway.task.size
            answer = _hear(state, openings, world, troubles, underway, told)
            _note(trace, told, underway.task[slot], underway.worker[slot], answer)
            spent += _price(world, whole(underway.worker[slot]))
            told += 1
        while mark < marks.size and spent >= marks[mark]:
            accuracy[mark] = _accuracy(state, openings, world, votes, mark, beliefs)
            mark += 1
    while mark < marks.size:
        accuracy[mark] = _accuracy(state, openings, world, votes, mark, beliefs)
        mark += 1
    return told


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
    sizes = (world.contexts, world.workers, world.classes)
    return Setup(world.context, *sizes, budget, world.seed, expert=world.expert)


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """All there is to know of a run."""

    curve: Curve
    trace: Trace
    beliefs: Floats
    """Marks by tasks by classes: the probabilities believed in."""


def simulate(policy: Policy | str, world: World, budget: float, troubles: Troubles | None = None) -> Curve:
    """Run the policy on the world for so many labels per task."""
    return _run(policy, world, budget_marks(world.tasks, budget), troubles, blank_trace(0), np.zeros((0, 0, 0)))


def simulate_traced(policy: Policy | str, world: World, budget: float) -> tuple[Curve, Trace]:
    """Run the policy on the world, and say also who was asked what."""
    marks = budget_marks(world.tasks, budget)
    trace = blank_trace(_most_labels(world, marks))
    curve = _run(policy, world, marks, None, trace, np.zeros((0, 0, 0)))
    return curve, _cut(trace, curve.labels)


def simulate_whole(policy: Policy | str, world: World, marks: Longs, troubles: Troubles | None = None) -> Story:
    """Run the policy on the world until the last mark, and say also who was asked what and what was believed at each mark."""
    trace, beliefs = blank_trace(_most_labels(world, marks)), np.zeros((marks.size, world.tasks, world.classes))
    curve = _run(policy, world, marks, troubles, trace, beliefs)
    return Story(curve, _cut(trace, curve.labels), beliefs)


def _most_labels(world: World, marks: Longs) -> int:
    """As many as the last mark pays for."""
    return int(marks[-1]) // int(world.price.min()) if world.price.size else int(marks[-1])


def _cut(trace: Trace, labels: int) -> Trace:
    return Trace(trace.task[:labels], trace.worker[:labels], trace.answer[:labels])


def _run(policy: Policy | str, world: World, marks: Longs, troubles: Troubles | None, trace: Trace, beliefs: Floats) -> Curve:
    policy = policy_to_simulate(policy) if isinstance(policy, str) else policy
    troubles = troubles or no_troubles(world)
    setup = setup_for(world, int(marks[-1]))
    state = policy.told(world, setup) if isinstance(policy, Oracle) else policy.grow(None, setup)
    openings = all_present(world.workers, blank_sheet(world.context, world.workers, _most_labels(world, marks)), world.pairs)
    openings = openings._replace(price=world.price) if world.price.size else openings
    accuracy, votes, underway = np.zeros(marks.size), np.zeros(world.classes), nothing_underway(troubles)
    labels = _loop_for(state)(state, openings, world, troubles, underway, marks, accuracy, votes, trace, beliefs)
    return Curve(marks, accuracy, int(labels), tuple(policy.notes(setup)))


def _loop_for(state: Any) -> Any:
    ours = type(state).__module__.startswith("labelbandit.")
    return play if ours else _loop_for_others()


@cache
def _loop_for_others() -> Any:
    """One loop for all policies of users: compiled without the disk's cache, for each kind of state once."""
    return compiled_afresh(play)

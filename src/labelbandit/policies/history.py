"""The history: what happened to tasks, in order. A policy's state is its fold, so it can be taught again at any time."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Bools, Bytes, Floats, Ints, Longs, Shorts
from labelbandit.model.chance import Draw
from labelbandit.policies.contract import NOBODY, drop, learn, shares
from labelbandit.policies.openings import Openings
from labelbandit.policies.sheet import DECLINED, PENDING, erase, write

LENT, TOLD, REFUSED, FREED, WITHDRAWN = range(5)
"""What can happen: a task is lent, its answer told, the loan refused or come to nothing, the task withdrawn."""
_ROOM = 16
_AGAIN = 8
"""With each answer, so many tasks are looked at again: what was learned elsewhere may settle a task, or open it again."""
_LOOKS = 100
"""How often the expected accuracy is found anew while each task gets one label."""
NEVER = 2.0
"""A probability that no answer reaches."""


class Ops(NamedTuple):
    """Columns, a row for each thing that happened."""

    code: Bytes
    task: Ints
    worker: Ints
    answer: Shorts
    propensity: Floats
    number: Longs
    """The decision number."""


class Stage(NamedTuple):
    """From this row of the history on, so much is known."""

    row: int
    tasks: int
    workers: int
    contexts: int
    budget: int


class Enough(NamedTuple):
    """When a task has labels enough."""

    least: int
    """Labels a task must have before it settles."""
    most: int
    """Labels after which nobody is asked any more."""
    settle: float
    """The probability at which an answer is settled."""
    target: float
    """The expected accuracy at which the whole campaign has enough."""


class Course(NamedTuple):
    """Which tasks have enough, as of the last row."""

    withdrawn: Bools
    done: Bools
    """Tasks that need no more labels; others may be closed only while those lent would make up the most."""
    expected: Floats
    """Two numbers, kept if there is a target: the expected accuracy as it was last found, and labels so far."""
    cursor: Longs
    """One number: the task whose settling was looked at last."""


def begin_course(tasks: int) -> Course:
    """Every task needs labels."""
    return Course(np.zeros(tasks, np.bool_), np.zeros(tasks, np.bool_), np.zeros(2), np.zeros(1, np.int64))


def with_tasks(course: Course, tasks: int) -> Course:
    """The same with room for tasks that join: the target is not reached by any that did."""
    joining = np.zeros(tasks - course.done.size, np.bool_)
    if joining.size:
        course.expected[0] = 0.0
    return course._replace(withdrawn=np.append(course.withdrawn, joining), done=np.append(course.done, joining))


class Limits(NamedTuple):
    """What closes a task."""

    enough: Enough
    expert: Bools
    """Workers whose answer settles a task."""
    silent: Bools
    """Workers whose labels are left out."""
    course: Course


def _columns(size: int) -> Ops:
    task, worker = np.zeros((2, size), np.int32)
    return Ops(np.zeros(size, np.int8), task, worker, np.zeros(size, np.int16), np.zeros(size), np.zeros(size, np.int64))


class History:
    """Rows that are only ever added, corrected answers apart; and the stages at which tasks and workers joined."""

    def __init__(self) -> None:
        self.size = 0
        self.ops = _columns(_ROOM)
        self.stages: list[Stage] = []
        self.corrections = 0
        """How often a row was changed: whoever follows must then begin anew."""

    def add(self, code: int, task: int, worker: int, answer: int = -1, propensity: float = 1.0, number: int = -1) -> None:
        """Note what happened."""
        self._make_room(1)
        row, ops = self.size, self.ops
        ops.code[row], ops.task[row], ops.worker[row] = code, task, worker
        ops.answer[row], ops.propensity[row], ops.number[row] = answer, propensity, number
        self.size += 1

    def add_labels(self, task: Ints, worker: Ints, answer: Shorts, propensity: Floats, first_number: int) -> None:
        """Note many labels at once."""
        count = len(task)
        self._make_room(count)
        rows = slice(self.size, self.size + count)
        self.ops.code[rows], self.ops.task[rows], self.ops.worker[rows] = TOLD, task, worker
        self.ops.answer[rows], self.ops.propensity[rows] = answer, propensity
        self.ops.number[rows] = np.arange(first_number, first_number + count)
        self.size += count

    def begin_stage(self, tasks: int, workers: int, contexts: int, budget: int) -> None:
        """From now on there is more to choose from; joining twice with nothing in between is joining once."""
        stage = Stage(self.size, tasks, workers, contexts, budget)
        if self.stages and self.stages[-1].row == self.size:
            self.stages[-1] = stage
        else:
            self.stages.append(stage)

    def correct(self, task: int, worker: int, answer: int) -> None:
        """Put another answer in place of the one told."""
        ops, told = self.ops, slice(self.size)
        rows = np.flatnonzero((ops.code[told] == TOLD) & (ops.task[told] == task) & (ops.worker[told] == worker))
        ops.answer[rows[-1]] = answer
        self.corrections += 1

    def restore(self, columns: dict[str, Any], stages: Iterable[Sequence[int]], corrections: int) -> None:
        """Take these rows in place of one's own."""
        self.ops = Ops(**columns)
        self.size = self.ops.code.size
        self.stages = [Stage(*stage) for stage in stages]
        self.corrections = corrections

    def _make_room(self, more: int) -> None:
        if self.size + more <= self.ops.code.size:
            return
        grown = _columns(max(self.size + more, 2 * self.ops.code.size, _ROOM))
        for name, old in self.ops._asdict().items():
            getattr(grown, name)[: self.size] = old[: self.size]
        self.ops = grown


@compiled
def relive(
    state: NamedTuple, openings: Openings, ops: Ops, begin: int, end: int, limits: Limits, seed: np.uint64, votes: Floats
) -> None:
    """Let the state go through those rows."""
    sheet = openings.sheet
    for row in range(begin, end):
        code, task, worker = ops.code[row], ops.task[row], ops.worker[row]
        if code == LENT:
            write(sheet, task, worker, PENDING)
            _set_closed(state, openings, limits, task)
            continue
        if code == WITHDRAWN:
            limits.course.withdrawn[task] = True
        elif code == FREED:
            erase(sheet, task, worker)
            drop(state, openings, task, worker)
        elif code == REFUSED or limits.silent[worker]:
            write(sheet, task, worker, DECLINED)
            drop(state, openings, task, worker)
        else:
            answer = ops.answer[row]
            write(sheet, task, worker, answer)
            learn(state, openings, task, worker, answer, ops.propensity[row], Draw(seed, ops.number[row]))
            if limits.enough.settle <= 1.0:
                _look_again(state, openings, limits, votes)
            if limits.enough.target <= 1.0:
                _look_at_target(state, openings, limits, votes)
        _close_or_open(state, openings, limits, task, votes)


@inner
def _close_or_open(state: NamedTuple, openings: Openings, limits: Limits, task: int, votes: Floats) -> None:
    heard = openings.sheet.heard[task]
    done = bool(limits.course.withdrawn[task] or heard >= limits.enough.most)
    if not done and heard >= limits.enough.least and heard > 0:
        done = _expert_spoke(openings, limits.expert, task)
        if not done and limits.enough.settle <= 1.0:
            done = _probability(state, openings, task, votes) >= limits.enough.settle
    limits.course.done[task] = done
    _set_closed(state, openings, limits, task)


@inner
def _set_closed(state: NamedTuple, openings: Openings, limits: Limits, task: int) -> None:
    """A task is closed if it is done, and for as long as the labels asked for would make up the most it may have."""
    sheet = openings.sheet
    closed = bool(limits.course.done[task] or sheet.heard[task] + sheet.waiting[task] >= limits.enough.most)
    if closed != sheet.closed[task]:
        sheet.closed[task] = closed
        drop(state, openings, task, NOBODY)


@inner
def _expert_spoke(openings: Openings, expert: Bools, task: int) -> bool:
    sheet = openings.sheet
    start = sheet.start[task]
    spoken = False
    for at in range(start, start + sheet.size[task]):
        spoken = spoken or (sheet.answer[at] >= 0 and expert[sheet.worker[at]])
    return bool(spoken)


@inner
def _probability(state: NamedTuple, openings: Openings, task: int, votes: Floats) -> float:
    """The probability of the likeliest class: its share, and its part of the weight not heard."""
    shares(state, openings, task, votes)
    top, heard = 0.0, 0.0
    for share in votes:
        top = max(top, share)
        heard += share
    return top + (1.0 - heard) / votes.size


@inner
def _look_again(state: NamedTuple, openings: Openings, limits: Limits, votes: Floats) -> None:
    tasks = openings.sheet.size.size
    for _ in range(min(_AGAIN, tasks)):
        task = (limits.course.cursor[0] + 1) % tasks
        limits.course.cursor[0] = task
        _close_or_open(state, openings, limits, task, votes)


@inner
def _look_at_target(state: NamedTuple, openings: Openings, limits: Limits, votes: Floats) -> None:
    """At every label would take too long; at fixed ones, so that everyone who reads the log sees the same."""
    limits.course.expected[1] += 1.0
    if limits.course.expected[1] % max(1, openings.sheet.size.size // _LOOKS) == 0.0:
        limits.course.expected[0] = expected_accuracy(state, openings, limits.expert, votes)


@compiled
def expected_accuracy(state: NamedTuple, openings: Openings, expert: Bools, votes: Floats) -> float:
    """The mean probability of each task's likeliest class; an expert is right."""
    total, tasks = 0.0, openings.sheet.size.size
    for task in range(tasks):
        total += 1.0 if _expert_spoke(openings, expert, task) else _probability(state, openings, task, votes)
    return total / tasks


@compiled
def all_shares(state: NamedTuple, openings: Openings, out: Floats) -> None:
    """Fill in the shares of every task, a row each."""
    for task in range(out.shape[0]):
        shares(state, openings, task, out[task])

"""OptKG, the optimistic knowledge gradient (Chen, Lin, Zhou: JMLR 16, 2015, 1-46), with and without worker reliability.

Every pair of task and worker has a gain: by how much the better of its two answers would make the task's belief surer, the
max(R₁, R₂) of §4.3 in Zhang, Ma, Sugiyama (2015). The pair with the largest gain is asked. An answer moves the beliefs of its
task and its worker, so one row and one column of the gains are computed anew. Each row keeps a bound that no pair of it
comes before. A gain that falls leaves the bound standing; it is repaired if the search ever needs that row.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from labelbandit.compiled import compiled, inner, whole
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.errors import BadInput
from labelbandit.policies import beta
from labelbandit.policies.confidence import POINTS, in_points
from labelbandit.policies.contract import ADAPTING, ATTACHED, NO_CHOICE, Choice, Rule, Setup, Why, follow
from labelbandit.policies.openings import EVERY_PAIR, Openings, Pairs, takeable, takers, takers_ever, used_up
from labelbandit.policies.sheet import has_entry

Kind = TypeVar("Kind", np.float64, np.int64)

_ORDER, _WORKER = int(Purpose.ORDER), int(Purpose.WORKER)
_MOST_PAIRS = 200_000_000
"""The gains of all pairs are kept, 8 bytes each."""
_SMALLEST, _LARGEST = 0.001, 1e4
"""Priors in between keep every moment well inside what a float can tell apart."""
_NONE = -(2**62)
_UNLIMITED = 2**62


class Rows(NamedTuple):
    """Per task, a bound that none of its pairs comes before, and the worker it was set by."""

    points: Longs
    rank: Floats
    worker: Longs


class Leaders(NamedTuple):
    """Scratch: the pair each instance would ask next, and how many answers the instance waits for."""

    task: Longs
    worker: Longs
    waiting: Longs
    points: Longs
    rank: Floats
    open: Longs


class OptkgState(NamedTuple):
    """What OptKG believes: Beta(a, b) of each task, Beta(c, d) of each worker in each instance."""

    equal: bool
    seed: np.uint64
    instance: Longs
    """Which instance a task belongs to: there is one in all, or one per context."""
    a: Floats
    b: Floats
    doubt: Floats
    c: npt.NDArray[np.float64]
    d: npt.NDArray[np.float64]
    points: npt.NDArray[np.int64]
    """The gain of each pair; with equal workers, of each task."""
    rows: Rows
    spent: Longs
    budget: Longs
    """Labels told to each instance, and how many it may ask for."""
    leaders: Leaders
    workers: Longs
    """Scratch, one number per worker."""


@compiled
def choose(state: OptkgState, openings: Openings, draw: Draw) -> Choice:
    """The pair with the largest gain; with equal workers the task with the largest gain and anyone who may take it."""
    _find_leaders(state, openings)
    instance = _next_instance(state)
    if instance < 0:
        return NO_CHOICE
    task, score = whole(state.leaders.task[instance]), state.leaders.points[instance] / POINTS
    if not state.equal:
        return Choice(task, whole(state.leaders.worker[instance]), 1.0, score, ADAPTING)
    count = takers(openings, task, False, state.workers.size, state.workers)
    worker = whole(state.workers[int(uniform(draw, _WORKER, 0) * count)])
    return Choice(task, worker, 1.0 / count, score, ADAPTING)


@inner
def _next_instance(state: OptkgState) -> int:
    """The instance that is furthest behind with its budget; one whose tasks all wait for an answer only if all do."""
    leaders = state.leaders
    best, fewest, least = -1, 0, 0.0
    for instance in range(state.spent.size):
        taken = state.spent[instance] + leaders.open[instance]
        if leaders.task[instance] < 0 or taken >= state.budget[instance]:
            continue
        waiting, progress = leaders.waiting[instance], (taken + 0.5) / state.budget[instance]
        if best < 0 or waiting < fewest or (waiting == fewest and progress < least):
            best, fewest, least = instance, waiting, progress
    return best


@inner
def _find_leaders(state: OptkgState, openings: Openings) -> None:
    """Look only into rows whose bound comes before the leader so far."""
    leaders, rows = state.leaders, state.rows
    leaders.task[:] = -1
    leaders.open[:] = 0
    for task in range(state.a.size):
        instance, waiting = state.instance[task], openings.sheet.waiting[task]
        leaders.open[instance] += waiting
        if not _leads(leaders, instance, waiting, rows.points[task], rows.rank[task]) or used_up(openings, task, False):
            continue
        worker = rows.worker[task]
        if state.equal:
            if takeable(openings, task, False, state.workers):
                _lead(leaders, instance, task, worker, waiting, rows.points[task], rows.rank[task])
        elif state.points[task, worker] == rows.points[task] and _may_take(openings, task, worker):
            _lead(leaders, instance, task, worker, waiting, rows.points[task], rows.rank[task])
        else:
            _search_row(state, openings, task)


@inner
def _leads(leaders: Leaders, instance: int, waiting: int, points: int, rank: float) -> bool:
    if leaders.task[instance] < 0:
        return True
    if waiting != leaders.waiting[instance]:
        return bool(waiting < leaders.waiting[instance])
    if points != leaders.points[instance]:
        return bool(points > leaders.points[instance])
    return bool(rank < leaders.rank[instance])


@inner
def _lead(leaders: Leaders, instance: int, task: int, worker: int, waiting: int, points: int, rank: float) -> None:
    leaders.task[instance] = task
    leaders.worker[instance] = worker
    leaders.waiting[instance] = waiting
    leaders.points[instance] = points
    leaders.rank[instance] = rank


@inner
def _may_take(openings: Openings, task: int, worker: int) -> bool:
    """Whether the worker is present, not used up for the task, and, for recorded data, has a label of it."""
    return bool(openings.present[worker] and not has_entry(openings.sheet, task, worker) and _exists(openings, task, worker))


@inner
def _exists(openings: Openings, task: int, worker: int) -> bool:
    """Whether the worker could label the task at all: of recorded data, only pairs on record."""
    pairs = openings.pairs
    if pairs.start.size == 0:
        return True
    low, high = pairs.start[task], pairs.start[task + 1]
    at = low + np.searchsorted(pairs.worker[low:high], worker)
    return bool(at < high and pairs.worker[at] == worker)


@inner
def _search_row(state: OptkgState, openings: Openings, task: int) -> None:
    """Set the row's bound by those who are not used up, present or not; among those present, look for a leader."""
    instance, waiting, pairs = state.instance[task], openings.sheet.waiting[task], openings.pairs
    state.rows.points[task] = _NONE
    for index in range(takers_ever(openings, task)):
        worker = index if pairs.start.size == 0 else whole(pairs.worker[pairs.start[task] + index])
        if has_entry(openings.sheet, task, worker):
            continue
        _raise_bound(state, task, worker)
        points = state.points[task, worker]
        if openings.present[worker] and (
            _leads(state.leaders, instance, waiting, points, -1.0)
            and _leads(state.leaders, instance, waiting, points, _rank(state, task, worker))
        ):
            _lead(state.leaders, instance, task, worker, waiting, points, _rank(state, task, worker))


@inner
def _rank(state: OptkgState, task: int, worker: int) -> float:
    """The pair's place in the permutation that the seed fixes; with equal workers, the task's."""
    return uniform(Draw(state.seed, task), _ORDER, 0 if state.equal else 1 + worker)


@inner
def _raise_bound(state: OptkgState, task: int, worker: int) -> None:
    rows, points = state.rows, state.points[task, worker]
    if points < rows.points[task]:
        return
    rank = _rank(state, task, worker)
    if points > rows.points[task] or rank < rows.rank[task]:
        rows.points[task], rows.rank[task], rows.worker[task] = points, rank, worker


@compiled
def learn(state: OptkgState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw) -> None:
    """Move the beliefs of the task and the worker, both from what they were, and compute anew what rests on them."""
    instance = state.instance[task]
    if draw.n < ATTACHED:
        state.spent[instance] += 1
    a, b, c, d = state.a[task], state.b[task], state.c[instance, worker], state.d[instance, worker]
    if state.equal:
        state.a[task] += answer
        state.b[task] += 1 - answer
    elif answer == 1:
        state.a[task], state.b[task] = beta.task_after(a, b, c, d)
        state.c[instance, worker], state.d[instance, worker] = beta.worker_after(a, b, c, d)
    else:
        state.a[task], state.b[task] = beta.task_after(a, b, d, c)
        state.c[instance, worker], state.d[instance, worker] = beta.worker_after(b, a, c, d)
    state.doubt[task] = beta.doubt(state.a[task], state.b[task])
    _score_row(state, openings.pairs, task)
    if state.c[instance, worker] != c or state.d[instance, worker] != d:
        _score_column(state, openings, instance, worker)


@inner
def _score_row(state: OptkgState, pairs: Pairs, task: int) -> None:
    """Score the pairs of a task. Neighbours believed to be equally reliable, such as newcomers, are scored once."""
    a, b, doubt, instance = state.a[task], state.b[task], state.doubt[task], state.instance[task]
    state.rows.points[task] = _NONE
    if state.equal:
        state.points[task, 0] = in_points(doubt - min(beta.doubt(a + 1.0, b), beta.doubt(a, b + 1.0)))
        _raise_bound(state, task, 0)
        return
    c, d, points = 0.0, 0.0, 0
    every = pairs.start.size == 0
    for index in range(state.workers.size if every else pairs.start[task + 1] - pairs.start[task]):
        worker = index if every else whole(pairs.worker[pairs.start[task] + index])
        if state.c[instance, worker] != c or state.d[instance, worker] != d:
            c, d = state.c[instance, worker], state.d[instance, worker]
            points = in_points(beta.gain(a, b, c, d, doubt))
        state.points[task, worker] = points
        _raise_bound(state, task, worker)


@inner
def _score_column(state: OptkgState, openings: Openings, instance: int, worker: int) -> None:
    """Score the pairs of a worker that exist, but those used up; should one become free again, `drop` will score it."""
    c, d = state.c[instance, worker], state.d[instance, worker]
    a, b, points = 0.0, 0.0, 0
    for task in range(state.a.size):
        if state.instance[task] != instance or has_entry(openings.sheet, task, worker) or not _exists(openings, task, worker):
            continue
        if state.a[task] != a or state.b[task] != b:
            a, b = state.a[task], state.b[task]
            points = in_points(beta.gain(a, b, c, d, state.doubt[task]))
        state.points[task, worker] = points
        _raise_bound(state, task, worker)


@compiled
def drop(state: OptkgState, openings: Openings, task: int, worker: int) -> None:
    """The pair may be free again, and its gain not what it was."""
    if worker >= 0 and not state.equal:
        instance = state.instance[task]
        c, d = state.c[instance, worker], state.d[instance, worker]
        state.points[task, worker] = in_points(beta.gain(state.a[task], state.b[task], c, d, state.doubt[task]))
        _raise_bound(state, task, worker)


@compiled
def shares(state: OptkgState, openings: Openings, task: int, out: Floats) -> None:
    """P(θ ≥ 1/2) for class 1 and the rest for class 0; a task nobody labelled is undecided, and so is a = b."""
    out[1] = 0.5
    if openings.sheet.heard[task] > 0:
        out[1] = beta.above_half(state.a[task], state.b[task])
    out[0] = 1.0 - out[1]


follow(OptkgState, Rule(choose, learn, drop, shares))


@compiled
def _admit(state: OptkgState, pairs: Pairs, known_tasks: int, known_workers: int) -> None:
    """Score newcomers with everyone and everything there."""
    for task in range(state.a.size):
        if task >= known_tasks:
            state.doubt[task] = beta.doubt(state.a[task], state.b[task])
            _score_row(state, pairs, task)
        elif not state.equal and known_workers < state.workers.size:
            instance = state.instance[task]
            c, d = state.c[instance, known_workers], state.d[instance, known_workers]
            points = in_points(beta.gain(state.a[task], state.b[task], c, d, state.doubt[task]))
            for worker in range(known_workers, state.workers.size):
                state.points[task, worker] = points
                _raise_bound(state, task, worker)


@dataclass(frozen=True, slots=True)
class Optkg:
    """The optimistic knowledge gradient, for two classes: ask the pair whose better answer would help most."""

    name: ClassVar[str] = "optkg"
    why: ClassVar[Why] = Why(
        exploring="it was chosen to learn who is good at {kind}",
        adapting="its next label promised most, at its best: {score:.3f} more right answers",
        explorer="the policy chose them",
        worker="the one whose label of it promised most",
    )
    a: float = 1.0
    """The prior of a task: how many positive answers it counts for."""
    b: float = 1.0
    """The prior of a task: how many negative answers it counts for."""
    c: float = 4.0
    """The prior of a worker: how many right answers it counts for."""
    d: float = 1.0
    """The prior of a worker: how many wrong answers it counts for."""
    workers: Literal["learned", "equal"] = "learned"
    """Whether reliability is learned for each worker, or all are taken for equal and drawn uniformly."""

    def __post_init__(self) -> None:
        for key in "abcd":
            value = getattr(self, key)
            if not _SMALLEST <= value <= _LARGEST:
                limits = f"from {_SMALLEST:g} to {_LARGEST:.0f}"
                raise BadInput(f"{self.name}:{key}={value:g} will not do: give a number {limits}")

    def notes(self, setup: Setup) -> list[str]:
        """There is nothing to say."""
        return []

    def instances(self, setup: Setup) -> tuple[Longs, list[int]]:
        """Which instance each task belongs to, and how many labels each instance may ask for."""
        return np.zeros(setup.tasks, np.int64), [_UNLIMITED]

    def grow(self, state: OptkgState | None, setup: Setup) -> OptkgState:
        """Make room for whoever and whatever joins; newcomers start from the prior."""
        self._refuse_what_is_too_much(setup)
        instance, budget = self.instances(setup)
        tasks, crowd = (setup.tasks,), (len(budget), setup.workers)
        width = 1 if self.workers == "equal" else setup.workers
        old = state or self._blank(width)
        rows = Rows(_enlarged(old.rows.points, tasks), _enlarged(old.rows.rank, tasks), _enlarged(old.rows.worker, tasks))
        grown = OptkgState(
            equal=self.workers == "equal",
            seed=setup.seed,
            instance=instance,
            a=_enlarged(old.a, tasks, self.a),
            b=_enlarged(old.b, tasks, self.b),
            doubt=_enlarged(old.doubt, tasks),
            c=_enlarged(old.c, crowd, self.c),
            d=_enlarged(old.d, crowd, self.d),
            points=_enlarged(old.points, (setup.tasks, width)),
            rows=rows,
            spent=_enlarged(old.spent, crowd[:1]),
            budget=np.array(budget, np.int64),
            leaders=_no_leaders(len(budget)),
            workers=np.zeros(setup.workers, np.int64),
        )
        _admit(grown, EVERY_PAIR, old.a.size, old.workers.size)
        return grown

    def _refuse_what_is_too_much(self, setup: Setup) -> None:
        if setup.classes != 2:
            raise BadInput(f"{self.name} knows two classes and cannot take {setup.classes}: use bbta")
        if self.workers == "learned" and setup.tasks * setup.workers > _MOST_PAIRS:
            pairs = f"{setup.tasks} tasks × {setup.workers} workers"
            raise BadInput(f"{self.name} keeps a number for each pair and {pairs} are too many for it: use bbta")

    def _blank(self, width: int) -> OptkgState:
        some, few, pairs = np.zeros(0), np.zeros(0, np.int64), np.zeros((0, 0))
        rows, points, leaders = Rows(few, some, few), np.zeros((0, width), np.int64), _no_leaders(0)
        return OptkgState(False, np.uint64(0), few, some, some, some, pairs, pairs, points, rows, few, few, leaders, few)


@dataclass(frozen=True, slots=True)
class OptkgMulti(Optkg):
    """One OptKG for each context, with beliefs and a budget of its own, in proportion to the context's tasks."""

    name: ClassVar[str] = "optkg-multi"

    def instances(self, setup: Setup) -> tuple[Longs, list[int]]:
        """A context, an instance; the labels that do not divide go to the largest remainders."""
        sizes = np.bincount(setup.context, minlength=setup.contexts).tolist()
        budget = [setup.budget * size // setup.tasks for size in sizes]
        by_remainder = sorted(range(setup.contexts), key=lambda s: -(setup.budget * sizes[s] % setup.tasks))
        for context in by_remainder[: setup.budget - sum(budget)]:
            budget[context] += 1
        return setup.context, budget


def _no_leaders(instances: int) -> Leaders:
    task, worker, waiting, points, open_ = np.zeros((5, instances), np.int64)
    return Leaders(task, worker, waiting, points, np.zeros(instances), open_)


def _enlarged(old: npt.NDArray[Kind], shape: tuple[int, ...], filling: float = 0) -> npt.NDArray[Kind]:
    """The old array in the corner of a larger one."""
    new = np.full(shape, filling, old.dtype)
    new[tuple(slice(size) for size in old.shape)] = old
    return new

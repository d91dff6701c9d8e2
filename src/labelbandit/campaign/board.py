"""The board: everything known now, folded from the log, event by event and in no other way."""

import heapq
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from labelbandit.campaign.columns import Columns
from labelbandit.campaign.values import State
from labelbandit.model import events as ev
from labelbandit.model.arrays import Bools, Longs
from labelbandit.model.chance import as_seed
from labelbandit.policies.contract import ATTACHED
from labelbandit.policies.history import FREED, LENT, NEVER, REFUSED, TOLD, WITHDRAWN, Enough, History
from labelbandit.policies.mind import Facts, Mind
from labelbandit.policies.registry import policy_from

NO_CAP = -1
_UNLIMITED = 2**31 - 1
STATES = (State.OPEN, State.TOLD, State.DECLINED, State.LAPSED)
OPEN, IS_TOLD, IS_DECLINED, IS_LAPSED = range(4)


class Lent(NamedTuple):
    """An assignment by numbers, as it stood when it was looked at."""

    number: int
    task: int
    worker: int
    context: int
    price: int
    propensity: float
    due_at: int


class Board:
    """Money, assignments, workers and tasks of a campaign, and the mind that follows its history."""

    def __init__(self, opened: ev.CampaignOpened) -> None:
        self.terms = opened.terms
        self.classes = list(opened.classes)
        self.phase = "open"
        self.position = -1
        self.at = 0
        self.spent = 0
        self.reserved = 0
        self.labels = 0
        self.attached = 0
        self.contexts = 0
        self.facts = Facts(len(self.classes), as_seed(opened.seed))
        self.history = History()
        self.assignments = Columns(
            task="i4",
            worker="i4",
            state="i1",
            answer="i2",
            phase="i1",
            price="i8",
            due="i8",
            at="i8",
            propensity="f8",
            score="f8",
            door="f8",
        )
        self.crew = Columns(price="i8", cap="i8", barred="?", labels="i8", open="i8", heard_at="i8", arrivals="f8")
        self.open: dict[int, None] = {}
        self.holding: dict[int, list[int]] = {}
        self._due: list[tuple[int, int]] = []
        self._mind: Mind | None = None

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return int(self.facts.context.size)

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return self.crew.size

    @property
    def remaining(self) -> int:
        """What is neither spent nor reserved."""
        return self.terms.budget - self.spent - self.reserved

    @property
    def mind(self) -> Mind:
        """The policy, up to date."""
        mind = self.new_mind() if self._mind is None else self._mind
        mind.catch_up()
        return mind

    def new_mind(self) -> Mind:
        """A mind that knows nothing yet, in place of any other."""
        terms = self.terms
        most = _UNLIMITED if terms.most is None else terms.most
        settle, target = (NEVER if one is None else one for one in (terms.settle, terms.target))
        enough = Enough(terms.least, most, settle, target)
        self._mind = Mind(policy_from(terms.policy), self.facts, self.history, enough)
        return self._mind

    def eligible(self) -> Bools:
        """Workers who are not barred and under their cap."""
        crew = self.crew
        cap = crew["cap"]
        eligible: Bools = ~crew["barred"] & ((cap == NO_CAP) | (crew["labels"] + crew["open"] < cap))
        return eligible

    def in_reach(self, now: int) -> Bools:
        """Workers who were heard of not long ago."""
        heard: Bools = self.crew["heard_at"] >= now - self.terms.presence
        return heard

    def overdue(self, now: int) -> list[int]:
        """Open assignments whose time is up, in the order of their times."""
        found: dict[int, None] = {}  # renewed at the same moment, an assignment stands in line twice
        while self._due and self._due[0][0] < now:
            due, number = heapq.heappop(self._due)
            if number in self.open and self.assignments["due"][number] == due:
                found[number] = None
        for number in found:  # still open until the log says otherwise
            heapq.heappush(self._due, (int(self.assignments["due"][number]), number))
        return list(found)

    def next_due(self) -> int | None:
        """When the next open assignment is due."""
        while self._due and (self._due[0][1] not in self.open or self.assignments["due"][self._due[0][1]] != self._due[0][0]):
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def lent(self, number: int) -> Lent:
        """The assignment of that number."""
        of = self.assignments
        task = int(of["task"][number])
        return Lent(
            number=number,
            task=task,
            worker=int(of["worker"][number]),
            context=int(self.facts.context[task]),
            price=int(of["price"][number]),
            propensity=float(of["propensity"][number]),
            due_at=int(of["due"][number]),
        )

    def open_for(self, task: int, worker: int) -> int | None:
        """The worker's open assignment of the task."""
        return next((n for n in self.holding.get(worker, ()) if self.assignments["task"][n] == task), None)

    def find_open(self) -> None:
        """Find out anew which assignments are open."""
        for number in np.flatnonzero(self.assignments["state"] == OPEN).tolist():
            self.open[number] = None
            self.holding.setdefault(int(self.assignments["worker"][number]), []).append(number)
            heapq.heappush(self._due, (int(self.assignments["due"][number]), number))

    def told_for(self, task: int, worker: int) -> int | None:
        """The worker's assignment of the task that was told."""
        lent = self.assignments
        found = np.flatnonzero((lent["task"] == task) & (lent["worker"] == worker) & (lent["state"] == IS_TOLD))
        return int(found[-1]) if found.size else None

    def apply(self, event: ev.Event, at: int) -> None:
        """Take note of what happened."""
        self.position += 1
        self.at = at
        _APPLY[type(event)](self, event)

    def _add_tasks(self, event: ev.TasksAdded) -> None:
        joining = np.array(event.contexts, np.int64)
        gold = np.full(joining.size, -1, np.int64) if event.gold is None else np.array(event.gold, np.int64)
        self.facts.context = np.append(self.facts.context, joining)
        self.facts.gold = np.append(self.facts.gold, gold)
        self.contexts = max(self.contexts, int(joining.max()) + 1)
        self._begin_stage()

    def _enrol(self, event: ev.WorkersEnrolled) -> None:
        for price, cap in zip(event.prices, event.caps, strict=True):
            self.crew.append(price, NO_CAP if cap is None else cap, False, 0, 0, self.at, 1.0)
        self.facts.expert = np.append(self.facts.expert, np.array(event.experts, np.bool_))
        self.facts.silent = np.append(self.facts.silent, np.zeros(len(event.experts), np.bool_))
        self.facts.price = np.append(self.facts.price, np.array(event.prices, np.int64))
        self._begin_stage()

    def _begin_stage(self) -> None:
        """What the policy is told of the budget is how many labels it buys at the mean price."""
        price = float(self.crew["price"].mean()) if self.workers else 1.0
        labels = max(1, int(self.terms.budget / price)) if price else _UNLIMITED
        self.history.begin_stage(self.tasks, self.workers, self.contexts, labels)

    def _assign(self, event: ev.TaskAssigned) -> None:
        door = np.nan if event.door is None else event.door
        number, worker = event.number, event.worker
        self.assignments.append(
            event.task, worker, OPEN, -1, event.phase, event.price, event.due_at, self.at, event.propensity, event.score, door
        )
        self.reserved += event.price
        self.open[number] = None
        self.holding.setdefault(worker, []).append(number)
        heapq.heappush(self._due, (event.due_at, number))
        self.crew["open"][worker] += 1
        if event.door is not None:
            self.crew["heard_at"][worker] = self.at
            self.crew["arrivals"][worker] += 1.0 / event.door
        self.history.add(LENT, event.task, worker)

    def _end(self, number: int, state: int) -> tuple[int, int]:
        """An open assignment is over: its price is free, and its worker too."""
        worker = int(self.assignments["worker"][number])
        self.assignments["state"][number] = state
        self.reserved -= int(self.assignments["price"][number])
        del self.open[number]
        self.holding[worker].remove(number)
        self.crew["open"][worker] -= 1
        return int(self.assignments["task"][number]), worker

    def _receive(self, event: ev.LabelReceived) -> None:
        number = event.number
        if number in self.open:
            self._end(number, IS_TOLD)
        task, worker = int(self.assignments["task"][number]), int(self.assignments["worker"][number])
        self.assignments["state"][number] = IS_TOLD
        self.assignments["answer"][number] = event.answer
        self.assignments["price"][number] = event.price  # reserved until now, paid from now on
        self.spent += event.price
        self.labels += 1
        self.crew["labels"][worker] += 1
        self.crew["heard_at"][worker] = self.at
        self.history.add(TOLD, task, worker, event.answer, float(self.assignments["propensity"][number]), number)

    def _decline(self, event: ev.AssignmentDeclined) -> None:
        task, worker = self._end(event.number, IS_DECLINED)
        self.crew["heard_at"][worker] = self.at
        self.history.add(REFUSED, task, worker)

    def _renew(self, event: ev.AssignmentRenewed) -> None:
        self.assignments["due"][event.number] = event.due_at
        self.crew["heard_at"][int(self.assignments["worker"][event.number])] = self.at
        heapq.heappush(self._due, (event.due_at, event.number))

    def _correct(self, event: ev.AnswerCorrected) -> None:
        told = self.assignments
        mine = (told["task"] == event.task) & (told["worker"] == event.worker) & (told["state"] == IS_TOLD)
        told["answer"][mine] = event.answer
        self.history.correct(event.task, event.worker, event.answer)

    def _attach(self, event: ev.LabelsAttached) -> None:
        workers = np.array(event.workers, np.int32)
        self.history.add_labels(
            np.array(event.tasks, np.int32),
            workers,
            np.array(event.answers, np.int16),
            np.ones(workers.size),
            ATTACHED + self.attached,
        )
        self.spent += event.price
        self.labels += workers.size
        self.attached += workers.size
        self.crew["labels"][:] += np.bincount(workers, minlength=self.workers)

    def _add_classes(self, event: ev.ClassesAdded) -> None:
        self.classes.extend(event.classes)
        self.facts.classes = len(self.classes)
        self._mind = None

    def _lapse(self, event: ev.AssignmentsLapsed) -> None:
        for number in event.numbers:
            task, worker = self._end(number, IS_LAPSED)
            self.history.add(FREED, task, worker)

    def _amend_worker(self, event: ev.WorkerAmended) -> None:
        self.crew["price"][event.worker] = self.facts.price[event.worker] = event.price
        self.crew["cap"][event.worker] = NO_CAP if event.cap is None else event.cap
        self._begin_stage()

    def _bar(self, event: ev.WorkerBarred) -> None:
        self.crew["barred"][event.worker] = True
        if not event.keep_labels:
            self.facts.silent[event.worker] = True
            self._mind = None

    def _withdraw(self, event: ev.TaskWithdrawn) -> None:
        self.history.add(WITHDRAWN, event.task, 0)

    def _change_terms(self, event: ev.TermsChanged) -> None:
        before, terms = self.terms, event.terms
        self.terms = terms
        minded = ("policy", "least", "most", "settle", "target")
        if any(getattr(before, name) != getattr(terms, name) for name in minded):
            self._mind = None
        if before.budget != terms.budget:
            self._begin_stage()

    def told(self) -> Iterator[tuple[int, int, int, int]]:
        """Every label in the order of the log: task, worker, answer and decision number."""
        ops, rows = self.history.ops, slice(self.history.size)
        for row in np.flatnonzero(ops.code[rows] == TOLD):
            yield int(ops.task[row]), int(ops.worker[row]), int(ops.answer[row]), int(ops.number[row])

    def closed(self) -> Bools:
        """Which tasks need no more labels."""
        return self.mind.done

    def has_enough(self) -> bool:
        """Whether the target is reached."""
        return bool(self.tasks and self.workers and self.mind.reached)

    def prices(self) -> Longs:
        """What a label of each worker costs."""
        prices: Longs = self.crew["price"]
        return prices


def _go_to(phase: str) -> Callable[[Board, ev.Event], None]:
    def go(board: Board, _: ev.Event) -> None:
        board.phase = phase

    return go


_APPLY: dict[type[Any], Callable[[Board, Any], None]] = {
    ev.CampaignOpened: _go_to("open"),
    ev.TasksAdded: Board._add_tasks,
    ev.WorkersEnrolled: Board._enrol,
    ev.ClassesAdded: Board._add_classes,
    ev.TaskAssigned: Board._assign,
    ev.LabelReceived: Board._receive,
    ev.AssignmentDeclined: Board._decline,
    ev.AssignmentsLapsed: Board._lapse,
    ev.AssignmentRenewed: Board._renew,
    ev.AnswerCorrected: Board._correct,
    ev.LabelsAttached: Board._attach,
    ev.WorkerAmended: Board._amend_worker,
    ev.WorkerBarred: Board._bar,
    ev.TaskWithdrawn: Board._withdraw,
    ev.TermsChanged: Board._change_terms,
    ev.CampaignPaused: _go_to("paused"),
    ev.CampaignResumed: _go_to("open"),
    ev.CampaignClosed: _go_to("closed"),
}

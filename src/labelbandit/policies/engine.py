"""The engine: one policy at work, an ask and a tell at a time, over integer indices and under a hard budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelbandit.model.arrays import Longs
from labelbandit.model.chance import Draw, as_seed
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput, NotAsked, UnknownClass
from labelbandit.policies import sheet as sheets
from labelbandit.policies.contract import ATTACHED, EXPLORING, Policy, Setup, choose, drop, learn, shares
from labelbandit.policies.openings import Openings, all_present
from labelbandit.policies.registry import policy_from
from labelbandit.policies.sheet import DECLINED, PENDING
from labelbandit.policies.vote import TIE

_MOST_CLASSES = 2**15 - 1
"""The sheet keeps answers in 16 bits."""
_MOST_WORKERS = _MOST_CONTEXTS = 2**20
"""Losses are kept for each worker in each context: more would be a slip of the pen."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task lent to a worker, and why."""

    number: int
    """The decision number: how many assignments were made before this one."""
    task: int
    worker: int
    propensity: float
    """The probability with which this worker was drawn for this task."""
    score: float
    """How confident the vote on the task was; the least confident task is served first."""
    exploring: bool


@dataclass(frozen=True, slots=True)
class Estimate:
    """What to believe of a task. `answer` is None while classes are tied or nobody has labelled it."""

    answer: int | None
    probabilities: tuple[float, ...]
    margin: float
    votes: tuple[int, ...]


class Engine:
    """Says who labels what next, learns from the answers, and never asks for more labels than the budget holds."""

    def __init__(
        self,
        policy: Policy | str,
        contexts: Sequence[int],
        *,
        workers: int,
        budget: int,
        classes: int = 2,
        seed: int = 0,
    ) -> None:
        self.policy = policy_from(policy) if isinstance(policy, str) else policy
        if getattr(self.policy, "repeats", False):
            raise BadInput("repeats=yes asks a worker the same question twice, which only a simulation can: leave it out")
        self.budget = whole_number("a budget of {}", budget, 1)
        workers = whole_number("{} workers", workers, 1, _MOST_WORKERS)
        classes = whole_number("{} classes", classes, 2, _MOST_CLASSES)
        self.spent = 0
        self._asked = 0
        self._attached = 0
        self._open: dict[int, Assignment] = {}
        context = _context_numbers(contexts)
        self._setup = Setup(context, _count_contexts(context), workers, classes, budget, as_seed(seed))
        self._openings = all_present(workers, sheets.blank_sheet(context, workers, 1))
        self._state: Any = self.policy.grow(None, self._setup)

    @property
    def reserved(self) -> int:
        """Labels paid for but not yet told."""
        return len(self._open)

    @property
    def notes(self) -> list[str]:
        """What is done otherwise than the policy's parameters ask, in sentences."""
        return self.policy.notes(self._setup)

    def ask(self, *present: int) -> Assignment | None:
        """Lend a task to one of those present (no name: everyone); None when nothing is left for them or no money."""
        openings = self._with_present(present)
        if self.spent + self.reserved >= self.budget:
            return None
        choice = choose(self._state, openings, Draw(self._setup.seed, self._asked))
        if choice.task < 0:
            return None
        assignment = Assignment(
            number=self._asked,
            task=int(choice.task),
            worker=int(choice.worker),
            propensity=float(choice.propensity),
            score=float(choice.score),
            exploring=choice.phase == EXPLORING,
        )
        self._write(assignment.task, assignment.worker, PENDING)
        self._open[assignment.number] = assignment
        self._asked += 1
        return assignment

    def tell(self, assignment: Assignment, answer: int) -> None:
        """Take the answer; answers may come late, in parallel and in any order."""
        answer = self._known_class(answer)
        self._close(assignment)
        self.spent += 1
        self._learn(assignment.task, assignment.worker, answer, assignment.propensity, assignment.number)

    def decline(self, assignment: Assignment) -> None:
        """The worker would rather not: they are not asked about this task again."""
        self._close(assignment)
        self._write(assignment.task, assignment.worker, DECLINED)
        drop(self._state, self._openings, assignment.task, assignment.worker)

    def lapse(self, assignment: Assignment) -> None:
        """Nobody answered: the pair is free again."""
        self._close(assignment)
        sheets.erase(self._openings.sheet, assignment.task, assignment.worker)
        drop(self._state, self._openings, assignment.task, assignment.worker)

    def attach(self, task: int, worker: int, answer: int) -> None:
        """Take a label that nobody was asked for: it costs nothing and counts with weight 1."""
        answer = self._known_class(answer)
        task, worker = self._known_task(task), self._known_worker(worker)
        if sheets.has_entry(self._openings.sheet, task, worker):
            raise BadInput(f"worker {worker} was already asked about task {task}: attach labels only where nobody was asked")
        self._learn(task, worker, answer, 1.0, ATTACHED + self._attached)
        self._attached += 1

    def add_tasks(self, contexts: Sequence[int]) -> None:
        """Let tasks join, at any time."""
        context = np.append(self._setup.context, _context_numbers(contexts))
        self._grow(context, self._setup.workers)

    def add_workers(self, count: int) -> None:
        """Let workers join, at any time."""
        most = _MOST_WORKERS - self._setup.workers
        self._grow(self._setup.context, self._setup.workers + whole_number("{} workers", count, 1, most))

    def estimate(self, task: int) -> Estimate:
        """What to believe of a task now."""
        task = self._known_task(task)
        votes = np.zeros(self._setup.classes)
        shares(self._state, self._openings, task, votes)
        heard = _votes(self._openings.sheet, task, self._setup.classes)
        ranked = np.sort(votes)[::-1]
        decided = ranked[0] - ranked[1] > TIE
        probabilities = votes + (1.0 - votes.sum()) / votes.size
        return Estimate(
            answer=int(votes.argmax()) if decided else None,
            probabilities=tuple(float(probability) for probability in probabilities),
            margin=float(ranked[0] - ranked[1]),
            votes=heard,
        )

    def _with_present(self, present: Sequence[int]) -> Openings:
        mask = self._openings.present
        known = [self._known_worker(worker) for worker in present]
        mask[:] = not known
        mask[known] = True
        self._openings.away[0] = mask.size - np.count_nonzero(mask)
        return self._openings

    def _known_task(self, task: int) -> int:
        return whole_number("task {}", task, 0, self._setup.tasks - 1)

    def _known_worker(self, worker: int) -> int:
        return whole_number("worker {}", worker, 0, self._setup.workers - 1)

    def _known_class(self, answer: int) -> int:
        last = self._setup.classes - 1
        if isinstance(answer, bool) or not isinstance(answer, int | np.integer) or not 0 <= answer <= last:
            raise UnknownClass(f"answer {answer!r} is not a class: give a whole number from 0 to {last}")
        return int(answer)

    def _close(self, assignment: Assignment) -> None:
        if not isinstance(assignment, Assignment):
            raise NotAsked(f"{assignment!r} is not an assignment: give the one that ask returned")
        if self._open.get(assignment.number) != assignment:
            raise NotAsked(
                f"worker {assignment.worker} has no open assignment {assignment.number} for task {assignment.task}: "
                "tell each assignment that ask returned once, or attach the label"
            )
        del self._open[assignment.number]

    def _learn(self, task: int, worker: int, answer: int, propensity: float, number: int) -> None:
        self._write(task, worker, answer)
        learn(self._state, self._openings, task, worker, answer, propensity, Draw(self._setup.seed, number))

    def _write(self, task: int, worker: int, answer: int) -> None:
        roomy = sheets.with_room_for(self._openings.sheet, np.array([task], np.int32))
        self._openings = self._openings._replace(sheet=roomy)
        sheets.write(roomy, task, worker, answer)

    def _grow(self, context: Longs, workers: int) -> None:
        budget, classes, seed = self._setup.budget, self._setup.classes, self._setup.seed
        setup = Setup(context, _count_contexts(context), workers, classes, budget, seed)
        self._state = self.policy.grow(self._state, setup)  # first, for it may refuse
        self._setup = setup
        self._openings = all_present(workers, sheets.with_newcomers(self._openings.sheet, context, workers))


def _context_numbers(contexts: Sequence[int]) -> Longs:
    if len(contexts) == 0:
        raise BadInput("there are no tasks: give the context of each task, such as [0, 0, 1]")
    return np.array([whole_number("context {}", context, 0, _MOST_CONTEXTS) for context in contexts], np.int64)


def _count_contexts(context: Longs) -> int:
    return int(context.max()) + 1


def _votes(sheet: sheets.Sheet, task: int, classes: int) -> tuple[int, ...]:
    start = int(sheet.start[task])
    answers = sheet.answer[start : start + int(sheet.size[task])]
    return tuple(int(count) for count in np.bincount(answers[answers >= 0], minlength=classes))

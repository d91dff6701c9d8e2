"""The mind: a policy that follows a history, and is asked for its opinion."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from labelbandit.compiled import code_for
from labelbandit.model.arrays import Bools, Floats, Longs, Shorts
from labelbandit.model.chance import Draw
from labelbandit.policies import sheet as sheets
from labelbandit.policies.contract import NOBODY, Choice, Policy, Setup, drop, rule_of, shares
from labelbandit.policies.history import (
    Course,
    Enough,
    History,
    Limits,
    Stage,
    all_shares,
    begin_course,
    relive,
    trust_experts,
    with_tasks,
)
from labelbandit.policies.openings import EVERY_PAIR, Openings
from labelbandit.policies.sheet import Sheet, first_entry
from labelbandit.policies.weights import Weights


class Facts:
    """What is known of tasks, workers and classes: columns that only grow."""

    def __init__(self, classes: int, seed: np.uint64) -> None:
        self.classes = classes
        self.seed = seed
        self.context: Longs = np.zeros(0, np.int64)
        self.gold: Longs = np.zeros(0, np.int64)
        self.expert: Bools = np.zeros(0, np.bool_)
        self.silent: Bools = np.zeros(0, np.bool_)
        self.price: Longs = np.zeros(0, np.int64)

    def setup(self, stage: Stage) -> Setup:
        """What a policy is told at that stage."""
        known = slice(stage.tasks)
        gold, expert = self.gold[known], self.expert[: stage.workers]
        return Setup(
            context=self.context[known],
            contexts=stage.contexts,
            workers=stage.workers,
            classes=self.classes,
            budget=stage.budget,
            seed=self.seed,
            gold=gold if (gold >= 0).any() else gold[:0],
            expert=expert if expert.any() else expert[:0],
        )


class Memory(NamedTuple):
    """All that a mind knows, as arrays."""

    state: Any
    sheet: Sheet
    course: Course
    rows: int
    stages: int
    corrections: int


class Mind:
    """Keeps a policy's state in step with a history. It catches up when asked, so that writing history costs nothing."""

    def __init__(self, policy: Policy, facts: Facts, history: History, enough: Enough) -> None:
        self.policy = policy
        self._facts = facts
        self._history = history
        self._enough = enough
        self._forget()

    def _forget(self) -> None:
        self._state: Any = None
        self._setup: Setup | None = None
        self._sheet = sheets.blank_sheet(np.zeros(0, np.int64), 0, 1)
        self._rows = 0
        self._stages = 0
        self._stage: Stage | None = None
        self._corrections = self._history.corrections
        self._votes: Floats = np.zeros(self._facts.classes)
        self._course = begin_course(0)
        self._gather()

    def _gather(self) -> None:
        """Put together what kernels are given time and again; what they were compiled for may be of another kind now."""
        workers = self._sheet.latest.shape[1]
        self._everyone = self._openings(np.ones(workers, np.bool_))
        self._limits = Limits(self._enough, self._facts.expert, self._facts.silent, self._course)
        self._codes: dict[Callable[..., Any], Callable[..., Any]] = {}

    @property
    def done(self) -> Bools:
        """Which tasks need no more labels."""
        return self._course.done

    @property
    def sheet(self) -> Sheet:
        """Who said what, as of the last catching up."""
        return self._sheet

    @property
    def notes(self) -> list[str]:
        """What the policy does otherwise than its parameters ask."""
        return [] if self._setup is None else self.policy.notes(self._setup)

    def catch_up(self) -> None:
        """Go through what happened since; all of it, if the past was corrected or the latest stage became another."""
        stages = self._history.stages
        if self._corrections != self._history.corrections or (self._stages and stages[self._stages - 1] != self._stage):
            self._forget()
        while self._stages < len(stages):
            stage = stages[self._stages]
            self._relive(stage.row)
            self._join(stage)
        self._relive(self._history.size)

    def rehearse(self) -> None:
        """Have the rule loaded, or compiled, so that whoever asks next need not wait for it; changes nothing."""
        nobody = np.zeros(self._sheet.latest.shape[1], np.bool_)
        self.choose(nobody, 0)
        self.greet(0, nobody, np.ones(nobody.size), 0)
        self.shares(0)
        self._relive_rows(self._rows)

    def choose(self, present: Bools, number: int) -> Choice:
        """Who of those present should label what."""
        draw = Draw(self._facts.seed, number)
        choice: Choice = self._run(rule_of(self._state).choose, self._state, self._openings(present), draw)
        return choice

    def greet(self, worker: int, in_reach: Bools, arrivals: Floats, number: int) -> tuple[Choice, float]:
        """Whether the worker is served, with what, and how likely that was."""
        alone = np.zeros(in_reach.size, np.bool_)
        alone[worker] = True
        draw = Draw(self._facts.seed, number)
        openings = self._openings(alone), self._openings(in_reach | alone)
        greeted: tuple[Choice, float] = self._run(rule_of(self._state).greet, self._state, *openings, arrivals, draw)
        return greeted

    def shares(self, task: int) -> Floats:
        """Each class's share of the weight of all workers."""
        out = np.zeros(self._facts.classes)
        shares(self._state, self._everyone, task, out)
        return out

    def all_probabilities(self) -> Floats:
        """The probability of each class of every task, a row each; an expert is right."""
        out = self.all_shares()
        out += (1.0 - out.sum(axis=1, keepdims=True)) / self._facts.classes
        trust_experts(self._everyone, self._facts.expert, out)
        return out

    def doubts(self, contexts: int) -> Floats:
        """The probability that each context is read the wrong way round, if the policy knows of another."""
        doubts = getattr(self.policy, "doubts", None)
        return np.zeros(contexts) if doubts is None else np.asarray(doubts(self._state))

    @property
    def reached(self) -> bool:
        """Whether the expected accuracy has reached the target."""
        return bool(self._course.expected[0] >= self._enough.target)

    def all_shares(self) -> Floats:
        """The shares of every task, a row each."""
        out = np.zeros((self._sheet.size.size, self._facts.classes))
        if self._state is not None:
            all_shares(self._state, self._everyone, out)
        return out

    def weight_shares(self, context: int) -> Floats | None:
        """Each worker's share of the weight in a context, as of its last vote; None if the policy weighs nobody."""
        known = getattr(self._state, "weights", None)
        return known.weight[context] / known.total[context] if isinstance(known, Weights) else None

    def answer_of(self, task: int, worker: int) -> int | None:
        """What the worker said of the task: an answer, PENDING or DECLINED; None if they were never asked."""
        start = int(self._sheet.start[task])
        row = slice(start, start + int(self._sheet.size[task]))
        at = int(np.searchsorted(self._sheet.worker[row], worker))
        if at < row.stop - row.start and self._sheet.worker[start + at] == worker:
            return int(self._sheet.answer[start + at])
        return None

    def first_asked(self, tasks: Longs, workers: Longs) -> int:
        """The first of these pairs that was asked or labelled, or -1."""
        return first_entry(self._sheet, tasks, workers)

    def labels_of(self, task: int) -> tuple[Longs, Shorts]:
        """Who labelled the task, and what they said."""
        start = int(self._sheet.start[task])
        row = slice(start, start + int(self._sheet.size[task]))
        told = self._sheet.answer[row] >= 0
        return self._sheet.worker[row][told].astype(np.int64), self._sheet.answer[row][told]

    def memory(self) -> Memory:
        """What must be kept for another mind to go on from here."""
        sheet = sheets.compacted(self._sheet)
        return Memory(self._state, sheet, self._course, self._rows, self._stages, self._corrections)

    def blank_memory(self) -> Memory:
        """A memory of the same make with next to nothing in it."""
        setup = Setup(np.zeros(1, np.int64), 1, 1, self._facts.classes, 1, self._facts.seed)
        return Memory(self.policy.grow(None, setup), sheets.blank_sheet(setup.context, 1, 1), begin_course(1), 0, 0, 0)

    def recall(self, memory: Memory) -> None:
        """Go on from what was kept."""
        self._state, self._sheet, self._course = memory.state, memory.sheet, memory.course
        self._rows, self._corrections = memory.rows, memory.corrections
        self._stages, self._stage = memory.stages, self._history.stages[memory.stages - 1]
        self._setup = self._facts.setup(self._stage)
        self._gather()

    def _join(self, stage: Stage) -> None:
        self._course = with_tasks(self._course, stage.tasks)
        if stage.tasks and stage.workers:
            before = self._state
            self._setup = self._facts.setup(stage)
            self._state = self.policy.grow(before, self._setup)
            self._sheet = sheets.with_newcomers(self._sheet, self._setup.context, stage.workers)
            self._gather()
            for task in np.flatnonzero(self._course.withdrawn) if before is None else ():
                self._sheet.closed[task] = True
                drop(self._state, self._everyone, int(task), NOBODY)
        self._stages, self._stage = self._stages + 1, stage

    def _relive(self, end: int) -> None:
        if end == self._rows:
            return
        if self._state is None:  # nobody is there yet: tasks can be withdrawn, and nothing else
            for kind in (self._course.withdrawn, self._course.done):
                kind[self._history.ops.task[self._rows : end]] = True
            self._rows = end
            return
        roomy = sheets.with_room_for(self._sheet, self._history.ops.task[self._rows : end])
        if roomy is not self._sheet:
            self._sheet = roomy
            self._gather()
        self._relive_rows(end)

    def _relive_rows(self, end: int) -> None:
        rows = self._history.ops, self._rows, end
        self._run(relive, self._state, self._everyone, *rows, self._limits, self._facts.seed, self._votes)
        self._rows = end

    def _run(self, kernel: Callable[..., Any], *given: Any) -> Any:
        """Call a kernel without looking at the types of all that it is given, which takes longer than most of them."""
        code = self._codes.get(kernel)
        if code is None:
            code = self._codes[kernel] = code_for(kernel, *given)
        return code(*given)

    def _openings(self, present: Bools) -> Openings:
        away = np.array([present.size - np.count_nonzero(present)])
        return Openings(present, away, self._sheet, EVERY_PAIR, self._facts.price[: present.size])

"""What people hand to a campaign and get from it: values by public ids, never numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

OWNER = "local"
"""Whoever uses a store without a server."""


@dataclass(frozen=True, slots=True)
class Task:
    """Something to be labelled. `payload` is what a worker is shown; `gold` its true class, if known."""

    id: str
    context: str = ""
    payload: Mapping[str, Any] | None = None
    gold: str | None = None


@dataclass(frozen=True, slots=True)
class Worker:
    """Someone who labels: what a label of theirs costs, and how many they may give. An expert's answer settles a task."""

    id: str
    price: int = 1
    cap: int | None = None
    expert: bool = False
    details: Mapping[str, Any] | None = None


class State(StrEnum):
    """Where an assignment stands."""

    OPEN = "open"
    TOLD = "told"
    DECLINED = "declined"
    LAPSED = "lapsed"


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task lent to a worker. The number is its id in the campaign: how many were made before it."""

    number: int
    task: str
    worker: str
    context: str
    price: int
    propensity: float
    due_at: int
    """UTC microseconds."""


class Reason(StrEnum):
    """Why there is nothing to do."""

    BUDGET_SPENT = "budget_spent"
    ALL_SETTLED = "all_settled"
    TARGET_REACHED = "target_reached"
    NOTHING_FOR_WORKER = "nothing_for_worker"
    PAUSED = "paused"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Nothing:
    """What `ask` returns when there is nothing to do: falsy, with the reason and when to come again."""

    reason: Reason
    retry_after: float | None
    """Seconds; None if coming again is no use."""
    detail: str

    def __bool__(self) -> Literal[False]:
        return False


@dataclass(frozen=True, slots=True)
class Label:
    """An answer in its place."""

    task: str
    worker: str
    answer: str
    price: int
    number: int | None
    """The assignment it answers; None if it was attached."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What to believe of a task. `answer` is None while classes are tied or nobody has labelled it."""

    task: str
    answer: str | None
    probabilities: Mapping[str, float]
    margin: float
    votes: Mapping[str, int]
    closed: bool
    """Whether it has labels enough, or was withdrawn."""
    contested: bool
    """Whether experts differ on it."""

    @property
    def probability(self) -> float:
        """Of the likeliest class."""
        return max(self.probabilities.values())


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a campaign stands."""

    name: str
    phase: str
    policy: str
    tasks: int
    labelled: int
    """Tasks with a label or more."""
    closed: int
    """Tasks that need no more labels."""
    workers: int
    labels: int
    open: int
    """Assignments not answered yet."""
    budget: int
    spent: int
    reserved: int
    currency: str | None
    warnings: tuple[str, ...]
    expected_accuracy: float | None
    """The share of estimates expected to be right, by their own probabilities; None without tasks."""
    accuracy_low: float | None
    accuracy_high: float | None
    """Between these their true share lies with a probability of 95 %, as far as the policy can tell."""
    target: float | None
    """The expected accuracy at which nobody is asked any more."""
    saved: int | None
    """What of the budget was not needed; None while labels are."""

    @property
    def remaining(self) -> int:
        """What can still be spent."""
        return self.budget - self.spent - self.reserved


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an assignment was made, in numbers and in sentences."""

    assignment: Assignment
    state: State
    phase: Literal["exploring", "adapting"]
    score: float
    propensity: float
    door: float | None
    present: tuple[str, ...] | None
    policy: str
    sentences: tuple[str, ...] = field(default=())

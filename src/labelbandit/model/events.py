"""What can happen to a campaign. The log is a list of these; everything else is worked out from it.

Events hold numbers, never names: tasks, workers and contexts by index, assignments by decision number, times in UTC
microseconds. Their kinds, fields and meanings are kept for ever; a new meaning gets a new version.
"""

import json
from dataclasses import dataclass, fields
from typing import Any

from labelbandit.model.errors import StoreTooNew


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds for a campaign until it is changed."""

    budget: int
    currency: str | None
    policy: str
    """With all its parameters."""
    rule: str
    """The policy's name and the version of its rule, such as bbta/1."""
    lease: int
    """Microseconds a worker has for an assignment."""
    presence: int
    """Microseconds for which someone heard of is in reach."""
    hold: int
    """Open assignments a worker may have."""
    least: int
    most: int | None
    settle: float | None
    target: float | None = None
    """The expected accuracy at which nobody is asked any more."""


@dataclass(frozen=True, slots=True)
class CampaignOpened:
    """The first event of every log."""

    classes: list[str]
    seed: int
    terms: Terms


@dataclass(frozen=True, slots=True)
class TasksAdded:
    """Tasks joined, numbered from `first` on."""

    first: int
    contexts: list[int]
    gold: list[int] | None
    """True classes, -1 where not known; None if none is."""


@dataclass(frozen=True, slots=True)
class WorkersEnrolled:
    """Workers joined, numbered from `first` on."""

    first: int
    prices: list[int]
    caps: list[int | None]
    experts: list[bool]


@dataclass(frozen=True, slots=True)
class ClassesAdded:
    """More answers are possible."""

    classes: list[str]


@dataclass(frozen=True, slots=True)
class TaskAssigned:
    """A task was lent to a worker, at a price reserved from the budget."""

    number: int
    task: int
    worker: int
    price: int
    propensity: float
    door: float | None
    """With what probability a worker who came alone was let in; None if the campaign chose among those present."""
    score: float
    phase: int
    present: list[int] | None
    """Among whom it was chosen; None for everyone enrolled."""
    due_at: int


@dataclass(frozen=True, slots=True)
class LabelReceived:
    """The answer to an assignment came, and was paid."""

    number: int
    answer: int
    price: int
    lead_time: int | None
    source: str | None


@dataclass(frozen=True, slots=True)
class AssignmentDeclined:
    """The worker would rather not."""

    number: int


@dataclass(frozen=True, slots=True)
class AssignmentsLapsed:
    """Nobody answered in time."""

    numbers: list[int]


@dataclass(frozen=True, slots=True)
class AssignmentRenewed:
    """The worker was given more time."""

    number: int
    due_at: int


@dataclass(frozen=True, slots=True)
class AnswerCorrected:
    """A worker's answer was replaced by another."""

    task: int
    worker: int
    answer: int


@dataclass(frozen=True, slots=True)
class LabelsAttached:
    """Labels that nobody was asked for."""

    tasks: list[int]
    workers: list[int]
    answers: list[int]
    price: int
    """Of all of them together."""


@dataclass(frozen=True, slots=True)
class WorkerAmended:
    """A worker's price or cap changed, for later asks."""

    worker: int
    price: int
    cap: int | None


@dataclass(frozen=True, slots=True)
class WorkerBarred:
    """A worker is not asked any more; their labels stay or are left out."""

    worker: int
    keep_labels: bool


@dataclass(frozen=True, slots=True)
class TaskWithdrawn:
    """Nobody is asked about a task any more."""

    task: int


@dataclass(frozen=True, slots=True)
class TermsChanged:
    """Other terms hold from now on."""

    terms: Terms


@dataclass(frozen=True, slots=True)
class CampaignPaused:
    """Nobody is asked for a while."""


@dataclass(frozen=True, slots=True)
class CampaignResumed:
    """It goes on."""


@dataclass(frozen=True, slots=True)
class CampaignClosed:
    """Nobody is asked any more."""


Event = (
    CampaignOpened
    | TasksAdded
    | WorkersEnrolled
    | ClassesAdded
    | TaskAssigned
    | LabelReceived
    | AssignmentDeclined
    | AssignmentsLapsed
    | AssignmentRenewed
    | AnswerCorrected
    | LabelsAttached
    | WorkerAmended
    | WorkerBarred
    | TaskWithdrawn
    | TermsChanged
    | CampaignPaused
    | CampaignResumed
    | CampaignClosed
)

VERSION = 1
"""Of every kind, so far."""


def _spoken(name: str) -> str:
    """`TaskAssigned` as it stands in the log: `task assigned`."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


KINDS: dict[str, type[Any]] = {_spoken(kind.__name__): kind for kind in Event.__args__}
_NAMES = {kind: name for name, kind in KINDS.items()}
_FIELDS = {kind: tuple(field.name for field in fields(kind)) for kind in (*KINDS.values(), Terms)}
_LATER = ("target",)
"""Fields of terms that the first logs had not: left out where they say nothing, so that old logs stay as they are."""


def kind_of(event: Event) -> str:
    """What the log calls it."""
    return _NAMES[type(event)]


def encode(event: Event) -> str:
    """The event as a JSON object."""
    return _ENCODER.encode(_plain(event))


def _plain(value: Any) -> dict[str, Any]:
    plain = {name: getattr(value, name) for name in _FIELDS[type(value)]}
    if isinstance(value, Terms):
        for name in _LATER:
            if plain[name] is None:
                del plain[name]
    return plain


_ENCODER = json.JSONEncoder(default=_plain, separators=(",", ":"), allow_nan=False)


def decode(kind: str, version: int, body: str) -> Event:
    """The event that was encoded."""
    if kind not in KINDS or version > VERSION:
        raise StoreTooNew(
            f"the log has a {kind!r} of version {version}, which this labelbandit cannot read: install a newer one"
        )
    values = json.loads(body)
    if "terms" in values:
        values["terms"] = Terms(**values["terms"])
    event: Event = KINDS[kind](**values)
    return event

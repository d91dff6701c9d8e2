"""What the API says: the shapes of its answers that a campaign has no value for."""

from typing import Any, Literal

from pydantic import BaseModel

from labelbandit.campaign.values import Assignment, Label, Nothing, Progress
from labelbandit.server.models import Display


class CampaignSummary(BaseModel):
    """A campaign in the list."""

    id: str
    name: str
    created_at: int
    progress: Progress


class CampaignDetail(CampaignSummary):
    """A campaign with its terms."""

    classes: list[str]
    policy: str
    lease: float
    presence: float
    hold: int
    min_labels: int
    max_labels: int | None
    settle: float | None
    target: float | None
    display: Display


class Added(BaseModel):
    """How many joined."""

    added: int


class Done(BaseModel):
    """It is so now."""

    done: Literal[True] = True


class WorkerLink(BaseModel):
    """A worker's token, shown this once, and the link that carries it."""

    worker: str
    token: str
    link: str


class WorkerRow(BaseModel):
    """A worker in the list."""

    worker: str
    price: int
    cap: int | None
    expert: bool
    barred: bool
    labels: int
    open: int


class Lent(BaseModel):
    """What asking came to: an assignment, or why there is none."""

    assignment: Assignment | None
    nothing: Nothing | None
    payload: Any = None


class Told(BaseModel):
    """A label taken, and what its worker is to do next."""

    label: Label
    next: Lent


class TaskRow(BaseModel):
    """A task in the table."""

    task: str
    context: str
    answer: str | None
    probability: float
    votes: dict[str, int]
    labels: int
    closed: bool
    contested: bool
    preview: str


class TaskPage(BaseModel):
    """Some of the tasks that match."""

    tasks: list[TaskRow]
    matching: int
    """How many match in all."""
    start: int


class Vote(BaseModel):
    """A worker's answer to a task, what it weighs there, and why they were asked."""

    worker: str
    answer: str | None
    state: str
    weight: float | None
    assignment: int | None
    reasons: list[str]


class TaskDetail(BaseModel):
    """Everything about a task."""

    task: str
    context: str
    payload: Any
    gold: str | None
    answer: str | None
    probabilities: dict[str, float]
    margin: float
    closed: bool
    contested: bool
    votes: list[Vote]


class Work(BaseModel):
    """A task as its worker sees it: what is shown, and the number to answer by."""

    assignment: int
    payload: Any
    price: int
    due_at: int


class Desk(BaseModel):
    """What lies before a worker: open assignments, the oldest first, or why there are none."""

    work: list[Work]
    nothing: Nothing | None
    labels: int
    """Given by this worker so far."""


class WorkerView(BaseModel):
    """What a worker needs to know of the campaign."""

    seat: str
    campaign: str
    worker: str
    classes: list[str]
    display: Display
    price: int
    currency: str | None
    labels: int
    cap: int | None


class SignedIn(BaseModel):
    """What kind of key was taken."""

    kind: Literal["requester", "worker"]


class Cookies(BaseModel):
    """Which of a browser's cookies open something."""

    requester: bool
    worker: bool


class MeasureView(BaseModel):
    """A measure of agreement, or why there is none."""

    value: float | None
    why: str | None
    tasks: int


class PairView(BaseModel):
    """Agreement between two workers."""

    workers: tuple[str, str]
    percent: MeasureView
    cohen: MeasureView


class AgreementView(BaseModel):
    """Agreement between workers."""

    percent: MeasureView
    fleiss: MeasureView
    alpha: MeasureView
    pairs: list[PairView]


class WebhookView(BaseModel):
    """A webhook; its secret is shown when it is made and never again."""

    id: str
    url: str
    events: list[str]
    secret: str | None = None
    delivered: int
    """The log position up to which everything was delivered."""
    failing: str | None

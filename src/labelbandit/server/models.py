"""What the API is told: strict models, nothing coerced, nothing unknown let through."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Whole = Annotated[int, Field(ge=0, le=2**53)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Seconds = Annotated[float, Field(gt=0, le=366 * 24 * 3600, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.5, le=1.0, allow_inf_nan=False)]
Many = 100_000


class Strict(BaseModel):
    """A body that is taken as it is or not at all."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Display(Strict):
    """How tasks are shown to workers. Fields not named are shown as a list, unless text or image is named."""

    instructions: Annotated[str, Field(max_length=20_000)] = ""
    text: Annotated[str, Field(max_length=500)] | None = None
    image: Annotated[str, Field(max_length=500)] | None = None
    fields: Annotated[list[Name], Field(max_length=100)] | None = None


class NewTask(Strict):
    """A task that joins."""

    id: Name
    context: Annotated[str, Field(max_length=500)] = ""
    payload: dict[str, Any] | None = None
    gold: Name | None = None


class NewWorker(Strict):
    """A worker who joins."""

    id: Name
    price: Whole = 1
    cap: Whole | None = None
    expert: bool = False


class NewCampaign(Strict):
    """A campaign to make."""

    name: Name
    classes: Annotated[list[Name], Field(min_length=2, max_length=1000)]
    budget: Annotated[Whole, Field(ge=1)]
    policy: Annotated[str, Field(max_length=500)] = "default"
    currency: Annotated[str, Field(max_length=3)] | None = None
    lease: Seconds = 3600.0
    presence: Seconds | None = None
    hold: Annotated[int, Field(ge=1, le=100)] = 1
    min_labels: Annotated[int, Field(ge=1, le=2**31)] = 1
    max_labels: Annotated[int, Field(ge=1, le=2**31)] | None = None
    settle: Share | None = None
    target: Share | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    display: Display | None = None


class Amendment(Strict):
    """What is to change; what is left out stays."""

    budget: Annotated[Whole, Field(ge=1)] | None = None
    policy: Annotated[str, Field(max_length=500)] | None = None
    lease: Seconds | None = None
    presence: Seconds | None = None
    hold: Annotated[int, Field(ge=1, le=100)] | None = None
    min_labels: Annotated[int, Field(ge=1, le=2**31)] | None = None
    max_labels: Annotated[int, Field(ge=1, le=2**31)] | None = None
    settle: Share | None = None
    target: Share | None = None
    prices: Annotated[dict[Name, Whole], Field(max_length=Many)] | None = None
    caps: Annotated[dict[Name, Whole | None], Field(max_length=Many)] | None = None
    classes: Annotated[list[Name], Field(max_length=1000)] | None = None
    """Classes to add."""
    display: Display | None = None


class Tasks(Strict):
    """Tasks that join, all or none."""

    tasks: Annotated[list[NewTask], Field(min_length=1, max_length=Many)]


class Workers(Strict):
    """Workers who join, all or none."""

    workers: Annotated[list[NewWorker], Field(min_length=1, max_length=10_000)]


class WorkerName(Strict):
    """A worker of the campaign."""

    worker: Name


class Barring(Strict):
    """A worker to be asked no more."""

    worker: Name
    keep_labels: bool = True


class TaskName(Strict):
    """A task of the campaign."""

    task: Name


class Asking(Strict):
    """Who is present; nobody named means everyone enrolled."""

    present: Annotated[list[Name], Field(max_length=10_000)] = []


class AssignmentNumber(Strict):
    """An assignment of the campaign."""

    assignment: Whole


class Answering(Strict):
    """A worker's own answer."""

    assignment: Whole
    answer: Name
    lead_time: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] | None = None


class Telling(Answering):
    """An answer passed on by the requester."""

    price: Whole | None = None
    source: Literal["person", "model", "import"] | None = None


class Correcting(Strict):
    """Another answer in place of a worker's."""

    task: Name
    worker: Name
    answer: Name


class OwnCorrecting(Strict):
    """Another answer in place of one's own."""

    assignment: Whole
    answer: Name


class GivenLabel(Strict):
    """A label that nobody was asked for."""

    task: Name
    worker: Name
    answer: Name


class Attaching(Strict):
    """Labels that nobody was asked for, all or none; the price is for all of them."""

    labels: Annotated[list[GivenLabel], Field(min_length=1, max_length=Many)]
    price: Whole = 0


class SignIn(Strict):
    """A key or a link's token, to be kept as a cookie."""

    token: Annotated[str, Field(min_length=1, max_length=200)]


Happening = Literal["task.completed", "budget.reached", "campaign.closed"]


class NewWebhook(Strict):
    """Where to send events, and which."""

    url: Annotated[str, Field(pattern="^https?://[^\\s]+$", max_length=2000)]
    events: Annotated[list[Happening], Field(min_length=1, max_length=10)]

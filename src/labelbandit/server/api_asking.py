"""The requester's own verbs over HTTP: ask, tell, decline, renew, correct, attach."""

from fastapi import APIRouter

from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.values import Assignment, Label, Nothing
from labelbandit.server import models
from labelbandit.server.access import Found, Repeat
from labelbandit.server.answers import Added, Done, Lent, Told
from labelbandit.server.errors import PROBLEMS
from labelbandit.server.metrics import ASK_DURATION

router = APIRouter(tags=["ask and tell"], responses=PROBLEMS)


def _request(verb: str, key: str | None) -> str | None:
    """Keys of requesters and of each worker, and of each verb, are kept apart: none recalls what another was told."""
    return None if key is None else f"{verb}:requester:{key}"


def _lent(campaign: Campaign, served: Assignment | Nothing) -> Lent:
    if isinstance(served, Nothing):
        return Lent(assignment=None, nothing=served)
    return Lent(assignment=served, nothing=None, payload=campaign.payload(served.task))


@router.post("/campaigns/{campaign}/ask")
def ask(asking: models.Asking, one: Found, repeat: Repeat = None) -> Lent:
    """Lend a task: to the one named, who came alone, or to whoever of those present is best asked."""
    with ASK_DURATION.time():
        return _lent(one.campaign, one.campaign.ask(*asking.present, request=_request("ask", repeat)))


@router.get("/campaigns/{campaign}/holding")
def holding(worker: str, one: Found) -> list[Assignment]:
    """A worker's open assignments, oldest first."""
    return one.campaign.holding(worker)


@router.post("/campaigns/{campaign}/tell")
def tell(telling: models.Telling, one: Found, repeat: Repeat = None) -> Label:
    """Take an answer; the same again is harmless, another is refused."""
    return one.campaign.tell(
        telling.assignment,
        telling.answer,
        price=telling.price,
        lead_time=telling.lead_time,
        source=telling.source,
        request=_request("tell", repeat),
    )


@router.post("/campaigns/{campaign}/tell-and-ask")
def tell_and_ask(telling: models.Answering, one: Found, repeat: Repeat = None) -> Told:
    """Take an answer and serve its worker again, in one step."""
    label, served = one.campaign.tell_and_ask(
        telling.assignment, telling.answer, lead_time=telling.lead_time, request=_request("tell-and-ask", repeat)
    )
    return Told(label=label, next=_lent(one.campaign, served))


@router.post("/campaigns/{campaign}/decline")
def decline(given: models.AssignmentNumber, one: Found) -> Done:
    """The worker would rather not; nothing is paid."""
    one.campaign.decline(given.assignment)
    return Done()


@router.post("/campaigns/{campaign}/renew")
def renew(given: models.AssignmentNumber, one: Found) -> Assignment:
    """Give the worker the whole lease again."""
    return one.campaign.renew(given.assignment)


@router.post("/campaigns/{campaign}/correct")
def correct(given: models.Correcting, one: Found) -> Done:
    """Put another answer in place of a worker's; it costs nothing."""
    one.campaign.correct(given.task, given.worker, given.answer)
    return Done()


@router.post("/campaigns/{campaign}/attach", status_code=201)
def attach(given: models.Attaching, one: Found) -> Added:
    """Take labels that nobody was asked for, all or none."""
    labels = [(label.task, label.worker, label.answer) for label in given.labels]
    one.campaign.attach_many(labels, price=given.price)
    return Added(added=len(given.labels))

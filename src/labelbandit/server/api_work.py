"""A worker's own work over HTTP: what lies before them, and their answers. Nothing of anyone else, and no truth."""

import json
from typing import Any

from fastapi import APIRouter, Response

from labelbandit.campaign.board import NO_CAP
from labelbandit.campaign.values import Assignment, Nothing
from labelbandit.model.errors import UnknownName
from labelbandit.server import models
from labelbandit.server.access import Coming, Repeat, Seat
from labelbandit.server.answers import Desk, Done, Work, WorkerView
from labelbandit.server.errors import PROBLEMS
from labelbandit.server.metrics import ASK_DURATION
from labelbandit.server.threads import in_a_thread
from labelbandit.stores.contract import Register

router = APIRouter(prefix="/work", tags=["a worker's work"], responses=PROBLEMS)


@router.get("", response_model=WorkerView)
async def look(come: Coming) -> Response:
    """What the worker needs to know: classes, instructions, own progress."""
    return await in_a_thread(lambda: _view(come()))


@router.post("/ask", response_model=Desk)
async def ask(come: Coming, repeat: Repeat = None) -> Response:
    """The worker's open assignments, filled up; or why there is nothing for them now."""
    return await in_a_thread(lambda: _ask(come(), repeat))


@router.post("/tell", response_model=Desk)
async def tell(given: models.Answering, come: Coming, repeat: Repeat = None) -> Response:
    """Take the worker's answer and say what comes next, in one step."""
    return await in_a_thread(lambda: _tell(come(), given, repeat))


@router.post("/decline", response_model=Desk)
async def decline(given: models.AssignmentNumber, come: Coming) -> Response:
    """Skip: the worker is not asked about this task again, and nothing is paid."""
    return await in_a_thread(lambda: _decline(come(), given))


@router.post("/correct", response_model=Done)
async def correct(given: models.OwnCorrecting, come: Coming) -> Response:
    """Put another answer in place of the worker's own."""
    return await in_a_thread(lambda: _correct(come(), given))


@router.post("/renew", response_model=Work)
async def renew(given: models.AssignmentNumber, come: Coming) -> Response:
    """Take the whole lease again."""
    return await in_a_thread(lambda: _renew(come(), given))


def _view(seat: Seat) -> WorkerView:
    with seat.campaign.looking() as board:
        price, labels, cap = (int(board.crew[name][seat.number]) for name in ("price", "labels", "cap"))
        return WorkerView(
            seat=seat.id,
            campaign=seat.campaign.name,
            worker=seat.worker,
            classes=list(board.classes),
            display=models.Display(**seat.open.display()),
            price=price,
            currency=board.terms.currency,
            labels=labels,
            cap=None if cap == NO_CAP else cap,
        )


def _ask(seat: Seat, repeat: str | None) -> Desk:
    with ASK_DURATION.time():
        return _desk(seat, seat.campaign.ask(seat.worker, request=_request(seat, "ask", repeat)))


def _tell(seat: Seat, given: models.Answering, repeat: str | None) -> Desk:
    _check_own(seat, given.assignment)
    _, served = seat.campaign.tell_and_ask(
        given.assignment, given.answer, lead_time=given.lead_time, request=_request(seat, "tell", repeat)
    )
    return _desk(seat, served)


def _decline(seat: Seat, given: models.AssignmentNumber) -> Desk:
    _check_own(seat, given.assignment)
    seat.campaign.decline(given.assignment)
    return _desk(seat, seat.campaign.ask(seat.worker))


def _correct(seat: Seat, given: models.OwnCorrecting) -> Done:
    _check_own(seat, given.assignment)
    seat.campaign.correct(seat.campaign.assignment(given.assignment).task, seat.worker, given.answer)
    return Done()


def _renew(seat: Seat, given: models.AssignmentNumber) -> Work:
    _check_own(seat, given.assignment)
    return _work(seat, seat.campaign.renew(given.assignment))


def _request(seat: Seat, verb: str, key: str | None) -> str | None:
    return None if key is None else f"{verb}:worker-{seat.number}:{key}"


def _check_own(seat: Seat, number: int) -> None:
    """Refuse assignments of others: for this worker they do not exist."""
    if seat.campaign.whose(number) != seat.number:
        raise UnknownName(f"there is no assignment {number} of yours: give the number that asking returned")


def _desk(seat: Seat, served: Assignment | Nothing) -> Desk:
    with seat.campaign.looking(as_last_seen=True) as board:
        held = board.holding.get(seat.number, [])
        cells = [[board.assignments[name][number].item() for name in ("task", "price", "due")] for number in held]
        numbers, labels = list(held), int(board.crew["labels"][seat.number])
    store, campaign = seat.campaign.store, seat.open.row.number
    shown = store.rows(campaign, Register.TASK, [task for task, _, _ in cells])
    work = [
        Work(assignment=number, payload=_payload(shown[task][1]), price=price, due_at=due)
        for number, (task, price, due) in zip(numbers, cells, strict=True)
    ]
    nothing = served if isinstance(served, Nothing) and not work else None
    return Desk(work=work, nothing=_discreet(nothing), labels=labels)


def _payload(details: str | None) -> Any:
    return None if details is None else json.loads(details)


def _discreet(nothing: Nothing | None) -> Nothing | None:
    """Without figures of the budget, which are the requester's."""
    return None if nothing is None else Nothing(nothing.reason, nothing.retry_after, _SAID[nothing.reason.value])


def _work(seat: Seat, one: Assignment) -> Work:
    payload: Any = seat.campaign.payload(one.task)
    return Work(assignment=one.number, payload=payload, price=one.price, due_at=one.due_at)


_SAID = {
    "budget_spent": "the budget is spent",
    "all_settled": "every task has labels enough",
    "target_reached": "the estimates are as sure as they were to be",
    "nothing_for_worker": "there is nothing for you now",
    "paused": "the campaign is paused",
    "closed": "the campaign is closed",
}

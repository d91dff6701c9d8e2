"""Tasks and workers over HTTP: joining one campaign, by JSON or by file."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile

from labelbandit.campaign.board import NO_CAP
from labelbandit.campaign.values import Task, Worker
from labelbandit.server import keys, models, uploads
from labelbandit.server.access import Found, Requester
from labelbandit.server.answers import Added, Done, WorkerLink, WorkerRow
from labelbandit.server.errors import PROBLEMS
from labelbandit.stores.contract import Register

router = APIRouter(tags=["tasks and workers"], responses=PROBLEMS)
_AT_ONCE = 10_000
"""Tasks that join in one transaction when a file brings many."""


@router.post("/campaigns/{campaign}/tasks", status_code=201)
def add_tasks(given: models.Tasks, one: Found) -> Added:
    """Let tasks join, all or none."""
    one.campaign.add_tasks(*(Task(task.id, task.context, task.payload, task.gold) for task in given.tasks))
    return Added(added=len(given.tasks))


@router.post("/campaigns/{campaign}/tasks/upload", status_code=201)
def upload_tasks(one: Found, file: UploadFile, plan: Annotated[str, Form(max_length=20_000)] = "{}") -> Added:
    """Let the rows of a CSV or JSONL file join as tasks; the plan says which column is what."""
    rows = uploads.read_rows(file.file.read(), file.filename or "")
    tasks, _ = uploads.tasks_from(rows, uploads.plan_from(plan))
    one.campaign.add_tasks(*tasks)
    return Added(added=len(tasks))


@router.post("/campaigns/{campaign}/tasks/withdraw")
def withdraw(given: models.TaskName, one: Found) -> Done:
    """Ask nobody about a task any more."""
    one.campaign.withdraw(given.task)
    return Done()


@router.post("/campaigns/{campaign}/workers", status_code=201)
def add_workers(given: models.Workers, one: Found, key: Requester, request: Request) -> list[WorkerLink]:
    """Let workers join, all or none; each gets a link, shown this once."""
    one.campaign.add_workers(*(Worker(new.id, new.price, new.cap, new.expert) for new in given.workers))
    numbers = one.campaign.store.numbers(one.row.number, Register.WORKER, [new.id for new in given.workers])
    return [_link(one, key.owner, new.id, numbers[new.id], request) for new in given.workers]


@router.post("/campaigns/{campaign}/workers/link", status_code=201)
def renew_link(given: models.WorkerName, one: Found, key: Requester, request: Request) -> WorkerLink:
    """Give a worker a new link; the former ones open nothing any more."""
    number = one.campaign.worker_number(given.worker)
    keys.revoke_worker(one.campaign.store, key.owner, one.row.number, number)
    return _link(one, key.owner, given.worker, number, request)


@router.post("/campaigns/{campaign}/workers/bar")
def bar(given: models.Barring, one: Found) -> Done:
    """Ask a worker no more; their labels stay or are left out."""
    one.campaign.bar(given.worker, keep_labels=given.keep_labels)
    return Done()


@router.get("/campaigns/{campaign}/workers")
def list_workers(one: Found) -> list[WorkerRow]:
    """Everyone enrolled, in the order in which they joined."""
    ids = {number: id_ for number, id_, _ in one.campaign.store.all_rows(one.row.number, Register.WORKER)}
    with one.campaign.looking() as board:
        crew, expert = {name: column.tolist() for name, column in board.crew.arrays.items()}, board.facts.expert
    return [
        WorkerRow(
            worker=ids.get(number) or f"erased-{number}",
            price=price,
            cap=None if crew["cap"][number] == NO_CAP else crew["cap"][number],
            expert=bool(expert[number]),
            barred=crew["barred"][number],
            labels=crew["labels"][number],
            open=crew["open"][number],
        )
        for number, price in enumerate(crew["price"])
    ]


def _link(one: Found, owner: str, worker: str, number: int, request: Request) -> WorkerLink:
    token = keys.issue(one.campaign.store, owner, one.row.number, number)
    return WorkerLink(worker=worker, token=token, link=f"{str(request.base_url).rstrip('/')}/w#{token}")

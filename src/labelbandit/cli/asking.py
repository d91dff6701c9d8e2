"""`ask`, `tell`, `decline`, `renew`, `correct`, `withdraw`: the verbs of the work itself."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelbandit.cli import progress
from labelbandit.cli.numbers import number, whole
from labelbandit.cli.showing import Format, Style, local, printable, remark, show
from labelbandit.cli.storage import DEFAULT, Name, Storage, opened

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.campaign.campaign import Campaign
    from labelbandit.campaign.values import Assignment

Number = Annotated[int, typer.Argument(parser=whole, metavar="NUMBER", help="The assignment.")]
Answer = Annotated[str, typer.Argument(metavar="ANSWER", help="One of the classes.")]
TaskId = Annotated[str, typer.Argument(metavar="TASK", help="The task.")]
WorkerId = Annotated[str, typer.Argument(metavar="WORKER", help="The worker.")]


def ask(
    name: Name,
    workers: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORKER", help="One who came alone, or those present. [default: everyone enrolled]"),
    ] = None,
    *,
    storage: Storage = DEFAULT,
    style: Style = Format.TABLE,
) -> None:
    """Say who should label what next."""
    from labelbandit.campaign.values import Nothing

    with opened(storage, name) as campaign:
        with progress.spinner("Deciding (the first time, rules are compiled)"):
            served = campaign.ask(*(workers or []))
        if not isinstance(served, Nothing):
            show(style, {"assignment": _document(campaign, served)}, _lines(campaign, served))
            return
    if style is Format.JSON:
        show(style, {"assignment": None, **asdict(served)}, [])
        return
    again = "" if served.retry_after is None else f"; ask again in {served.retry_after:g} seconds"
    remark(f"nothing to do ({served.reason}): {served.detail}{again}")


def _document(campaign: "Campaign", served: "Assignment") -> dict[str, Any]:
    return {**asdict(served), "payload": campaign.payload(served.task)}


def _lines(campaign: "Campaign", served: "Assignment") -> list[str]:
    payload = campaign.payload(served.task)
    kind = f" ({printable(served.context)})" if served.context else ""
    lent = f"assignment {served.number}: {printable(served.worker)} labels {printable(served.task)}{kind}"
    lines = [f"{lent} by {local(served.due_at)} for {served.price}"]
    return lines if payload is None else [*lines, printable(json.dumps(payload, ensure_ascii=False))]


def tell(
    name: Name,
    assignment: Number,
    answer: Answer,
    *,
    price: Annotated[
        int | None, typer.Option(parser=whole, help="What it really cost. [default: the price of the assignment]")
    ] = None,
    lead_time: Annotated[float | None, typer.Option(parser=number, help="Seconds the worker took.")] = None,
    source: Annotated[str | None, typer.Option(help="Where the answer comes from, such as person or model.")] = None,
    storage: Storage = DEFAULT,
    style: Style = Format.TABLE,
) -> None:
    """Hand in the answer to an assignment."""
    with opened(storage, name) as campaign:
        label = campaign.tell(assignment, answer, price=price, lead_time=lead_time, source=source)
    said = f"{printable(label.worker)} says {printable(label.answer)} of {printable(label.task)}, for {label.price}"
    show(style, {"label": asdict(label)}, [said])


def decline(name: Name, assignment: Number, *, storage: Storage = DEFAULT) -> None:
    """Give an assignment back: its worker is not asked about that task again, and nothing is paid."""
    with opened(storage, name) as campaign:
        campaign.decline(assignment)
    remark(f"assignment {assignment} was declined")


def renew(name: Name, assignment: Number, *, storage: Storage = DEFAULT) -> None:
    """Give the worker of an assignment the whole lease again."""
    with opened(storage, name) as campaign:
        renewed = campaign.renew(assignment)
    remark(f"assignment {assignment} is due at {local(renewed.due_at)}")


def correct(name: Name, task: TaskId, worker: WorkerId, answer: Answer, *, storage: Storage = DEFAULT) -> None:
    """Put another answer in place of a worker's; it costs nothing."""
    with opened(storage, name) as campaign:
        campaign.correct(task, worker, answer)
    remark(f"worker {worker!r} now says {answer!r} of task {task!r}")


def withdraw(name: Name, task: TaskId, *, storage: Storage = DEFAULT) -> None:
    """Ask nobody about a task any more."""
    with opened(storage, name) as campaign:
        campaign.withdraw(task)
    remark(f"nobody is asked about task {task!r} any more")

"""`labelbandit workers`: who is enrolled, and what is kept of them."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from labelbandit.cli.asking import WorkerId
from labelbandit.cli.numbers import whole
from labelbandit.cli.showing import Format, Style, remark, show, table
from labelbandit.cli.storage import DEFAULT, Name, Storage, opened

app = typer.Typer(rich_markup_mode=None)
_COLUMNS = ("worker", "price", "cap", "expert", "barred", "labels", "open")


@app.command("list")
def list_(name: Name, *, storage: Storage = DEFAULT, style: Style = Format.TABLE) -> None:
    """List who is enrolled and how they stand."""
    from labelbandit.campaign.roster import roster

    with opened(storage, name) as campaign:
        documents = [asdict(one) for one in roster(campaign)]
    rows = ([one[column] for column in _COLUMNS] for one in documents)
    show(style, {"workers": documents}, table(_COLUMNS, rows))


@app.command()
def add(
    name: Name,
    workers: Annotated[list[str], typer.Argument(metavar="WORKER", help="Their ids.")],
    *,
    price: Annotated[int, typer.Option(parser=whole, help="What a label of theirs costs.")] = 1,
    cap: Annotated[int | None, typer.Option(parser=whole, help="How many labels each may give.")] = None,
    expert: Annotated[bool, typer.Option("--expert", help="Their answer settles a task.")] = False,
    storage: Storage = DEFAULT,
) -> None:
    """Enrol workers."""
    from labelbandit.campaign.values import Worker

    with opened(storage, name) as campaign:
        campaign.add_workers(*(Worker(one, price=price, cap=cap, expert=expert) for one in workers))
    remark(f"{len(workers)} workers were enrolled in {name!r}")


@app.command()
def bar(
    name: Name,
    worker: WorkerId,
    *,
    leave_out: Annotated[bool, typer.Option("--leave-out", help="Leave what they said out of the estimates.")] = False,
    storage: Storage = DEFAULT,
) -> None:
    """Ask a worker no more."""
    with opened(storage, name) as campaign:
        campaign.bar(worker, keep_labels=not leave_out)
    remark(f"worker {worker!r} is not asked any more")


@app.command()
def export(name: Name, worker: WorkerId, *, storage: Storage = DEFAULT) -> None:
    """Print all that is kept of one worker, as JSON."""
    from labelbandit.campaign.roster import roster
    from labelbandit.integrations.records import label_records

    with opened(storage, name) as campaign:
        held = campaign.holding(worker)
        (enrolled,) = (one for one in roster(campaign) if one.worker == worker)
        document: dict[str, Any] = asdict(enrolled)
        document["assignments"] = [asdict(one) for one in held]
        document["given"] = [record._asdict() for record in label_records(campaign) if record.worker == worker]
    typer.echo(json.dumps(document, ensure_ascii=False))


@app.command()
def erase(name: Name, worker: WorkerId, *, storage: Storage = DEFAULT) -> None:
    """Forget who a worker was; their labels stay, under a number."""
    with opened(storage, name) as campaign:
        campaign.erase_worker(worker)
    remark(f"worker {worker!r} was erased; their labels stay")

"""`labelbandit log`: the events of a campaign, shown, derived again, or copied to another store."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from labelbandit.campaign.values import OWNER
from labelbandit.cli import progress
from labelbandit.cli.numbers import whole
from labelbandit.cli.showing import Format, Style, local, printable, remark, show
from labelbandit.cli.storage import DEFAULT, Name, Storage, opened_store
from labelbandit.model.errors import UnknownName
from labelbandit.stores import CampaignRow, Store
from labelbandit.stores.opening import shown

app = typer.Typer(rich_markup_mode=None)


def _row(store: Store, name: str) -> CampaignRow:
    row = store.find(name, OWNER)
    if row is None:
        raise UnknownName(f"there is no campaign {name!r} in {shown(store.url)}: labelbandit campaigns lists those there are")
    return row


@app.command("show")
def show_(
    name: Name,
    *,
    after: Annotated[int, typer.Option(parser=whole, help="Begin after this position.")] = -1,
    storage: Storage = DEFAULT,
    style: Style = Format.TABLE,
) -> None:
    """Print the events, a line each."""
    with opened_store(storage) as store:
        for entry in store.read(_row(store, name).number, after):
            document = {**entry._asdict(), "body": json.loads(entry.body)}
            line = f"{entry.position:6}  {local(entry.at)}  {entry.kind:20}  {printable(entry.body)}"
            show(style, document, [line])


@app.command()
def verify(name: Name, *, storage: Storage = DEFAULT, style: Style = Format.TABLE) -> None:
    """Derive every decision again and check every promise about money; fails if the log differs."""
    from labelbandit.campaign import verify as verifying

    with opened_store(storage) as store, progress.count("events verified") as on_entries:
        found = verifying.verify(store, _row(store, name).number, lambda: on_entries(1))
    differences = [
        f"at position {one.position} the {one.what} is {one.logged}, and should be {one.derived}" for one in found.differences
    ]
    agreed = f"{found.entries} events and {found.decisions} decisions are as they should be"
    show(style, {**asdict(found), "agrees": found.agrees}, differences or [agreed])
    if not found.agrees:
        remark(f"the log of {name!r} differs in {len(differences)} places")
        raise typer.Exit(1)


@app.command()
def copy(
    name: Name,
    *,
    to: Annotated[str, typer.Option(metavar="URL", help="The store to copy to, made if need be.")],
    storage: Storage = DEFAULT,
) -> None:
    """Copy a campaign to another store: its log, and what its numbers stand for."""
    from labelbandit.stores import open_store
    from labelbandit.stores.copying import copy_campaign

    with opened_store(storage) as store, progress.count("events copied") as on_entries:
        row = _row(store, name)
        target = open_store(to)
        try:
            copy_campaign(store, row, target, on_entries)
        finally:
            target.close()
        remark(f"campaign {name!r} was copied to {shown(target.url)}")

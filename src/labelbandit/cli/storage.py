"""Where campaigns are kept: the option that every command about them has, and how they are opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from labelbandit.cli import progress

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.campaign.campaign import Campaign
    from labelbandit.stores import Store

DEFAULT = "sqlite:///labelbandit.db"
Storage = Annotated[
    str,
    typer.Option(
        "--storage",
        envvar="LABELBANDIT_STORAGE",
        help="Where campaigns are kept: sqlite:///file.db, postgresql://host/database.",
    ),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The campaign.")]


@contextmanager
def opened_store(storage: str) -> "Iterator[Store]":
    """A store that is there already."""
    from labelbandit.stores import open_store

    store = open_store(storage, create=False)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def opened(storage: str, name: str) -> "Iterator[Campaign]":
    """A campaign that is there already."""
    with opened_store(storage) as store:
        with progress.spinner(f"Reading the log of {name}"):
            from labelbandit.campaign.opening import open_campaign

            campaign = open_campaign(store, name)
        yield campaign

"""Making and finding campaigns."""

import secrets
from collections.abc import Sequence

from labelbandit.campaign import ledger, snapshot
from labelbandit.campaign.board import Board
from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.enrolling import check_classes
from labelbandit.campaign.terms import LEASE, make_terms
from labelbandit.campaign.values import OWNER
from labelbandit.model import events as ev
from labelbandit.model.chance import as_seed
from labelbandit.model.errors import NameTaken, UnknownName
from labelbandit.stores import open_store
from labelbandit.stores.contract import Store
from labelbandit.stores.opening import shown


def create_campaign(
    storage: str | Store,
    name: str,
    *,
    classes: Sequence[str],
    budget: int,
    policy: str = "default",
    currency: str | None = None,
    lease: float = LEASE,
    presence: float | None = None,
    hold: int = 1,
    min_labels: int = 1,
    max_labels: int | None = None,
    settle: float | None = None,
    target: float | None = None,
    seed: int | None = None,
    owner: str = OWNER,
    load_if_exists: bool = False,
) -> Campaign:
    """Open a campaign in a store: `sqlite:///file.db`, `postgresql://…` or `memory:`.

    `budget` is in the unit of the workers' prices: labels if they cost 1, or the smallest unit of `currency`. `lease` is how
    many seconds a worker has for an assignment, `presence` for how many someone heard of counts as being there. A task is
    settled when a class is as probable as `settle`, with `min_labels` or more; `max_labels` end it anyway. With a `target`,
    nobody is asked any more once the estimates are expected to be right that often; what is left of the budget is saved.
    """
    check_classes(classes)
    terms = make_terms(
        budget=budget,
        policy=policy,
        currency=currency,
        lease=lease,
        presence=presence,
        hold=hold,
        min_labels=min_labels,
        max_labels=max_labels,
        settle=settle,
        target=target,
    )
    ledger.check_policy(terms, len(classes))
    opened = ev.CampaignOpened(list(classes), int(as_seed(secrets.randbits(63) if seed is None else seed)), terms)
    store = open_store(storage) if isinstance(storage, str) else storage
    try:
        row = store.create(name, owner, ledger.entry(0, store.now(), opened))
    except NameTaken:
        if load_if_exists:
            return open_campaign(store, name, owner=owner)
        raise
    board = Board(opened)
    board.apply(opened, row.created_at)
    return Campaign(store, row, board)


def open_campaign(storage: str | Store, name: str, *, owner: str = OWNER) -> Campaign:
    """The campaign of that name, as its log has it."""
    store = open_store(storage, create=False) if isinstance(storage, str) else storage
    row = store.find(name, owner)
    if row is None:
        known = ", ".join(repr(one.name) for one in store.campaigns(owner)) or "none yet"
        raise UnknownName(f"there is no campaign {name!r} in {shown(store.url)}: it has {known}")
    return Campaign(store, row, snapshot.load(store, row.number))

"""The roster: who is enrolled in a campaign, and how they stand."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelbandit.campaign.board import NO_CAP
from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.names import erased
from labelbandit.stores.contract import Register


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A worker of a campaign: what was agreed, and what came of it."""

    worker: str
    price: int
    cap: int | None
    expert: bool
    barred: bool
    labels: int
    open: int
    """Assignments not answered yet."""
    details: Mapping[str, Any] | None


def roster(campaign: Campaign) -> list[Enrolled]:
    """Every worker in the order of their joining."""
    board, found = campaign.board, []
    for number, id_, details in campaign.store.all_rows(campaign.row.number, Register.WORKER):
        if number >= board.workers:  # someone may have joined meanwhile
            break
        one = {name: column[number].item() for name, column in board.crew.arrays.items()}
        found.append(
            Enrolled(
                worker=erased(number) if id_ is None else id_,
                price=one["price"],
                cap=None if one["cap"] == NO_CAP else one["cap"],
                expert=bool(board.facts.expert[number]),
                barred=one["barred"],
                labels=one["labels"],
                open=one["open"],
                details=None if details is None else json.loads(details),
            )
        )
    return found

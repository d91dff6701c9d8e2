"""The campaigns that this process has open: each is loaded once, and what others write is caught up with."""

import json
import threading
from dataclasses import dataclass, field
from typing import Any

from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.opening import open_campaign
from labelbandit.model.errors import UnknownName
from labelbandit.server.timeline import Timeline
from labelbandit.stores.contract import CampaignRow, Register, Store


@dataclass(slots=True)
class OpenCampaign:
    """A campaign and what the server keeps beside it."""

    campaign: Campaign
    timeline: Timeline
    lock: threading.Lock = field(default_factory=threading.Lock)
    """For the timeline and the overview."""
    overview: tuple[int, float, Any] | None = None
    """The last one made: at which position, when, and what it said."""

    @property
    def row(self) -> CampaignRow:
        """The campaign as the store knows it."""
        return self.campaign.row

    def display(self) -> dict[str, Any]:
        """How tasks are shown to workers: instructions, and which fields are text, image or more."""
        found = self.campaign.store.rows(self.row.number, Register.DISPLAY, [0]).get(0)
        return {} if found is None or found[1] is None else dict(json.loads(found[1]))

    def set_display(self, display: dict[str, Any]) -> None:
        """Show tasks otherwise from now on."""
        store, details = self.campaign.store, json.dumps(display, ensure_ascii=False)
        if store.rows(self.row.number, Register.DISPLAY, [0]):
            store.amend_row(self.row.number, Register.DISPLAY, 0, details)
        else:
            with store.writing(self.row.number) as writing:
                writing.enter(Register.DISPLAY, 0, [("display", details)])


class Campaigns:
    """Campaigns by id, for their owners."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._open: dict[int, OpenCampaign] = {}
        self._rows: dict[str, CampaignRow] = {}
        self._lock = threading.Lock()

    def rows(self, owner: str | None) -> list[CampaignRow]:
        """An owner's campaigns, or everyone's, oldest first."""
        return self.store.campaigns(owner)

    def by_id(self, id_: str, owner: str) -> OpenCampaign:
        """The owner's campaign with that id; others' do not exist."""
        if id_ not in self._rows:
            self._rows = {row.id: row for row in self.store.campaigns()}
        row = self._rows.get(id_)
        if row is None or row.owner != owner:
            raise UnknownName(f"there is no campaign with the id {id_!r}: the list of campaigns has their ids")
        return self.opened(row)

    def by_number(self, number: int) -> OpenCampaign:
        """The campaign that a worker's key is for."""
        found = self._open.get(number)
        return found or self.opened(next(row for row in self.store.campaigns() if row.number == number))

    def opened(self, row: CampaignRow) -> OpenCampaign:
        """The campaign, loaded if it is not yet."""
        with self._lock:
            found = self._open.get(row.number)
            if found is None:
                campaign = open_campaign(self.store, row.name, owner=row.owner)
                found = self._open[row.number] = OpenCampaign(campaign, Timeline(self.store, row.number))
            return found

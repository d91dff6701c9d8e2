"""Webhooks: where a campaign's events are sent, kept in its store together with how far delivery has come."""

import json
import secrets
from dataclasses import asdict, dataclass, replace

from labelbandit.model.errors import TooLarge, UnknownName
from labelbandit.stores.contract import Register, Store

_MOST = 20
"""Webhooks of one campaign."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """One address, which of the events it wants, and up to which log position it has been told."""

    number: int
    id: str
    url: str
    secret: str
    events: tuple[str, ...]
    position: int
    failing: str | None = None
    """What the last try came to, if it failed."""

    def details(self) -> str:
        """What the store keeps of it."""
        kept = asdict(self)
        del kept["number"], kept["id"]
        return json.dumps(kept)


def webhooks_of(store: Store, campaign: int) -> list[Webhook]:
    """A campaign's webhooks."""
    found = []
    for number, id_, details in store.all_rows(campaign, Register.WEBHOOK):
        if id_ is not None and details is not None:
            kept = json.loads(details)
            found.append(Webhook(number, id_, **(kept | {"events": tuple(kept["events"])})))
    return found


def add_webhook(store: Store, campaign: int, url: str, events: list[str], position: int) -> Webhook:
    """A webhook that is told of what happens from now on."""
    with store.writing(campaign) as writing:
        taken = [number for number, _, _ in store.all_rows(campaign, Register.WEBHOOK)]
        if len(webhooks_of(store, campaign)) >= _MOST:
            raise TooLarge(f"a campaign has at most {_MOST} webhooks: remove one first")
        number = max(taken, default=-1) + 1
        made = Webhook(number, secrets.token_hex(8), url, secrets.token_urlsafe(32), tuple(dict.fromkeys(events)), position)
        writing.enter(Register.WEBHOOK, number, [(made.id, made.details())])
    return made


def remove_webhook(store: Store, campaign: int, id_: str) -> None:
    """Send it nothing more."""
    number = store.numbers(campaign, Register.WEBHOOK, [id_]).get(id_)
    if number is None:
        raise UnknownName(f"there is no webhook {id_!r} in this campaign: the list of webhooks has their ids")
    store.erase(campaign, Register.WEBHOOK, number)


def note(store: Store, campaign: int, webhook: Webhook, *, position: int, failing: str | None) -> Webhook:
    """Keep how far delivery has come."""
    changed = replace(webhook, position=position, failing=failing)
    if changed != webhook:
        store.amend_row(campaign, Register.WEBHOOK, webhook.number, changed.details())
    return changed

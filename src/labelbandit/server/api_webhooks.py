"""Webhooks over HTTP: made, listed, removed."""

from fastapi import APIRouter

from labelbandit.server import models, webhooks
from labelbandit.server.access import Found
from labelbandit.server.answers import Done, WebhookView
from labelbandit.server.errors import PROBLEMS

router = APIRouter(tags=["webhooks"], responses=PROBLEMS)


@router.post("/campaigns/{campaign}/webhooks", status_code=201)
def add(given: models.NewWebhook, one: Found) -> WebhookView:
    """Send events to an address from now on; the secret that signs them is shown this once."""
    with one.campaign.looking() as board:
        position = board.position
    made = webhooks.add_webhook(one.campaign.store, one.row.number, given.url, list(given.events), position)
    return _view(made, made.secret)


@router.get("/campaigns/{campaign}/webhooks")
def list_all(one: Found) -> list[WebhookView]:
    """The campaign's webhooks and whether they are being reached."""
    return [_view(hook) for hook in webhooks.webhooks_of(one.campaign.store, one.row.number)]


@router.delete("/campaigns/{campaign}/webhooks/{webhook}")
def remove(webhook: str, one: Found) -> Done:
    """Send it nothing more."""
    webhooks.remove_webhook(one.campaign.store, one.row.number, webhook)
    return Done()


def _view(hook: webhooks.Webhook, secret: str | None = None) -> WebhookView:
    return WebhookView(
        id=hook.id, url=hook.url, events=list(hook.events), secret=secret, delivered=hook.position, failing=hook.failing
    )

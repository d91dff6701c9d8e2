"""Who is asking: keys in headers or cookies, and what they open. A cookie counts only with a header no other site can send."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Header, Request

from labelbandit.model.errors import KeyMissing, KeyRefused
from labelbandit.server import keys
from labelbandit.server.campaigns import Campaigns, OpenCampaign
from labelbandit.server.limits import Buckets
from labelbandit.stores.contract import Key, Register

REQUESTER, WORKER = "labelbandit_requester", "labelbandit_worker"
"""The cookies."""
PROOF = "x-labelbandit"
"""A header that pages of this server send with every change; no form and no other site can."""
SEAT = "x-labelbandit-seat"
"""Whose work a page is showing, so that a second link opened in the same browser takes no answers meant for the first."""
_SAFE = {"GET", "HEAD", "OPTIONS"}


async def campaigns_of(request: Request) -> Campaigns:
    """The campaigns of this server."""
    return _campaigns(request)


def _campaigns(request: Request) -> Campaigns:
    campaigns: Campaigns = request.app.state.campaigns
    return campaigns


def _key(request: Request, cookie: str) -> Key:
    """The key of a request, looked up once."""
    known: Key | None = getattr(request.state, cookie, None)
    if known is None:
        known = _looked_up(request, cookie)
        setattr(request.state, cookie, known)
    return known


def _token(request: Request, cookie: str) -> str:
    """What the request carries as a key."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        token = request.cookies.get(cookie, "")
        if token and request.method not in _SAFE and PROOF not in request.headers:
            raise KeyRefused(f"a change by cookie needs the header {PROOF}: send it, or send the key as a bearer token")
    if not token:
        raise KeyMissing("there is no key: send it as `Authorization: Bearer KEY`")
    return token


def _looked_up(request: Request, cookie: str) -> Key:
    token = _token(request, cookie)
    key = keys.look_up(_campaigns(request).store, token)
    buckets: Buckets = request.app.state.buckets
    buckets.take(key.digest)
    return key


def requester(request: Request) -> Key:
    """A requester's key: all of an owner's campaigns, or one."""
    key = _key(request, REQUESTER)
    if key.worker is not None:
        raise KeyRefused("this is a worker's key: it opens the worker's own work and nothing else")
    return key


def owner(request: Request) -> Key:
    """A key for all of an owner's campaigns."""
    key = requester(request)
    if key.campaign is not None:
        raise KeyRefused("this key is for one campaign: making others needs the requester's own key")
    return key


def found(campaign: str, request: Request) -> OpenCampaign:
    """The campaign of the path, if the key opens it. Not made of other dependencies: each would cost a change of thread."""
    key = requester(request)
    one = _campaigns(request).by_id(campaign, key.owner)
    if key.campaign not in {None, one.row.number}:
        raise KeyRefused("this key is for another campaign")
    return one


class Seat:
    """A worker's place in a campaign."""

    __slots__ = ("campaign", "number", "open", "worker")

    def __init__(self, one: OpenCampaign, number: int) -> None:
        self.open = one
        self.campaign = one.campaign
        self.number = number
        found = one.campaign.store.rows(one.row.number, Register.WORKER, [number]).get(number)
        if found is None or found[0] is None:
            raise KeyRefused("this link is for somebody who is no longer part of the campaign: ask for a new one")
        self.worker = found[0]

    @property
    def id(self) -> str:
        """What tells it from other seats."""
        return f"{self.open.row.id}/{self.number}"


async def coming(request: Request, expected: Annotated[str | None, Header(alias=SEAT)] = None) -> Callable[[], Seat]:
    """A worker who has yet to be let in: that reads the store, and is left to the thread that does the work."""
    _token(request, WORKER)  # without one, nobody is told what else is wrong
    return lambda: _seat(request, expected)


def _seat(request: Request, expected: str | None) -> Seat:
    """The place of the worker whose key it is."""
    key = _key(request, WORKER)
    if key.worker is None or key.campaign is None:
        raise KeyRefused("this is a requester's key: a worker's link is needed here")
    taken = Seat(_campaigns(request).by_number(key.campaign), key.worker)
    if expected is not None and expected != taken.id:
        raise KeyRefused("another worker's link was opened in this browser since: open your own link again")
    return taken


Requester = Annotated[Key, Depends(requester)]
Owner = Annotated[Key, Depends(owner)]
Found = Annotated[OpenCampaign, Depends(found)]
Coming = Annotated[Callable[[], Seat], Depends(coming)]
Hosted = Annotated[Campaigns, Depends(campaigns_of)]
Repeat = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key", min_length=1, max_length=200, description="A repetition with the same key changes nothing."
    ),
]

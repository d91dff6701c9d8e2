"""Signing in and out: a key becomes a cookie that scripts cannot read."""

from fastapi import APIRouter, Request, Response

from labelbandit.model.errors import KeyRefused
from labelbandit.server import keys, models
from labelbandit.server.access import REQUESTER, WORKER, Hosted
from labelbandit.server.answers import Cookies, Done, SignedIn
from labelbandit.server.campaigns import Campaigns
from labelbandit.server.errors import PROBLEMS
from labelbandit.server.limits import Buckets

router = APIRouter(tags=["session"], responses=PROBLEMS)


@router.get("/session")
def look(campaigns: Hosted, request: Request) -> Cookies:
    """Which of this browser's cookies still open something, so that a page knows whether to ask for a key."""
    return Cookies(requester=_opens(campaigns, request, REQUESTER), worker=_opens(campaigns, request, WORKER))


def _opens(campaigns: Campaigns, request: Request, cookie: str) -> bool:
    try:
        return bool(keys.look_up(campaigns.store, request.cookies.get(cookie, "")))
    except KeyRefused:
        return False


@router.post("/session")
def sign_in(given: models.SignIn, campaigns: Hosted, request: Request, response: Response) -> SignedIn:
    """Exchange a key, or the token of a worker's link, for a cookie that scripts cannot read."""
    doors: Buckets = request.app.state.doors
    doors.take((request.client.host if request.client else "").encode())
    kind = "requester" if keys.look_up(campaigns.store, given.token).worker is None else "worker"
    response.set_cookie(
        REQUESTER if kind == "requester" else WORKER,
        given.token,
        max_age=90 * 24 * 3600,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return SignedIn(kind="requester" if kind == "requester" else "worker")


@router.delete("/session")
def sign_out(response: Response) -> Done:
    """Forget the cookies."""
    for cookie in (REQUESTER, WORKER):
        response.delete_cookie(cookie, httponly=True, samesite="strict")
    return Done()

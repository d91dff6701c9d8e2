"""The app: routes, guards and state put together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Response
from fastapi.staticfiles import StaticFiles

from labelbandit import __version__
from labelbandit.server import (
    api_asking,
    api_campaigns,
    api_joining,
    api_knowing,
    api_session,
    api_uploads,
    api_webhooks,
    api_work,
    demo,
    pages,
)
from labelbandit.server.access import Hosted, Owner
from labelbandit.server.campaigns import Campaigns
from labelbandit.server.errors import PROBLEMS, handle_errors
from labelbandit.server.guarding import Guard
from labelbandit.server.limits import Buckets
from labelbandit.server.metrics import metrics
from labelbandit.server.settings import Settings
from labelbandit.stores import Store

_API = (api_work, api_asking, api_campaigns, api_joining, api_knowing, api_uploads, api_webhooks, api_session)
"""The busiest first: routes are tried in this order."""
operations = APIRouter(tags=["operations"], responses=PROBLEMS)


@operations.get("/health")
def health() -> dict[str, str]:
    """The process is alive."""
    return {"status": "alive"}


@operations.get("/ready")
def ready(campaigns: Hosted) -> dict[str, str]:
    """The store can be reached."""
    campaigns.store.find_key(b"")
    return {"status": "ready"}


@operations.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def show_metrics(key: Owner, campaigns: Hosted) -> Response:
    """The owner's campaigns in numbers, for Prometheus; it needs the requester's key."""
    return Response(metrics(campaigns, key.owner), media_type="text/plain; version=0.0.4; charset=utf-8")


def make_app(settings: Settings, store: Store, live: "demo.Demo | None" = None) -> FastAPI:
    """The app on a store that is open."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if live is not None:
            live.start()
        yield
        if live is not None:
            live.stop()

    app = FastAPI(
        title="labelbandit",
        version=__version__,
        description="Who labels what next, under a hard budget.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.campaigns = Campaigns(store)
    app.state.buckets = Buckets(settings.rate, settings.burst)
    app.state.doors = Buckets(settings.sign_ins, 10 * settings.sign_ins)
    app.state.demo = live
    handle_errors(app)
    for part in _API:
        app.include_router(part.router, prefix="/api/v1")
    app.include_router(operations)
    app.include_router(pages.router)
    if live is not None:
        app.include_router(demo.router)
    app.mount("/static", StaticFiles(directory=pages.FOLDER / "static"), name="static")
    app.add_middleware(Guard, most_bytes=settings.most_bytes)
    return app

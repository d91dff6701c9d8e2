"""What is known, over HTTP: estimates, progress, reasons, agreement, tables, exports and the stream for the dashboard."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from labelbandit.aggregation import agreement as agreeing
from labelbandit.campaign.values import Estimate, Explanation, Label, Progress
from labelbandit.integrations.exporting import check_layout
from labelbandit.integrations.exporting import export as exporting
from labelbandit.integrations.layouts import Layout, What
from labelbandit.server import stopping, tables
from labelbandit.server.access import Found
from labelbandit.server.answers import AgreementView, MeasureView, PairView, TaskDetail, TaskPage
from labelbandit.server.campaigns import OpenCampaign
from labelbandit.server.errors import PROBLEMS
from labelbandit.server.overview import overview, said
from labelbandit.stores.contract import Register

router = APIRouter(tags=["knowing"], responses=PROBLEMS)
_MOST_PAIRED = 12
_BEAT = 1.0
_QUIET = 15
_IN_MEMORY, _PART = 8 * 2**20, 2**16
_KINDS = {
    Layout.CSV: "text/csv",
    Layout.JSONL: "application/x-ndjson",
    Layout.PARQUET: "application/vnd.apache.parquet",
    Layout.LABELSTUDIO: "application/json",
}

Start = Annotated[int, Query(ge=0, le=2**53)]
Limit = Annotated[int, Query(ge=1, le=10_000)]


@router.get("/campaigns/{campaign}/progress")
def progress(one: Found) -> Progress:
    """Where the campaign stands."""
    return one.campaign.progress()


@router.get("/campaigns/{campaign}/estimates")
def estimates(one: Found, start: Start = 0, limit: Limit = 1000) -> list[Estimate]:
    """What to believe of the tasks, in the order in which they joined."""
    return list(one.campaign.estimates().values())[start : start + limit]


@router.get("/campaigns/{campaign}/labels")
def labels(one: Found, start: Start = 0, limit: Limit = 1000) -> list[Label]:
    """The labels, in the order in which they came."""
    return list(one.campaign.labels())[start : start + limit]


@router.get("/campaigns/{campaign}/explain")
def explain(assignment: Annotated[int, Query(ge=0, le=2**53)], one: Found) -> Explanation:
    """Why this task, why this worker, and with what probability."""
    return one.campaign.explain(assignment)


@router.get("/campaigns/{campaign}/tasks")
def task_page(
    one: Found,
    search: Annotated[str, Query(max_length=200)] = "",
    order: Literal["joined", "uncertain"] = "joined",
    start: Start = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> TaskPage:
    """Tasks with their estimates and votes, searched by id, context and text."""
    return tables.task_page(one.campaign, search, order, start, limit)


@router.get("/campaigns/{campaign}/task")
def task_detail(task: Annotated[str, Query(min_length=1, max_length=500)], one: Found) -> TaskDetail:
    """Everything about a task: votes, weights, and why each worker was asked."""
    return tables.task_detail(one.campaign, task)


@router.get("/campaigns/{campaign}/agreement")
def agreement(one: Found) -> AgreementView:
    """Agreement between workers, in all and between the twelve who labelled most; where there is none, why."""
    with one.campaign.looking() as board:
        task, worker, answer = said(board)
        classes = len(board.classes)
    together = agreeing.agreement(task, answer, classes)
    busiest = np.argsort(-np.bincount(worker, minlength=1), kind="stable")[:_MOST_PAIRED] if worker.size else worker
    pairs = agreeing.pair_agreements(task, worker, answer, classes, np.sort(busiest))
    names = one.campaign.store.rows(one.row.number, Register.WORKER, busiest.tolist())
    ids = {number: id_ or f"erased-{number}" for number, (id_, _) in names.items()}
    return AgreementView(
        percent=_view(together.percent),
        fleiss=_view(together.fleiss),
        alpha=_view(together.alpha),
        pairs=[
            PairView(workers=(ids[pair.workers[0]], ids[pair.workers[1]]), percent=_view(pair.percent), cohen=_view(pair.cohen))
            for pair in pairs
        ],
    )


def _view(measure: agreeing.Measure) -> MeasureView:
    return MeasureView(**asdict(measure))


@router.get(
    "/campaigns/{campaign}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {kind: {} for kind in _KINDS.values()}}},
)
def export(
    one: Found, what: What = What.LABELS, layout: Annotated[Layout, Query(alias="format")] = Layout.CSV
) -> StreamingResponse:
    """Labels, estimates or the log as a file."""
    check_layout(what, layout)
    file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed when it has been sent
    exporting(one.campaign, what, layout, file)
    file.seek(0)
    ending = {Layout.JSONL: "jsonl", Layout.PARQUET: "parquet", Layout.LABELSTUDIO: "json"}.get(layout, "csv")
    return StreamingResponse(
        iter(lambda: file.read(_PART), b""),
        media_type=_KINDS.get(layout, "text/csv"),
        headers={"Content-Disposition": f'attachment; filename="{what}.{ending}"'},
        background=BackgroundTask(file.close),
    )


@router.get("/campaigns/{campaign}/overview")
def see(one: Found) -> dict[str, Any]:
    """Everything the dashboard draws."""
    return overview(one)


@router.get(
    "/campaigns/{campaign}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(one: Found, request: Request) -> StreamingResponse:
    """The overview, again whenever something happened, as server-sent events."""
    return StreamingResponse(_stream(one, request), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _stream(one: OpenCampaign, request: Request) -> AsyncIterator[str]:
    seen, quiet = -1, 0
    while not stopping.STOPPING.is_set() and not await request.is_disconnected():
        found = await run_in_threadpool(overview, one)
        if found["position"] != seen:
            seen, quiet = found["position"], 0
            yield f"event: overview\nid: {seen}\ndata: {json.dumps(found)}\n\n"
        elif (quiet := quiet + 1) % _QUIET == 0:
            yield ": still here\n\n"
        await asyncio.sleep(_BEAT)

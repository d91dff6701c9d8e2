"""Work in threads: where every millisecond counts, a request changes threads once, and few threads do the work."""

from collections.abc import Callable

import anyio
from anyio import to_thread
from fastapi import Response
from pydantic import BaseModel

_FEW = anyio.CapacityLimiter(8)
"""Requests to one campaign wait for one another anyway: with more threads they only wait in more places."""


async def in_a_thread(work: Callable[[], BaseModel]) -> Response:
    """What came of the work, as JSON; left to itself FastAPI would change threads for key, work and JSON alike."""
    content = await to_thread.run_sync(lambda: work().model_dump_json(), limiter=_FEW)
    return Response(content, media_type="application/json")

"""Work in threads: where every millisecond counts, a request changes threads once."""

from collections.abc import Callable

from fastapi import Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel


async def in_a_thread(work: Callable[[], BaseModel]) -> Response:
    """What came of the work, as JSON; left to itself FastAPI would change threads for key, work and JSON alike."""
    return Response(await run_in_threadpool(lambda: work().model_dump_json()), media_type="application/json")

"""From errors to answers: one shape, `{"error": "already_answered", "detail": "…"}`, and one table of statuses."""

import logging
import re

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from labelbandit.model import errors as ours

STATUS: dict[type[ours.LabelbanditError], int] = {
    ours.KeyMissing: 401,
    ours.KeyRefused: 403,
    ours.UnknownName: 404,
    ours.AlreadyAnswered: 409,
    ours.TooLate: 409,
    ours.NotAsked: 409,
    ours.BudgetTooSmall: 409,
    ours.CampaignOver: 409,
    ours.NameTaken: 409,
    ours.AlreadyThere: 409,
    ours.Conflict: 409,
    ours.TooLarge: 413,
    ours.BadInput: 422,
    ours.TooOften: 429,
    ours.StoreUnavailable: 503,
    ours.StoreFull: 507,
    ours.LabelbanditError: 500,
}
"""The nearest ancestor of an error decides."""

_PLAIN = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "too_large"}
_logger = logging.getLogger("labelbandit.server")


class Problem(BaseModel):
    """What went wrong: a code that stays, and a sentence for people."""

    error: str
    detail: str


PROBLEMS: dict[int | str, dict[str, object]] = {
    status: {"model": Problem, "description": says}
    for status, says in {
        400: "The request cannot be read.",
        401: "There is no key.",
        403: "The key does not open this.",
        404: "There is nothing of that name.",
        409: "It contradicts what has happened.",
        413: "It is too large.",
        422: "A value will not do.",
        429: "Too many requests.",
        503: "The store is out of reach.",
    }.items()
}
"""The answers that every route declares."""


def code_of(kind: type[ours.LabelbanditError]) -> str:
    """`AlreadyAnswered` as it is called in JSON: `already_answered`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def status_of(kind: type[ours.LabelbanditError]) -> int:
    """The status for an error."""
    return next(STATUS[ancestor] for ancestor in kind.__mro__ if ancestor in STATUS)


def problem(status: int, error: str, detail: str) -> JSONResponse:
    """The one shape."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {"Retry-After": "1"} if status in {429, 503} else None
    return JSONResponse({"error": error, "detail": detail}, status, headers)


async def _ours(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ours.LabelbanditError)
    kind = next(one for one in type(error).__mro__ if not one.__name__.startswith("_"))
    return problem(status_of(kind), code_of(kind), str(error))


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    return problem(422, "bad_input", f"{where} will not do: {first['msg']}")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    answer = problem(error.status_code, _PLAIN.get(error.status_code, "http_error"), str(error.detail))
    answer.headers.update(error.headers or {})
    if error.status_code == 405:
        answer.headers["Allow"] = ", ".join(sorted(_methods(request)))
    return answer


def _methods(request: Request) -> set[str]:
    """Every method of the path: its routes know only their own."""
    found: set[str] = set()
    for path, verbs in request.app.openapi()["paths"].items():
        if compile_path(path)[0].match(request.url.path):
            found |= {verb.upper() for verb in verbs}
    return found or {"GET"}


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    _logger.error("unexpected error", exc_info=error, extra={"path": request.url.path})
    return problem(500, "internal_error", "this is a fault of the server: its log says more")


def handle_errors(app: FastAPI) -> None:
    """Let every error of the app be told in the one shape."""
    app.add_exception_handler(ours.LabelbanditError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)

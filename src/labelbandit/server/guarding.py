"""What stands before every request: a limit on its size, headers that keep browsers strict, and a line in the log."""

import logging
import time

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from labelbandit.server.errors import problem

CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' https: data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "object-src 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_logger = logging.getLogger("labelbandit.access")


class Guard:
    """The outermost layer of the app."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes
        self._too_large = f"the body is larger than {most_bytes} bytes: send less at a time"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, watched."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, taken = time.perf_counter(), 500, 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise HTTPException(413, self._too_large)
            return message

        async def dressed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_RAW]
                if scope["path"].startswith("/api/"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        try:
            if self._announced(scope) > self._most:
                await problem(413, "too_large", self._too_large)(scope, receive, dressed)
            else:
                await self._app(scope, counted, dressed)
        finally:
            took = round(1000 * (time.perf_counter() - began), 2)
            extra = {"method": scope["method"], "path": scope["path"], "status": status, "milliseconds": took}
            _logger.info("request", extra=extra)

    @staticmethod
    def _announced(scope: Scope) -> int:
        length = dict(scope["headers"]).get(b"content-length", b"0")
        return int(length) if length.isdigit() else 0

"""Logs as JSON, a line each, on stderr."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

_OURS = ("method", "path", "status", "milliseconds", "campaign", "webhook", "event")


class _Json(logging.Formatter):
    """One record as one JSON object. Bodies, keys and queries are never part of it."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _OURS if hasattr(record, name)}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def write_json_logs() -> None:
    """Send everything to stderr, ours and the HTTP server's; the latter's own line per request is left out.

    In a terminal only warnings are shown: a line per request would carry off the key that is shown this once.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING if sys.stderr.isatty() else logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = name != "uvicorn.access"
    logging.getLogger("httpx").setLevel(logging.WARNING)

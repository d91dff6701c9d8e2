"""The courier: reads logs and sends what happened to webhooks, signed, in order, again until it is taken.

What was delivered is a position in the log, kept in the store; so a courier that is killed goes on where it was, and may
repeat the last message. Messages carry an id that is the same every time.
"""

import hashlib
import hmac
import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np

from labelbandit.campaign import believing, ledger
from labelbandit.campaign.board import Board
from labelbandit.model import events as ev
from labelbandit.model.errors import LabelbanditError
from labelbandit.server.webhooks import Webhook, note, webhooks_of
from labelbandit.stores.contract import CampaignRow, Entry, Register, Store

_logger = logging.getLogger("labelbandit.courier")
_BEAT = 1.0
_TIMEOUT = 10.0
_LONGEST_PAUSE = 3600.0
_SAVE_EVERY = 200
"""Positions without news after which a webhook's position is kept all the same."""


@dataclass(frozen=True, slots=True)
class Message:
    """Something worth telling."""

    id: str
    event: str
    position: int
    at: int
    data: dict[str, Any]

    def body(self, row: CampaignRow) -> bytes:
        """As it is sent."""
        whole = {"id": self.id, "event": self.event, "campaign": row.id, "name": row.name, "at": self.at, "data": self.data}
        return json.dumps(whole, ensure_ascii=False).encode()


class Follower:
    """Goes through a campaign's log and says what is worth telling."""

    def __init__(self, store: Store, row: CampaignRow, position: int) -> None:
        self._store, self._row = store, row
        log = iter(store.read(row.number))
        first = next(log)
        opened = ev.decode(first.kind, first.version, first.body)
        assert isinstance(opened, ev.CampaignOpened)
        self._board = Board(opened)
        self._board.apply(opened, first.at)
        while self._board.position < position and (entry := next(log, None)) is not None:
            ledger.catch_up(self._board, [entry])
        self._closed = self._board.closed().copy()
        self._reached = self._budget_reached()

    @property
    def position(self) -> int:
        """How far it has read."""
        return self._board.position

    def messages(self) -> Iterator[Message]:
        """What happened since, worth telling."""
        for entry in self._store.read(self._row.number, self._board.position):
            ledger.catch_up(self._board, [entry])
            for index, (event, data) in enumerate(self._news(entry)):
                yield Message(f"{self._row.id}-{entry.position}-{index}", event, entry.position, entry.at, data)

    def _news(self, entry: Entry) -> Iterator[tuple[str, dict[str, Any]]]:
        board = self._board
        closed = board.closed()
        newly = np.flatnonzero(closed & ~np.append(self._closed, np.zeros(closed.size - self._closed.size, np.bool_)))
        self._closed = closed.copy()
        for task in newly.tolist():
            yield "task.completed", self._estimate(task)
        reached = self._budget_reached()
        for share in sorted(reached - self._reached):
            yield "budget.reached", {"percent": share, "spent": board.spent, "budget": board.terms.budget}
        self._reached = reached
        if entry.kind == "campaign closed":
            yield "campaign.closed", {"labels": board.labels, "spent": board.spent, "budget": board.terms.budget}

    def _estimate(self, task: int) -> dict[str, Any]:
        found = self._store.rows(self._row.number, Register.TASK, [task]).get(task)
        estimate = believing.estimate(self._board, task, (found[0] if found else None) or f"erased-{task}")
        return {
            "task": estimate.task,
            "answer": estimate.answer,
            "probability": estimate.probability,
            "votes": dict(estimate.votes),
            "contested": estimate.contested,
        }

    def _budget_reached(self) -> set[int]:
        spent, budget = self._board.spent, self._board.terms.budget
        cheapest = int(self._board.prices().min()) if self._board.workers else 1
        reached = {80} if 100 * spent >= 80 * budget else set()
        return reached | ({100} if spent + cheapest > budget else set())


@dataclass(slots=True)
class _Route:
    """A campaign with webhooks: who reads its log, and what is yet to be sent to whom."""

    follower: Follower
    queues: dict[str, list[Message]] = field(default_factory=dict)
    tries: dict[str, tuple[int, float]] = field(default_factory=dict)


class Courier:
    """Delivers for all campaigns of a store. `round` does everything that is due; `start` repeats it in a thread."""

    def __init__(self, store: Store, client: httpx.Client | None = None) -> None:
        self._store = store
        self._client = client or httpx.Client(timeout=_TIMEOUT, follow_redirects=False, trust_env=False)
        self._routes: dict[int, _Route] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Deliver in the background."""
        self._thread = threading.Thread(target=self._run, name="courier", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish the message in hand and end."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_TIMEOUT)
        self._client.close()

    def _run(self) -> None:
        while not self._stop.wait(_BEAT):
            try:
                self.round()
            except LabelbanditError as error:
                _logger.warning("cannot read the store: %s", error)

    def round(self) -> None:
        """Read every log that has webhooks, and send what is due."""
        for row in self._store.campaigns():
            hooks = webhooks_of(self._store, row.number)
            if not hooks:
                self._routes.pop(row.number, None)
                continue
            route = self._routes.get(row.number)
            if route is None:
                start = min(hook.position for hook in hooks)
                route = self._routes[row.number] = _Route(Follower(self._store, row, start))
            self._collect(route, hooks)
            for hook in hooks:
                self._deliver(row, route, hook)

    def _collect(self, route: _Route, hooks: list[Webhook]) -> None:
        for message in route.follower.messages():
            for hook in hooks:
                if message.event in hook.events and message.position > hook.position:
                    route.queues.setdefault(hook.id, []).append(message)

    def _deliver(self, row: CampaignRow, route: _Route, hook: Webhook) -> None:
        queue = route.queues.setdefault(hook.id, [])
        tries, due = route.tries.get(hook.id, (0, 0.0))
        while queue and not self._stop.is_set() and time.monotonic() >= due:
            message = queue[0]
            fault = self._send(row, hook, message)
            if fault is not None:
                tries += 1
                route.tries[hook.id] = tries, time.monotonic() + min(2.0 ** (tries - 1), _LONGEST_PAUSE)
                said = {"campaign": row.id, "webhook": hook.id, "event": message.id}
                _logger.warning("not delivered: %s", fault, extra=said)
                note(self._store, row.number, hook, position=hook.position, failing=fault)
                return
            queue.pop(0)
            tries = 0
            route.tries.pop(hook.id, None)
            if not queue or queue[0].position > message.position:
                hook = note(self._store, row.number, hook, position=message.position, failing=None)
        if not queue and route.follower.position - hook.position > _SAVE_EVERY:
            note(self._store, row.number, hook, position=route.follower.position, failing=None)

    def _send(self, row: CampaignRow, hook: Webhook, message: Message) -> str | None:
        """Send once; what went wrong, if anything."""
        body, at = message.body(row), str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            "X-Labelbandit-Event": message.event,
            "X-Labelbandit-Delivery": message.id,
            "X-Labelbandit-Timestamp": at,
            "X-Labelbandit-Signature": signature(hook.secret, at, body),
        }
        try:
            answer = self._client.post(hook.url, content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"{type(error).__name__}: {error}"
        return None if answer.is_success else f"answered {answer.status_code}"


def signature(secret: str, at: str, body: bytes) -> str:
    """What proves that a message is ours: HMAC-SHA256 of the time, a dot and the body."""
    return "sha256=" + hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()

"""Turns: requests of several threads that wait for one another are decided one by one and written in one transaction."""

from collections import deque
from collections.abc import Callable
from typing import Any

from labelbandit.campaign.request import Request
from labelbandit.model.errors import LabelbanditError
from labelbandit.stores.contract import Writing

Decide = Callable[[Request, Writing], Any]


class Turn:
    """A request that waits, and then what came of it."""

    __slots__ = ("alone", "decide", "done", "key", "refusal", "result")

    def __init__(self, decide: Decide, key: str | None) -> None:
        self.decide = decide
        self.key = key
        self.begin(alone=False)

    def begin(self, *, alone: bool) -> None:
        """Wait, as if nothing had been tried; alone if it failed together with others."""
        self.alone = alone
        self.done = False
        self.result: Any = None
        self.refusal: LabelbanditError | None = None

    def outcome(self) -> Any:
        """The result, or the refusal as an error."""
        if self.refusal is not None:
            raise self.refusal
        return self.result


class Turns:
    """Those who wait, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[Turn] = deque()

    def wait(self, turn: Turn) -> None:
        """Be the last."""
        self._waiting.append(turn)

    def next(self, mine: Turn) -> list[Turn]:
        """All who wait, to be served together with this one."""
        if mine.alone:
            return [mine]
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

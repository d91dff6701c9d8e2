"""How often: a bucket of requests for each key, refilled at an even rate."""

import threading
import time
from collections.abc import Callable

from labelbandit.model.errors import TooOften

_MOST_BUCKETS = 10_000


class Buckets:
    """Buckets by key; a full one is as good as none, so those are forgotten when there are many."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._level: dict[bytes, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, key: bytes) -> None:
        """Use up one request."""
        now = self._clock()
        with self._lock:
            level, at = self._level.get(key, (self._burst, now))
            level = min(self._burst, level + (now - at) * self._rate)
            if level < 1.0:
                raise TooOften(f"more than {self._rate:g} requests a second with this key: slow down and try again")
            if len(self._level) >= _MOST_BUCKETS:
                self._level = {one: (left, when) for one, (left, when) in self._level.items() if self._missing(left, when, now)}
            self._level[key] = level - 1.0, now

    def _missing(self, level: float, at: float, now: float) -> bool:
        return level + (now - at) * self._rate < self._burst

"""How writers of one campaign queue on PostgreSQL: whoever writes goes on for a while, and the next catches up meanwhile."""

import time
from collections.abc import Callable

from labelbandit.stores.contract import Entry, Reading
from labelbandit.stores.postgres_link import Fields, Link
from labelbandit.stores.sql import READ

# The time and the end of the log are asked for in statements after the lock's, which see what was committed while this one
# waited; statements see what was there when they began. The lock lets others refer to the campaign, but not write it.
_LOCK = "SELECT number FROM campaigns WHERE number = ? FOR NO KEY UPDATE"
_END = """SELECT position, at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
FROM entries WHERE campaign = ? ORDER BY position DESC LIMIT 1"""
_INSIST = f"{_LOCK}; {_END}; {READ}"
_TRY = f"{_LOCK} SKIP LOCKED; {_END}; {READ}"
_ENTER = f"SELECT pg_advisory_xact_lock(?); {READ}"

_ANTECHAMBER = 0x6C61_6265_6C62 << 16  # from here on, by campaign, the locks of the next in line
_MOMENT = 0.0025
_MOMENTS = 6
"""So long whoever writes may go on before the next in line insists: commits in a row cost less than as many changes of hands.
If nothing was written for a moment, the next need not wait."""
_NOT_SEEN = 2**62


class Queue:
    """One who wants to write a campaign, and what was found in its log while waiting."""

    def __init__(self, link: Link, campaign: int, seen: int | None) -> None:
        self._link = link
        self._campaign = campaign
        self._seen = _NOT_SEEN if seen is None else seen
        self._ahead: list[Fields] = []
        self.last: Fields = ()

    def wait(self, waiting: Callable[[Reading], None] | None) -> bool:
        """Begin a transaction and wait until the campaign is ours; not if there is none."""
        if waiting is None:
            return self._came_in(f"BEGIN; {_INSIST}")
        if self._came_in(f"BEGIN; {_TRY}"):
            return True
        self._wait_politely(waiting)
        return self._came_in(_INSIST)

    def read(self, after: int) -> list[Entry]:
        """The log behind a position; the server is asked for what was not read ahead."""
        if after < self._seen:
            return list(map(Entry._make, self._link.ask(READ, self._campaign, after)))
        return [Entry._make(row) for row in self._ahead if row[0] > after]

    def _came_in(self, said: str) -> bool:
        row, last, entries = self._link.ask_all(said, self._campaign, self._campaign, self._campaign, self._end())[-3:]
        self._ahead += entries
        self.last = last[0] if last else ()
        return bool(row)

    def _wait_politely(self, waiting: Callable[[Reading], None]) -> None:
        """Stand in the antechamber, alone, and catch up."""
        self._look(_ENTER, _ANTECHAMBER + self._campaign)
        waiting(self.read)
        for _ in range(_MOMENTS):
            time.sleep(_MOMENT)
            if not self._look(READ):
                break
            waiting(self.read)

    def _look(self, said: str, *values: object) -> bool:
        found = self._link.ask_all(said, *values, self._campaign, self._end())[-1]
        self._ahead += found
        return bool(found)

    def _end(self) -> int:
        return self._ahead[-1][0] if self._ahead else self._seen

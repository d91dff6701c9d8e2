"""One transaction on PostgreSQL: small changes are said together with the commit, large ones are copied at once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from labelbandit.stores import checks
from labelbandit.stores.contract import Entry, Reading, Register
from labelbandit.stores.postgres_link import Fields, Link, Taken
from labelbandit.stores.sql import APPEND, OUTCOME, READ, REMEMBER

_SAID_TOGETHER = 50
_SAID_CHARACTERS = 100_000


class PostgresWriting:
    """See Writing."""

    def __init__(self, link: Link, campaign: int, clock: Callable[[], int] | None, last: Fields, read: Reading) -> None:
        self._link = link
        self._campaign = campaign
        self.last, at, now = last[:3]
        self.now: int = max(clock() if clock else now, at)
        self._read = read
        self._entries: list[Entry] = []
        self._requests: dict[str, str] = {}
        self._wrote = False
        self.entered = 0
        self._fault: Exception | None = None

    def read(self, after: int) -> list[Entry]:
        """See Writing."""
        with self._spoiling():
            if not self._wrote:
                return self._read(after)
            self._say_entries()
            return list(map(Entry._make, self._link.ask(READ, self._campaign, after)))

    def append(self, entries: Sequence[Entry]) -> None:
        """See Writing."""
        with self._spoiling():
            checks.check_positions(entries, self.last)
            self._entries.extend(entries)
            self.last += len(entries)
            self._wrote = self._wrote or bool(entries)

    def enter(self, register: Register, first: int, rows: Iterable[tuple[str | None, str | None]]) -> None:
        """See Writing."""
        with self._spoiling():
            numbered = (
                (self._campaign, register.value, number, id_, details)
                for number, (id_, details) in enumerate(checks.checked_rows(rows), first)
            )
            try:
                self.entered += self._link.copy("registered (campaign, register, number, id, details)", numbered)
            except Taken as error:
                # "Key (campaign, register, id)=(1, task, t0) already exists.": in any language, and whatever is in the id
                _, _, value = error.key.partition(f"=({self._campaign}, {register}, ")
                value = value[: value.rfind(")")]
                if error.constraint == "registered_id":
                    raise checks.already_there(register, value) from None
                raise checks.number_taken(register, int(value)) from None

    def outcome(self, request: str) -> str | None:
        """See Writing."""
        if request in self._requests:
            return self._requests[request]
        with self._spoiling():
            found = self._link.ask(OUTCOME, self._campaign, checks.storable(request))
        return found[0][0] if found else None

    def remember(self, request: str, outcome: str) -> None:
        """See Writing."""
        with self._spoiling():
            if request in self._requests:
                raise checks.request_known(request)
            self._requests[checks.storable(request)] = checks.storable(outcome)

    def commit(self) -> None:
        """Write what is left to write, and commit."""
        if self._fault is not None:
            raise self._fault
        if len(self._entries) > _SAID_TOGETHER or sum(len(entry.body) for entry in self._entries) > _SAID_CHARACTERS:
            self._say_entries()
        values: list[object] = [value for entry in self._entries for value in (self._campaign, *entry)]
        values += [value for request, outcome in self._requests.items() for value in (self._campaign, request, outcome)]
        statements = f"{APPEND};" * len(self._entries) + f"{REMEMBER};" * len(self._requests)
        try:
            self._link.commit(statements, *values)
        except Taken as error:
            if error.constraint == "requests_pkey":
                raise checks.request_known(", ".join(self._requests)) from None
            raise

    def _say_entries(self) -> None:
        if self._entries:
            self._link.copy(
                "entries (campaign, position, at, kind, version, body)", ((self._campaign, *entry) for entry in self._entries)
            )
            self._entries = []

    @contextmanager
    def _spoiling(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._fault = error
            raise

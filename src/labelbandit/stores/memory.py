"""A store that lasts as long as its process, for tests and simulations."""

import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from labelbandit.model.errors import Conflict, StoreUnavailable
from labelbandit.stores import checks
from labelbandit.stores.contract import CampaignRow, Entry, Key, Reading, Register

Row = tuple[str | None, str | None]


@dataclass(slots=True)
class _Table:
    """One register of one campaign."""

    rows: dict[int, Row] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def take(self, added: "_Table") -> None:
        self.numbers.update(added.numbers)
        self.rows.update(added.rows)


def _tables() -> dict[Register, _Table]:
    return defaultdict(_Table)


@dataclass(slots=True)
class _Campaign:
    row: CampaignRow
    entries: list[Entry]
    lock: threading.Lock = field(default_factory=threading.Lock)
    tables: dict[Register, _Table] = field(default_factory=_tables)
    outcomes: dict[str, str] = field(default_factory=dict)
    snapshot: tuple[int, str, bytes] | None = None


@dataclass(slots=True)
class Shelf:
    """What a memory store holds, apart from the store, so that several may share it."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    campaigns: list[_Campaign] = field(default_factory=list)
    by_name: dict[tuple[str, str], _Campaign] = field(default_factory=dict)
    keys: dict[bytes, Key] = field(default_factory=dict)


SHELVES: dict[str, Shelf] = {}
"""The shelves with a name; they last as long as the process."""


class _MemoryWriting:
    """What is to be added to a campaign, kept apart until the block is left."""

    __slots__ = ("_campaign", "_entries", "_outcomes", "_tables", "fault", "now")

    def __init__(self, campaign: _Campaign, now: int) -> None:
        self._campaign = campaign
        self._entries: list[Entry] = []
        self._tables = _tables()
        self._outcomes: dict[str, str] = {}
        self.fault: Exception | None = None
        self.now = max(now, campaign.entries[-1].at)

    def read(self, after: int) -> list[Entry]:
        return (self._campaign.entries + self._entries)[after + 1 :] if self._entries else self._campaign.entries[after + 1 :]

    def append(self, entries: Sequence[Entry]) -> None:
        with self._spoiling():
            checks.check_positions(entries, len(self._campaign.entries) + len(self._entries) - 1)
            self._entries.extend(entries)

    def enter(self, register: Register, first: int, rows: Iterable[Row]) -> None:
        there, added = self._campaign.tables[register], self._tables[register]
        with self._spoiling():
            for number, row in enumerate(checks.checked_rows(rows), first):
                if number in there.rows or number in added.rows:
                    raise checks.number_taken(register, number)
                added.rows[number] = row
                if row[0] is not None:
                    if row[0] in there.numbers or row[0] in added.numbers:
                        raise checks.already_there(register, row[0])
                    added.numbers[row[0]] = number

    def outcome(self, request: str) -> str | None:
        return self._outcomes.get(checks.storable(request), self._campaign.outcomes.get(request))

    def remember(self, request: str, outcome: str) -> None:
        with self._spoiling():
            if self.outcome(request) is not None:
                raise checks.request_known(request)
            self._outcomes[checks.storable(request)] = checks.storable(outcome)

    @contextmanager
    def _spoiling(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.fault = error
            raise

    def commit(self) -> None:
        if self.fault is not None:
            raise self.fault
        for register, added in self._tables.items():
            self._campaign.tables[register].take(added)
        self._campaign.outcomes.update(self._outcomes)
        self._campaign.entries.extend(self._entries)


class MemoryStore:
    """The contract kept by plain Python objects."""

    def __init__(self, url: str, shelf: Shelf, clock: Callable[[], int]) -> None:
        self.url = url
        self._shelf: Shelf | None = shelf
        self._clock = clock

    def create(self, name: str, owner: str, entry: Entry) -> CampaignRow:
        """See Store."""
        checks.check_positions([entry], -1)
        with self._open.lock:
            self._refuse_taken(checks.storable(name), checks.storable(owner))
            row = CampaignRow(len(self._open.campaigns) + 1, uuid.uuid4().hex, name, owner, entry.at)
            campaign = _Campaign(row, [entry])
            self._open.campaigns.append(campaign)
            self._open.by_name[owner, name] = campaign
        return row

    def find(self, name: str, owner: str) -> CampaignRow | None:
        """See Store."""
        found = self._open.by_name.get((checks.storable(owner), checks.storable(name)))
        return None if found is None else found.row

    def campaigns(self, owner: str | None = None) -> list[CampaignRow]:
        """See Store."""
        rows = [campaign.row for campaign in list(self._open.campaigns)]
        return rows if owner is None else [row for row in rows if row.owner == checks.storable(owner)]

    def rename(self, campaign: int, name: str) -> None:
        """See Store."""
        found = self._campaign(campaign)
        with self._open.lock:
            if name == found.row.name:
                return
            self._refuse_taken(checks.storable(name), found.row.owner)
            del self._open.by_name[found.row.owner, found.row.name]
            found.row = found.row._replace(name=name)
            self._open.by_name[found.row.owner, name] = found

    @contextmanager
    def writing(self, campaign: int, waiting: Callable[[Reading], None] | None = None) -> Iterator[_MemoryWriting]:
        """See Store."""
        found = self._campaign(campaign)
        if not found.lock.acquire(timeout=checks.PATIENCE):
            raise checks.too_busy(self.url)
        try:
            writing = _MemoryWriting(found, self._clock())
            yield writing
            writing.commit()
        finally:
            found.lock.release()

    def read(self, campaign: int, after: int = -1) -> Iterator[Entry]:
        """See Store."""
        entries = self._campaign(campaign).entries
        return iter(entries[after + 1 :])

    def numbers(self, campaign: int, register: Register, ids: Sequence[str]) -> dict[str, int]:
        """See Store."""
        known = self._campaign(campaign).tables[register].numbers
        return {id_: known[id_] for id_ in ids if checks.storable(id_) in known}

    def rows(self, campaign: int, register: Register, numbers: Sequence[int]) -> dict[int, Row]:
        """See Store."""
        known = self._campaign(campaign).tables[register].rows
        return {number: known[number] for number in numbers if number in known}

    def all_rows(self, campaign: int, register: Register, after: int = -1) -> Iterator[tuple[int, str | None, str | None]]:
        """See Store."""
        known = self._campaign(campaign).tables[register].rows
        return ((number, *known[number]) for number in sorted(known) if number > after)

    def amend_row(self, campaign: int, register: Register, number: int, details: str | None) -> None:
        """See Store."""
        with self._changing(campaign, register, number) as table:
            table.rows[number] = table.rows[number][0], None if details is None else checks.storable(details)

    def erase(self, campaign: int, register: Register, number: int) -> None:
        """See Store."""
        with self._changing(campaign, register, number) as table:
            id_, _ = table.rows[number]
            if id_ is not None:
                del table.numbers[id_]
            table.rows[number] = None, None

    def outcome(self, campaign: int, request: str) -> str | None:
        """See Store."""
        return self._campaign(campaign).outcomes.get(checks.storable(request))

    def keep_snapshot(self, campaign: int, position: int, digest: str, parts: Iterable[bytes]) -> None:
        """See Store."""
        self._campaign(campaign).snapshot = position, digest, b"".join(parts)

    def snapshot(self, campaign: int) -> tuple[int, str, bytes] | None:
        """See Store."""
        return self._campaign(campaign).snapshot

    def add_key(self, key: Key) -> None:
        """See Store."""
        checks.storable(key.owner)
        if self._open.keys.setdefault(key.digest, key) is not key:
            raise Conflict("there is a key with this digest already: make another token")

    def find_key(self, digest: bytes) -> Key | None:
        """See Store."""
        return self._open.keys.get(digest)

    def drop_key(self, digest: bytes) -> None:
        """See Store."""
        self._open.keys.pop(digest, None)

    def keys(self, owner: str) -> list[Key]:
        """See Store."""
        checks.storable(owner)
        return sorted(
            (key for key in list(self._open.keys.values()) if key.owner == owner), key=lambda key: (key.created_at, key.digest)
        )

    def now(self) -> int:
        """See Store."""
        return self._clock()

    def close(self) -> None:
        """See Store."""
        self._shelf = None

    @property
    def _open(self) -> Shelf:
        if self._shelf is None:
            raise checks.closed(self.url)
        return self._shelf

    def _campaign(self, number: int) -> _Campaign:
        if not 0 < number <= len(self._open.campaigns):
            raise checks.no_campaign(number, self.url)
        return self._open.campaigns[number - 1]

    def _refuse_taken(self, name: str, owner: str) -> None:
        if (owner, name) in self._open.by_name:
            raise checks.name_taken(name, owner)

    @contextmanager
    def _changing(self, campaign: int, register: Register, number: int) -> Iterator[_Table]:
        found = self._campaign(campaign)
        with found.lock:
            if number not in found.tables[register].rows:
                raise checks.no_row(register, number)
            yield found.tables[register]


def open_memory(url: str, *, create: bool, clock: Callable[[], int]) -> MemoryStore:
    """A new store for `memory:`, and for `memory:name` the one of that name in this process."""
    name = url.removeprefix("memory:")
    if not name:
        return MemoryStore(url, Shelf(), clock)
    if not create and name not in SHELVES:
        raise StoreUnavailable(f"there is no store {url} in this process: create a campaign in it first")
    return MemoryStore(url, SHELVES.setdefault(name, Shelf()), clock)

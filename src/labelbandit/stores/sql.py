"""What SQLite and PostgreSQL do alike: the contract of a store, in statements both understand."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, Protocol

from labelbandit.model.errors import Conflict
from labelbandit.stores import checks
from labelbandit.stores.contract import CampaignRow, Entry, Key, Reading, Register, Writing
from labelbandit.stores.schema import Dialect

Fields = tuple[Any, ...]

BATCH_ROWS = 4096
BATCH_CHARACTERS = 4_000_000
PART_BYTES = 4_000_000

READ = "SELECT position, at, kind, version, body FROM entries WHERE campaign = ? AND position > ? ORDER BY position"
LAST = "SELECT position, at FROM entries WHERE campaign = ? ORDER BY position DESC LIMIT 1"
APPEND = "INSERT INTO entries (campaign, position, at, kind, version, body) VALUES (?, ?, ?, ?, ?, ?)"
OUTCOME = "SELECT outcome FROM requests WHERE campaign = ? AND request = ?"
REMEMBER = "INSERT INTO requests (campaign, request, outcome) VALUES (?, ?, ?)"
_CAMPAIGNS = "SELECT number, id, name, owner, created_at FROM campaigns"
_KEYS = "SELECT digest, owner, campaign, worker, created_at FROM keys"
_REPLACE_SNAPSHOT = """INSERT INTO snapshots (campaign, token, position, digest) VALUES (?, ?, ?, ?) ON CONFLICT (campaign) DO
    UPDATE SET token = excluded.token, position = excluded.position, digest = excluded.digest"""
_ROW = "campaign = ? AND register = ? AND number = ?"


class _Overtaken(Exception):
    """Another snapshot was kept meanwhile, and the parts of this one were cleared away: that one holds."""


class Changing(Protocol):
    """One transaction that is bound to no campaign."""

    def ask(self, sql: str, *values: object) -> list[Fields]:
        """The rows of a statement."""
        ...

    def run(self, sql: str, *values: object) -> int:
        """How many rows a statement changed; Conflict if they would not be unique."""
        ...


class Database(Protocol):
    """What each of the two databases does in its own way; question marks stand for values."""

    url: str
    shown: str
    dialect: Dialect

    def ask(self, sql: str, *values: object) -> list[Fields]:
        """The rows of a statement that changes nothing."""
        ...

    def pack(self, values: Sequence[object]) -> object:
        """A list as one value, for `Dialect.among`."""
        ...

    def changing(self) -> AbstractContextManager[Changing]:
        """A transaction bound to no campaign."""
        ...

    def erasing(self) -> AbstractContextManager[Changing]:
        """A transaction that leaves nothing readable of what it deletes, as far as the database can."""
        ...

    def writing(self, campaign: int, waiting: Callable[[Reading], None] | None = None) -> AbstractContextManager[Writing]:
        """See Store."""
        ...

    def now(self) -> int:
        """See Store."""
        ...

    def close(self) -> None:
        """See Store."""
        ...


class SqlStore:
    """The contract kept by a database."""

    def __init__(self, database: Database) -> None:
        self.url = database.url
        self.writing = database.writing
        self.now = database.now
        self.close = database.close
        self._database = database

    def create(self, name: str, owner: str, entry: Entry) -> CampaignRow:
        """See Store."""
        checks.check_positions([entry], -1)
        id_ = uuid.uuid4().hex
        with self._database.changing() as changing:
            try:
                rows = changing.ask(
                    "INSERT INTO campaigns (id, name, owner, created_at) VALUES (?, ?, ?, ?) RETURNING number",
                    *(id_, checks.storable(name), checks.storable(owner), entry.at),
                )
            except Conflict:
                raise checks.name_taken(name, owner) from None
            number: int = rows[0][0]
            changing.run(APPEND, number, *entry)
        return CampaignRow(number, id_, name, owner, entry.at)

    def find(self, name: str, owner: str) -> CampaignRow | None:
        """See Store."""
        found = self._database.ask(f"{_CAMPAIGNS} WHERE owner = ? AND name = ?", checks.storable(owner), checks.storable(name))
        return CampaignRow._make(found[0]) if found else None

    def campaigns(self, owner: str | None = None) -> list[CampaignRow]:
        """See Store."""
        if owner is None:
            found = self._database.ask(f"{_CAMPAIGNS} ORDER BY number")
        else:
            found = self._database.ask(f"{_CAMPAIGNS} WHERE owner = ? ORDER BY number", checks.storable(owner))
        return list(map(CampaignRow._make, found))

    def rename(self, campaign: int, name: str) -> None:
        """See Store."""
        with self._database.changing() as changing:
            try:
                changed = changing.run("UPDATE campaigns SET name = ? WHERE number = ?", checks.storable(name), campaign)
            except Conflict:
                raise checks.name_taken(name) from None
            if not changed:
                raise checks.no_campaign(campaign, self._database.shown)

    def read(self, campaign: int, after: int = -1) -> Iterator[Entry]:
        """See Store."""
        fields = self._streamed(READ, (campaign,), after, lambda fields: len(fields[4]))
        return map(Entry._make, fields)

    def numbers(self, campaign: int, register: Register, ids: Sequence[str]) -> dict[str, int]:
        """See Store."""
        sql = f"SELECT id, number FROM registered WHERE campaign = ? AND register = ? AND id {self._database.dialect.among}"  # noqa: S608
        return dict(
            self._database.ask(sql, campaign, register.value, self._database.pack([checks.storable(id_) for id_ in ids]))
        )

    def rows(self, campaign: int, register: Register, numbers: Sequence[int]) -> dict[int, tuple[str | None, str | None]]:
        """See Store."""
        among = self._database.dialect.among
        sql = f"SELECT number, id, details FROM registered WHERE campaign = ? AND register = ? AND number {among}"  # noqa: S608
        found = self._database.ask(sql, campaign, register.value, self._database.pack(numbers))
        return {number: (id_, details) for number, id_, details in found}

    def all_rows(self, campaign: int, register: Register, after: int = -1) -> Iterator[tuple[int, str | None, str | None]]:
        """See Store."""
        sql = "SELECT number, id, details FROM registered WHERE campaign = ? AND register = ? AND number > ? ORDER BY number"
        fields = self._streamed(sql, (campaign, register.value), after, lambda fields: len(fields[2] or ""))
        return ((number, id_, details) for number, id_, details in fields)

    def amend_row(self, campaign: int, register: Register, number: int, details: str | None) -> None:
        """See Store."""
        if details is not None:
            checks.storable(details)
        with self._database.changing() as changing:
            if not changing.run(f"UPDATE registered SET details = ? WHERE {_ROW}", details, campaign, register.value, number):  # noqa: S608
                raise checks.no_row(register, number)

    def erase(self, campaign: int, register: Register, number: int) -> None:
        """See Store."""
        sql = f"UPDATE registered SET id = NULL, details = NULL WHERE {_ROW}"  # noqa: S608
        with self._database.erasing() as changing:
            if not changing.run(sql, campaign, register.value, number):
                raise checks.no_row(register, number)

    def outcome(self, campaign: int, request: str) -> str | None:
        """See Store."""
        found = self._database.ask(OUTCOME, campaign, checks.storable(request))
        return found[0][0] if found else None

    def keep_snapshot(self, campaign: int, position: int, digest: str, parts: Iterable[bytes]) -> None:
        """See Store."""
        token, count = uuid.uuid4().hex, 0
        for part in _cut(parts):  # each in a transaction of its own, so that nobody waits for the whole
            with self._database.changing() as changing:
                changing.run("INSERT INTO snapshot_parts VALUES (?, ?, ?, ?)", campaign, token, count, part)
            count += 1
        with suppress(_Overtaken), self._database.changing() as changing:
            changing.run(_REPLACE_SNAPSHOT, campaign, token, position, digest)  # first, since others wait at this row
            ((there,),) = changing.ask("SELECT count(*) FROM snapshot_parts WHERE campaign = ? AND token = ?", campaign, token)
            if there != count:
                raise _Overtaken
            changing.run("DELETE FROM snapshot_parts WHERE campaign = ? AND token <> ?", campaign, token)

    def snapshot(self, campaign: int) -> tuple[int, str, bytes] | None:
        """See Store."""
        found = self._database.ask(
            """SELECT position, digest, bytes FROM snapshots JOIN snapshot_parts
               ON snapshots.campaign = snapshot_parts.campaign AND snapshots.token = snapshot_parts.token
               WHERE snapshots.campaign = ? ORDER BY part""",
            campaign,
        )
        return (found[0][0], found[0][1], b"".join(fields[2] for fields in found)) if found else None

    def add_key(self, key: Key) -> None:
        """See Store."""
        checks.storable(key.owner)
        with self._database.changing() as changing:
            try:
                changing.run("INSERT INTO keys (digest, owner, campaign, worker, created_at) VALUES (?, ?, ?, ?, ?)", *key)
            except Conflict:
                raise Conflict("there is a key with this digest already: make another token") from None

    def find_key(self, digest: bytes) -> Key | None:
        """See Store."""
        found = self._database.ask(f"{_KEYS} WHERE digest = ?", digest)
        return Key._make(found[0]) if found else None

    def drop_key(self, digest: bytes) -> None:
        """See Store."""
        with self._database.changing() as changing:
            changing.run("DELETE FROM keys WHERE digest = ?", digest)

    def keys(self, owner: str) -> list[Key]:
        """See Store."""
        found = self._database.ask(f"{_KEYS} WHERE owner = ? ORDER BY created_at, digest", checks.storable(owner))
        return list(map(Key._make, found))

    def _streamed(self, sql: str, values: Fields, after: int, size: Callable[[Fields], int]) -> Iterator[Fields]:
        """Rows in batches of a bearable size; between batches no transaction is open."""
        limit = BATCH_ROWS // 16
        while batch := self._database.ask(f"{sql} LIMIT ?", *values, after, limit):
            yield from batch
            after = batch[-1][0]
            limit = max(1, min(BATCH_ROWS, BATCH_CHARACTERS * len(batch) // (1 + sum(map(size, batch)))))


def _cut(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in parts that are never too large; at least one, so that an empty snapshot is one too."""
    none = True
    for part in parts:
        for begin in range(0, len(part), PART_BYTES):
            none = False
            yield part[begin : begin + PART_BYTES]
    if none:
        yield b""

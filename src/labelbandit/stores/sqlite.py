"""Campaigns in one file: SQLite with a write-ahead log, synced at every commit."""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import uniform
from typing import NamedTuple
from urllib.parse import quote

from labelbandit.model.errors import (
    Conflict,
    LabelbanditError,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    UnknownStore,
)
from labelbandit.stores import checks, schema
from labelbandit.stores.contract import Entry, Reading, Register
from labelbandit.stores.sql import APPEND, LAST, OUTCOME, READ, REMEMBER, Fields, SqlStore

DIALECT = schema.Dialect(
    whole="INTEGER",
    octets="BLOB",
    serial="INTEGER PRIMARY KEY",
    clustered=" WITHOUT ROWID",
    among="IN (SELECT value FROM json_each(?))",
)
_PREFIX = "sqlite:///"
_ENTER = "INSERT INTO registered (campaign, register, number, id, details) VALUES (?, ?, ?, ?, ?)"
_PAUSE = 0.0005
"""Seconds between tries for the write lock, about what a commit takes; SQLite's own pauses grow to a tenth of a second."""

_INHERITED: list[object] = []
"""Connections of a process that forked: the child must neither use nor close them."""


class _Link:
    """One connection; its errors are ours."""

    __slots__ = ("raw", "shown")

    def __init__(self, path: Path, shown: str, mode: str, patience: float) -> None:
        self.shown = shown
        try:
            self.raw = sqlite3.connect(
                f"file:{quote(str(path))}?mode={mode}",
                uri=True,
                timeout=patience,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.Error as error:
            raise in_our_words(error, shown) from error

    def ask(self, sql: str, *values: object) -> list[Fields]:
        try:
            return self.raw.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise in_our_words(error, self.shown) from error

    def run(self, sql: str, *values: object) -> int:
        try:
            return self.raw.execute(sql, values).rowcount
        except sqlite3.Error as error:
            raise in_our_words(error, self.shown) from error

    def run_many(self, sql: str, rows: Iterable[Fields]) -> None:
        try:
            self.raw.executemany(sql, rows)
        except sqlite3.Error as error:
            raise in_our_words(error, self.shown) from error


class _SqliteWriting:
    """See Writing."""

    __slots__ = ("_campaign", "_last", "_link", "fault", "now")

    def __init__(self, link: _Link, campaign: int, last: int, now: int) -> None:
        self._link = link
        self._campaign = campaign
        self._last = last
        self.fault: Exception | None = None
        self.now = now

    def read(self, after: int) -> list[Entry]:
        return list(map(Entry._make, self._link.ask(READ, self._campaign, after)))

    def append(self, entries: Sequence[Entry]) -> None:
        with self._spoiling():
            checks.check_positions(entries, self._last)
            self._link.run_many(APPEND, [(self._campaign, *entry) for entry in entries])
            self._last += len(entries)

    def enter(self, register: Register, first: int, rows: Iterable[tuple[str | None, str | None]]) -> None:
        at, id_ = first, None

        def numbered() -> Iterator[Fields]:
            nonlocal at, id_
            for at, (id_, details) in enumerate(checks.checked_rows(rows), first):
                yield self._campaign, register.value, at, id_, details

        with self._spoiling():
            try:
                self._link.run_many(_ENTER, numbered())
            except _Taken as error:
                raise (
                    checks.already_there(register, id_) if "registered.id" in str(error) else checks.number_taken(register, at)
                ) from None

    def outcome(self, request: str) -> str | None:
        found = self._link.ask(OUTCOME, self._campaign, checks.storable(request))
        return found[0][0] if found else None

    def remember(self, request: str, outcome: str) -> None:
        with self._spoiling():
            try:
                self._link.run(REMEMBER, self._campaign, checks.storable(request), checks.storable(outcome))
            except _Taken:
                raise checks.request_known(request) from None

    @contextmanager
    def _spoiling(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.fault = error
            raise


class SqliteDatabase:
    """One connection that writes, and as many that read as there are readers at a time."""

    dialect = DIALECT

    def __init__(self, url: str, path: Path, clock: Callable[[], int]) -> None:
        self.url = self.shown = url
        self.now = clock
        self._path = path
        self._turn = threading.Lock()  # threads queue here; processes at SQLite's lock
        self._writer: _Link | None = None
        self._readers: list[_Link] = []
        self._process = os.getpid()
        self._closed = False

    def ask(self, sql: str, *values: object) -> list[Fields]:
        """See Database."""
        self._check_open()
        try:
            link = self._readers.pop()
        except IndexError:
            link = _connected(self._path, self.shown, checks.PATIENCE)
        try:
            return link.ask(sql, *values)
        finally:
            self._readers.append(link)
            if self._closed:
                self._close_readers()

    def pack(self, values: Sequence[object]) -> object:
        """See Database."""
        return json.dumps(list(values))

    @contextmanager
    def changing(self) -> Iterator[_Link]:
        """See Database."""
        self._check_open()
        if not self._turn.acquire(timeout=checks.PATIENCE):
            raise checks.too_busy(self.shown)
        try:
            link = self._writing_link()
            _patiently(link, "BEGIN IMMEDIATE")
            try:
                yield link
                link.run("COMMIT")
            except BaseException:
                with suppress(StoreError):
                    link.run("ROLLBACK")
                raise
        finally:
            self._turn.release()

    @contextmanager
    def erasing(self) -> Iterator[_Link]:
        """See Database."""
        with self.changing() as link:
            link.run("PRAGMA secure_delete = ON")
            try:
                yield link
            finally:
                link.run("PRAGMA secure_delete = FAST")
        self.ask("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def writing(self, campaign: int, waiting: Callable[[Reading], None] | None = None) -> Iterator[_SqliteWriting]:
        """See Store."""
        with self.changing() as link:
            found = link.ask(LAST, campaign)
            if not found:
                raise checks.no_campaign(campaign, self.shown)
            last, at = found[0]
            writing = _SqliteWriting(link, campaign, last, max(self.now(), at))
            yield writing
            if writing.fault is not None:
                raise writing.fault

    def prepare(self, *, create: bool, upgrading: bool) -> tuple[int, int]:
        """Make the tables if there are none, or bring them up to date; returns the versions before and after."""
        if not create and not self._path.exists():
            raise _not_there(self.shown)
        if not self._path.parent.is_dir():
            raise StoreUnavailable(f"{self.shown} cannot be made: there is no folder {self._path.parent}; make it first")
        first = _Link(self._path, self.shown, "rwc" if create else "rw", checks.PATIENCE)
        try:
            version = _version(first, self.shown)  # before anything is changed: the file may be another's
        finally:
            first.raw.close()
        if version == 0 and not create:
            raise _not_there(self.shown)
        if version == 0 or upgrading:
            with self.changing() as link:
                version = _version(link, self.shown)  # another process may have been first
                schema.check_version(version, self.shown, upgrading=upgrading or version == 0)
                schema.migrate(link.run, DIALECT, version)
            return version, schema.latest()
        schema.check_version(version, self.shown, upgrading=False)
        return version, version

    def close(self) -> None:
        """See Store."""
        with self._turn:
            self._closed = True
            if self._writer is not None:
                self._writer.raw.close()
                self._writer = None
            self._close_readers()

    def _close_readers(self) -> None:
        with suppress(IndexError):
            while True:
                self._readers.pop().raw.close()

    def _check_open(self) -> None:
        if self._closed:
            raise checks.closed(self.shown)
        if self._process != os.getpid():
            _INHERITED.append((self._writer, self._readers))
            self._turn, self._writer, self._readers, self._process = threading.Lock(), None, [], os.getpid()

    def _writing_link(self) -> _Link:
        self._check_open()  # it may have been closed while this thread waited
        if self._writer is None:
            self._writer = _connected(self._path, self.shown, 0)
            self._writer.run("PRAGMA cache_size = -65536")  # for a million ids in one transaction
        return self._writer


def _connected(path: Path, shown: str, patience: float) -> _Link:
    link = _Link(path, shown, "rw", patience)
    try:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = FAST"):
            _patiently(link, f"PRAGMA {pragma}")
    except BaseException:
        link.raw.close()
        raise
    return link


def _patiently(link: _Link, sql: str) -> None:
    """Try until nobody else holds the lock."""
    deadline = time.monotonic() + checks.PATIENCE
    while True:
        try:
            link.run(sql)
        except _Busy:
            if time.monotonic() > deadline:
                raise
            time.sleep(uniform(0, 2 * _PAUSE))  # noqa: S311 - only to keep writers out of step
        else:
            return


class _Taken(Conflict):
    """A row that must be unique is there already."""


class _Busy(StoreUnavailable):
    """Somebody else holds the lock."""


class _Fault(NamedTuple):
    kind: type[LabelbanditError]
    sentence: str


_FAULTS = {
    "SQLITE_CONSTRAINT_PRIMARYKEY": _Fault(_Taken, "{url}: {said}"),
    "SQLITE_CONSTRAINT_UNIQUE": _Fault(_Taken, "{url}: {said}"),
    "SQLITE_BUSY": _Fault(_Busy, f"{{url}} is busy: another writer held it for {checks.PATIENCE:g} seconds; try again"),
    "SQLITE_FULL": _Fault(StoreFull, "there is no room left for {url}: free some disk space and try again"),
    "SQLITE_READONLY": _Fault(StoreReadOnly, "{url} cannot be written: give yourself write access to the file and its folder"),
    "SQLITE_NOTADB": _Fault(UnknownStore, "{url} is not an SQLite database: give the path of another file"),
    "SQLITE_CORRUPT": _Fault(StoreUnavailable, "{url} is damaged ({said}): restore it from a backup"),
    "SQLITE_CANTOPEN": _Fault(
        StoreUnavailable, "{url} cannot be opened: check the path and your rights to the file and its folder"
    ),
    "SQLITE_IOERR": _Fault(StoreUnavailable, "{url} cannot be read or written ({said}): check the disk"),
}


def in_our_words(error: sqlite3.Error, url: str) -> LabelbanditError:
    """What SQLite complains of, as one of our errors."""
    code = getattr(error, "sqlite_errorname", "")
    general = "_".join(code.split("_")[:2])
    fault = _FAULTS.get(code) or _FAULTS.get(general) or _Fault(StoreError, "{url}: {said}; please report this")
    return fault.kind(fault.sentence.format(url=url, said=error))


def _version(link: _Link, shown: str) -> int:
    tables = {name for (name,) in link.ask("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return 0
    if "labelbandit" not in tables:
        raise UnknownStore(f"{shown} is an SQLite database of something else: give the path of another file")
    ((version,),) = link.ask("SELECT version FROM labelbandit")
    return int(version)


def _not_there(shown: str) -> StoreUnavailable:
    return StoreUnavailable(f"there is no store {shown}: check the path, or create a campaign in it first")


def _database(url: str, clock: Callable[[], int]) -> SqliteDatabase:
    path = url.removeprefix(_PREFIX)
    if path == url or not path or path.endswith("/") or path == ":memory:":
        raise UnknownStore(f"{url!r} names no file: give sqlite:/// and a path, as in sqlite:///labels.db, or memory: for none")
    return SqliteDatabase(url, Path(path).absolute(), clock)


def open_sqlite(url: str, *, create: bool, clock: Callable[[], int]) -> SqlStore:
    """The store in that file."""
    database = _database(url, clock)
    try:
        database.prepare(create=create, upgrading=False)
    except BaseException:
        database.close()
        raise
    return SqlStore(database)


def upgrade_sqlite(url: str) -> tuple[int, int]:
    """Bring the tables in that file up to date."""
    database = _database(url, lambda: 0)
    try:
        return database.prepare(create=False, upgrading=True)
    finally:
        database.close()

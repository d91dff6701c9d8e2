"""Campaigns on PostgreSQL: writers queue at the row of their campaign, and two round trips make a commit."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

from labelbandit.model.errors import StoreError, StoreUnavailable, UnknownStore
from labelbandit.stores import checks, schema
from labelbandit.stores.contract import Reading
from labelbandit.stores.postgres_link import Fields, Link, Lost, connected
from labelbandit.stores.postgres_queue import Queue
from labelbandit.stores.postgres_writing import PostgresWriting
from labelbandit.stores.sql import SqlStore

DIALECT = schema.Dialect(
    whole="BIGINT",
    octets="BYTEA",
    serial="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    clustered="",
    among="= ANY(?)",
)
_NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_MANY = 1000
"""Names entered at once after which the server must count anew, or it would look for one of them by going through all."""
_MAKING = 0x6C61_6265_6C62  # the lock of those who make or upgrade tables

Answer = TypeVar("Answer")

_INHERITED: list[object] = []
"""Connections of a process that forked: the child must neither use nor close them."""


class PostgresDatabase:
    """As many connections as are needed at a time; those not in use wait for the next."""

    dialect = DIALECT

    def __init__(self, url: str, shown: str, clock: Callable[[], int] | None) -> None:
        self.url = url
        self.shown = shown
        self._clock = clock
        self._idle: list[Link] = []
        self._seen: dict[int, int] = {}  # by campaign: where this process last saw the end of its log
        self._turns: dict[int, threading.Lock] = {}  # threads queue here, and one of them at the server
        self._process = os.getpid()
        self._closed = False

    def now(self) -> int:
        """See Store."""
        return self._clock() if self._clock else self.ask(_NOW)[0][0]

    def ask(self, sql: str, *values: object) -> list[Fields]:
        """See Database."""
        with self._lent(lambda link: link.ask(sql, *values)) as (_, rows):
            return rows

    def pack(self, values: Sequence[object]) -> object:
        """See Database."""
        return list(values)

    @contextmanager
    def changing(self) -> Iterator[Link]:
        """See Database."""
        with self._lent(lambda link: link.run("BEGIN")) as (link, _), _ending_well(link):
            yield link
            link.commit()

    erasing = changing

    @contextmanager
    def writing(self, campaign: int, waiting: Callable[[Reading], None] | None = None) -> Iterator[PostgresWriting]:
        """See Store."""
        self._check_open()
        turn = self._turns.setdefault(campaign, threading.Lock())
        if not turn.acquire(timeout=checks.PATIENCE):
            raise checks.too_busy(self.shown)
        try:
            with self._written(campaign, waiting) as writing:
                yield writing
        finally:
            turn.release()

    @contextmanager
    def _written(self, campaign: int, waiting: Callable[[Reading], None] | None) -> Iterator[PostgresWriting]:
        with self._lent(lambda link: self._locked(link, campaign, waiting)) as (link, writing):
            with _ending_well(link):
                yield writing
                writing.commit()
            self._seen[campaign] = writing.last
            if writing.entered > _MANY:
                with suppress(StoreError):  # what was to be written is; this only saves time
                    link.run("ANALYZE registered")

    def _locked(self, link: Link, campaign: int, waiting: Callable[[Reading], None] | None) -> PostgresWriting:
        """Wait until the campaign is ours. A connection on which this raises is closed, and with it goes every lock."""
        queue = Queue(link, campaign, self._seen.get(campaign))
        if not queue.wait(waiting):
            raise checks.no_campaign(campaign, self.shown)
        return PostgresWriting(link, campaign, self._clock, queue.last, queue.read)

    def prepare(self, *, create: bool, upgrading: bool) -> tuple[int, int]:
        """Make the tables if there are none, or bring them up to date; returns the versions before and after."""
        with self._lent(lambda link: link.server_encoding) as (_, encoding):
            if encoding != "UTF8":
                raise UnknownStore(f"the database of {self.shown} is encoded in {encoding}: create one with ENCODING 'UTF8'")
        version = _version(self.ask)
        if version == 0 and not create:
            raise StoreUnavailable(f"there is no store {self.shown}: check the database, or create a campaign in it first")
        if version == 0 or upgrading:
            with self.changing() as changing:
                changing.ask(f"SELECT pg_advisory_xact_lock({_MAKING})")
                version = _version(changing.ask)  # another process may have been first
                schema.check_version(version, self.shown, upgrading=upgrading or version == 0)
                schema.migrate(changing.run, DIALECT, version)
            return version, schema.latest()
        schema.check_version(version, self.shown, upgrading=False)
        return version, version

    def close(self) -> None:
        """See Store."""
        self._closed = True
        self._drop_idle()

    def _check_open(self) -> None:
        if self._closed:
            raise checks.closed(self.shown)
        if self._process != os.getpid():
            _INHERITED.append(self._idle)
            self._idle, self._turns, self._process = [], {}, os.getpid()

    def _drop_idle(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    @contextmanager
    def _lent(self, opening: Callable[[Link], Answer]) -> Iterator[tuple[Link, Answer]]:
        """A connection on which the opening statement went well; it may be said twice, so it must change nothing."""
        link, answer = self._opened(opening)
        try:
            yield link, answer
        finally:
            if link.usable and not self._closed:
                self._idle.append(link)
            else:
                link.close()

    def _opened(self, opening: Callable[[Link], Answer]) -> tuple[Link, Answer]:
        self._check_open()
        with suppress(IndexError):
            link = self._idle.pop()
            try:
                return link, _said(link, opening)
            except Lost:
                self._drop_idle()  # what cut one connection has as a rule cut them all
        link = connected(self.url, self.shown)
        return link, _said(link, opening)


def _said(link: Link, opening: Callable[[Link], Answer]) -> Answer:
    try:
        return opening(link)
    except BaseException:
        link.close()
        raise


@contextmanager
def _ending_well(link: Link) -> Iterator[None]:
    """Roll back what raises."""
    try:
        yield
    except BaseException:
        with suppress(StoreError):
            link.run("ROLLBACK")
        raise


def _version(ask: Callable[[str], list[Fields]]) -> int:
    # Not to_regclass: it may remember that the table was not there before we waited for another process to make it.
    if not ask("SELECT FROM pg_class WHERE relname = 'labelbandit' AND pg_table_is_visible(oid)"):
        return 0
    ((version,),) = ask("SELECT version FROM labelbandit")
    return int(version)


def open_postgres(url: str, shown: str, *, create: bool, clock: Callable[[], int] | None) -> SqlStore:
    """The store in that database."""
    database = PostgresDatabase(url, shown, clock)
    try:
        database.prepare(create=create, upgrading=False)
    except BaseException:
        database.close()
        raise
    return SqlStore(database)


def upgrade_postgres(url: str, shown: str) -> tuple[int, int]:
    """Bring the tables in that database up to date."""
    database = PostgresDatabase(url, shown, None)
    try:
        return database.prepare(create=False, upgrading=True)
    finally:
        database.close()

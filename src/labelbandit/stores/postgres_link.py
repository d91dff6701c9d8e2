"""One connection to PostgreSQL; its errors are ours."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import psycopg
from psycopg import errors

from labelbandit.model.errors import (
    Conflict,
    LabelbanditError,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    UnknownStore,
)
from labelbandit.stores.checks import PATIENCE

Fields = tuple[Any, ...]

_SETTINGS = f"""
SET lock_timeout = '{PATIENCE:g}s';
SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;
SET idle_in_transaction_session_timeout = '10min';
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
""".encode()
"""A commit is on disk when it returns, nobody waits for ever, and a machine that vanished loses its locks."""


class Taken(Conflict):
    """A row that must be unique is there already."""

    def __init__(self, constraint: str, key: str) -> None:
        super().__init__(f"{constraint}: {key}")
        self.constraint = constraint
        self.key = key


class Lost(StoreUnavailable):
    """The connection is gone."""


class Link:
    """What is said to the server, with question marks for values."""

    def __init__(self, raw: psycopg.Connection[Fields], shown: str) -> None:
        self._raw = raw
        self._plain = psycopg.ClientCursor(raw)
        self._shown = shown

    @property
    def usable(self) -> bool:
        """Whether the connection may serve again."""
        return not self._raw.closed and self._raw.info.transaction_status == psycopg.pq.TransactionStatus.IDLE

    @property
    def server_encoding(self) -> str | None:
        """How the database encodes text."""
        return self._raw.info.parameter_status("server_encoding")

    def ask(self, sql: str, *values: object) -> list[Fields]:
        """The rows of a statement."""
        with self._translated():
            return self._raw.execute(_spelled(sql), values or None, binary=True).fetchall()

    def run(self, sql: str, *values: object) -> int:
        """How many rows a statement changed."""
        with self._translated():
            return self._raw.execute(_spelled(sql), values or None).rowcount

    def ask_all(self, sql: str, *values: object) -> list[list[Fields]]:
        """The rows of several statements, said in one round trip."""
        with self._translated():
            self._plain.execute(_spelled(sql), values or None)
            answers = [self._rows_of_set()]
            while self._plain.nextset():
                answers.append(self._rows_of_set())
            return answers

    def _rows_of_set(self) -> list[Fields]:
        """The rows of one of several statements; to ask whether there is a description would be to have it written."""
        found = self._plain.pgresult
        return self._plain.fetchall() if found is not None and found.nfields else []

    def copy(self, table: str, rows: Iterable[Fields]) -> int:
        """Add many rows to a table, given with its columns; how many they were."""
        count = 0
        with self._translated(), self._raw.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN".encode()) as copy:
            for row in rows:
                copy.write_row(row)
                count += 1
        return count

    def commit(self, sql: str = "", *values: object) -> None:
        """Say the last statements and commit, in one round trip."""
        try:
            self.ask_all(f"{sql}COMMIT", *values)
        except Lost as error:
            raise StoreUnavailable(
                f"the connection to {self._shown} broke during a commit: whether it was kept is not known; "
                "try again with the same idempotency key"
            ) from error

    def close(self) -> None:
        """Hang up."""
        self._raw.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            if self._raw.closed:
                raise Lost(f"the connection to {self._shown} broke ({_first_line(error)}): try again") from error
            raise in_our_words(error, self._shown) from error


@cache
def _spelled(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


class _Fault(NamedTuple):
    kind: Callable[[str], LabelbanditError]
    sentence: str


_FAULTS: dict[type[psycopg.Error], _Fault] = {
    errors.DiskFull: _Fault(StoreFull, "there is no room left for {url}: free some disk space on the server and try again"),
    errors.ReadOnlySqlTransaction: _Fault(StoreReadOnly, "{url} is read-only ({said}): give the address of the primary server"),
    errors.InsufficientPrivilege: _Fault(StoreReadOnly, "{url} may not be written ({said}): grant this user its tables"),
    errors.LockNotAvailable: _Fault(
        StoreUnavailable, f"{{url}} is busy: another writer held it for {PATIENCE:g} seconds; try again"
    ),
    errors.InvalidSchemaName: _Fault(StoreUnavailable, "{url} has no schema for its tables ({said}): create it first"),
    errors.DuplicateTable: _Fault(UnknownStore, "{url} has tables of something else ({said}): give another schema or database"),
    psycopg.OperationalError: _Fault(
        StoreUnavailable, "{url} cannot be reached ({said}): check that PostgreSQL runs there, the database and your rights"
    ),
    psycopg.ProgrammingError: _Fault(StoreError, "{url}: {said}; check that its tables are those of labelbandit"),
}


def in_our_words(error: psycopg.Error, url: str) -> LabelbanditError:
    """What PostgreSQL complains of, as one of our errors."""
    if isinstance(error, errors.UniqueViolation):
        return Taken(error.diag.constraint_name or "", error.diag.message_detail or "")
    for kind, fault in _FAULTS.items():
        if isinstance(error, kind):
            return fault.kind(fault.sentence.format(url=url, said=_first_line(error)))
    return StoreError(f"{url}: {_first_line(error)}; please report this")


def _first_line(error: psycopg.Error) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def connected(url: str, shown: str) -> Link:
    """A new connection."""
    try:
        given = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise UnknownStore(f"{shown!r} is no address of a PostgreSQL database: {_first_line(error)}") from None
    defaults: dict[str, Any] = {"connect_timeout": 10, "application_name": "labelbandit", "client_encoding": "utf8"}
    try:
        raw = psycopg.connect(url, autocommit=True, **{key: value for key, value in defaults.items() if key not in given})
    except psycopg.Error as error:
        raise in_our_words(error, shown) from error
    try:
        raw.execute(_SETTINGS)
    except psycopg.Error as error:
        raw.close()
        raise in_our_words(error, shown) from error
    return Link(raw, shown)

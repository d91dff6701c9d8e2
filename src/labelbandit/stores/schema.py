"""The tables, as a series of migrations: a new store runs them all, an older one those it lacks."""

from collections.abc import Callable
from typing import NamedTuple

from labelbandit.model.errors import StoreOutdated, StoreTooNew


class Dialect(NamedTuple):
    """Where the two databases differ in what we say to them."""

    whole: str  # the type of whole numbers
    octets: str  # the type of bytes
    serial: str  # a primary key that counts by itself
    clustered: str  # rows stored in the order of their primary key, where that is a choice
    among: str  # after a column: whether its value is in a list given as one value


Execute = Callable[[str], object]
Migration = Callable[[Execute, Dialect], None]

MIGRATIONS: dict[int, Migration] = {}
"""By the version they lead to, from the version before."""


def migration(version: int) -> Callable[[Migration], Migration]:
    """Register what leads from the version before to this one."""

    def register(function: Migration) -> Migration:
        MIGRATIONS[version] = function
        return function

    return register


@migration(1)
def first_tables(execute: Execute, dialect: Dialect) -> None:
    """Make the tables of the first version."""
    whole, octets, serial, clustered, _ = dialect
    campaign = f"campaign {whole} NOT NULL"  # without a foreign key: the lock that every writer holds proves it is there
    for statement in (
        f"CREATE TABLE labelbandit (version {whole} NOT NULL)",
        "INSERT INTO labelbandit (version) VALUES (1)",
        f"""CREATE TABLE campaigns (number {serial}, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, owner TEXT NOT NULL,
            created_at {whole} NOT NULL, UNIQUE (owner, name))""",
        f"""CREATE TABLE entries ({campaign}, position {whole} NOT NULL, at {whole} NOT NULL, kind TEXT NOT NULL,
            version {whole} NOT NULL, body TEXT NOT NULL, PRIMARY KEY (campaign, position)){clustered}""",
        f"""CREATE TABLE registered ({campaign}, register TEXT NOT NULL, number {whole} NOT NULL, id TEXT, details TEXT,
            CONSTRAINT registered_number PRIMARY KEY (campaign, register, number),
            CONSTRAINT registered_id UNIQUE (campaign, register, id))""",
        f"""CREATE TABLE requests ({campaign}, request TEXT NOT NULL, outcome TEXT NOT NULL,
            PRIMARY KEY (campaign, request)){clustered}""",
        f"""CREATE TABLE snapshots ({campaign} PRIMARY KEY, token TEXT NOT NULL, position {whole} NOT NULL,
            digest TEXT NOT NULL)""",
        f"""CREATE TABLE snapshot_parts ({campaign}, token TEXT NOT NULL, part {whole} NOT NULL, bytes {octets} NOT NULL,
            PRIMARY KEY (campaign, token, part))""",
        f"""CREATE TABLE keys (digest {octets} PRIMARY KEY, owner TEXT NOT NULL, campaign {whole},
            worker {whole}, created_at {whole} NOT NULL)""",
        "CREATE INDEX keys_of_owner ON keys (owner)",
    ):
        execute(statement)


def latest() -> int:
    """The version this labelbandit works with."""
    return max(MIGRATIONS)


def migrate(execute: Execute, dialect: Dialect, version: int) -> None:
    """Run the migrations that a store of that version lacks; 0 is an empty one."""
    for step in range(version + 1, latest() + 1):
        MIGRATIONS[step](execute, dialect)
        execute(f"UPDATE labelbandit SET version = {step}")  # noqa: S608 - a number of ours


def check_version(version: int, url: str, *, upgrading: bool) -> None:
    """Refuse a store that this labelbandit does not understand, or not yet."""
    if version > latest():
        raise StoreTooNew(
            f"{url} was written by a newer labelbandit (its tables are version {version}, this one knows {latest()}): "
            "upgrade labelbandit"
        )
    if version < latest() and not upgrading:
        raise StoreOutdated(
            f"{url} was written by an older labelbandit (its tables are version {version}, this one needs {latest()}): "
            "stop what uses it and run labelbandit upgrade"
        )

"""From a URL to a store."""

import re
import time
from collections.abc import Callable

from labelbandit.model.errors import StoreUnavailable, UnknownStore
from labelbandit.stores.contract import Store

Clock = Callable[[], int]


def open_store(url: str, *, create: bool = True, clock: Clock | None = None) -> Store:
    """Open what the URL leads to, made if need be; a clock (UTC microseconds) replaces the store's own time."""
    match url.partition(":")[0]:
        case "memory":
            from labelbandit.stores.memory import open_memory

            return open_memory(url, create=create, clock=clock or machine_time)
        case "sqlite":
            from labelbandit.stores.sqlite import open_sqlite

            return open_sqlite(url, create=create, clock=clock or machine_time)
        case "postgresql" | "postgres":
            _need_driver()
            from labelbandit.stores.postgres import open_postgres

            return open_postgres(url, shown(url), create=create, clock=clock)
        case _:
            raise _unknown(url)


def upgrade(url: str) -> tuple[int, int]:
    """Bring the tables of a store up to date; returns the versions before and after."""
    match url.partition(":")[0]:
        case "memory":
            from labelbandit.stores.schema import latest

            return latest(), latest()
        case "sqlite":
            from labelbandit.stores.sqlite import upgrade_sqlite

            return upgrade_sqlite(url)
        case "postgresql" | "postgres":
            _need_driver()
            from labelbandit.stores.postgres import upgrade_postgres

            return upgrade_postgres(url, shown(url))
        case _:
            raise _unknown(url)


def _need_driver() -> None:
    try:
        import psycopg  # noqa: F401 - to see whether it is there
    except ImportError as error:
        raise StoreUnavailable(
            f"PostgreSQL needs a driver that is not there ({error}): install labelbandit[postgres]"
        ) from None


def machine_time() -> int:
    """The machine's clock, in UTC microseconds."""
    return time.time_ns() // 1000


def shown(url: str) -> str:
    """The URL as it may be shown: without its password."""
    url = re.sub(r"(?<=://)([^:/@?]*):[^?]*@", r"\1:…@", url)
    return re.sub(r"(?i)([?&](?:ssl)?password=)[^&]*", r"\1…", url)


def _unknown(url: str) -> UnknownStore:
    return UnknownStore(
        f"{shown(url)!r} leads to no store: give sqlite:///file.db, postgresql://host/database, memory: or memory:name"
    )

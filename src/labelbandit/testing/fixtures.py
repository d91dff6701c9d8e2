"""What the suites for stores start from: a fresh store with a campaign in it."""

from collections.abc import Callable, Iterator
from typing import ClassVar

import pytest

from labelbandit.stores import Entry, Store, open_store


def an_entry(position: int, body: str = "{}") -> Entry:
    """An entry for that position; its time tells the position too."""
    return Entry(position, 1_000_000 + position, "task assigned", 1, body)


def append(store: Store, campaign: int, *bodies: str) -> None:
    """Append an entry for each body, in one transaction."""
    with store.writing(campaign) as writing:
        after = writing.read(-1)[-1].position
        writing.append([an_entry(position, body) for position, body in enumerate(bodies, after + 1)])


def positions(store: Store, campaign: int) -> list[int]:
    """The positions in a log, in the order in which they are read."""
    return [entry.position for entry in store.read(campaign)]


class FreshStore:
    """A store and a campaign with one entry, anew for every test, from a fixture `store_url` that a subclass adds."""

    opener: ClassVar[Callable[..., Store]] = staticmethod(open_store)
    across_processes: ClassVar[bool] = True

    @pytest.fixture
    def store(self, store_url: str) -> Iterator[Store]:
        """An open store."""
        store = self.opener(store_url)
        yield store
        store.close()

    @pytest.fixture
    def campaign(self, store: Store) -> int:
        """The number of a campaign in it."""
        return store.create("birds", "ann", an_entry(0)).number

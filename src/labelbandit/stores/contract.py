"""What every store can do: keep the logs of campaigns, what their numbers stand for, and the keys to them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import NamedTuple, Protocol


class Entry(NamedTuple):
    """One event as it is stored."""

    position: int  # 0, 1, 2 … in its campaign, without gaps, chosen by the writer
    at: int  # UTC microseconds
    kind: str  # "task assigned"
    version: int  # of the kind's schema
    body: str  # a JSON object


Reading = Callable[[int], list[Entry]]
"""Gives the entries at higher positions, in order, as `Writing.read` does."""


class Register(StrEnum):
    """The side tables, which say what the numbers in a log stand for."""

    TASK = "task"
    WORKER = "worker"
    CONTEXT = "context"
    NOTE = "note"
    DISPLAY = "display"
    WEBHOOK = "webhook"


class CampaignRow(NamedTuple):
    """A campaign as the store knows it: its id never changes, its name may."""

    number: int
    id: str
    name: str
    owner: str
    created_at: int


class Key(NamedTuple):
    """A hashed token and what it opens: all of an owner's campaigns, one of them, or one worker's part in it."""

    digest: bytes
    owner: str
    campaign: int | None
    worker: int | None
    created_at: int


class Writing(Protocol):
    """One transaction that holds the lock of its campaign.

    An error from any of these spoils the whole: nothing is kept, and if it was caught, leaving the block raises it again.
    """

    @property
    def now(self) -> int:
        """The store's time in UTC microseconds, never before the last entry's."""
        ...

    def read(self, after: int) -> list[Entry]:
        """The entries at higher positions, in order; all of them after -1."""
        ...

    def append(self, entries: Sequence[Entry]) -> None:
        """Add entries at the end; Conflict if their positions are taken or would leave a gap."""
        ...

    def enter(self, register: Register, first: int, rows: Iterable[tuple[str | None, str | None]]) -> None:
        """Write down ids and details of the numbers from `first` on; AlreadyThere if an id is taken, Conflict if a number."""
        ...

    def outcome(self, request: str) -> str | None:
        """What was remembered of a request."""
        ...

    def remember(self, request: str, outcome: str) -> None:
        """Keep what came of a request, so that its repetition changes nothing; Conflict if it is known."""
        ...


class Store(Protocol):
    """Where campaigns live. Safe to use from several threads; all but `memory:` also from several processes."""

    @property
    def url(self) -> str:
        """What the store was opened with."""
        ...

    def create(self, name: str, owner: str, entry: Entry) -> CampaignRow:
        """Make a campaign together with the first entry of its log; NameTaken if the owner has one of that name."""
        ...

    def find(self, name: str, owner: str) -> CampaignRow | None:
        """The owner's campaign of that name."""
        ...

    def campaigns(self, owner: str | None = None) -> list[CampaignRow]:
        """An owner's campaigns, or everyone's, oldest first."""
        ...

    def rename(self, campaign: int, name: str) -> None:
        """Give a campaign another name; NameTaken if its owner has one of that name."""
        ...

    def writing(self, campaign: int, waiting: Callable[[Reading], None] | None = None) -> AbstractContextManager[Writing]:
        """A transaction, alone on its campaign: durable when the block is left, without a trace when it raises.

        Within the block, the store may be read; to write other than through the block would be to wait for oneself.
        Before it, while others write, `waiting` may be called, more than once: what is read then need not be read in the block.
        """
        ...

    def read(self, campaign: int, after: int = -1) -> Iterator[Entry]:
        """The log from a position on, streamed in batches: every entry that was there at the beginning, and never a gap."""
        ...

    def numbers(self, campaign: int, register: Register, ids: Sequence[str]) -> dict[str, int]:
        """The numbers of those ids that are known."""
        ...

    def rows(self, campaign: int, register: Register, numbers: Sequence[int]) -> dict[int, tuple[str | None, str | None]]:
        """The ids and details of those numbers that are known."""
        ...

    def all_rows(self, campaign: int, register: Register, after: int = -1) -> Iterator[tuple[int, str | None, str | None]]:
        """Numbers, ids and details in ascending number, streamed in batches."""
        ...

    def amend_row(self, campaign: int, register: Register, number: int, details: str | None) -> None:
        """Replace the details of a number."""
        ...

    def erase(self, campaign: int, register: Register, number: int) -> None:
        """Forget the id and the details of a number; the number and the log stay as they are."""
        ...

    def outcome(self, campaign: int, request: str) -> str | None:
        """What was remembered of a request."""
        ...

    def keep_snapshot(self, campaign: int, position: int, digest: str, parts: Iterable[bytes]) -> None:
        """Keep a state of the campaign, in parts of a few megabytes; it takes the former one's place at once."""
        ...

    def snapshot(self, campaign: int) -> tuple[int, str, bytes] | None:
        """The position, digest and bytes of the state kept last."""
        ...

    def add_key(self, key: Key) -> None:
        """Keep a key; Conflict if there is one with this digest."""
        ...

    def find_key(self, digest: bytes) -> Key | None:
        """The key with this digest."""
        ...

    def drop_key(self, digest: bytes) -> None:
        """Make a key invalid."""
        ...

    def keys(self, owner: str) -> list[Key]:
        """An owner's keys, oldest first."""
        ...

    def now(self) -> int:
        """The store's time in UTC microseconds."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...

"""What every store refuses in the same words."""

from collections.abc import Iterable, Iterator, Sequence

from labelbandit.model.errors import AlreadyThere, BadInput, Conflict, NameTaken, StoreError, StoreUnavailable
from labelbandit.stores.contract import Entry, Register

PATIENCE = 30.0
"""How many seconds a writer waits for others."""


def storable(text: str) -> str:
    """The text, if every store can keep it: PostgreSQL has no NUL characters, and none has half of a surrogate pair."""
    try:
        if "\0" not in text and (text.isascii() or text.encode()):
            return text
    except UnicodeEncodeError:
        pass
    raise BadInput(f"{text[:80]!r} cannot be stored: leave out NUL characters and lone surrogates")


def checked_rows(rows: Iterable[tuple[str | None, str | None]]) -> Iterator[tuple[str | None, str | None]]:
    """The rows, as long as they can be stored."""
    for id_, details in rows:
        if id_ is not None:
            storable(id_)
        if details is not None:
            storable(details)
        yield id_, details


def check_positions(entries: Sequence[Entry], last: int) -> None:
    """Raise Conflict unless the entries follow the last position one by one."""
    for wanted, entry in enumerate(entries, last + 1):
        if entry.position != wanted:
            fact = "is taken" if entry.position <= last else "would leave a gap"
            raise Conflict(f"position {entry.position} {fact}: the log goes on at {wanted}; read it and decide again")
        storable(entry.kind)
        storable(entry.body)


def name_taken(name: str, owner: str | None = None) -> NameTaken:
    """The error for a second campaign of one name."""
    whose = f"{owner!r} has" if owner is not None else "the owner has"
    return NameTaken(f"{whose} a campaign named {name!r} already: choose another name, or open that one")


def already_there(register: Register, id_: str | None) -> AlreadyThere:
    """The error for a second number with one id."""
    return AlreadyThere(f"there is a {register} {id_!r} already: leave it out, or give this one another id")


def number_taken(register: Register, number: int) -> Conflict:
    """The error for a number that stands for something already."""
    return Conflict(f"{register} number {number} is taken: read the log and decide again")


def request_known(request: str) -> Conflict:
    """The error for remembering a request twice."""
    return Conflict(f"request {request!r} was answered already: look up its outcome")


def no_campaign(campaign: int, url: str) -> StoreError:
    """The error for a campaign number that stands for nothing."""
    return StoreError(f"there is no campaign number {campaign} in {url}: look it up by its name")


def no_row(register: Register, number: int) -> StoreError:
    """The error for a number that stands for nothing."""
    return StoreError(f"there is no {register} number {number}: enter it first")


def too_busy(url: str) -> StoreUnavailable:
    """The error for a lock that somebody held too long."""
    return StoreUnavailable(f"{url} is busy: another writer held it for {PATIENCE:g} seconds; try again")


def closed(url: str) -> StoreUnavailable:
    """The error for using a store after closing it."""
    return StoreUnavailable(f"{url} was closed: open it again")

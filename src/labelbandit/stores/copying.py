"""A campaign copied from one store to another: its log, and what its numbers stand for."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from labelbandit.model.errors import Conflict
from labelbandit.stores import checks
from labelbandit.stores.contract import CampaignRow, Register, Store
from labelbandit.stores.opening import shown

_BATCH = 10_000
_UNFINISHED = " (being copied)"

Item = TypeVar("Item")
_Registered = tuple[int, str | None, str | None]


def copy_campaign(
    source: Store, row: CampaignRow, target: Store, on_entries: Callable[[int], object] = lambda _: None
) -> CampaignRow:
    """Copy a campaign under its own name, which the target must not have.

    Until it is whole, the copy goes by another name; copying again goes on where it was broken off. What is told to the
    source while it is copied is copied too, up to the moment of the end. Idempotency keys stay behind.
    """
    if target.find(row.name, row.owner) is not None:
        raise checks.name_taken(row.name, row.owner)
    begun = _begun(source, row, target)
    for register in Register:
        _copy_register(source, row.number, target, begun.number, register)
    _copy_log(source, row.number, target, begun.number, on_entries)
    for register in Register:  # what joined while the log was copied
        _copy_register(source, row.number, target, begun.number, register)
    target.rename(begun.number, row.name)
    return begun._replace(name=row.name)


def _begun(source: Store, row: CampaignRow, target: Store) -> CampaignRow:
    """The unfinished copy, made if need be."""
    first = next(iter(source.read(row.number)))
    unfinished = f"{row.name}{_UNFINISHED}"
    found = target.find(unfinished, row.owner)
    if found is None:
        return target.create(unfinished, row.owner, first)
    if next(iter(target.read(found.number))) != first:
        where = shown(target.url)
        raise Conflict(f"{where} has a copy of another {row.name!r} that was never finished: rename {unfinished!r} first")
    return found


def _copy_log(source: Store, from_: int, target: Store, to: int, on_entries: Callable[[int], object]) -> None:
    last = deque(target.read(to), 1)[0].position
    for batch in _batches(source.read(from_, last)):
        with target.writing(to) as writing:
            writing.append(batch)
        on_entries(len(batch))


def _copy_register(source: Store, from_: int, target: Store, to: int, register: Register) -> None:
    there = deque(target.all_rows(to, register), 1)
    last = there[0][0] if there else -1
    for batch in _batches(source.all_rows(from_, register, last)):
        with target.writing(to) as writing:
            for first, run in _runs(batch):
                writing.enter(register, first, run)


def _runs(rows: list[_Registered]) -> Iterator[tuple[int, list[tuple[str | None, str | None]]]]:
    """Rows whose numbers follow each other, with the first number."""
    begin = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at][0] != rows[at - 1][0] + 1:
            yield rows[begin][0], [(id_, details) for _, id_, details in rows[begin:at]]
            begin = at


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    stream = iter(items)
    while batch := list(islice(stream, _BATCH)):
        yield batch

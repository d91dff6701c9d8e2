"""Names: what numbers stand for, looked up in the store when needed and kept for a while."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labelbandit.model.errors import UnknownName
from labelbandit.stores.contract import Register, Store

_KEPT = 2**16


def erased(number: int) -> str:
    """What is shown in place of an id that was erased; nobody can be asked by it."""
    return f"erased-{number}"


class Names:
    """One register of one campaign, both ways."""

    def __init__(self, store: Store, campaign: int, register: Register) -> None:
        self._store = store
        self._campaign = campaign
        self._register = register
        self._numbers: dict[str, int] = {}
        self._ids: dict[int, str] = {}

    def number(self, id_: str) -> int:
        """The number of a task, worker or context."""
        known = self._numbers.get(id_)
        return self.numbers([id_])[0] if known is None else known

    def numbers(self, ids: Sequence[str]) -> list[int]:
        """The numbers of several, or an error that names the first unknown one."""
        found = {id_: self._numbers.get(id_) for id_ in ids}  # not looked up twice: another thread may forget in between
        missing = [id_ for id_, number in found.items() if number is None]
        if missing:
            fresh = self._store.numbers(self._campaign, self._register, missing)
            self._keep(fresh)
            found.update(fresh)
        numbers = [number for number in map(found.get, ids) if number is not None]
        if len(numbers) < len(ids):
            unknown = next(id_ for id_ in ids if found[id_] is None)
            raise UnknownName(f"there is no {self._register} {unknown!r} in this campaign: add it first")
        return numbers

    def known(self, ids: Iterable[str]) -> dict[str, int]:
        """The numbers of those that are known."""
        wanted = list(dict.fromkeys(ids))
        found = {id_: self._numbers[id_] for id_ in wanted if id_ in self._numbers}
        return found | self._store.numbers(self._campaign, self._register, [id_ for id_ in wanted if id_ not in found])

    def id(self, number: int) -> str:
        """The public id of a number; what was erased is called by its number."""
        known = self._ids.get(number)
        return self.ids([number])[number] if known is None else known

    def ids(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """The public ids of several numbers."""
        found = {number: self._ids.get(number) for number in numbers}
        missing = [number for number, id_ in found.items() if id_ is None]
        if missing:
            rows = self._store.rows(self._campaign, self._register, missing)
            self._keep({id_: n for n, (id_, _) in rows.items() if id_ is not None})
            self._ids.update((n, erased(n)) for n, (id_, _) in rows.items() if id_ is None)
            found.update((n, erased(n) if id_ is None else id_) for n, (id_, _) in rows.items())
        return {number: id_ for number, id_ in found.items() if id_ is not None}

    def all_ids(self) -> dict[int, str]:
        """Every public id by number."""
        return {n: erased(n) if id_ is None else id_ for n, id_, _ in self._store.all_rows(self._campaign, self._register)}

    def details(self, number: int) -> Any:
        """What is kept of it beside its id."""
        found = self._store.rows(self._campaign, self._register, [number]).get(number)
        return None if found is None or found[1] is None else json.loads(found[1])

    def forget(self) -> None:
        """Look everything up anew."""
        self._numbers.clear()
        self._ids.clear()

    def _keep(self, found: Mapping[str, int]) -> None:
        if len(self._ids) + len(found) > _KEPT:
            self.forget()
        self._numbers.update(found)
        self._ids.update((number, id_) for id_, number in found.items())

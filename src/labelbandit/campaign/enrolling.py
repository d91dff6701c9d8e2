"""Checks of what joins a campaign: one sentence that names the value and what to do, before anything is written."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labelbandit.campaign.values import Task, Worker
from labelbandit.model.checks import number, whole_number
from labelbandit.model.errors import BadInput, UnknownParameter

_MOST_CLASSES = 2**15 - 1
_LONGEST = 500
_YEAR = 366 * 24 * 3600.0
_AMENDABLE = ("budget", "policy", "lease", "presence", "hold", "min_labels", "max_labels", "settle", "target")


def check_classes(classes: Sequence[str]) -> None:
    """Two or more different names."""
    if isinstance(classes, str):
        raise BadInput(f"classes={classes!r} is one text: give a list of two or more")
    _check_names("class", classes)
    if len(classes) < 2:
        raise BadInput(f"{len(classes)} classes will not do: give two or more")
    if len(classes) > _MOST_CLASSES:
        raise BadInput(f"{len(classes)} classes are too many: give at most {_MOST_CLASSES}")


def check_tasks(tasks: Sequence[Task]) -> None:
    """At least one, with ids of their own."""
    if not tasks:
        raise BadInput("no tasks were given: give at least one")
    _check_names("task", [task.id for task in tasks])
    for task in tasks:
        if not isinstance(task.context, str) or len(task.context) > _LONGEST:
            raise BadInput(f"task {task.id!r} has the context {task.context!r}: give a text of at most {_LONGEST} characters")


def check_workers(workers: Sequence[Worker]) -> None:
    """At least one, with ids of their own, prices and caps in order."""
    if not workers:
        raise BadInput("no workers were given: give at least one")
    _check_names("worker", [worker.id for worker in workers])
    for worker in workers:
        whole_number(f"a price of {{}} for worker {worker.id!r}", worker.price, 0, 2**53)
        if worker.cap is not None:
            whole_number(f"a cap of {{}} for worker {worker.id!r}", worker.cap, 0, 2**53)


def check_changes(terms: Mapping[str, Any]) -> None:
    """Only what can be amended."""
    for key in terms:
        if key not in _AMENDABLE:
            raise UnknownParameter(f"there is no {key!r} to amend: choose among prices, caps, {', '.join(_AMENDABLE)}")


def lead_time(seconds: float | None) -> int | None:
    """How long an answer took, in microseconds."""
    return None if seconds is None else round(number("a lead time of {} seconds", seconds, 0.0, _YEAR) * 1_000_000)


def check_source(source: str | None) -> None:
    """A short text, if any."""
    if source is not None:
        _check_names("source", [source])


def as_json(value: Mapping[str, Any] | None) -> str | None:
    """What a store keeps of it."""
    if value is None:
        return None
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{value!r} cannot be kept as JSON ({error}): give texts, numbers, lists and mappings") from None


def _check_names(what: str, names: Iterable[str]) -> None:
    counted = Counter(names)
    for name, count in counted.items():
        if not isinstance(name, str) or not name or len(name) > _LONGEST:
            raise BadInput(f"{what} {name!r} will not do: give a text of 1 to {_LONGEST} characters")
        if count > 1:
            raise BadInput(f"{what} {name!r} is given {count} times: give each once")

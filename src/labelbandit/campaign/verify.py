"""Verifying a log: every decision is derived again from what stood before it, and every promise about money checked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labelbandit.campaign.board import Board
from labelbandit.campaign.ledger import begin
from labelbandit.campaign.request import Request
from labelbandit.campaign.values import Nothing
from labelbandit.model import events as ev
from labelbandit.policies.contract import Choice
from labelbandit.stores.contract import Entry, Store


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry of the log that is not what follows from the entries before it."""

    position: int
    what: str
    logged: str
    derived: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of it."""

    entries: int
    decisions: int
    differences: tuple[Difference, ...]

    @property
    def agrees(self) -> bool:
        """Whether the log is what it should be."""
        return not self.differences


def verify(store: Store, campaign: int, on_entry: Callable[[], None] = lambda: None) -> Verification:
    """Go through the log, decide again, and compare."""
    log = iter(store.read(campaign))
    board = begin(next(log))
    decisions, differences = 0, []
    for entry in log:
        event = ev.decode(entry.kind, entry.version, entry.body)
        if isinstance(event, ev.TaskAssigned):
            decisions += 1
            differences += _compare_decision(board, entry, event)
        differences += _compare_place(board, entry)
        board.apply(event, entry.at)
        differences += _compare_money(board, entry)
        on_entry()
    return Verification(board.position + 1, decisions, tuple(differences))


def _compare_decision(board: Board, entry: Entry, event: ev.TaskAssigned) -> list[Difference]:
    derived = _derive(Request(board, entry.at), event)
    logged = {name: getattr(event, name) for name in derived}
    return [
        Difference(entry.position, f"{name} of assignment {event.number}", repr(logged[name]), repr(value))
        for name, value in derived.items()
        if logged[name] != value
    ]


def _derive(request: Request, event: ev.TaskAssigned) -> dict[str, Any]:
    """What the assignment should be."""
    board, door = request.board, None
    choice: object
    if event.door is None:
        choice = request.choose(event.present)
    else:
        greeted = request.greet(event.worker)
        choice, door = (greeted, None) if isinstance(greeted, Nothing) else greeted
    if not isinstance(choice, Choice):
        return {"task": None, "worker": None}
    return {
        "number": board.assignments.size,
        "task": int(choice.task),
        "worker": int(choice.worker),
        "price": int(board.crew["price"][choice.worker]),
        "propensity": float(choice.propensity),
        "door": None if door is None else float(door),
        "score": float(choice.score),
        "phase": int(choice.phase),
        "due_at": request.now + board.terms.lease,
    }


def _compare_place(board: Board, entry: Entry) -> list[Difference]:
    found = []
    if entry.position != board.position + 1:
        found.append(Difference(entry.position, "position", str(entry.position), str(board.position + 1)))
    if entry.at < board.at:
        found.append(Difference(entry.position, "time", str(entry.at), f"{board.at} or later"))
    return found


def _compare_money(board: Board, entry: Entry) -> list[Difference]:
    used = board.spent + board.reserved
    if used <= board.terms.budget:
        return []
    return [Difference(entry.position, "spent and reserved", str(used), f"at most {board.terms.budget}")]

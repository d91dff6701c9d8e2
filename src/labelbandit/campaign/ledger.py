"""Between log and board: entries from events, the board from entries, and what a repeated request is told."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from labelbandit.campaign.board import Board, Lent
from labelbandit.campaign.request import Request
from labelbandit.campaign.values import Label, Nothing, Reason
from labelbandit.model import events as ev
from labelbandit.model.errors import BadInput
from labelbandit.policies.contract import ATTACHED, Setup
from labelbandit.policies.history import Stage
from labelbandit.policies.registry import policy_from
from labelbandit.stores.contract import Entry, Store

_TELLING = {"campaign opened", "terms changed", "task assigned"}


class Told(NamedTuple):
    """An answer that was taken, and to what; by numbers."""

    lent: Lent
    answer: str


def entries(request: Request) -> list[Entry]:
    """What the log is to hold of a request: the board has applied it already."""
    first = request.board.position - len(request.events) + 1
    return [entry(first + at, request.now, event) for at, event in enumerate(request.events)]


def entry(position: int, at: int, event: ev.Event) -> Entry:
    """An event in its place in the log."""
    return Entry(position, at, ev.kind_of(event), ev.VERSION, ev.encode(event))


def begin(first: Entry) -> Board:
    """The board after the first entry of a log."""
    opened = ev.decode(first.kind, first.version, first.body)
    assert isinstance(opened, ev.CampaignOpened)
    board = Board(opened)
    board.apply(opened, first.at)
    return board


def replay(store: Store, campaign: int) -> Board:
    """The board, from the whole log."""
    log = iter(store.read(campaign))
    board = begin(next(log))
    catch_up(board, log)
    return board


def catch_up(board: Board, log: Iterable[Entry]) -> None:
    """Apply what others wrote."""
    for one in log:
        board.apply(ev.decode(one.kind, one.version, one.body), one.at)


def check_unasked(board: Board, labels: Sequence[tuple[str, str, str]], tasks: Sequence[int], workers: Sequence[int]) -> None:
    """Refuse labels for pairs that were asked or labelled, or that are given twice."""
    of, by = np.array(tasks, np.int64), np.array(workers, np.int64)
    _, first, count = np.unique(of * board.workers + by, return_index=True, return_counts=True)
    if (count > 1).any():
        task, worker, _ = labels[int(first[count > 1].min())]
        raise BadInput(f"worker {worker!r} labels task {task!r} twice: give each label once")
    asked = board.mind.first_asked(of, by)
    if asked >= 0:
        task, worker, _ = labels[asked]
        raise BadInput(f"worker {worker!r} was asked about task {task!r} already: attach labels where nobody was asked")


def check_policy(terms: ev.Terms, classes: int, board: Board | None = None) -> None:
    """Let a policy refuse what it cannot do, before it is given the campaign."""
    setup = Setup(np.zeros(1, np.int64), 1, 1, classes, 1, np.uint64(0))
    if board is not None and board.tasks and board.workers:
        stage = Stage(0, board.tasks, board.workers, board.contexts, terms.budget)
        setup = replace(board.facts.setup(stage), classes=classes)
    policy_from(terms.policy).grow(None, setup)


def labels(board: Board, tasks: Mapping[int, str], workers: Mapping[int, str]) -> Iterator[Label]:
    """Every label in the order of the log."""
    prices = board.assignments["price"]
    for task, worker, answer, number in board.told():
        asked = number < ATTACHED
        price = int(prices[number]) if asked else 0
        yield Label(tasks[task], workers[worker], board.classes[answer], price, number if asked else None)


def assigned(store: Store, campaign: int, number: int) -> tuple[ev.TaskAssigned, str]:
    """The event of an assignment, and the policy that held then."""
    policy = ""
    for one in store.read(campaign):
        if one.kind not in _TELLING:
            continue
        event = ev.decode(one.kind, one.version, one.body)
        if isinstance(event, ev.CampaignOpened | ev.TermsChanged):
            policy = event.terms.policy
        elif isinstance(event, ev.TaskAssigned) and event.number == number:
            return event, policy
    raise BadInput(f"assignment {number} is not in the log")


def outcome(result: Any) -> str:
    """What a repetition of the request will be told; by numbers, so that names can be erased."""
    return json.dumps([_packed(one) for one in result] if type(result) is tuple else _packed(result))


def recall(former: str, board: Board) -> Any:
    """What the request was told the first time."""
    kept = json.loads(former)
    return tuple(_unpacked(one, board) for one in kept) if isinstance(kept, list) else _unpacked(kept, board)


def _packed(value: Lent | Told | Nothing) -> dict[str, Any]:
    match value:
        case Lent():
            return {"assignment": value.number, "due_at": value.due_at}
        case Told():
            return {"label": value.lent.number, "answer": value.answer, "price": value.lent.price}
        case Nothing():
            return {"nothing": value.reason, "retry_after": value.retry_after, "detail": value.detail}


def _unpacked(kept: dict[str, Any], board: Board) -> Lent | Told | Nothing:
    if "assignment" in kept:
        return board.lent(kept["assignment"])._replace(due_at=kept["due_at"])
    if "label" in kept:
        return Told(board.lent(kept["label"])._replace(price=kept["price"]), kept["answer"])
    return Nothing(Reason(kept["nothing"]), kept["retry_after"], kept["detail"])


def digest(board: Board) -> str:
    """What two boards that agree have in common, down to the last bit."""
    parts = hashlib.sha256()
    for part in _digest_parts(board):
        parts.update(part)
    return parts.hexdigest()


def _digest_parts(board: Board) -> Iterator[bytes]:
    money = [board.phase, board.position, board.spent, board.reserved, board.labels, board.tasks, board.workers]
    yield json.dumps([money, board.classes, sorted(board.open)]).encode()
    for column in (*board.assignments.arrays.values(), *board.crew.arrays.values()):
        yield column.tobytes()
    yield board.facts.context.tobytes()
    if board.tasks and board.workers:
        shares = board.mind.all_shares()
        yield np.ascontiguousarray(shares).tobytes()
        yield board.mind.done.tobytes()
        yield board.mind.sheet.closed.tobytes()
        yield board.mind.sheet.heard.tobytes()

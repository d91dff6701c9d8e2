"""Labels with all that the log knows of them."""

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from labelbandit.campaign.board import Board
from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.names import Names
from labelbandit.model import events as ev
from labelbandit.stores.contract import Entry, Register

ATTACHED = "import"
"""The source of a label that nobody was asked for."""
_TELLING = {"label received", "labels attached"}
_MICRO = 1e6


class LabelRecord(NamedTuple):
    """A label, who was asked how, and when it came."""

    task: str
    worker: str
    label: str
    context: str
    price: int | None
    """None for one of several labels that were attached at a price for all."""
    propensity: float | None
    assignment: int | None
    lead_time: float | None
    """Seconds."""
    created_at: int
    """UTC microseconds."""
    source: str | None


class _Told(NamedTuple):
    """A label by numbers."""

    task: int
    worker: int
    answer: int
    price: int | None
    assignment: int | None
    lead_time: int | None
    source: str | None


def label_records(campaign: Campaign) -> Iterator[LabelRecord]:
    """Every label in the order of the log, with the answer that holds now."""
    board = campaign.board
    position = board.position
    tasks, workers, contexts = (
        Names(campaign.store, campaign.row.number, register).all_ids()
        for register in (Register.TASK, Register.WORKER, Register.CONTEXT)
    )
    held = _corrections(campaign, position)
    for entry in _until(campaign, position):
        if entry.kind not in _TELLING:
            continue
        for told in _told(board, entry):
            answer = held.get((told.task, told.worker), told.answer)
            number = told.assignment
            yield LabelRecord(
                tasks[told.task],
                workers[told.worker],
                board.classes[answer],
                contexts[int(board.facts.context[told.task])],
                told.price,
                None if number is None else float(board.assignments["propensity"][number]),
                number,
                None if told.lead_time is None else told.lead_time / _MICRO,
                entry.at,
                told.source,
            )


def _until(campaign: Campaign, position: int) -> Iterator[Entry]:
    return takewhile(lambda entry: entry.position <= position, campaign.store.read(campaign.row.number))


def _corrections(campaign: Campaign, position: int) -> dict[tuple[int, int], int]:
    """The answers that took the place of others."""
    held = {}
    for entry in _until(campaign, position):
        if entry.kind == "answer corrected":
            event = ev.decode(entry.kind, entry.version, entry.body)
            assert isinstance(event, ev.AnswerCorrected)
            held[event.task, event.worker] = event.answer
    return held


def _told(board: Board, entry: Entry) -> Iterator[_Told]:
    event = ev.decode(entry.kind, entry.version, entry.body)
    if isinstance(event, ev.LabelReceived):
        task, worker = (int(board.assignments[name][event.number]) for name in ("task", "worker"))
        yield _Told(task, worker, event.answer, event.price, event.number, event.lead_time, event.source)
    elif isinstance(event, ev.LabelsAttached):
        price = event.price if event.price == 0 or len(event.tasks) == 1 else None
        for task, worker, answer in zip(event.tasks, event.workers, event.answers, strict=True):
            yield _Told(task, worker, answer, price, None, None, ATTACHED)

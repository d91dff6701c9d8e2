"""A session: a campaign's store, board and names in this process, and how requests become part of the log."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

from labelbandit.campaign import ledger, snapshot
from labelbandit.campaign.board import STATES, Board, Lent
from labelbandit.campaign.names import Names
from labelbandit.campaign.request import Request
from labelbandit.campaign.turns import Turn, Turns
from labelbandit.campaign.values import Assignment, Label, Nothing, State
from labelbandit.model import events as ev
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import (
    BadInput,
    CampaignOver,
    LabelbanditError,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    UnknownClass,
)
from labelbandit.stores.contract import CampaignRow, Entry, Reading, Register, Store, Writing

Result = TypeVar("Result")


class Session:
    """One process's part in a campaign. The lock is for its threads; the store keeps processes apart."""

    def __init__(self, store: Store, row: CampaignRow, board: Board) -> None:
        self.store = store
        self.row = row
        self.lock = threading.RLock()
        self.tasks = Names(store, row.number, Register.TASK)
        self.workers = Names(store, row.number, Register.WORKER)
        self.contexts = Names(store, row.number, Register.CONTEXT)
        self._board: Board | None = board
        self._turns = Turns()
        self._rehearsed = ""

    def commit(self, decide: Callable[[Request, Writing], Result], key: str | None = None) -> Result:
        """Decide, record, apply: what is decided stands on the board only if the store has it.

        Whoever comes while another request is being written waits, and is then written together with all who wait.
        """
        mine = Turn(decide, key)
        self._turns.wait(mine)
        with self.lock:
            if not mine.done:
                self._serve_turns(self._turns.next(mine), mine)
        result: Result = mine.outcome()
        return result

    def _serve_turns(self, turns: Sequence[Turn], mine: Turn) -> None:
        """Serve all who wait; where that fails for one's sake, each is served alone, in their own thread."""
        try:
            self._write(turns)
        except (StoreUnavailable, StoreFull, StoreReadOnly) as error:  # what was written is not known: nobody tries again
            for turn in turns:
                turn.refusal, turn.done = error, True
        except BaseException as error:
            for turn in turns:
                turn.begin(alone=True)
            if len(turns) == 1 or not isinstance(error, Exception):
                raise
            self._serve_turns([mine], mine)

    def _write(self, turns: Sequence[Turn]) -> None:
        """One transaction for all of them."""
        board, self._board = self._loaded(), None  # until all went well it may be ahead of the log, or behind it
        self._rehearse(board)
        known = None
        try:
            with self.store.writing(self.row.number, lambda read: self._follow(board, read)) as writing:
                self._catch_up(board, writing.read(board.position))
                known = board.position
                writing.append([entry for turn in turns for entry in self._decided(turn, board, writing)])
        except LabelbanditError:
            self._board = board if board.position == known else None
            raise
        self._board = board
        for turn in turns:
            turn.done = True

    def _decided(self, turn: Turn, board: Board, writing: Writing) -> list[Entry]:
        """What the log is to hold of a request; a refusal does not undo that assignments lapsed."""
        former = None if turn.key is None else writing.outcome(turn.key)
        if former is not None:
            turn.result = ledger.recall(former, board)
            return []
        request = Request(board, writing.now)
        try:
            turn.result = turn.decide(request, writing)
        except StoreError:  # what was to be written will not do: the whole transaction is void
            raise
        except LabelbanditError as error:
            turn.refusal = error
        if turn.key is not None and turn.refusal is None:
            writing.remember(turn.key, ledger.outcome(turn.result))
        return ledger.entries(request)

    def _rehearse(self, board: Board) -> None:
        """Load the rule before taking the lock: that takes seconds, and a minute if it must be compiled first."""
        if board.tasks and board.workers and board.terms.policy != self._rehearsed:
            with suppress(LabelbanditError):  # a policy may refuse; whoever asks will be told
                board.mind.rehearse()
            self._rehearsed = board.terms.policy

    def note(self, decide: Callable[[Board], ev.Event | None]) -> None:
        """Let one thing have happened, unless the campaign is closed or it is so already."""

        def one(request: Request, _: Writing) -> None:
            self.refuse_closed(request.board)
            event = decide(request.board)
            if event is not None:
                request.note(event)

        self.commit(one)

    def up_to_date(self) -> Board:
        """The board with everything others wrote."""
        with self.lock:
            board, self._board = self._loaded(), None
            self._catch_up(board, self.store.read(self.row.number, board.position))
            self._board = board
            return board

    def last_seen(self) -> Board:
        """The board as this process left it; it may lack what others wrote since."""
        return self.up_to_date() if self._board is None else self._board

    def _catch_up(self, board: Board, log: Iterable[Entry]) -> None:
        """Apply what others wrote; those who joined may have the names of some who were erased."""
        known = board.tasks, board.workers
        ledger.catch_up(board, log)
        if (board.tasks, board.workers) != known:
            self.tasks.forget()
            self.workers.forget()

    def _follow(self, board: Board, read: Reading) -> None:
        """Catch up before the lock is there; the policy too, so that nobody will wait while it learns."""
        self._catch_up(board, read(board.position))
        if board.tasks and board.workers:
            with suppress(LabelbanditError):  # a policy may refuse; whoever asks will be told
                board.mind.catch_up()

    def _loaded(self) -> Board:
        return snapshot.load(self.store, self.row.number) if self._board is None else self._board

    def serve(self, request: Request, who: list[int]) -> Lent | Nothing:
        """Ask for one who came alone, or among several."""
        request.lapse()
        served = request.pull(who[0]) if len(who) == 1 else request.push(who or None)
        if isinstance(served, Nothing):
            return served
        if len(who) == 1:
            request.fill(who[0])
        return request.board.lent(served)

    def assignment(self, lent: Lent) -> Assignment:
        """An assignment by public ids, which are best looked up when nobody waits for this one's lock."""
        return Assignment(
            number=lent.number,
            task=self.tasks.id(lent.task),
            worker=self.workers.id(lent.worker),
            context=self.contexts.id(lent.context),
            price=lent.price,
            propensity=lent.propensity,
            due_at=lent.due_at,
        )

    def served(self, served: Lent | Nothing) -> Assignment | Nothing:
        """What someone who asked is given, by public ids."""
        return self.assignment(served) if isinstance(served, Lent) else served

    def label(self, told: ledger.Told) -> Label:
        """A label by public ids."""
        lent = told.lent
        return Label(self.tasks.id(lent.task), self.workers.id(lent.worker), told.answer, lent.price, lent.number)

    def open_number(self, request: Request, assignment: Assignment | int, done: State | None) -> int | None:
        """The number of an open assignment; None if it is already what it is to become."""
        number = number_of(assignment)
        request.check_number(number)
        request.lapse(but=number)
        state = STATES[request.board.assignments["state"][number]]
        if state is State.OPEN:
            return number
        if state is done:
            return None
        raise BadInput(f"assignment {number} is {state}, not open: ask for another one")

    def refuse_closed(self, board: Board) -> None:
        """Nothing but answers can come after the end."""
        if board.phase == "closed":
            raise CampaignOver(f"campaign {self.row.name!r} is closed: open assignments can be told, nothing else changes")


def class_number(board: Board, answer: str) -> int:
    """The number of a class."""
    try:
        return board.classes.index(answer)
    except ValueError:
        raise UnknownClass(f"answer {answer!r} is not a class: give one of {', '.join(board.classes)}") from None


def number_of(assignment: Assignment | int) -> int:
    """The number of an assignment, given either way."""
    return assignment.number if isinstance(assignment, Assignment) else whole_number("assignment {}", assignment, 0)

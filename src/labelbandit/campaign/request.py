"""A request: what someone wants of a campaign, decided on the board as it is and noted as events."""

import numpy as np

from labelbandit.campaign.board import IS_DECLINED, IS_LAPSED, IS_TOLD, Board
from labelbandit.campaign.values import Nothing, Reason
from labelbandit.model import events as ev
from labelbandit.model.arrays import Longs
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import AlreadyAnswered, TooLate, UnknownName
from labelbandit.policies.contract import Choice
from labelbandit.policies.sheet import DECLINED

_SOON = 5.0
"""Seconds after which to come again, if nothing better is known."""
_MICRO = 1_000_000


class Request:
    """Events decided so far, each applied to the board at once so that the next is decided on it."""

    def __init__(self, board: Board, now: int) -> None:
        self.board = board
        self.now = max(now, board.at)
        self.events: list[ev.Event] = []

    def note(self, event: ev.Event) -> None:
        """Let it have happened."""
        self.board.apply(event, self.now)
        self.events.append(event)

    def lapse(self, but: int | None = None) -> None:
        """Give up on assignments whose time is up, except the one this request is about."""
        numbers = [number for number in self.board.overdue(self.now) if number != but]
        if numbers:
            self.note(ev.AssignmentsLapsed(numbers))

    # asking

    def push(self, present: list[int] | None) -> int | Nothing:
        """Choose among those present; the number of the assignment."""
        choice = self.choose(present)
        return choice if isinstance(choice, Nothing) else self._assign(choice, None, present)

    def choose(self, present: list[int] | None) -> Choice | Nothing:
        """Who of those present should label what."""
        board = self.board
        mask = board.eligible() & (board.crew["open"] < board.terms.hold)
        if present is not None:
            here = np.zeros(board.workers, np.bool_)
            here[present] = True
            mask &= here
        prices = board.prices()
        nothing = self._refusal(prices[mask])
        if nothing is not None:
            return nothing
        mask &= prices <= board.remaining
        choice = board.mind.choose(mask, board.assignments.size)
        return choice if choice.task >= 0 else self._no_task()

    def pull(self, worker: int) -> int | Nothing:
        """Serve the worker who came, or not; their open assignments come first."""
        held = self.board.holding.get(worker, [])
        if len(held) >= self.board.terms.hold:
            return held[0]
        greeted = self.greet(worker)
        if isinstance(greeted, Nothing):
            return held[0] if held else greeted
        number = self._assign(*greeted, [worker])
        return held[0] if held else number

    def greet(self, worker: int) -> tuple[Choice, float] | Nothing:
        """What the worker who came is served, and how wide the door was open."""
        board = self.board
        eligible, prices = board.eligible(), board.prices()
        nothing = self._refusal(prices[worker : worker + 1] if eligible[worker] else prices[:0])
        if nothing is not None:
            return nothing
        reach = board.in_reach(self.now) & eligible & (prices <= board.remaining)
        choice, door = board.mind.greet(worker, reach, board.crew["arrivals"], board.assignments.size)
        return (choice, door) if choice.task >= 0 else self._no_task()

    def fill(self, worker: int) -> None:
        """Lend the worker as many tasks as they may hold."""
        held = -1
        while held < len(self.board.holding[worker]) < self.board.terms.hold:
            held = len(self.board.holding[worker])
            self.pull(worker)

    def _refusal(self, prices: Longs) -> Nothing | None:
        """Why none of the candidates, who have these prices, can be asked, if so."""
        board = self.board
        if board.phase == "paused":
            return Nothing(Reason.PAUSED, _SOON, "the campaign is paused")
        if board.phase == "closed":
            return Nothing(Reason.CLOSED, None, "the campaign is closed")
        if board.has_enough():
            return Nothing(
                Reason.TARGET_REACHED, None, f"the expected accuracy has reached the target of {board.terms.target:g}"
            )
        if not prices.size or not board.tasks:
            return Nothing(Reason.NOTHING_FOR_WORKER, self._retry(), "nobody present may take a task now")
        cheapest = int(prices.min())
        if board.remaining < cheapest:
            again = self._retry() if board.reserved else None
            detail = f"{board.remaining} of the budget of {board.terms.budget} is left and the cheapest label costs {cheapest}"
            return Nothing(Reason.BUDGET_SPENT, again, detail)
        return None

    def _no_task(self) -> Nothing:
        if self.board.closed().all():
            return Nothing(Reason.ALL_SETTLED, None, "every task has labels enough")
        return Nothing(Reason.NOTHING_FOR_WORKER, self._retry(), "there is no task for those present now")

    def _retry(self) -> float:
        due = self.board.next_due()
        if due is None:
            return _SOON
        return max(1.0, min(_SOON, (due - self.now) / _MICRO))

    def _assign(self, choice: Choice, door: float | None, present: list[int] | None) -> int:
        board = self.board
        number = board.assignments.size
        self.note(
            ev.TaskAssigned(
                number=number,
                task=int(choice.task),
                worker=int(choice.worker),
                price=int(board.crew["price"][choice.worker]),
                propensity=float(choice.propensity),
                door=None if door is None else float(door),
                score=float(choice.score),
                phase=int(choice.phase),
                present=present,
                due_at=self.now + board.terms.lease,
            )
        )
        return number

    # telling

    def tell(self, number: int, answer: int, price: int | None, lead_time: int | None, source: str | None) -> int:
        """Take an answer; the number of the assignment it settles."""
        board = self.board
        self.check_number(number)
        state = board.assignments["state"][number]
        if state == IS_TOLD:
            return self._told_again(number, answer)
        if state == IS_DECLINED:
            raise AlreadyAnswered(f"assignment {number} was declined: attach the label if it is to count after all")
        if state == IS_LAPSED:
            newer = self._newer(number)
            if newer is not None:
                return self.tell(newer, answer, price, lead_time, source)
            settled = self._tell_late(number, answer)
            if settled is not None:
                return settled
        noted = int(board.assignments["price"][number])
        paid = noted if price is None else whole_number(f"a price of {{}} for assignment {number}", price, 0, noted)
        self.note(ev.LabelReceived(number, answer, paid, lead_time, source))
        return number

    def _told_again(self, number: int, answer: int) -> int:
        told = int(self.board.assignments["answer"][number])
        if told != answer:
            classes = self.board.classes
            raise AlreadyAnswered(
                f"assignment {number} was told {classes[told]!r}, not {classes[answer]!r}: use correct to change an answer"
            )
        return number

    def _newer(self, number: int) -> int | None:
        """The open assignment of the same pair."""
        lent = self.board.assignments
        return self.board.open_for(int(lent["task"][number]), int(lent["worker"][number]))

    def _tell_late(self, number: int, answer: int) -> int | None:
        """The assignment that a late answer repeats; None if it may be taken."""
        board = self.board
        task, worker = int(board.assignments["task"][number]), int(board.assignments["worker"][number])
        said = board.mind.answer_of(task, worker)
        if said is not None and said >= 0:
            if said == answer:
                told = board.told_for(task, worker)
                return number if told is None else told
            raise AlreadyAnswered(f"the worker of assignment {number} answered the task meanwhile: use correct to change it")
        if said == DECLINED:
            raise TooLate(f"assignment {number} lapsed and its task was declined since: attach the label if it is to count")
        if board.phase == "closed":
            raise TooLate(f"assignment {number} lapsed and the campaign is closed: nothing was paid")
        if board.mind.done[task]:
            raise TooLate(f"assignment {number} lapsed and its task takes no more labels: nothing was paid")
        price = int(board.assignments["price"][number])
        if price > board.remaining:
            raise TooLate(
                f"assignment {number} lapsed and {board.remaining} of the budget is left, less than its price of {price}"
            )
        return None

    def check_number(self, number: int) -> None:
        """Refuse a number that no assignment has."""
        if not 0 <= number < self.board.assignments.size:
            raise UnknownName(f"there is no assignment {number} in this campaign: give the number that ask returned")

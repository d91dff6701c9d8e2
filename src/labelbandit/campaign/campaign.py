"""The campaign: ask who should label what, tell what they said. Everything it knows comes from its log."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from labelbandit.campaign import believing, enrolling, ledger
from labelbandit.campaign.board import Board, Lent
from labelbandit.campaign.request import Request
from labelbandit.campaign.session import Session, class_number, number_of
from labelbandit.campaign.terms import amended
from labelbandit.campaign.values import (
    Assignment,
    Estimate,
    Explanation,
    Label,
    Nothing,
    Progress,
    State,
    Task,
    Worker,
)
from labelbandit.model import events as ev
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput, BudgetTooSmall
from labelbandit.stores.contract import CampaignRow, Register, Store, Writing


class Campaign:
    """Tasks, workers, a budget and a policy, on a store. Safe to use from several threads and several processes."""

    def __init__(self, store: Store, row: CampaignRow, board: Board) -> None:
        self.store = store
        self.row = row
        self._session = Session(store, row, board)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.row.name

    # who and what

    def add_tasks(self, *tasks: Task) -> None:
        """Let tasks join, at any time."""
        enrolling.check_tasks(tasks)

        def add(request: Request, writing: Writing) -> None:
            self._session.refuse_closed(request.board)
            gold = [None if task.gold is None else class_number(request.board, task.gold) for task in tasks]
            known = self._session.contexts.known(task.context for task in tasks)
            new = list(dict.fromkeys(task.context for task in tasks if task.context not in known))
            first = request.board.contexts
            known |= {context: first + at for at, context in enumerate(new)}
            writing.enter(Register.CONTEXT, first, [(context, None) for context in new])
            writing.enter(Register.TASK, request.board.tasks, [(task.id, enrolling.as_json(task.payload)) for task in tasks])
            truth = None if all(one is None for one in gold) else [-1 if one is None else one for one in gold]
            request.note(ev.TasksAdded(request.board.tasks, [known[task.context] for task in tasks], truth))

        self._session.commit(add)

    def add_workers(self, *workers: Worker) -> None:
        """Let workers join, at any time."""
        enrolling.check_workers(workers)

        def add(request: Request, writing: Writing) -> None:
            self._session.refuse_closed(request.board)
            first = request.board.workers
            writing.enter(Register.WORKER, first, [(one.id, enrolling.as_json(one.details)) for one in workers])
            request.note(
                ev.WorkersEnrolled(
                    first,
                    [one.price for one in workers],
                    [one.cap for one in workers],
                    [one.expert for one in workers],
                )
            )

        self._session.commit(add)

    def add_classes(self, *classes: str) -> None:
        """Let more answers be possible; a class is never removed."""
        if not classes:
            raise BadInput("no classes were given: give at least one")

        def add(request: Request, _: Writing) -> None:
            board = request.board
            self._session.refuse_closed(board)
            enrolling.check_classes([*board.classes, *classes])
            ledger.check_policy(board.terms, len(board.classes) + len(classes), board)
            request.note(ev.ClassesAdded(list(classes)))

        self._session.commit(add)

    # asking

    def ask(self, *present: str, request: str | None = None) -> Assignment | Nothing:
        """Lend a task: to the one named, who came alone, if it is worth it; or to whoever of those present is best asked.

        No name means everyone enrolled. A repeated `request` key returns what came of it the first time.
        """

        def ask(asking: Request, _: Writing) -> Lent | Nothing:
            return self._session.serve(asking, self._session.workers.numbers(present))

        return self._session.served(self._session.commit(ask, request))

    def ask_many(self, count: int, *present: str) -> list[Assignment]:
        """Lend up to so many tasks at once to those present; open ones count."""
        whole_number("{} assignments", count, 1)

        def ask(request: Request, _: Writing) -> list[Lent]:
            request.lapse()
            who = self._session.workers.numbers(present) if present else None
            lent: list[int] = []
            while len(lent) < count:
                number = request.push(who)
                if isinstance(number, Nothing):
                    break
                lent.append(number)
            return [request.board.lent(number) for number in lent]

        return [self._session.assignment(lent) for lent in self._session.commit(ask)]

    def holding(self, worker: str) -> list[Assignment]:
        """The worker's open assignments, oldest first."""
        board = self._session.up_to_date()
        held = board.holding.get(self._session.workers.number(worker), [])
        return [self._session.assignment(board.lent(number)) for number in held]

    def assignment(self, number: int) -> Assignment:
        """The assignment of that number, whatever became of it."""
        with self._session.lock:
            board = self._session.up_to_date()
            Request(board, 0).check_number(number)
            return self._session.assignment(board.lent(number))

    def whose(self, number: int) -> int | None:
        """The number of the worker to whom that assignment was lent; None if there is no such assignment."""
        with self._session.lock:
            board = self._session.last_seen()
            if number >= board.assignments.size:
                board = self._session.up_to_date()
            return int(board.assignments["worker"][number]) if 0 <= number < board.assignments.size else None

    def worker_number(self, worker: str) -> int:
        """The number by which the log knows a worker."""
        return self._session.workers.number(worker)

    # telling

    def tell(
        self,
        assignment: Assignment | int,
        answer: str,
        *,
        price: int | None = None,
        lead_time: float | None = None,
        source: str | None = None,
        request: str | None = None,
    ) -> Label:
        """Take an answer, late or in time; telling the same again is harmless, telling another is refused."""
        told = self._session.commit(
            lambda telling, _: self._tell(telling, assignment, answer, price, lead_time, source),
            request,
        )
        return self._session.label(told)

    def tell_and_ask(
        self, assignment: Assignment | int, answer: str, *, lead_time: float | None = None, request: str | None = None
    ) -> tuple[Label, Assignment | Nothing]:
        """Take an answer and serve its worker again, in one step."""

        def both(doing: Request, _: Writing) -> tuple[ledger.Told, Lent | Nothing]:
            told = self._tell(doing, assignment, answer, None, lead_time, None)
            return told, self._session.serve(doing, [told.lent.worker])

        told, served = self._session.commit(both, request)
        return self._session.label(told), self._session.served(served)

    def decline(self, assignment: Assignment | int) -> None:
        """The worker would rather not: they are not asked about this task again, and nothing is paid."""

        def decline(request: Request, _: Writing) -> None:
            number = self._session.open_number(request, assignment, State.DECLINED)
            if number is not None:
                request.note(ev.AssignmentDeclined(number))

        self._session.commit(decline)

    def renew(self, assignment: Assignment | int) -> Assignment:
        """Give the worker the whole lease again."""

        def renew(request: Request, _: Writing) -> Lent:
            number = self._session.open_number(request, assignment, None)
            assert number is not None
            request.note(ev.AssignmentRenewed(number, request.now + request.board.terms.lease))
            return request.board.lent(number)

        return self._session.assignment(self._session.commit(renew))

    def correct(self, task: str, worker: str, answer: str) -> None:
        """Put another answer in place of the worker's, as if it had been the first; it costs nothing."""

        def correct(request: Request, _: Writing) -> None:
            board = request.board
            of, by = self._session.tasks.number(task), self._session.workers.number(worker)
            new, said = class_number(board, answer), board.mind.answer_of(of, by) if board.workers else None
            if said is None or said < 0:
                raise BadInput(f"worker {worker!r} has not labelled task {task!r}: there is no answer to correct")
            if said != new:
                request.note(ev.AnswerCorrected(of, by, new))

        self._session.commit(correct)

    def attach(self, task: str, worker: str, answer: str, *, price: int = 0) -> None:
        """Take a label that nobody was asked for."""
        self.attach_many([(task, worker, answer)], price=price)

    def attach_many(self, labels: Sequence[tuple[str, str, str]], *, price: int = 0) -> None:
        """Take many labels (task, worker, answer) that nobody was asked for, all or none; the price is for all of them."""
        whole_number("a price of {}", price, 0)
        if not labels:
            return

        def attach(request: Request, _: Writing) -> None:
            board = request.board
            self._session.refuse_closed(board)
            tasks = self._session.tasks.numbers([task for task, _, _ in labels])
            workers = self._session.workers.numbers([worker for _, worker, _ in labels])
            answers = [class_number(board, answer) for _, _, answer in labels]
            ledger.check_unasked(board, labels, tasks, workers)
            if price > board.remaining:
                raise BudgetTooSmall(f"labels for {price} cost more than the {board.remaining} left: amend the budget first")
            request.note(ev.LabelsAttached(tasks, workers, answers, price))

        self._session.commit(attach)

    # changing

    def amend(
        self, *, prices: Mapping[str, int] | None = None, caps: Mapping[str, int | None] | None = None, **terms: Any
    ) -> None:
        """Change budget, policy, lease, presence, hold, min_labels, max_labels, settle or target; or workers' prices and caps.

        A new policy is taught the whole log. New prices hold for later asks.
        """
        enrolling.check_changes(terms)

        def amend(request: Request, _: Writing) -> None:
            board = request.board
            self._session.refuse_closed(board)
            new = amended(board.terms, terms)
            if new.budget < board.spent + board.reserved:
                used = board.spent + board.reserved
                raise BudgetTooSmall(f"a budget of {new.budget} is below the {used} spent and reserved: give as much or more")
            changes = self._worker_changes(board, prices or {}, caps or {})
            if new != board.terms:
                ledger.check_policy(new, len(board.classes), board)
                request.note(ev.TermsChanged(new))
            for change in changes:
                request.note(change)

        self._session.commit(amend)

    def bar(self, worker: str, *, keep_labels: bool = True) -> None:
        """Ask a worker no more; with `keep_labels=False` leave out what they said."""
        self._session.note(lambda _: ev.WorkerBarred(self._session.workers.number(worker), keep_labels))

    def withdraw(self, task: str) -> None:
        """Ask nobody about a task any more."""
        self._session.note(lambda _: ev.TaskWithdrawn(self._session.tasks.number(task)))

    def pause(self) -> None:
        """Ask nobody until `resume`; open assignments may be told."""
        self._session.note(lambda board: None if board.phase == "paused" else ev.CampaignPaused())

    def resume(self) -> None:
        """Go on after a pause."""
        self._session.note(lambda board: None if board.phase == "open" else ev.CampaignResumed())

    def close(self) -> None:
        """Ask nobody any more; open assignments may be told until they are due."""
        self._session.commit(lambda request, _: None if request.board.phase == "closed" else request.note(ev.CampaignClosed()))

    # knowing

    def estimates(self) -> dict[str, Estimate]:
        """What to believe of every task."""
        with self._session.lock:
            board = self._session.up_to_date()
            return dict(believing.estimates(board, self._session.tasks.all_ids()))

    def estimate(self, task: str) -> Estimate:
        """What to believe of one task."""
        with self._session.lock:
            return believing.estimate(self._session.up_to_date(), self._session.tasks.number(task), task)

    def progress(self) -> Progress:
        """Where the campaign stands."""
        with self._session.lock:
            return believing.progress(self._session.up_to_date(), self.name)

    def explain(self, assignment: Assignment | int) -> Explanation:
        """Why this task, why this worker, and with what probability."""
        with self._session.lock:
            board = self._session.up_to_date()
            number = number_of(assignment)
            Request(board, 0).check_number(number)
            event, policy = ledger.assigned(self.store, self.row.number, number)
            present = None if event.present is None else tuple(self._session.workers.ids(event.present).values())
            return believing.explain(board, self._session.assignment(board.lent(number)), present, policy)

    def labels(self) -> Iterator[Label]:
        """Every label, in the order in which they came."""
        with self._session.lock:
            board = self._session.up_to_date()
            tasks, workers = self._session.tasks.all_ids(), self._session.workers.all_ids()
            return iter(ledger.labels(board, tasks, workers))

    @property
    def classes(self) -> list[str]:
        """The possible answers."""
        return list(self._session.up_to_date().classes)

    @property
    def terms(self) -> ev.Terms:
        """What holds now."""
        return self._session.up_to_date().terms

    @contextmanager
    def looking(self, *, as_last_seen: bool = False) -> Iterator[Board]:
        """Everything known now, by numbers, and nothing changes it until the block is left.

        As last seen it may lack what other processes wrote since, but nothing that came of this one's requests.
        """
        with self._session.lock:
            yield self._session.last_seen() if as_last_seen else self._session.up_to_date()

    @property
    def board(self) -> Board:
        """Everything known now, by numbers."""
        return self._session.up_to_date()

    def payload(self, task: str) -> Any:
        """What a worker is shown of the task."""
        return self._session.tasks.details(self._session.tasks.number(task))

    def erase_task(self, task: str) -> None:
        """Forget the id and payload of a task; its number and its labels stay."""
        self.store.erase(self.row.number, Register.TASK, self._session.tasks.number(task))
        self._session.tasks.forget()

    def erase_worker(self, worker: str) -> None:
        """Forget who a worker was; their number and their labels stay, and nobody can be asked by that name."""
        self.store.erase(self.row.number, Register.WORKER, self._session.workers.number(worker))
        self._session.workers.forget()

    # inside

    def _tell(
        self,
        request: Request,
        assignment: Assignment | int,
        answer: str,
        price: int | None,
        lead_time: float | None,
        source: str | None,
    ) -> ledger.Told:
        said, number = class_number(request.board, answer), number_of(assignment)
        took = enrolling.lead_time(lead_time)
        enrolling.check_source(source)
        request.lapse(but=number)
        settled = request.tell(number, said, price, took, source)
        return ledger.Told(request.board.lent(settled), answer)

    def _worker_changes(
        self, board: Board, prices: Mapping[str, int], caps: Mapping[str, int | None]
    ) -> list[ev.WorkerAmended]:
        changes = []
        for worker in dict.fromkeys([*prices, *caps]):
            enrolling.check_workers([Worker(worker, price=prices.get(worker, 1), cap=caps.get(worker))])
            number = self._session.workers.number(worker)
            price, cap = (int(board.crew[name][number]) for name in ("price", "cap"))
            new_cap = caps.get(worker, None if cap < 0 else cap)
            changes.append(ev.WorkerAmended(number, prices.get(worker, price), new_cap))
        return changes

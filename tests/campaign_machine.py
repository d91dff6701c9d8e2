"""A machine that asks a campaign for anything, in any order, through two Campaign objects on one store."""

from contextlib import suppress

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import labelbandit as lb
from tests.audits import Audit
from tests.campaigns import Clock, digest

CLASSES = ["yes", "no", "maybe"]
POLICIES = ["random", "bbta", "bbta:explore=0", "bbta:draw=uniform", "bbta:explore=2,pick=random", "iethresh", "crowdsense"]
TERMS = st.fixed_dictionaries(
    {},
    optional={
        "budget": st.integers(1, 30),
        "policy": st.sampled_from(POLICIES),
        "lease": st.sampled_from([1, 60, 3600]),
        "presence": st.sampled_from([1, 60]),
        "hold": st.integers(1, 3),
        "min_labels": st.integers(1, 3),
        "max_labels": st.none() | st.integers(1, 4),
        "settle": st.none() | st.sampled_from([0.5, 0.7, 0.9]),
    },
)
side = st.integers(0, 1)
answer = st.sampled_from(CLASSES)
few = st.integers(0, 6)
some_worker = few.map("w{}".format)
some_task = few.map("t{}".format)


class CampaignMachine(RuleBasedStateMachine):
    """Whatever happens, the promises hold."""

    def make_store(self):
        """An empty store for each run."""
        raise NotImplementedError

    def end_store(self):
        """Let go of it."""
        self.store.close()

    @initialize(terms=TERMS, gold=st.booleans())
    def open(self, terms, gold):
        self.clock = Clock()
        self.store = self.make_store()
        given = {"budget": 12, "policy": "bbta"} | terms
        with suppress(lb.BadInput):
            self.sides = [lb.create_campaign(self.store, "birds", classes=CLASSES[:2], seed=3, **given)]
        if not hasattr(self, "sides"):
            self.sides = [lb.create_campaign(self.store, "birds", classes=CLASSES[:2], seed=3, budget=12)]
        self.sides.append(lb.open_campaign(self.store, "birds"))
        self.audit = Audit()
        self.tasks = self.workers = self.keys = 0
        self.sides[0].add_tasks(lb.Task("t0", gold="yes" if gold else None), lb.Task("t1", context="c"))
        self.sides[1].add_workers(lb.Worker("w0"), lb.Worker("w1", price=2))
        self.tasks = self.workers = 2

    def teardown(self):
        if hasattr(self, "store"):
            self.end_store()

    def request(self, at, verb, *arguments, **given):
        """Ask one side for something; a refusal is an error of ours."""
        with suppress(lb.LabelbanditError):
            return getattr(self.sides[at], verb)(*arguments, **given)

    @rule(at=side, context=st.sampled_from(["", "c", "d"]), gold=st.sampled_from([None, None, "yes", "no"]))
    def add_task(self, at, context, gold):
        if self.tasks < 7 and self.sides[0].progress().phase != "closed":
            self.sides[at].add_tasks(lb.Task(f"t{self.tasks}", context=context, gold=gold))
            self.tasks += 1

    @rule(at=side, price=st.integers(0, 4), cap=st.none() | st.integers(0, 4), expert=st.sampled_from([False, False, True]))
    def add_worker(self, at, price, cap, expert):
        if self.workers < 7 and self.sides[0].progress().phase != "closed":
            self.sides[at].add_workers(lb.Worker(f"w{self.workers}", price=price, cap=cap, expert=expert))
            self.workers += 1

    @rule(at=side, present=st.lists(some_worker, max_size=3))
    def ask(self, at, present):
        self.request(at, "ask", *present)

    @rule(at=side, worker=some_worker)
    def pull_twice(self, at, worker):
        first = self.request(at, "ask", worker)
        length = sum(1 for _ in self.store.read(self.sides[0].row.number))
        again = self.request(1 - at, "ask", worker)
        assert length == sum(1 for _ in self.store.read(self.sides[0].row.number))
        assert again == first

    @rule(at=side, count=st.integers(1, 4))
    def ask_many(self, at, count):
        self.request(at, "ask_many", count)

    @rule(at=side, number=st.integers(0, 25), said=answer, price=st.none() | st.integers(0, 3))
    def tell(self, at, number, said, price):
        self.request(at, "tell", number, said, price=price)

    @rule(at=side, which=st.integers(0, 3), said=answer)
    def tell_an_open_one(self, at, which, said):
        numbers = sorted(self.sides[at].board.open)
        if numbers:
            self.request(at, "tell_and_ask", numbers[which % len(numbers)], said)

    @rule(at=side, said=answer)
    def tell_with_a_key_twice(self, at, said):
        self.keys += 1
        numbers = sorted(self.sides[at].board.open)
        if numbers:
            first = self.request(at, "tell", numbers[0], said, request=f"{self.keys}")
            assert self.request(1 - at, "tell", numbers[0], said, request=f"{self.keys}") == first

    @rule(at=side, verb=st.sampled_from(["decline", "renew"]), number=st.integers(0, 25))
    def decline_or_renew(self, at, verb, number):
        self.request(at, verb, number)

    @rule(at=side, task=some_task, worker=some_worker, said=answer)
    def correct(self, at, task, worker, said):
        self.request(at, "correct", task, worker, said)

    @rule(at=side, labels=st.lists(st.tuples(some_task, some_worker, answer), max_size=3), price=st.integers(0, 2))
    def attach(self, at, labels, price):
        self.request(at, "attach_many", labels, price=price)

    @rule(at=side, terms=TERMS, prices=st.dictionaries(some_worker, st.integers(0, 4), max_size=1))
    def amend(self, at, terms, prices):
        self.request(at, "amend", prices=prices, **terms)

    @rule(at=side, worker=some_worker, keep=st.booleans())
    def bar(self, at, worker, keep):
        self.request(at, "bar", worker, keep_labels=keep)

    @rule(at=side, task=some_task)
    def withdraw(self, at, task):
        self.request(at, "withdraw", task)

    @rule(at=side)
    def add_class(self, at):
        self.request(at, "add_classes", "maybe")

    @rule(at=side, verb=st.sampled_from(["pause", "resume", "resume", "resume"]))
    def pause_or_resume(self, at, verb):
        self.request(at, verb)

    @rule(at=side, sure=st.integers(0, 9))
    def close(self, at, sure):
        if sure == 0:
            self.request(at, "close")

    @rule(seconds=st.sampled_from([0.5, 30, 61, 4000, -100]))
    def pass_time(self, seconds):
        self.clock.pass_by(seconds)

    @invariant()
    def the_log_keeps_the_promises(self):
        if hasattr(self, "audit"):
            self.audit.read(self.store.read(self.sides[0].row.number, self.audit.length - 1))
            assert self.audit.faults == []
            progress = self.sides[0].progress()
            assert (progress.spent, progress.reserved) == (self.audit.spent, self.audit.reserved)
            assert (progress.labels, progress.open) == (len(self.audit.labels), len(self.audit.open))

    @invariant()
    def replay_is_the_live_campaign(self):
        if hasattr(self, "audit"):
            again = lb.open_campaign(self.store, "birds")
            assert digest(again.board) == digest(self.sides[0].board) == digest(self.sides[1].board)
            estimates = again.estimates()
            assert estimates == self.sides[0].estimates() == self.sides[1].estimates()
            assert list(again.labels()) == list(self.sides[1].labels())
            assert self.next_decision(again) == self.next_decision(self.sides[0]) == self.next_decision(self.sides[1])

    def next_decision(self, campaign):
        """Whom the policy would choose now, and whom it would serve of those who come alone."""
        board = campaign.board
        mask, number = board.eligible(), board.assignments.size
        if not mask.any():
            return None
        alone = [board.mind.greet(int(worker), mask, board.crew["arrivals"], number) for worker in np.flatnonzero(mask)]
        return board.mind.choose(mask, number), alone

"""Threads that wait for one another are written together, and none suffers for another."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

import labelbandit as lb
from labelbandit.campaign.names import Names
from labelbandit.model.errors import AlreadyAnswered, AlreadyThere
from labelbandit.stores import Register
from tests.audits import audit
from tests.campaigns import a_campaign


class CountingStore:
    """A store that counts transactions, and writers whenever something is looked up."""

    def __init__(self, store):
        self._store, self.transactions = store, 0
        self.writers, self.looked_up = 0, []

    def __getattr__(self, name):
        return getattr(self._store, name)

    @contextmanager
    def writing(self, campaign, waiting=None):
        self.transactions += 1
        with self._store.writing(campaign, waiting) as writing:
            self.writers += 1
            yield writing
            self.writers -= 1

    def rows(self, *given):
        self.looked_up.append(self.writers)
        return self._store.rows(*given)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request, tmp_path):
    urls = {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path}/store.db"}
    store = CountingStore(lb.open_store(urls.get(request.param) or request.getfixturevalue("postgres_url")))
    yield store
    store.close()


def together(campaign, *verbs):
    """Do all at once: everyone comes while somebody else has the campaign; what came of each, errors too."""

    def tried(verb):
        try:
            return verb()
        except lb.LabelbanditError as error:
            return error

    with ThreadPoolExecutor(len(verbs)) as threads:
        with campaign.looking():
            coming = [threads.submit(tried, verb) for verb in verbs]
            time.sleep(0.3)
        return [one.result() for one in coming]


def test_those_who_wait_are_written_in_one_transaction(store):
    campaign = a_campaign(store, tasks=8, workers=5)
    lent = [campaign.ask(f"w{at}") for at in range(5)]
    store.transactions = 0
    told = together(campaign, *(lambda one=one: campaign.tell(one, "yes") for one in lent))
    assert store.transactions == 1
    assert set(campaign.labels()) == set(told)
    assert audit(campaign).faults == []


def test_a_refusal_among_them_is_its_own_affair(store):
    campaign = a_campaign(store, tasks=8, workers=3)
    lent = [campaign.ask(f"w{at}") for at in range(3)]
    campaign.tell(lent[1], "yes")
    first, refused, last = together(
        campaign,
        lambda: campaign.tell(lent[0], "yes"),
        lambda: campaign.tell(lent[1], "no"),
        lambda: campaign.tell(lent[2], "no"),
    )
    assert isinstance(refused, AlreadyAnswered)
    assert {first.worker, last.worker} == {"w0", "w2"}
    assert campaign.progress().labels == 3


def test_one_that_voids_the_transaction_leaves_the_others_to_be_written_alone(store):
    campaign = a_campaign(store, tasks=8, workers=3)
    lent = [campaign.ask(f"w{at}") for at in range(2)]
    first, refused, last = together(
        campaign,
        lambda: campaign.tell(lent[0], "yes"),
        lambda: campaign.add_workers(lb.Worker("w2")),
        lambda: campaign.tell(lent[1], "no"),
    )
    assert isinstance(refused, AlreadyThere)
    assert set(campaign.labels()) == {first, last}
    assert audit(campaign).faults == []


def test_a_request_and_its_repetition_at_once_are_one(store):
    campaign = a_campaign(store, tasks=8, workers=3)
    first, second = together(campaign, *[lambda: campaign.ask("w0", "w1", "w2", request="key")] * 2)
    assert first == second
    assert campaign.progress().open == 1


def test_a_crowd_of_threads_loses_and_doubles_nothing(store):
    campaign = a_campaign(store, tasks=30, workers=8, budget=100)

    def work(worker):
        told, lent = 0, campaign.ask(worker)
        while lent:
            _, lent = campaign.tell_and_ask(lent, "yes")
            told += 1
        return told

    with ThreadPoolExecutor(8) as crowd:
        told = sum(crowd.map(work, [f"w{at}" for at in range(8)]))
    pairs = Counter((label.task, label.worker) for label in campaign.labels())
    assert max(pairs.values()) == 1
    assert told == len(pairs) == campaign.progress().spent
    assert audit(campaign).faults == []


def test_the_names_of_what_was_decided_are_looked_up_when_the_lock_is_free(store):
    a_campaign(store, tasks=8, workers=3)
    campaign = lb.open_campaign(store, "birds")
    label, _ = campaign.tell_and_ask(campaign.ask("w0"), "yes")
    lent = campaign.ask_many(2, "w1", "w2")
    assert label.worker == "w0"
    assert {one.worker for one in lent} == {"w1", "w2"}
    campaign.renew(lent[0])
    assert store.looked_up
    assert not any(store.looked_up)


def test_names_are_found_even_if_another_thread_forgets_them_meanwhile(store):
    campaign = a_campaign(store, tasks=3, workers=3)
    names = Names(store, campaign.row.number, Register.TASK)
    rows, numbers = store.rows, store.numbers
    store.rows = lambda *given: (names.forget(), rows(*given))[1]
    store.numbers = lambda *given: (names.forget(), numbers(*given))[1]
    assert names.id(0) == "t0"
    assert names.ids([2, 0, 1]) == {2: "t2", 0: "t0", 1: "t1"}
    names.forget()
    assert names.number("t1") == 1
    assert names.numbers(["t2", "t1", "t2"]) == [2, 1, 2]

"""Small campaigns for tests, on a clock of their own."""

from contextlib import contextmanager

import pytest

import labelbandit as lb
from labelbandit.campaign.ledger import digest
from labelbandit.model import events as ev

SECOND = 1_000_000
START = 1_700_000_000 * SECOND


class Clock:
    """A time that passes when told to."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += round(seconds * SECOND)


def a_campaign(store, *, tasks=4, workers=3, contexts=1, **given):
    """Tasks t0, t1 …, workers w0, w1 …, the classes yes and no, and money for 100 labels."""
    given = {"classes": ["yes", "no"], "budget": 100, "seed": 7, "policy": "bbta:explore=0"} | given
    campaign = lb.create_campaign(store, given.pop("name", "birds"), **given)
    if tasks:
        campaign.add_tasks(*(lb.Task(f"t{at}", context=f"c{at % contexts}") for at in range(tasks)))
    if workers:
        campaign.add_workers(*(lb.Worker(f"w{at}") for at in range(workers)))
    return campaign


def log(campaign):
    """Every event, decoded."""
    return [ev.decode(entry.kind, entry.version, entry.body) for entry in campaign.store.read(campaign.row.number)]


def kinds(campaign):
    """What happened, in the log's words."""
    return [entry.kind for entry in campaign.store.read(campaign.row.number)]


def replayed(campaign):
    """The same campaign as another process would open it."""
    return lb.open_campaign(campaign.store, campaign.name)


@contextmanager
def refused(campaign, error, named):
    """The request is refused in one sentence that has `named` in it, and nothing is written or changed."""
    before, state = list(campaign.store.read(campaign.row.number)), digest(campaign.board)
    with pytest.raises(error) as told:
        yield
    assert named in str(told.value)
    assert "\n" not in str(told.value)
    assert list(campaign.store.read(campaign.row.number)) == before
    assert digest(campaign.board) == state == digest(replayed(campaign).board)


def tell_all(campaign, *present, answer="yes", most=1000):
    """Ask and tell until there is nothing to do."""
    told = []
    while len(told) < most and (lent := campaign.ask(*present)):
        campaign.tell(lent, answer)
        told.append(lent)
    return told

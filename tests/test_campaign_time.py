"""Leases and retries: time passes, and requests are repeated."""

import pytest

import labelbandit as lb
from labelbandit.model.errors import AlreadyAnswered, BadInput
from tests.campaigns import SECOND, Clock, a_campaign, digest, kinds, log, refused, replayed, tell_all


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return lb.open_store("memory:", clock=clock)


def test_an_assignment_is_due_after_the_lease(store, clock):
    assert a_campaign(store, lease=90).ask("w0").due_at == clock.now + 90 * SECOND


@pytest.mark.parametrize("request_", ["ask", "ask_many", "tell", "decline", "renew"])
def test_the_next_request_by_anyone_lapses_what_is_overdue(store, clock, request_):
    campaign = a_campaign(store, lease=60)
    overdue = campaign.ask("w0")
    clock.pass_by(30)
    fresh = campaign.ask("w1")
    clock.pass_by(31)
    match request_:
        case "ask":
            campaign.ask("w2")
        case "ask_many":
            campaign.ask_many(1, "w2")
        case "tell":
            campaign.tell(fresh, "yes")
        case verb:
            getattr(campaign, verb)(fresh)
    assert campaign.explain(overdue).state == "lapsed"
    assert campaign.holding("w0") == []


def test_an_assignment_is_not_overdue_at_the_moment_it_is_due(store, clock):
    campaign = a_campaign(store, lease=60)
    lent = campaign.ask("w0")
    clock.pass_by(60)
    campaign.ask("w1")
    assert campaign.holding("w0") == [lent]


def test_a_lapsed_pair_may_be_asked_again(store, clock):
    campaign = a_campaign(store, tasks=1, workers=1, lease=60)
    first = campaign.ask()
    clock.pass_by(61)
    assert campaign.ask().task == first.task


def test_a_declined_pair_is_not_asked_again(store):
    campaign = a_campaign(store, tasks=1, workers=1)
    campaign.decline(campaign.ask())
    assert campaign.ask().reason == lb.Reason.NOTHING_FOR_WORKER


def test_renewing_gives_the_whole_lease_again(store, clock):
    campaign = a_campaign(store, lease=60)
    lent = campaign.ask("w0")
    clock.pass_by(50)
    assert campaign.renew(lent).due_at == clock.now + 60 * SECOND
    clock.pass_by(50)
    campaign.ask("w1")
    assert [held.number for held in campaign.holding("w0")] == [lent.number]
    clock.pass_by(11)
    campaign.ask("w1")
    assert campaign.holding("w0") == []


def test_renewing_at_the_moment_of_asking_does_no_harm(store, clock):
    campaign = a_campaign(store, lease=60)
    lent = campaign.ask("w0")
    campaign.renew(lent)
    campaign.renew(lent)
    clock.pass_by(61)
    campaign.ask("w1")
    assert campaign.explain(lent).state == "lapsed"
    assert digest(campaign.board) == digest(replayed(campaign).board)


@pytest.mark.parametrize("verb", ["decline", "renew"])
def test_what_is_no_longer_open_can_be_neither_declined_nor_renewed(store, verb):
    campaign = a_campaign(store)
    campaign.tell(lent := campaign.ask("w0"), "yes")
    with refused(campaign, BadInput, "is told, not open"):
        getattr(campaign, verb)(lent)


def test_declining_twice_is_declining_once(store):
    campaign = a_campaign(store)
    lent = campaign.ask("w0")
    campaign.decline(lent)
    campaign.decline(lent)
    assert kinds(campaign).count("assignment declined") == 1


def test_a_declined_assignment_can_no_longer_be_told(store):
    campaign = a_campaign(store)
    campaign.decline(lent := campaign.ask("w0"))
    with refused(campaign, AlreadyAnswered, "was declined"):
        campaign.tell(lent, "yes")


def test_time_never_runs_backwards(store, clock):
    campaign = a_campaign(store)
    before = campaign.ask("w0")
    clock.pass_by(-5000)
    after = campaign.ask("w1")
    assert after.due_at == before.due_at
    times = [entry.at for entry in store.read(campaign.row.number)]
    assert times == sorted(times)


def test_a_request_that_is_refused_still_lapses_what_is_overdue_and_nothing_else(store, clock):
    campaign = a_campaign(store, lease=60)
    campaign.ask("w0")
    told = campaign.ask("w1")
    campaign.tell(told, "yes")
    before = kinds(campaign)
    clock.pass_by(61)
    with pytest.raises(AlreadyAnswered):
        campaign.tell(told, "no")
    assert kinds(campaign) == [*before, "assignments lapsed"]
    assert digest(campaign.board) == digest(replayed(campaign).board)


# repetition


def test_someone_who_comes_again_gets_what_they_hold(store):
    campaign = a_campaign(store)
    first = campaign.ask("w0")
    before = kinds(campaign)
    assert campaign.ask("w0") == first
    assert kinds(campaign) == before


def test_someone_who_may_hold_two_gets_what_is_missing(store):
    campaign = a_campaign(store, hold=2)
    first = campaign.ask("w0")
    held = campaign.holding("w0")
    assert (held[0], len(held)) == (first, 2)
    campaign.tell(first, "yes")
    assert campaign.ask("w0") == held[1]
    assert [one.number for one in campaign.holding("w0")] == [held[1].number, 2]


def test_a_push_never_returns_an_earlier_assignment(store):
    campaign = a_campaign(store, tasks=5, workers=3)
    lent = [campaign.ask() for _ in range(3)]
    assert {one.worker for one in lent} == {"w0", "w1", "w2"}
    assert campaign.ask().reason == lb.Reason.NOTHING_FOR_WORKER


def test_asking_for_many_pushes_as_many_as_there_are_hands(store):
    campaign = a_campaign(store, tasks=5, workers=3, hold=2)
    lent = campaign.ask_many(10)
    assert len(lent) == 6
    assert len({(one.task, one.worker) for one in lent}) == 6


def test_telling_the_same_again_is_harmless_and_another_answer_is_refused(store):
    campaign = a_campaign(store)
    lent = campaign.ask("w0")
    first = campaign.tell(lent, "yes")
    before = kinds(campaign)
    assert campaign.tell(lent.number, "yes") == first
    assert kinds(campaign) == before
    with refused(campaign, AlreadyAnswered, "was told 'yes', not 'no'"):
        campaign.tell(lent, "no")


def test_a_repeated_key_returns_what_came_of_it_the_first_time(store, clock):
    campaign = a_campaign(store)
    lent = campaign.ask(request="a")
    label = campaign.tell(lent, "yes", request="b")
    label_and_next = campaign.tell_and_ask(campaign.ask("w0"), "no", request="c")
    before = kinds(campaign)
    clock.pass_by(10_000)
    for again in (campaign, replayed(campaign)):
        assert again.ask(request="a") == lent
        assert again.tell(lent, "yes", request="b") == label
        assert again.tell_and_ask(label_and_next[0].number, "no", request="c") == label_and_next
    assert kinds(campaign) == before


def test_a_repeated_push_without_a_key_is_another_decision(store):
    campaign = a_campaign(store)
    assert campaign.ask() != campaign.ask()


def test_nothing_is_what_a_repeated_key_is_told_too(store):
    campaign = a_campaign(store, budget=1)
    tell_all(campaign)
    nothing = campaign.ask("w0", request="a")
    campaign.amend(budget=10)
    assert campaign.ask("w0", request="a") == nothing
    assert campaign.ask("w0", request="b")


def test_a_key_whose_request_was_refused_may_be_used_again(store):
    campaign = a_campaign(store)
    lent = campaign.ask("w0")
    with pytest.raises(lb.UnknownClass):
        campaign.tell(lent, "maybe", request="a")
    assert campaign.tell(lent, "yes", request="a").answer == "yes"


def test_telling_and_asking_in_one_step_is_two_events_at_one_time(store):
    campaign = a_campaign(store, tasks=5)
    lent = campaign.ask("w0")
    label, following = campaign.tell_and_ask(lent, "yes", lead_time=2.5)
    assert (label.task, following.worker) == (lent.task, "w0")
    assert following.task != lent.task
    assert kinds(campaign)[-2:] == ["label received", "task assigned"]
    assert log(campaign)[-2].lead_time == 2_500_000

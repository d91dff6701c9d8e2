"""The budget is hard: what an ask reserves, what a tell pays, and what is refused."""

import pytest

import labelbandit as lb
from labelbandit.model.errors import BadInput, BudgetTooSmall, TooLate
from tests.campaigns import Clock, a_campaign, log, refused, replayed, tell_all


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return lb.open_store("memory:", clock=clock)


def money(campaign):
    progress = campaign.progress()
    return progress.spent, progress.reserved, progress.remaining


def priced(store, *prices, **given):
    campaign = a_campaign(store, workers=0, **given)
    campaign.add_workers(*(lb.Worker(f"w{at}", price=price) for at, price in enumerate(prices)))
    return campaign


def test_an_ask_reserves_its_price_and_a_tell_spends_it(store):
    campaign = priced(store, 7, budget=20)
    lent = campaign.ask("w0")
    assert (lent.price, money(campaign)) == (7, (0, 7, 13))
    campaign.tell(lent, "yes")
    assert money(campaign) == (7, 0, 13)


def test_what_is_reserved_cannot_be_spent_again(store):
    campaign = priced(store, 7, 7, 7, budget=20)
    assert campaign.ask("w0")
    assert campaign.ask("w1")
    nothing = campaign.ask("w2")
    assert nothing.reason == lb.Reason.BUDGET_SPENT
    assert "6 of the budget of 20" in nothing.detail
    assert "costs 7" in nothing.detail


def test_money_that_may_come_free_is_worth_coming_back_for_and_money_spent_is_not(store):
    campaign = priced(store, 20, 20, budget=20)
    lent = campaign.ask("w0")
    assert campaign.ask("w1").retry_after == 5.0
    campaign.tell(lent, "yes")
    assert campaign.ask("w1").retry_after is None


def test_the_budget_is_spent_to_the_last_label_and_no_further(store):
    campaign = a_campaign(store, tasks=10, workers=5, budget=17)
    assert len(tell_all(campaign)) == 17
    assert money(campaign) == (17, 0, 0)


def test_whoever_the_rest_cannot_pay_is_no_candidate(store):
    campaign = priced(store, 50, 3, budget=20)
    assert {lent.worker for lent in tell_all(campaign)} == {"w1"}


def test_a_declined_assignment_frees_its_price(store):
    campaign = priced(store, 7, budget=20)
    campaign.decline(campaign.ask("w0"))
    assert money(campaign) == (0, 0, 20)


def test_a_lapsed_assignment_frees_its_price(store, clock):
    campaign = priced(store, 7, 20, budget=20, lease=60)
    campaign.ask("w0")
    assert campaign.ask("w1").reason == lb.Reason.BUDGET_SPENT
    clock.pass_by(61)
    assert campaign.ask("w1").price == 20
    assert money(campaign) == (0, 20, 0)


def test_an_actual_price_below_the_reserved_one_frees_the_rest(store):
    campaign = priced(store, 10, budget=20)
    label = campaign.tell(campaign.ask("w0"), "yes", price=4)
    assert label.price == 4
    assert money(campaign) == (4, 0, 16)
    assert [label.price for label in campaign.labels()] == [4]


def test_telling_again_says_what_was_paid(store):
    campaign = priced(store, 10, budget=20)
    first = campaign.tell(lent := campaign.ask("w0"), "yes", price=4)
    assert campaign.tell(lent, "yes") == first == campaign.tell(lent, "yes", price=9)
    assert money(campaign) == (4, 0, 16)


@pytest.mark.parametrize("price", [11, -1, 2.5, True])
def test_an_actual_price_above_the_reserved_one_or_no_price_at_all_is_refused(store, price):
    campaign = priced(store, 10, budget=20)
    lent = campaign.ask("w0")
    with refused(campaign, BadInput, str(price)):
        campaign.tell(lent, "yes", price=price)


def test_a_late_answer_is_paid_at_its_noted_price(store, clock):
    campaign = priced(store, 5, 1, budget=20, lease=60)
    lent = campaign.ask("w0")
    campaign.amend(prices={"w0": 9})
    clock.pass_by(61)
    campaign.ask("w1")
    assert campaign.progress().reserved == 1
    assert campaign.tell(lent, "yes").price == 5
    assert campaign.progress().spent == 5


def test_an_answer_is_in_time_until_the_log_says_otherwise(store, clock):
    campaign = priced(store, 5, budget=5, lease=60)
    lent = campaign.ask("w0")
    clock.pass_by(1000)
    campaign.tell(lent, "yes")
    assert "AssignmentsLapsed" not in {type(event).__name__ for event in log(campaign)}
    assert money(campaign) == (5, 0, 0)


def test_a_late_answer_settles_the_newer_assignment_of_the_pair(store, clock):
    campaign = a_campaign(store, tasks=1, workers=1, lease=60)
    old = campaign.ask("w0")
    clock.pass_by(61)
    new = campaign.ask("w0")
    assert (old.number, new.number, new.task) == (0, 1, old.task)
    assert campaign.tell(old, "yes").number == new.number
    assert money(campaign) == (1, 0, 99)
    assert campaign.holding("w0") == []
    assert campaign.tell(new, "yes").number == new.number
    assert campaign.tell(old, "yes").answer == "yes"
    assert money(campaign) == (1, 0, 99)
    assert len(list(campaign.labels())) == 1


def test_a_late_answer_that_settles_a_newer_assignment_keeps_its_actual_price_and_source(store, clock):
    campaign = priced(store, 10, budget=50, tasks=1, lease=60)
    old = campaign.ask("w0")
    clock.pass_by(61)
    campaign.ask("w0")
    assert campaign.tell(old, "yes", price=3, source="model", lead_time=1.5).price == 3
    assert money(campaign) == (3, 0, 47)
    assert (log(campaign)[-1].source, log(campaign)[-1].lead_time) == ("model", 1_500_000)


def test_another_late_answer_than_the_one_told_meanwhile_is_refused(store, clock):
    campaign = a_campaign(store, tasks=1, workers=1, lease=60)
    old = campaign.ask("w0")
    clock.pass_by(61)
    campaign.tell(campaign.ask("w0"), "no")
    with refused(campaign, lb.LabelbanditError, "use correct"):
        campaign.tell(old, "yes")


def lapsed(store, clock, **given):
    """An assignment that lapsed, and the campaign."""
    campaign = a_campaign(store, **{"tasks": 1, "workers": 2, "lease": 60} | given)
    lent = campaign.ask("w0")
    clock.pass_by(61)
    return campaign, lent


def test_a_late_answer_is_refused_if_the_task_has_its_maximum(store, clock):
    campaign, late = lapsed(store, clock, max_labels=1)
    campaign.tell(campaign.ask("w1"), "yes")
    with refused(campaign, TooLate, "takes no more labels"):
        campaign.tell(late, "yes")


def test_a_late_answer_is_refused_if_the_task_was_withdrawn(store, clock):
    campaign, late = lapsed(store, clock)
    campaign.ask("w1")
    campaign.withdraw("t0")
    with refused(campaign, TooLate, "takes no more labels"):
        campaign.tell(late, "yes")


def test_a_late_answer_is_refused_if_the_money_is_gone(store, clock):
    campaign, late = lapsed(store, clock, budget=1)
    campaign.tell(campaign.ask("w1"), "yes")
    with refused(campaign, TooLate, "0 of the budget is left"):
        campaign.tell(late, "yes")


def test_a_late_answer_is_refused_if_the_money_is_reserved_for_another(store, clock):
    campaign, late = lapsed(store, clock, budget=1)
    assert campaign.ask("w1")
    with refused(campaign, TooLate, "less than its price of 1"):
        campaign.tell(late, "yes")


def test_a_late_answer_is_refused_once_the_campaign_is_closed(store, clock):
    campaign, late = lapsed(store, clock)
    campaign.ask("w1")
    campaign.close()
    with refused(campaign, TooLate, "closed"):
        campaign.tell(late, "yes")


def test_a_budget_below_what_is_spent_and_reserved_is_refused_with_the_figure(store):
    campaign = a_campaign(store, budget=50)
    for worker in ("w0", "w1"):
        campaign.tell(campaign.ask(worker), "yes")
    campaign.ask("w0")
    with refused(campaign, BudgetTooSmall, "below the 3 spent and reserved"):
        campaign.amend(budget=2)
    campaign.amend(budget=3)
    assert money(campaign) == (2, 1, 0)


def test_a_larger_budget_lets_a_campaign_go_on(store):
    campaign = a_campaign(store, budget=2)
    tell_all(campaign)
    campaign.amend(budget=5)
    assert len(tell_all(campaign)) == 3


def test_new_prices_hold_for_later_asks_only(store):
    campaign = priced(store, 5, 5, budget=50)
    before = campaign.ask("w0")
    campaign.amend(prices={"w0": 9, "w1": 2})
    assert campaign.tell(before, "yes").price == 5
    assert campaign.ask("w0").price == 9
    assert campaign.ask("w1").price == 2


@pytest.mark.parametrize("prices", [{"w0": -1}, {"w0": 1.5}, {"w0": 2**60}, {"w9": 1}])
def test_bad_prices_are_refused_and_no_term_is_changed_with_them(store, prices):
    campaign = a_campaign(store)
    with refused(campaign, BadInput, next(iter(prices))):
        campaign.amend(prices=prices, budget=500)


def test_correcting_neither_costs_nor_refunds(store):
    campaign = priced(store, 5, budget=5)
    lent = campaign.ask("w0")
    campaign.tell(lent, "yes")
    campaign.correct(lent.task, "w0", "no")
    assert money(campaign) == (5, 0, 0)
    assert campaign.estimate(lent.task).votes == {"yes": 0, "no": 1}
    campaign.correct(lent.task, "w0", "yes")
    assert money(campaign) == (5, 0, 0)
    assert campaign.estimate(lent.task).answer == "yes"


def test_an_attached_label_costs_nothing_unless_it_says_so(store):
    campaign = a_campaign(store, budget=10)
    campaign.attach("t0", "w0", "yes")
    assert money(campaign) == (0, 0, 10)
    campaign.attach("t1", "w0", "yes", price=4)
    assert money(campaign) == (4, 0, 6)


def test_an_attached_label_the_budget_does_not_hold_is_refused(store):
    campaign = a_campaign(store, budget=10)
    campaign.ask("w1")
    with refused(campaign, BudgetTooSmall, "the 9 left"):
        campaign.attach("t0", "w0", "yes", price=10)


def test_workers_who_cost_nothing_are_asked_when_the_money_is_gone(store):
    campaign = priced(store, 1, 0, budget=1)
    campaign.tell(campaign.ask("w0"), "yes")
    assert campaign.ask("w1").price == 0


def test_from_80_percent_on_there_is_a_warning_and_another_at_the_end(store):
    campaign = a_campaign(store, tasks=10, budget=10)
    tell_all(campaign, most=7)
    assert campaign.progress().warnings == ()
    campaign.ask()
    assert campaign.progress().warnings == ("80 % of the budget of 10 is used",)
    tell_all(campaign)
    assert campaign.progress().warnings == ("the budget of 10 is used up: amend it to go on",)
    assert replayed(campaign).progress() == campaign.progress()


def test_an_expert_is_explained_as_one(store):
    campaign = a_campaign(store, workers=0, policy="crosscheck:explore=0")
    campaign.add_workers(lb.Worker("judge", price=2, expert=True))
    lent = campaign.ask("judge")
    assert "an expert was worth the price" in campaign.explain(lent).sentences[0]

"""Stopping before the budget is spent: a target for all estimates, a probability that settles each, and what was saved."""

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.campaign.verify import verify
from labelbandit.model.chance import run_seed
from labelbandit.simulation.world import answer_of
from tests.campaigns import a_campaign, refused, replayed, tell_all


@pytest.fixture
def store():
    return lb.open_store("memory:")


def campaign_on(store, world, **given):
    given = {"policy": "crosscheck", "budget": 10 * world.tasks, "seed": int(world.seed)} | given
    campaign = lb.create_campaign(store, "world", classes=["0", "1"], **given)
    campaign.add_tasks(*(lb.Task(f"{task}", context=f"{world.context[task]}") for task in range(world.tasks)))
    campaign.add_workers(*(lb.Worker(f"{worker}") for worker in range(world.workers)))
    return campaign


def answer_all(campaign, world, reopen_at=-1):
    """Ask and tell until there is nothing to do; at one point go on with the campaign as another process opens it."""
    labels = 0
    while lent := campaign.ask():
        campaign.tell(lent, f"{answer_of(world, int(lent.task), int(lent.worker))}")
        labels += 1
        if labels == reopen_at:
            campaign = replayed(campaign)
    return campaign, lent


def accuracy(campaign, world, *, closed_only=False):
    found = [one for one in campaign.estimates().values() if one.closed or not closed_only]
    return np.mean([one.answer == f"{world.truth[int(one.task)]}" for one in found])


def test_with_a_target_nobody_is_asked_once_the_estimates_are_expected_to_be_that_good(store):
    world = lb.make_world("spammer-hammer", 120, 12, 2, 2, run_seed(1000, 1))
    campaign, nothing = answer_all(campaign_on(store, world, target=0.95), world)
    progress = campaign.progress()
    assert (nothing.reason, nothing.retry_after) == (lb.Reason.TARGET_REACHED, None)
    assert progress.accuracy_low < 0.95 < progress.accuracy_high
    assert progress.saved == progress.remaining > progress.budget / 2
    assert accuracy(campaign, world) > 0.9


def test_whoever_opens_the_campaign_stops_at_the_same_label(store):
    world = lb.make_world("one-coin", 150, 10, 2, 2, run_seed(1000, 2))
    once, _ = answer_all(campaign_on(store, world, target=0.9), world)
    other = lb.open_store("memory:")
    anew, _ = answer_all(campaign_on(other, world, target=0.9), world, reopen_at=101)
    assert anew.progress().labels == once.progress().labels
    assert not verify(other, anew.row.number).differences


def test_a_target_may_be_raised_and_taken_away(store):
    campaign = a_campaign(store, tasks=3, workers=8, target=0.6, policy="crosscheck")
    tell_all(campaign)
    assert campaign.ask().reason == lb.Reason.TARGET_REACHED
    campaign.amend(target=0.9)
    assert campaign.ask()
    campaign.amend(target=None)
    assert campaign.progress().saved is None
    assert campaign.ask()


def test_tasks_that_join_make_labels_needed_again(store):
    campaign = a_campaign(store, tasks=3, workers=8, target=0.75, policy="crosscheck")
    tell_all(campaign)
    assert campaign.progress().saved is not None
    campaign.add_tasks(lb.Task("late"), lb.Task("later"), lb.Task("latest"))
    assert campaign.progress().saved is None
    assert campaign.ask()


def test_when_every_task_is_settled_the_rest_of_the_budget_is_said_to_be_saved(store):
    world = lb.make_world("spammer-hammer", 120, 12, 2, 2, run_seed(1000, 3))
    campaign, nothing = answer_all(campaign_on(store, world, settle=0.95), world)
    progress = campaign.progress()
    assert nothing.reason == lb.Reason.ALL_SETTLED
    assert progress.saved == progress.budget - progress.labels > progress.budget / 3
    assert accuracy(campaign, world, closed_only=True) >= 0.95


def test_an_expert_is_expected_to_be_right(store):
    campaign = a_campaign(store, tasks=2, workers=2, budget=20)
    campaign.add_workers(lb.Worker("expert", expert=True))
    campaign.attach("t0", "expert", "yes")
    campaign.attach("t1", "expert", "no")
    assert campaign.progress().expected_accuracy == pytest.approx(1.0, abs=0.001)
    assert campaign.progress().saved == 20


def test_without_labels_the_estimates_are_guesses(store):
    assert a_campaign(store, tasks=0).progress().expected_accuracy is None
    assert a_campaign(store, name="no workers", workers=0).progress().expected_accuracy is None
    assert a_campaign(store, name="no labels").progress().expected_accuracy == pytest.approx(0.5, abs=0.001)


def test_a_target_out_of_range_is_refused(store):
    campaign = a_campaign(store)
    with refused(campaign, lb.BadInput, "target=1.5"):
        campaign.amend(target=1.5)

"""Workers who come alone: who is served, how likely, and what that does to the labels."""

from math import exp, log, sqrt

import numpy as np
import pytest

import labelbandit as lb
from labelbandit.model import events as ev
from tests.campaigns import Clock, a_campaign, kinds
from tests.campaigns import log as events_of

WORKERS = 5


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return lb.open_store("memory:", clock=clock)


def taught(store, labels=60, **given):
    """A campaign that knows by pushes that w0 is always wrong and w1 half of the time."""
    campaign = a_campaign(store, **{"tasks": 60, "workers": WORKERS, "budget": 5000} | given)
    for at in range(labels):
        lent = campaign.ask()
        wrong = lent.worker == "w0" or (lent.worker == "w1" and at % 2)
        campaign.tell(lent, "no" if wrong else "yes")
    return campaign


def losses(campaign):
    campaign.estimates()
    return campaign.board.mind._state.weights.loss[0].copy()


def best_and_worst(campaign):
    order = np.argsort(losses(campaign), kind="stable")
    return f"w{order[0]}", f"w{order[-1]}"


def test_early_on_everyone_is_served(store):
    campaign = a_campaign(store, tasks=10, workers=WORKERS)
    for worker in range(WORKERS):
        assert campaign.explain(campaign.ask(f"w{worker}")).door == 1.0


def test_explored_tasks_are_served_for_sure(store):
    campaign = a_campaign(store, tasks=10, workers=WORKERS, policy="bbta:explore=2")
    for _ in range(2):
        for worker in range(WORKERS):
            found = campaign.explain(campaign.ask(f"w{worker}"))
            assert (found.phase, found.door, found.propensity) == ("exploring", 1.0, 1.0)
            campaign.tell(found.assignment, "yes")


def test_the_best_in_reach_is_always_served(store):
    campaign = taught(store)
    for _ in range(30):
        best, _ = best_and_worst(campaign)
        lent = campaign.ask(best)
        assert campaign.explain(lent).door == 1.0
        campaign.tell(lent, "yes")


def test_someone_alone_is_always_served(store, clock):
    campaign = taught(store, presence=60, lease=1000)
    _, worst = best_and_worst(campaign)
    clock.pass_by(61)
    for _ in range(20):
        lent = campaign.ask(worst)
        found = campaign.explain(lent)
        assert (found.door, found.propensity) == (1.0, 1.0)
        campaign.tell(lent, "no")


def test_someone_heard_of_is_in_reach_until_presence_is_over(store, clock):
    campaign = taught(store, presence=60, lease=1000)
    best, worst = best_and_worst(campaign)
    clock.pass_by(100)
    held = campaign.ask(best)
    clock.pass_by(59)
    assert campaign.board.in_reach(clock.now).sum() == 1
    campaign.renew(held)
    clock.pass_by(60)
    assert campaign.board.in_reach(clock.now).sum() == 1
    clock.pass_by(1)
    assert campaign.board.in_reach(clock.now).sum() == 0
    assert campaign.explain(campaign.ask(worst)).door == 1.0


def test_asking_again_without_a_new_decision_changes_nothing(store):
    campaign = taught(store, labels=150)
    _, worst = best_and_worst(campaign)
    turned_away = 0
    for _ in range(40):
        first, before = campaign.ask(worst), kinds(campaign)
        assert {campaign.ask(worst) for _ in range(5)} == {first}
        assert kinds(campaign) == before
        if not first:
            turned_away += 1
            assert (first.reason, first.retry_after) == (lb.Reason.NOTHING_FOR_WORKER, 5.0)
        else:
            campaign.tell(first, "no")
        campaign.tell(campaign.ask(), "yes")
    assert turned_away > 5


def test_door_and_propensity_are_those_of_the_formula(store):
    campaign, chance = taught(store, labels=40), np.random.default_rng(1)
    arrivals, checked = np.ones(WORKERS), 0
    for _ in range(80):
        caller = int(chance.choice(WORKERS, p=[0.6, 0.1, 0.1, 0.1, 0.1]))
        loss, steps = losses(campaign), int(campaign.board.mind._state.weights.steps[0])
        lent = campaign.ask(f"w{caller}")
        if not lent:
            continue
        event = events_of(campaign)[-1]
        asked = {one.worker for one in events_of(campaign)[:-1] if isinstance(one, ev.TaskAssigned) and one.task == event.task}
        may = [worker for worker in range(WORKERS) if worker not in asked]
        rate = sqrt(log(WORKERS) / ((steps + 1) * WORKERS))
        weight = {worker: exp(-rate * (loss[worker] - min(loss[may]))) for worker in may}
        assert event.door == pytest.approx(weight[caller])
        total = sum(arrivals[worker] * weight[worker] for worker in may)
        assert event.propensity == pytest.approx(arrivals[caller] * weight[caller] / total)
        arrivals[caller] += 1 / event.door
        checked += 1
        campaign.tell(lent, "no" if caller == 0 else "yes")
    assert checked > 40


@pytest.mark.parametrize("policy", ["random", "bbta:draw=uniform,explore=0", "iethresh", "crowdsense", "optkg"])
def test_policies_that_weigh_nobody_serve_whoever_comes(store, policy):
    campaign = a_campaign(store, tasks=10, workers=3, policy=policy, budget=20)
    served = 0
    while campaign.progress().remaining and served < 20:
        for worker in range(3):
            if lent := campaign.ask(f"w{worker}"):
                assert campaign.explain(lent).door == 1.0
                campaign.tell(lent, "yes" if worker else "no")
                served += 1
    assert served == 20


def served_shares(campaign, coming, numbers):
    """Whom the door lets in if workers come with these probabilities, the weights being what they are now."""
    chance, served = np.random.default_rng(2), np.zeros(WORKERS)
    everyone, mind = np.ones(WORKERS, np.bool_), campaign.board.mind
    claimed = np.zeros(WORKERS)
    for number in range(numbers):
        caller = int(chance.choice(WORKERS, p=coming))
        choice, _ = mind.greet(caller, everyone, np.asarray(coming), 10_000 + number)
        if choice.task >= 0:
            served[caller] += 1
            claimed[caller] = choice.propensity
    return served / served.sum(), claimed, served.sum()


def fresh_tasks(store):
    """A campaign that learned who is good, with a task nobody was asked about."""
    campaign = taught(store, labels=120)
    campaign.add_tasks(lb.Task("fresh", context="c0"))
    return campaign


def test_with_equal_arrivals_labels_are_shared_as_the_paper_draws(store):
    campaign = fresh_tasks(store)
    shares, claimed, labels = served_shares(campaign, [1 / WORKERS] * WORKERS, 6000)
    rate = sqrt(log(WORKERS) / ((campaign.board.mind._state.weights.steps[0] + 1) * WORKERS))
    weight = np.exp(-rate * (losses(campaign) - losses(campaign).min()))
    paper = weight / weight.sum()
    assert claimed == pytest.approx(paper)
    assert max(paper) > 2 * min(paper)
    assert (np.abs(shares - paper) < 4.5 * np.sqrt(paper * (1 - paper) / labels)).all()


def test_the_propensity_is_the_share_of_labels_also_if_some_come_more_often(store):
    shares, claimed, labels = served_shares(fresh_tasks(store), [0.5, 0.2, 0.1, 0.1, 0.1], 6000)
    assert (np.abs(shares - claimed) < 4.5 * np.sqrt(claimed * (1 - claimed) / labels)).all()


def right_labels(policy, seed, tasks=400, labels=800):
    """The share of right labels if a spammer comes ten times as often as any of nine who are right nine times in ten."""
    chance = np.random.default_rng(seed)
    campaign = a_campaign(lb.open_store("memory:"), tasks=tasks, workers=10, policy=policy, budget=labels, seed=seed)
    truth = chance.integers(0, 2, tasks)
    coming = np.array([10] + [1] * 9) / 19
    right = 0
    while campaign.progress().remaining:
        worker = int(chance.choice(10, p=coming))
        if lent := campaign.ask(f"w{worker}"):
            hit = chance.random() < (0.9 if worker else 0.5)
            right += hit
            campaign.tell(lent, ["yes", "no"][truth[int(lent.task[1:])] ^ (not hit)])
    return right / labels


def test_a_spammer_who_comes_ten_times_as_often_does_not_eat_the_budget():
    by_weight, always, uniform = (
        np.mean([right_labels(policy, seed) for seed in range(2)]) for policy in ("bbta", "random", "bbta:draw=uniform")
    )
    assert by_weight > max(always, uniform) + 0.05


def house_campaign(store, labels=150, **given):
    """A campaign of the house policy that knows by pushes that w0 guesses and the others are right."""
    given = {"tasks": 400, "workers": WORKERS, "budget": 5000, "policy": "crosscheck"} | given
    campaign, lots = a_campaign(store, **given), np.random.default_rng(4)
    for _ in range(labels):
        answer_well(campaign, campaign.ask(), lots)
    return campaign, lots


def answer_well(campaign, lent, lots):
    truth = int(lent.task[1:]) % 2
    said = int(lots.random() < 0.5) if lent.worker == "w0" else truth
    campaign.tell(lent, ["yes", "no"][said])
    return said == truth


def test_the_house_policy_serves_the_best_in_reach_and_hardly_a_guesser(store):
    campaign, lots = house_campaign(store)
    best, guesses = 0, 0
    for _ in range(60):
        value = campaign.board.mind._state.trust.value[0]
        lent = campaign.ask(f"w{value.argmax()}")
        best += campaign.explain(lent).door == 1.0
        answer_well(campaign, lent, lots)
        if lent := campaign.ask("w0"):
            guesses += 1
            answer_well(campaign, lent, lots)
    assert best == 60
    assert guesses < 20


def test_the_house_policy_serves_someone_alone(store, clock):
    campaign, lots = house_campaign(store, presence=60, lease=1000)
    clock.pass_by(61)
    for _ in range(10):
        lent = campaign.ask("w0")
        assert campaign.explain(lent).door == 1.0
        answer_well(campaign, lent, lots)


def test_the_house_policy_serves_an_expert_when_one_would_be_asked(store):
    campaign, _ = house_campaign(store)
    campaign.add_workers(lb.Worker("expert", price=50, expert=True))
    assert campaign.ask("expert").reason == lb.Reason.NOTHING_FOR_WORKER
    campaign.amend(prices={"expert": 0})
    assert campaign.ask("expert")


def test_the_house_policy_serves_everyone_once_whatever_they_cost(store):
    campaign, _ = house_campaign(store)
    campaign.add_workers(lb.Worker("dear", price=50))
    lent = campaign.ask("dear")
    assert campaign.explain(lent).door == 1.0
    campaign.tell(lent, "yes")
    assert campaign.ask("dear").reason == lb.Reason.NOTHING_FOR_WORKER


def test_the_house_policy_turns_equals_away_now_and_then_only(store):
    served = 0
    for seed in range(5):
        given = {"tasks": 60, "budget": 400, "policy": "crosscheck", "seed": seed, "name": f"birds-{seed}"}
        campaign, lots = a_campaign(store, **given), np.random.default_rng(seed)
        for asked in range(90):
            if lent := campaign.ask(f"w{asked % 3}"):
                said = int(lent.task[1:]) % 2 if lots.random() < 0.8 else 1 - int(lent.task[1:]) % 2
                campaign.tell(lent, ["yes", "no"][said])
                served += 1
    assert 0.8 < served / 450 < 1.0

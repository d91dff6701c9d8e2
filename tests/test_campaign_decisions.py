"""One decision rule, two drivers: the live campaign decides as the simulator does, step by step."""

from dataclasses import replace

import pytest

import labelbandit as lb
from labelbandit.model.chance import run_seed
from labelbandit.policies.openings import all_present
from labelbandit.policies.registry import POLICIES, policy_from
from labelbandit.policies.sheet import blank_sheet
from labelbandit.simulation.run import setup_for
from labelbandit.simulation.world import answer_of
from tests.campaigns import digest, replayed
from tests.passes import play_out

VARIANTS = [
    "bbta:explore=0",
    "bbta:pick=least-confidence",
    "bbta:pick=random",
    "bbta:draw=uniform",
    "bbta:memory=20",
    "optkg:workers=equal",
]
TASKS, WORKERS, CONTEXTS, BUDGET = 40, 6, 3, 150


def classes_for(policy):
    return 2 if policy.startswith("optkg") else 3


def campaign_on(world, policy, budget=BUDGET):
    """A live campaign of the same tasks, contexts and workers."""
    store = lb.open_store("memory:")
    classes = [f"class {each}" for each in range(world.classes)]
    campaign = lb.create_campaign(store, "live", classes=classes, budget=budget, policy=policy, seed=int(world.seed))
    campaign.add_tasks(*(lb.Task(f"{task}", context=f"{world.context[task]}") for task in range(world.tasks)))
    campaign.add_workers(*(lb.Worker(f"{worker}") for worker in range(world.workers)))
    return campaign


@pytest.mark.parametrize("policy", [*POLICIES, *VARIANTS])
def test_the_campaign_and_the_simulator_make_the_same_decisions(policy):
    classes = classes_for(policy)
    world = lb.make_world("malicious", TASKS, WORKERS, CONTEXTS, classes, run_seed(5, 1))
    state = policy_from(policy).grow(None, setup_for(world, BUDGET))
    openings = all_present(WORKERS, blank_sheet(world.context, WORKERS, BUDGET))
    labels = play_out(state, openings, world, BUDGET)
    campaign = campaign_on(world, policy)
    while lent := campaign.ask():
        campaign.tell(lent, f"class {answer_of(world, int(lent.task), int(lent.worker))}")
    live = campaign.board.mind.sheet
    assert campaign.progress().labels == labels > 60
    assert live.diary_task[:labels].tolist() == openings.sheet.diary_task[:labels].tolist()
    assert live.diary_before[:labels].tolist() == openings.sheet.diary_before[:labels].tolist()
    assert live.latest.tolist() == openings.sheet.latest.tolist()
    assert digest(campaign.board) == digest(replayed(campaign).board)


@pytest.mark.parametrize("policy", ["bbta", "bbta:memory=5", "iethresh", "crowdsense", "optkg"])
def test_a_campaign_opened_anew_before_every_request_makes_the_same_decisions(policy):
    world = lb.make_world("malicious", 10, 4, 2, 2, 9)
    once, anew = campaign_on(world, policy, 25), campaign_on(world, policy, 25)
    while lent := once.ask():
        assert replace(replayed(anew).ask(), due_at=lent.due_at) == lent
        answer = f"class {answer_of(world, int(lent.task), int(lent.worker))}"
        once.tell(lent, answer)
        replayed(anew).tell(lent.number, answer)
    assert once.estimates() == anew.estimates()

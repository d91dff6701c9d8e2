"""Proofs of what the house policy does with money: stopping when sure, and asking experts when they are worth it."""

import numpy as np

import labelbandit as lb
from labelbandit.experiments.grounds import MadeUp
from labelbandit.experiments.panels import benchmark_panels
from labelbandit.model.chance import run_seed
from labelbandit.simulation.crowds import CROWDS
from labelbandit.simulation.world import answer_of

RUNS = 30
SEED = 2026
POLICY = "crosscheck"
EXPERT_PRICE = 10
SHARES = (0.0, 0.05, 0.10, 0.20)


def campaign_on(world, budget, **given):
    """The world as a campaign in memory, with its tasks and workers."""
    classes = [f"{one}" for one in range(world.classes)]
    campaign = lb.create_campaign("memory:", "world", classes=classes, budget=budget, seed=int(world.seed), **given)
    campaign.add_tasks(*(lb.Task(f"{task}", context=f"{world.context[task]}") for task in range(world.tasks)))
    campaign.add_workers(*(lb.Worker(f"{worker}") for worker in range(world.workers)))
    return campaign


def answer(campaign, world, lent):
    """Let the world's worker answer; experts, who are no workers of the world, know the truth."""
    task = int(lent.task)
    said = world.truth[task] if lent.worker.startswith("expert") else answer_of(world, task, int(lent.worker))
    campaign.tell(lent, f"{said}")


def right(world, estimates):
    """Which of the estimates are right; a task without an answer is not."""
    return np.array([one.answer == f"{world.truth[int(one.task)]}" for one in estimates])


def stopping():
    """Settled at 0.95 with a budget of ten labels per task, in the nine cases."""
    for panel in benchmark_panels("b", thin=True):
        if panel.name.endswith("30N"):
            continue
        saved, realised = [], []
        for run in range(RUNS):
            world = panel.ground.world(run_seed(SEED, run))
            campaign = campaign_on(world, 10 * world.tasks, policy=POLICY, settle=0.95)
            while lent := campaign.ask():
                answer(campaign, world, lent)
            progress = campaign.progress()
            saved.append(progress.remaining / progress.budget)
            realised.append(right(world, [one for one in campaign.estimates().values() if one.closed]).mean())
        measured = f"saved {np.mean(saved):.2f}, settled tasks right {np.mean(realised):.3f} (worst run {np.min(realised):.3f})"
        holds = np.mean(saved) >= 1 / 3 and np.mean(realised) >= 0.95
        yield f"{panel.name}: a third of 10N saved, settled tasks right 0.95", measured, bool(holds)


def spend(world, share):
    """The accuracy with a fixed share of the money for experts, asked last about the least certain; or as the policy likes."""
    money = 5 * world.tasks
    campaign = campaign_on(world, money, policy=POLICY)
    campaign.add_workers(*(lb.Worker(f"expert{one}", price=EXPERT_PRICE, expert=True) for one in range(2)))
    experts, crowd = ("expert0", "expert1"), tuple(f"{worker}" for worker in range(world.workers))
    for_crowd = money if share is None else money - round(share * money / EXPERT_PRICE) * EXPERT_PRICE
    present = (*crowd, *experts) if share is None else crowd
    while campaign.board.spent < for_crowd and (lent := campaign.ask(*present)):
        answer(campaign, world, lent)
    while share and (lent := campaign.ask(*experts)):
        answer(campaign, world, lent)
    return right(world, campaign.estimates().values()).mean()


def experts():
    """Experts at ten times the price, and money for five labels per task."""
    for crowd in CROWDS:
        ground = MadeUp(crowd, tasks=351, workers=30, contexts=3)
        worlds = [ground.world(run_seed(SEED, run)) for run in range(RUNS)]
        fixed = {share: np.mean([spend(world, share) for world in worlds]) for share in SHARES}
        free, best = np.mean([spend(world, None) for world in worlds]), max(fixed, key=fixed.get)
        measured = f"{free:.4f} against {fixed[best]:.4f} with {best:.0%}"
        yield f"{crowd}: within a point of the best fixed share", measured, bool(free >= fixed[best] - 0.01)

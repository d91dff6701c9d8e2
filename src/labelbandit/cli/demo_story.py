"""The story of the demo: a simulated crowd that labels in campaigns, by the verbs that anyone uses."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.opening import create_campaign
from labelbandit.campaign.values import Worker
from labelbandit.integrations.exporting import export
from labelbandit.integrations.importing import import_tasks
from labelbandit.integrations.layouts import Layout, What
from labelbandit.simulation.world import World, answer_of, make_world

POLICIES = {"chosen": "default", "random": "random"}
"""The campaigns and who decides in them."""
CLASSES = ("bird", "none")
CONTEXTS = ("forest", "city", "shore")
TASKS, WORKERS, LABELS_PER_TASK = 240, 24, 6
_SEED = 0
_MARKS = 24


class Story(NamedTuple):
    """What happens in the demo, before anyone is asked."""

    world: World
    tasks: dict[str, int]
    workers: dict[str, int]
    budget: int
    folder: Path


class Outcome(NamedTuple):
    """What came of a campaign: how many tasks were right after so many labels."""

    name: str
    labels: list[int]
    accuracy: list[float]
    spent: int


def prepare(folder: Path) -> Story:
    """Make the crowd, and the file of tasks."""
    world = make_world("spammer-hammer", tasks=TASKS, workers=WORKERS, contexts=len(CONTEXTS), classes=len(CLASSES), seed=_SEED)
    story = Story(
        world,
        {f"picture-{task:03}": task for task in range(TASKS)},
        {f"worker-{worker:02}": worker for worker in range(WORKERS)},
        LABELS_PER_TASK * TASKS,
        folder,
    )
    with (folder / "tasks.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["task", "context", "image"])
        lines.writerows([id_, CONTEXTS[world.context[task]], f"{id_}.jpg"] for id_, task in story.tasks.items())
    return story


def run(story: Story, storage: str, name: str, policy: str, on_label: Callable[[], None]) -> Outcome:
    """Let the crowd label until the budget is spent; the chosen campaign leaves its labels and estimates as files."""
    campaign = create_campaign(storage, name, classes=CLASSES, budget=story.budget, policy=policy, seed=_SEED)
    try:
        import_tasks(campaign, story.folder / "tasks.csv")
        campaign.add_workers(*map(Worker, story.workers))
        outcome = _label(story, campaign, on_label)
        if name == next(iter(POLICIES)):
            export(campaign, What.LABELS, Layout.CSV, story.folder / "labels.csv")
            export(campaign, What.ESTIMATES, Layout.CSV, story.folder / "estimates.csv")
    finally:
        campaign.store.close()
    return outcome


def _label(story: Story, campaign: Campaign, on_label: Callable[[], None]) -> Outcome:
    labels, accuracy = [0], [1 / len(CLASSES)]
    step = max(1, story.budget // _MARKS)
    told = 0
    while assignment := campaign.ask():
        said = answer_of(story.world, story.tasks[assignment.task], story.workers[assignment.worker])
        campaign.tell(assignment, CLASSES[said])
        told += 1
        on_label()
        if told % step == 0:
            labels.append(told)
            accuracy.append(_accuracy(story, campaign))
    return Outcome(campaign.name, labels, accuracy, campaign.progress().spent)


def _accuracy(story: Story, campaign: Campaign) -> float:
    """The share of tasks that are right; one that is undecided counts as a guess would."""
    right = 0.0
    for id_, estimate in campaign.estimates().items():
        truth = CLASSES[story.world.truth[story.tasks[id_]]]
        right += 1 / len(CLASSES) if estimate.answer is None else float(estimate.answer == truth)
    return right / story.world.tasks

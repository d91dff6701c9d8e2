"""The demo: a simulated crowd labels two equal campaigns, one run by the bandit, one at random, for all to watch."""

import logging
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from labelbandit import __version__
from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.opening import create_campaign
from labelbandit.campaign.values import OWNER, Task, Worker
from labelbandit.model.errors import LabelbanditError
from labelbandit.server import keys
from labelbandit.server.demo_tasks import CLASSES, Statement, statements
from labelbandit.server.pages import FOLDER
from labelbandit.simulation.world import World, answer_of, populate
from labelbandit.stores.contract import Store

_WORKERS = 24
_LABELS_PER_TASK = 8
_PAUSE = 0.1
"""Seconds between labels."""
_SEED = 2
"""A crowd with which both campaigns end as they do on average over crowds."""
_YOU = "you"
_YOURS = 100
"""Labels that are left for a person when the crowd has spent its part."""
_NAMES = (
    *("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "June", "Kit", "Lea"),
    *("Max", "Nora", "Otto", "Pia", "Quin", "Rosa", "Sam", "Tess", "Uma", "Vic", "Wim", "Zoe"),
)
_INSTRUCTIONS = "Is the statement true? Answer from what you know; do not look it up. Skip what you cannot tell."
router = APIRouter(include_in_schema=False)
_templates = Jinja2Templates(FOLDER / "templates")


class Demo:
    """Two campaigns, and a thread in which the same crowd labels both."""

    def __init__(self, store: Store, pause: float = _PAUSE) -> None:
        self._told = statements()
        self._pause = pause
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        truth = np.array([CLASSES.index(one.truth) for one in self._told])
        kinds = list(dict.fromkeys(one.kind for one in self._told))
        context = np.array([kinds.index(one.kind) for one in self._told])
        self._world: World = populate("spammer-hammer", context, truth, _WORKERS, len(CLASSES), _SEED)
        self._number = {one.id: at for at, one in enumerate(self._told)}
        self.bandit = _campaign(store, "The bandit decides", "bbta", self._told)
        self.random = _campaign(store, "At random", "random", self._told)
        self.bandit.add_workers(*map(Worker, (*_NAMES, _YOU)))
        self.random.add_workers(*map(Worker, _NAMES))
        _show(self.bandit)
        _show(self.random)
        self.curves: dict[str, list[list[float]]] = {"bandit": [], "random": []}
        self._labels = len(self._told) * _LABELS_PER_TASK
        self._given = {"bandit": 0, "random": 0}
        self._link = keys.issue(store, OWNER, self.bandit.row.number, _WORKERS)

    def tell(self, address: str, say: Callable[[str], None]) -> None:
        """Say where to look."""
        say(f"watch the two campaigns at {address}/demo")
        say(f"label in it yourself at {address}/w#{self._link}")

    def start(self) -> None:
        """Let the crowd label."""
        self._thread = threading.Thread(target=self._run, name="demo", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Send the crowd home."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5)

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._pause):
                if not self.step():
                    return
        except LabelbanditError:
            logging.getLogger("labelbandit.demo").exception("the demo ended")

    def step(self) -> bool:
        """One more label in each campaign; whether there is more to come."""
        going = [self._label(name, campaign) for name, campaign in (("bandit", self.bandit), ("random", self.random))]
        return any(going)

    def _label(self, name: str, campaign: Campaign) -> bool:
        lent = campaign.ask(*_NAMES) if self._given[name] < self._labels else None
        if not lent:
            return False
        self._given[name] += 1
        said = answer_of(self._world, self._number[lent.task], _NAMES.index(lent.worker))
        campaign.tell(lent, CLASSES[said])
        labels = campaign.progress().labels
        if labels % 10 == 0:
            self.curves[name].append([labels, self.accuracy(campaign)])
        return True

    def accuracy(self, campaign: Campaign) -> float:
        """The share of tasks that are right; an undecided one counts as a guess."""
        estimates = campaign.estimates()
        guess = 1.0 / len(CLASSES)
        right = (guess if (said := estimates[one.id].answer) is None else float(said == one.truth) for one in self._told)
        return sum(right) / len(self._told)

    def state(self) -> dict[str, Any]:
        """What the page draws."""
        return {
            "tasks": len(self._told),
            "workers": _WORKERS,
            "budget": self._labels,
            "link": f"/w#{self._link}",
            "campaigns": {
                name: {"id": one.row.id, "labels": one.progress().labels, "curve": self.curves[name]}
                for name, one in (("bandit", self.bandit), ("random", self.random))
            },
        }


def _campaign(store: Store, name: str, policy: str, told: list[Statement]) -> Campaign:
    campaign = create_campaign(
        store,
        name,
        classes=CLASSES,
        budget=len(told) * _LABELS_PER_TASK + _YOURS,
        policy=policy,
        hold=2,
        seed=_SEED,
        lease=600.0,
        presence=60.0,
    )
    campaign.add_tasks(*(Task(one.id, one.kind, {"statement": one.text}) for one in told))
    return campaign


def _show(campaign: Campaign) -> None:
    from labelbandit.server.campaigns import OpenCampaign
    from labelbandit.server.timeline import Timeline

    one = OpenCampaign(campaign, Timeline(campaign.store, campaign.row.number))
    one.set_display({"instructions": _INSTRUCTIONS, "text": "statement", "image": None, "fields": None})


@router.get("/demo")
def page(request: Request) -> HTMLResponse:
    """Both campaigns, side by side."""
    return _templates.TemplateResponse(request, "demo.html", {"version": __version__, "demo": True})


@router.get("/demo/state")
def state(request: Request) -> dict[str, Any]:
    """How far both have come."""
    live: Demo = request.app.state.demo
    return live.state()

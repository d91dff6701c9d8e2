"""labelbandit decides who labels what next, under a hard budget, and says what to believe of the answers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from labelbandit.model.version import VERSION

if TYPE_CHECKING:
    from labelbandit.campaign.campaign import Campaign
    from labelbandit.campaign.opening import create_campaign, open_campaign
    from labelbandit.campaign.values import Assignment, Estimate, Label, Nothing, Progress, Reason, Task, Worker
    from labelbandit.integrations import frames
    from labelbandit.model.errors import BadInput, LabelbanditError, NotAsked, UnknownClass
    from labelbandit.policies.engine import Engine
    from labelbandit.server.client import Client
    from labelbandit.simulation.run import Curve, simulate
    from labelbandit.simulation.world import World, make_world
    from labelbandit.stores.opening import open_store


__version__ = VERSION

_HOMES = {
    "Assignment": "campaign.values",
    "BadInput": "model.errors",
    "Campaign": "campaign.campaign",
    "Client": "server.client",
    "Curve": "simulation.run",
    "Engine": "policies.engine",
    "Estimate": "campaign.values",
    "Label": "campaign.values",
    "LabelbanditError": "model.errors",
    "NotAsked": "model.errors",
    "Nothing": "campaign.values",
    "Progress": "campaign.values",
    "Reason": "campaign.values",
    "Task": "campaign.values",
    "UnknownClass": "model.errors",
    "Worker": "campaign.values",
    "World": "simulation.world",
    "create_campaign": "campaign.opening",
    "make_world": "simulation.world",
    "open_campaign": "campaign.opening",
    "open_store": "stores.opening",
    "simulate": "simulation.run",
}
"""Where the public names live; they are fetched on first use, so that importing labelbandit is instant."""

__all__ = [
    "Assignment",
    "BadInput",
    "Campaign",
    "Client",
    "Curve",
    "Engine",
    "Estimate",
    "Label",
    "LabelbanditError",
    "NotAsked",
    "Nothing",
    "Progress",
    "Reason",
    "Task",
    "UnknownClass",
    "Worker",
    "World",
    "create_campaign",
    "frames",
    "make_world",
    "open_campaign",
    "open_store",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "frames":
        return import_module("labelbandit.integrations.frames")
    if name in _HOMES:
        return getattr(import_module(f"labelbandit.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'labelbandit' has no attribute {name!r}")

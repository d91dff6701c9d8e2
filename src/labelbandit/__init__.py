"""labelbandit decides who labels what next, under a hard budget, and says what to believe of the answers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelbandit.model.errors import BadInput, LabelbanditError, NotAsked, UnknownClass
    from labelbandit.policies.engine import Assignment, Engine, Estimate
    from labelbandit.simulation.run import Curve, simulate
    from labelbandit.simulation.world import World, make_world

__version__ = "0.1.0"

_HOMES = {
    "Assignment": "policies.engine",
    "BadInput": "model.errors",
    "Curve": "simulation.run",
    "Engine": "policies.engine",
    "Estimate": "policies.engine",
    "LabelbanditError": "model.errors",
    "NotAsked": "model.errors",
    "UnknownClass": "model.errors",
    "World": "simulation.world",
    "make_world": "simulation.world",
    "simulate": "simulation.run",
}
"""Where the public names live; they are fetched on first use, so that importing labelbandit is instant."""

__all__ = [
    "Assignment",
    "BadInput",
    "Curve",
    "Engine",
    "Estimate",
    "LabelbanditError",
    "NotAsked",
    "UnknownClass",
    "World",
    "make_world",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"labelbandit.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'labelbandit' has no attribute {name!r}")

"""A trial: one policy on one panel in one run. Parcels of trials are what is handed to other processes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from labelbandit.experiments.finals import policy_of, story_of
from labelbandit.experiments.measures import Measures, measure
from labelbandit.experiments.own import load_all
from labelbandit.experiments.panels import Panel
from labelbandit.experiments.provenance import code_digest
from labelbandit.experiments.sweep import swept
from labelbandit.model.chance import run_seed
from labelbandit.model.errors import LabelbanditError
from labelbandit.model.version import VERSION
from labelbandit.simulation.run import budget_marks
from labelbandit.simulation.troubles import troubles_from
from labelbandit.simulation.world import World

_STEPS_A_LABEL = {
    "crosscheck": 10.0,
    "optkg": 20.0,
    "optkg-multi": 8.0,
    "oracle": 4.0,
    "random": 0.3,
    "iethresh": 0.3,
    "crowdsense": 0.3,
}
"""How long a label takes beside one of bbta's, roughly; OptKG looks at a row and a column for each."""


class Key(NamedTuple):
    """What names a trial."""

    panel: str
    policy: str
    run: int


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A finished trial."""

    key: Key
    fingerprint: str
    """Of what it depends on besides its name, the seed and the code of labelbandit."""
    measures: Measures


@dataclass(frozen=True, slots=True, eq=False)
class Parcel:
    """The trials of one run of a panel, which share a world."""

    panel: Panel
    run: int
    wanted: tuple[tuple[str, str], ...]
    """Policies, each with the fingerprint of its trial."""
    seed: int
    load: tuple[str, ...]
    """Modules of users' policies, to be loaded first."""
    code: str
    """The digest of the code that is to do the work."""

    @property
    def effort(self) -> float:
        """How long it will take, in no particular unit."""
        return sum(effort(self.panel, policy) for policy, _ in self.wanted)


def effort(panel: Panel, policy: str) -> float:
    """How long a trial will take, in no particular unit."""
    name = policy_of(policy).partition(":")[0]
    pace = 1.0 if policy == "optkg:workers=equal" else _STEPS_A_LABEL.get(name, 1.0)
    return panel.ground.tasks * panel.budget * pace * (1.0 + panel.ground.tasks / 500.0)


def work(parcel: Parcel) -> list[Trial]:
    """Run the trials of a parcel, if this process has the same code as the one that packed it."""
    if parcel.code != code_digest():
        raise LabelbanditError(f"a worker of the cluster has other code: install labelbandit {VERSION} there as it is here")
    load_all(parcel.load)
    world = parcel.panel.ground.world(run_seed(parcel.seed, parcel.run))
    return [
        Trial(Key(parcel.panel.name, policy, parcel.run), fingerprint, measures_of(parcel.panel, policy, world))
        for policy, fingerprint in parcel.wanted
    ]


def measures_of(panel: Panel, policy: str, world: World) -> Measures:
    """Run a policy and measure it at its marks; a swept method at its end only."""
    marks = budget_marks(world.tasks, panel.budget_of(policy))
    story = story_of(policy, world, marks, troubles_from(panel.troubles, world))
    if swept(policy):
        curve = replace(story.curve, marks=np.array([story.curve.labels]), accuracy=story.curve.accuracy[-1:])
        story = replace(story, curve=curve, beliefs=story.beliefs[-1:])
    return measure(world, story)


def as_line(trial: Trial) -> dict[str, Any]:
    """The trial as JSON takes it: floats to the last bit, null for NaN."""
    measures = {field.name: _plain(getattr(trial.measures, field.name)) for field in fields(Measures)}
    return {**trial.key._asdict(), "of": trial.fingerprint, **measures}


def from_line(line: Mapping[str, Any]) -> Trial:
    """The trial that such a line holds."""
    columns = {field.name: _array(line[field.name]) for field in fields(Measures)}
    columns["labels"] = columns["labels"].astype(np.int64)
    return Trial(Key(line["panel"], line["policy"], line["run"]), line["of"], Measures(**columns))


def _plain(column: np.ndarray[Any, Any]) -> list[Any]:
    return [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - only NaN differs from itself


def _array(values: Sequence[float | None]) -> np.ndarray[Any, Any]:
    return np.array([np.nan if value is None else value for value in values], np.float64)

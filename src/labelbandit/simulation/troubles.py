"""Troubles of a run: answers that come late, workers who come and go, and workers who change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats, Ints, Longs
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.checks import number, whole_number
from labelbandit.model.errors import BadInput
from labelbandit.model.grammar import parse
from labelbandit.policies.contract import Choice
from labelbandit.policies.openings import Openings
from labelbandit.policies.sheet import PENDING, Sheet, write
from labelbandit.simulation.world import World

_PRESENCE = int(Purpose.PRESENCE)
_NEVER = 2**62


class Troubles(NamedTuple):
    """What goes wrong in a run, and when."""

    late: int
    """How many more assignments are made before an answer comes."""
    present: float
    """The probability that a worker is there."""
    stretch: int
    """For so many assignments whoever is there stays there."""
    turn: int
    """The decision number from which on workers answer as in the other world."""
    turned: World


@dataclass(frozen=True, slots=True)
class Late:
    """Every answer comes so many assignments late."""

    name: ClassVar[str] = "late"
    by: int = 50

    def __post_init__(self) -> None:
        whole_number("late:by={}", self.by, 0)

    def add(self, troubles: Troubles, world: World) -> Troubles:
        """Delay the answers."""
        return troubles._replace(late=self.by)


@dataclass(frozen=True, slots=True)
class Away:
    """Workers come and go: each is present for a share of the time, in stretches."""

    name: ClassVar[str] = "away"
    present: float = 1 / 3
    stretch: int = 50

    def __post_init__(self) -> None:
        number("away:present={}", self.present, 0.0, 1.0)
        whole_number("away:stretch={}", self.stretch, 1)

    def add(self, troubles: Troubles, world: World) -> Troubles:
        """Let workers go."""
        return troubles._replace(present=self.present, stretch=self.stretch)


@dataclass(frozen=True, slots=True)
class Drift:
    """After so many labels per task, a share of the workers are as good in the next context as they were in each."""

    name: ClassVar[str] = "drift"
    at: float = 5.0
    share: float = 0.5

    def __post_init__(self) -> None:
        number("drift:at={}", self.at, 0.0, 1e6)
        number("drift:share={}", self.share, 0.0, 1.0)

    def add(self, troubles: Troubles, world: World) -> Troubles:
        """Let the skills move on."""
        return troubles._replace(turn=int(self.at * world.tasks), turned=drifted(world, self.share))


Trouble = Late | Away | Drift
TROUBLES: Mapping[str, type[Trouble]] = {kind.name: kind for kind in (Late, Away, Drift)}


def no_troubles(world: World) -> Troubles:
    """All goes well."""
    return Troubles(late=0, present=1.0, stretch=1, turn=_NEVER, turned=world)


def troubles_from(texts: Iterable[str], world: World) -> Troubles:
    """The troubles that texts `name[:key=value,…]` stand for."""
    troubles = no_troubles(world)
    for text in texts:
        troubles = parse(text, TROUBLES, "trouble", BadInput).add(troubles, world)
    return troubles


def drifted(world: World, share: float) -> World:
    """The same world after a share of its workers, drawn by lot, took what they are in each context to the next one."""
    if world.recorded.size > 0:
        raise BadInput("recorded workers cannot drift: give a world whose answers are drawn")
    lots = [uniform(Draw(world.seed, worker), Purpose.DRIFT.value, 0) for worker in range(world.workers)]
    moved = np.argsort(lots, kind="stable")[: round(share * world.workers)]
    accuracy, misleads = world.accuracy.copy(), world.misleads.copy()
    accuracy[:, moved] = np.roll(accuracy[:, moved], 1, axis=0)
    misleads[:, moved] = np.roll(misleads[:, moved], 1, axis=0)
    return world._replace(accuracy=accuracy, misleads=misleads)


class Underway(NamedTuple):
    """Assignments whose answers are on their way, in a ring."""

    task: Ints
    worker: Ints
    propensity: Floats


def nothing_underway(troubles: Troubles) -> Underway:
    """A ring with room for all that can be underway at once."""
    room = troubles.late + 1
    return Underway(np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(room))


@inner
def lend(underway: Underway, sheet: Sheet, n: int, choice: Choice) -> None:
    """Note an assignment; if its answer does not come at once, nobody else is to be asked for it meanwhile."""
    slot = n % underway.task.size
    underway.task[slot], underway.worker[slot], underway.propensity[slot] = choice.task, choice.worker, choice.propensity
    if underway.task.size > 1:
        write(sheet, choice.task, choice.worker, PENDING)


@inner
def come_and_go(troubles: Troubles, openings: Openings, seed: np.uint64, n: int) -> None:
    """Who is there from this decision on, if a new stretch of time begins."""
    if troubles.present >= 1.0 or n % troubles.stretch != 0:
        return
    away = 0
    for worker in range(openings.present.size):
        openings.present[worker] = uniform(Draw(seed, n // troubles.stretch), _PRESENCE, worker) < troubles.present
        away += not openings.present[worker]
    openings.away[0] = away


@inner
def call_in(openings: Openings) -> None:
    """Everyone is there: those who were could take nothing, and time passes until the others come."""
    openings.present[:] = True
    openings.away[0] = 0


@inner
def keep_to_the_affordable(openings: Openings, price: Longs, left: int) -> None:
    """Whoever costs more than is left counts as away."""
    for worker in range(price.size):
        if openings.present[worker] and price[worker] > left:
            openings.present[worker] = False
            openings.away[0] += 1

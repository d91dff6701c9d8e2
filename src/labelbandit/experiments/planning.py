"""Planning: what a budget will buy, and what a target accuracy will cost, found out by simulating before any money is spent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np

from labelbandit.experiments.crew import share_out
from labelbandit.experiments.finals import check_method, story_of
from labelbandit.experiments.measures import labels_to_reach
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import Draw, Purpose, as_seed, run_seed, uniform
from labelbandit.model.checks import number, whole_number
from labelbandit.model.errors import BadInput
from labelbandit.simulation.crowds import crowd_from
from labelbandit.simulation.tables import Row, Table, read_table
from labelbandit.simulation.world import World, make_world

MARKS = 30
"""Points of a curve."""
HORIZON = 15
"""Labels per task, at the mean price, up to which a target is looked for."""
NEAR = 0.1
"""A guessed accuracy is taken to be off by up to this, anew in each context."""
_EXPERT = 0.99
_OUTER = 0.1
_FIRST_GUESS = 1000
"""Draws of skills by guess have numbers beyond those that crowds use."""
_STEPS_WORTH_A_PROCESS = 300_000


class Hire(NamedTuple):
    """A worker as the requester sees them before they begin."""

    price: int = 1
    accuracy: float | None = None
    """How often they will be right, by the requester's guess; None if the crowd is to say."""
    expert: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """What is planned: tasks, workers and money."""

    tasks: int
    contexts: int
    classes: int
    hires: tuple[Hire, ...]
    crowd: str
    """Who is good at what, for workers of whom nothing is guessed; as `name[:key=value,…]`."""
    budget: int
    """What all labels together may cost."""

    def __post_init__(self) -> None:
        crowd_from(self.crowd)
        whole_number("a budget of {}", self.budget, 1)
        if self.budget < min(hire.price for hire in self.hires):
            cheapest = min(hire.price for hire in self.hires)
            raise BadInput(f"a budget of {self.budget} buys no label: the cheapest costs {cheapest}, give more")

    @property
    def horizon(self) -> int:
        """The money up to which a target is looked for."""
        return max(self.budget, round(HORIZON * self.tasks * float(np.mean([hire.price for hire in self.hires]))))

    def world(self, seed: int) -> World:
        """A world that may be what comes: truth and skills are drawn anew for every seed."""
        world = make_world(self.crowd, self.tasks, len(self.hires), self.contexts, self.classes, seed)
        for worker, hire in enumerate(self.hires):
            guess = _EXPERT if hire.expert and hire.accuracy is None else hire.accuracy
            if guess is not None:
                lots = [uniform(Draw(world.seed, worker), Purpose.SKILL.value, _FIRST_GUESS + s) for s in range(self.contexts)]
                near = 0.0 if hire.expert else NEAR
                world.accuracy[:, worker] = np.clip(guess + near * (2.0 * np.array(lots) - 1.0), 0.0, 1.0)
                world.misleads[:, worker] = False
        return world._replace(
            price=np.array([hire.price for hire in self.hires], np.int64),
            expert=np.array([hire.expert for hire in self.hires], np.bool_),
        )


class Curve(NamedTuple):
    """Accuracy against money, over runs."""

    money: Longs
    mean: Floats
    low: Floats
    """One run in ten is below."""
    high: Floats
    """One run in ten is above."""


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """What one policy will make of it."""

    policy: str
    accuracy: float
    """At the budget, mean over runs."""
    low: float
    high: float
    """Eight runs in ten are between these."""
    needed: int | None
    """The money at which the mean comes to the target; None if it does not before the horizon, or if there is none."""
    needed_surely: int | None
    """The money at which nine runs in ten have come to it."""
    curve: Curve
    """As far as the horizon if there is a target, else to the budget."""


def forecast(
    prospect: Prospect,
    policies: Sequence[str],
    *,
    target: float | None = None,
    runs: int = 20,
    seed: int = 0,
    jobs: int | None = None,
    on_run: Callable[[], object] = lambda: None,
) -> list[Forecast]:
    """Simulate every policy on so many worlds that may be what comes, and sum up in the order given."""
    check(prospect, policies, target, runs, seed)
    ends = [prospect.budget] if target is None else [prospect.budget, prospect.horizon]
    parcels = [(policy, end, run) for run in range(runs) for policy in policies for end in dict.fromkeys(ends)]
    steps = sum(end for _, end, _ in parcels) / float(np.mean([hire.price for hire in prospect.hires]))
    jobs = jobs or (1 if steps < _STEPS_WORTH_A_PROCESS else int(joblib.cpu_count()))
    found: dict[tuple[str, int], dict[int, Floats]] = {}
    for policy, end, run, accuracy in share_out(partial(_accuracy_of, prospect, seed), parcels, jobs):
        found.setdefault((policy, end), {})[run] = accuracy
        on_run()
    return [_forecast(policy, prospect, target, found) for policy in policies]


def check(prospect: Prospect, policies: Sequence[str], target: float | None, runs: int, seed: int) -> None:
    """Refuse what cannot be simulated, before any work is done."""
    whole_number("{} runs", runs, 2)
    as_seed(seed)
    if target is not None:
        number("a target of {}", target, 1.0 / prospect.classes, 1.0)
    if not policies:
        raise BadInput("no policy to run: give at least one")
    for policy in policies:
        check_method(policy)
    prospect.world(0)


def warm_up(policies: Sequence[str]) -> None:
    """Compile the kernels of these policies, once and here."""
    world = make_world("one-coin", 4, 2, 2, 2, 0)
    for policy in policies:
        story_of(policy, world, np.array([1]))


def marks_until(end: int) -> Longs:
    """Points of a curve, evenly apart, the last at the end."""
    return np.unique(np.linspace(0, end, MARKS + 1).astype(np.int64)[1:])


def _accuracy_of(prospect: Prospect, seed: int, parcel: tuple[str, int, int]) -> tuple[str, int, int, Floats]:
    policy, end, run = parcel
    marks = marks_until(end)
    return policy, end, run, story_of(policy, prospect.world(run_seed(seed, run)), marks[marks > 0]).curve.accuracy


def _forecast(
    policy: str, prospect: Prospect, target: float | None, found: dict[tuple[str, int], dict[int, Floats]]
) -> Forecast:
    at_budget = _curve(prospect.budget, found[policy, prospect.budget])
    longest = at_budget if target is None else _curve(prospect.horizon, found[policy, prospect.horizon])
    return Forecast(
        policy=policy,
        accuracy=float(at_budget.mean[-1]),
        low=float(at_budget.low[-1]),
        high=float(at_budget.high[-1]),
        needed=_money(longest.money, longest.mean, target),
        needed_surely=_money(longest.money, longest.low, target),
        curve=longest,
    )


def _curve(end: int, runs: dict[int, Floats]) -> Curve:
    accuracy = np.array([runs[run] for run in sorted(runs)])
    low, high = np.quantile(accuracy, (_OUTER, 1.0 - _OUTER), axis=0)
    marks = marks_until(end)
    return Curve(marks[marks > 0], accuracy.mean(axis=0), low, high)


def _money(money: Longs, accuracy: Floats, target: float | None) -> int | None:
    reached = None if target is None else labels_to_reach(money.astype(np.float64), accuracy, target)
    return None if reached is None else int(np.ceil(reached))


def read_hires(path: Path) -> tuple[Hire, ...]:
    """Workers from a table with a column worker, and perhaps price, accuracy (a guess, or ?) and expert (yes or no)."""
    table = read_table(path, ("worker",), ("price", "accuracy", "expert"))
    return tuple(_hire(table, row) for row in table.rows)


def _hire(table: Table, row: Row) -> Hire:
    cells = dict(zip(table.columns, row.cells, strict=True))
    price, accuracy, expert = cells.get("price", "1"), cells.get("accuracy", "?"), cells.get("expert", "no").lower()
    if not price.isdecimal() or int(price) < 1:
        table.refuse(row.line, f"{price!r} is no price: give a whole number of at least 1")
    if expert not in {"yes", "no"}:
        table.refuse(row.line, f"{expert!r} says nothing about an expert: write yes or no")
    return Hire(int(price), None if accuracy == "?" else _guess(table, row, accuracy), expert == "yes")


def _guess(table: Table, row: Row, text: str) -> float:
    try:
        guess = float(text)
    except ValueError:
        guess = float("nan")
    if not 0.0 <= guess <= 1.0:
        table.refuse(row.line, f"{text!r} is no accuracy: give a number from 0 to 1, or ? if it is not known")
    return guess

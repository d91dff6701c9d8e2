"""Methods whose budget is an outcome: swept over thresholds, and compared with others at equal mean cost."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from labelbandit.model.arrays import Floats
from labelbandit.model.errors import BadInput

THRESHOLDS: Mapping[str, tuple[float, ...]] = {
    "iethresh": (
        *(1.0, 0.98, 0.96, 0.95, 0.945, 0.94, 0.935, 0.93, 0.925, 0.92, 0.915, 0.91, 0.905, 0.9, 0.895, 0.89),
        *(0.88, 0.87, 0.86, 0.85, 0.84, 0.82, 0.8),
    ),
    "crowdsense": (-1.0, 0.0, 0.03, 0.05, 0.07, 0.09, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.27, 0.3),
}
"""The thresholds tried; where a small step changes much, they are close together."""
SWEPT = tuple(THRESHOLDS)
FURTHER: Mapping[str, tuple[float, ...]] = {"iethresh": (0.7, 0.6, 0.4), "crowdsense": (0.35, 0.4, 0.5, 0.6, 0.8)}
"""And beyond: where workers agree, as in recorded labels, it takes these to spend as much."""


class Ends(NamedTuple):
    """How the runs of a swept method ended: thresholds by runs."""

    thresholds: Floats
    cost: Floats
    """Labels per task: an outcome, which differs from run to run."""
    accuracy: Floats


class AtCost(NamedTuple):
    """What a swept method reaches at wanted mean costs; NaN at costs that no threshold leads to."""

    mean: Floats
    """The accuracy, mean over runs."""
    se: Floats
    """Its standard error."""
    runs: Floats
    """Runs by costs: each run's accuracy, to be paired with other methods' runs on the same worlds."""


def swept(policy: str) -> bool:
    """Whether the policy's budget is an outcome."""
    return policy.partition(":")[0] in THRESHOLDS


def policies_of(method: str, *, further: bool = False, thin: bool = False) -> tuple[str, ...]:
    """The method with each of its thresholds; thinned, with every third and the last."""
    thresholds = (*THRESHOLDS[method], *(FURTHER[method] if further else ()))
    chosen = (*thresholds[:-1:3], thresholds[-1]) if thin else thresholds
    return tuple(f"{method}:threshold={threshold:g}" for threshold in chosen)


def ends_of(rows: Mapping[str, Any], panel: str, method: str) -> Ends:
    """The ends of a method's runs on a panel, from the columns of tidy results."""
    ends: dict[float, dict[int, tuple[float, float]]] = {}
    columns = (rows[name] for name in ("panel", "policy", "run", "budget", "accuracy"))
    for at, policy, run, budget, accuracy in zip(*columns, strict=True):
        name, _, threshold = policy.partition(":threshold=")
        if at == panel and name == method:
            ends.setdefault(float(threshold), {})[int(run)] = (float(budget), float(accuracy))
    runs = sorted(next(iter(ends.values()), {}))
    if not runs or any(sorted(of_threshold) != runs for of_threshold in ends.values()):
        raise BadInput(f"{method} was not run equally often with every threshold on {panel}: run it there first")
    both = np.array([[of_threshold[run] for run in runs] for of_threshold in ends.values()])
    return Ends(np.array(list(ends)), both[..., 0], both[..., 1])


def along(cost: Floats, values: Floats, wanted: Floats) -> Floats:
    """Runs by wanted costs: each run's values (thresholds by runs) on straight lines between the thresholds' mean costs."""
    order = np.argsort(cost, kind="stable")
    lines = [np.interp(wanted, cost[order], run[order], left=np.nan, right=np.nan) for run in values.T]
    return np.array(lines).reshape(len(lines), wanted.size)


def at_equal_cost(ends: Ends, budgets: Sequence[float] | Floats) -> AtCost:
    """What the method reaches where its sweep crosses these mean costs, in labels per task.

    Each threshold has a mean cost over runs. A run's accuracy is interpolated between the two thresholds whose mean costs lie
    around the wanted one: the budget is met on average, which is all that one who fixes a threshold beforehand can do.
    """
    wanted = np.asarray(budgets, np.float64)
    runs = along(ends.cost.mean(axis=1), ends.accuracy, wanted)
    spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(wanted.size)
    return AtCost(runs.mean(axis=0), spread / np.sqrt(len(runs)), runs)

"""Methods whose budget is an outcome: swept over thresholds, and compared with others at equal mean cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labelbandit.model.arrays import Floats
from labelbandit.model.errors import BadInput

if TYPE_CHECKING:  # an optional extra, imported when results are read
    import pandas as pd

THRESHOLDS: dict[str, tuple[float, ...]] = {
    "iethresh": (
        *(1.0, 0.98, 0.96, 0.95, 0.945, 0.94, 0.935, 0.93, 0.925, 0.92, 0.915, 0.91, 0.905, 0.9, 0.895, 0.89),
        *(0.88, 0.87, 0.86, 0.85, 0.84, 0.82, 0.8),
    ),
    "crowdsense": (-1.0, 0.0, 0.03, 0.05, 0.07, 0.09, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.27, 0.3),
}
"""The thresholds tried; where a small step costs much, they are close together."""


class AtCost(NamedTuple):
    """What a swept method reaches at wanted mean costs; NaN at costs that no threshold leads to."""

    budget: Floats
    """Labels per task, mean over runs."""
    mean: Floats
    """The accuracy, mean over runs."""
    se: Floats
    """Its standard error."""
    runs: "pd.DataFrame"
    """Runs by budgets: each run's accuracy, to be paired with other methods' runs on the same worlds."""


def swept(policy: str) -> bool:
    """Whether the policy's budget is an outcome."""
    return policy.partition(":")[0] in THRESHOLDS


def policies_of(method: str, *, thin: bool = False) -> tuple[str, ...]:
    """The method with each of its thresholds; thinned, with every third and the last."""
    thresholds = THRESHOLDS[method]
    chosen = (*thresholds[:-1:3], thresholds[-1]) if thin else thresholds
    return tuple(f"{method}:threshold={threshold:g}" for threshold in chosen)


def at_equal_cost(results: "pd.DataFrame", method: str, budgets: Sequence[float]) -> AtCost:
    """Of one panel's tidy results: what the method reaches where its sweep crosses these mean costs.

    Each threshold has a mean cost over runs. Every run's accuracy is interpolated between the two thresholds whose mean costs
    lie around the wanted one: the budget is met on average, as one who fixes a threshold beforehand can do at best.
    """
    import pandas as pd

    rows = results[results["policy"].str.partition(":")[0] == method]
    if rows["panel"].nunique() != 1:
        raise BadInput(f"{method} was run on {rows['panel'].nunique()} of the panels given: give the results of one that has it")
    costs = rows.groupby("policy")["budget"].mean().sort_values(kind="stable")
    accuracy = rows.pivot_table(index="run", columns="policy", values="accuracy")[costs.index]
    if accuracy.isna().to_numpy().any():
        raise BadInput(f"{method} was not run as often with every threshold: finish the runs first")
    wanted = np.asarray(budgets, np.float64)
    found = np.array([np.interp(wanted, costs, run, left=np.nan, right=np.nan) for run in accuracy.to_numpy()])
    spread = found.std(axis=0, ddof=1) if len(found) > 1 else np.zeros(wanted.size)
    runs = pd.DataFrame(found, index=accuracy.index, columns=wanted)
    return AtCost(wanted, found.mean(axis=0), spread / np.sqrt(len(found)), runs)


def cost_spread(results: "pd.DataFrame", method: str) -> "pd.DataFrame":
    """Of tidy results: for each panel and threshold, how much the cost differed from run to run, in labels per task."""
    rows = results[results["policy"].str.partition(":")[0] == method]
    costs = rows.groupby(["panel", "policy"], sort=False)["budget"].agg(["mean", "std", "min", "max", "count"])
    return costs.reset_index()

"""How a method stands on a panel: labels to 90, 95 and 99 %, area under the curve, worst run, accuracy at budgets."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from labelbandit.experiments.contrasts import area, labels_to_reach
from labelbandit.experiments.results import Curves, Results

TARGETS = (0.90, 0.95, 0.99)
BUDGETS = (2.0, 3.0, 5.0, 8.0, 15.0)


@dataclass(frozen=True, slots=True)
class Standing:
    """One method on one panel, over all runs."""

    panel: str
    method: str
    runs: int
    labels_to: tuple[float | None, ...]
    """Labels per task until the mean curve comes to each of `TARGETS`; None if it never does."""
    at: tuple[float | None, ...]
    """Mean accuracy at each of `BUDGETS`, as far as the panel goes."""
    area: float | None
    """Mean accuracy between 2N and 15N, or the end."""
    end: float
    """Labels per task at the end."""
    at_end: float
    worst: float
    """The worst run's accuracy at the end."""
    log_loss: float | None
    """At 3N, mean over runs."""
    majority_class: float
    """The score of answering each context's majority class, with no worker at all."""

    def document(self) -> dict[str, Any]:
        """As JSON takes it."""
        named = {f"labels_to_{100 * target:.0f}": value for target, value in zip(TARGETS, self.labels_to, strict=True)}
        reads = {f"at_{budget:g}N": value for budget, value in zip(BUDGETS, self.at, strict=True)}
        rest = {key: value for key, value in asdict(self).items() if key not in {"labels_to", "at"}}
        return rest | named | reads


def standings(results: Results) -> Iterator[Standing]:
    """Of every method on every panel, in the order of the results."""
    for panel in results.panels:
        for name in results.methods(panel.name):
            curves = results.curves(panel.name, name)
            if curves is not None and curves.budget.size:
                yield _standing(panel.name, name, curves, panel.majority_class_accuracy)


def _standing(panel: str, name: str, curves: Curves, majority_class: float) -> Standing:
    ends = curves.accuracy[:, -1]
    covered = area(curves)
    return Standing(
        panel=panel,
        method=name,
        runs=curves.runs.size,
        labels_to=tuple(labels_to_reach(curves, target) for target in TARGETS),
        at=tuple(mean_at(curves, budget) for budget in BUDGETS),
        area=None if covered is None else float(covered.values.mean()),
        end=float(curves.budget[-1]),
        at_end=float(ends.mean()),
        worst=float(ends.min()),
        log_loss=mean_at(curves, 3.0, "log_loss"),
        majority_class=majority_class,
    )


def mean_at(curves: Curves, budget: float, reading: str = "accuracy") -> float | None:
    """The mean over runs exactly at a budget; None where there is no such mark."""
    marks = np.flatnonzero(np.isclose(curves.budget, budget))
    return float(curves.readings[reading][:, marks[0]].mean()) if marks.size else None

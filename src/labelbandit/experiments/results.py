"""The results of a reproduction, as they lie in its folder: tidy rows, the facts of each panel, regret, and how it was run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelbandit.experiments.measures import COLUMNS
from labelbandit.experiments.sweep import along, swept
from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.errors import BadData

READINGS = ("accuracy", "right", "in_good", "entropy", "log_loss")
"""What is read off a run at every mark."""


class Curves(NamedTuple):
    """What one method did on one panel: a row for each run, a column for each mark."""

    budget: Floats
    """Labels per task at each mark."""
    runs: Longs
    readings: Mapping[str, Floats]
    """Runs by marks, for each of `READINGS`; NaN where a method cannot get to."""

    @property
    def accuracy(self) -> Floats:
        """Runs by marks."""
        return self.readings["accuracy"]


class Sweep(NamedTuple):
    """How the runs of a swept method ended, for one threshold."""

    policy: str
    runs: Longs
    cost: Floats
    """Labels per task, of each run."""
    readings: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Panel:
    """What was run on what, and the facts that say how hard it is."""

    name: str
    title: str
    kind: str
    tasks: int
    workers: int
    contexts: int
    classes: int
    budget: float
    context_sizes: Longs
    class_shares: Floats
    """Contexts by classes."""
    majority_class_accuracy: float
    """Accuracy of answering in each context its commonest class, with no worker at all."""
    worker_accuracy: Floats | None
    """Contexts by workers, of the first run; NaN where a worker has no label."""
    note: str

    @property
    def overall_accuracy(self) -> Floats:
        """Each worker's share of right answers over all tasks; workers of whom nothing is known are left out."""
        if self.worker_accuracy is None:
            return np.zeros(0)
        known = ~np.isnan(self.worker_accuracy)
        tasks = self.context_sizes[:, None] * known
        right = (np.where(known, self.worker_accuracy, 0.0) * tasks).sum(axis=0)
        someone = tasks.sum(axis=0) > 0
        return np.asarray(right[someone] / tasks.sum(axis=0)[someone])


@dataclass(frozen=True)
class Results:
    """Everything a reproduction found out."""

    rows: Mapping[str, Any]
    """The tidy columns, by name."""
    panels: tuple[Panel, ...]
    regret: Mapping[str, Any]
    meta: Mapping[str, Any]

    @cached_property
    def _places(self) -> dict[tuple[str, str], Longs]:
        """The rows of each (panel, policy)."""
        pairs = list(zip(self.rows["panel"], self.rows["policy"], strict=True))
        kinds = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        numbers = np.array([kinds[pair] for pair in pairs], np.int64)
        return {pair: np.flatnonzero(numbers == number) for pair, number in kinds.items()}

    @cached_property
    def _curves(self) -> dict[tuple[str, str], Curves | None]:
        return {}

    def panel(self, name: str) -> Panel | None:
        """The panel of that name, if it was run."""
        return next((panel for panel in self.panels if panel.name == name), None)

    def methods(self, panel: str) -> list[str]:
        """What was run on the panel, in the order of the rows, each swept method once."""
        return list(dict.fromkeys(method_of(policy) for at, policy in self._places if at == panel))

    def curves(self, panel: str, method: str) -> Curves | None:
        """The method's curves on the panel, or None if it was not run there."""
        if (panel, method) not in self._curves:
            made = self._swept_curves(panel, method) if swept(method) else self._fixed_curves(panel, method)
            self._curves[panel, method] = made
        return self._curves[panel, method]

    def sweep(self, panel: str, method: str) -> list[Sweep]:
        """How the runs of a swept method ended, from the cheapest threshold to the dearest."""
        policies = [policy for at, policy in self._places if at == panel and method_of(policy) == method]
        return sorted((self._ends(panel, policy) for policy in policies), key=lambda ends: float(ends.cost.mean()))

    def most_labels(self, panel: str, policy: str) -> int | None:
        """The most labels that any run of the policy spent on the panel, or None if it was not run there."""
        at = self._places.get((panel, policy))
        return None if at is None else int(self._labels[at].max())

    def _column(self, name: str, at: Longs) -> Floats:
        return np.asarray(self.rows[name], np.float64)[at]

    def _fixed_curves(self, panel: str, policy: str) -> Curves | None:
        at = self._places.get((panel, policy))
        if at is None:
            return None
        runs, row = np.unique(np.asarray(self.rows["run"], np.int64)[at], return_inverse=True)
        budget, column = np.unique(self._column("budget", at).round(6), return_inverse=True)
        readings = {}
        for name in READINGS:
            readings[name] = np.full((runs.size, budget.size), np.nan)
            readings[name][row, column] = self._column(name, at)
        met = ~np.isnan(readings["accuracy"]).any(axis=0)  # marks that every run came to
        return Curves(budget[met], runs, {name: values[:, met] for name, values in readings.items()})

    def _ends(self, panel: str, policy: str) -> Sweep:
        at = self._places[panel, policy]
        runs = np.asarray(self.rows["run"], np.int64)[at]
        # One row per run is agreed; should there be more, the last is the end.
        last = {int(run): place for run, place in sorted(zip(runs, at, strict=True), key=lambda pair: self._labels[pair[1]])}
        order = np.array([last[run] for run in sorted(last)], np.int64)
        readings = {name: self._column(name, order) for name in READINGS}
        return Sweep(policy, np.array(sorted(last), np.int64), self._column("budget", order), readings)

    @cached_property
    def _labels(self) -> Floats:
        return np.asarray(self.rows["labels"], np.float64)

    def _swept_curves(self, panel: str, method: str) -> Curves | None:
        ends = self.sweep(panel, method)
        if not ends:
            return None
        last = next((facts.budget for facts in self.panels if facts.name == panel), 15.0)
        return at_equal_cost(ends, np.arange(1.0, last + 1.0))


def at_equal_cost(ends: Sequence[Sweep], budget: Floats) -> Curves:
    """Each run's readings where the sweep crosses those mean costs: between thresholds a straight line, beyond them nothing."""
    runs = ends[0].runs
    for each in ends[1:]:
        runs = np.intersect1d(runs, each.runs)
    kept = [np.isin(each.runs, runs) for each in ends]
    cost = np.array([each.cost[keep].mean() for each, keep in zip(ends, kept, strict=True)])
    readings = {
        name: along(cost, np.array([each.readings[name][keep] for each, keep in zip(ends, kept, strict=True)]), budget)
        for name in READINGS
    }
    return Curves(budget, runs, readings)


def method_of(policy: str) -> str:
    """What a curve is drawn of: the policy itself, or for swept ones the policy with any threshold."""
    return policy.partition(":")[0] if swept(policy) else policy


def load_results(folder: Path) -> Results:
    """Read the files that a reproduction left; regret and the way it was run may be missing."""
    import pyarrow.parquet as pq

    table = _present(folder / "results.parquet")
    read = pq.read_table(table)
    missing = [name for name in COLUMNS if name not in read.column_names]
    if missing:
        raise BadData(f"{str(table)!r} has no column {missing[0]!r}: run the reproduction again")
    rows = {name: read.column(name).to_pylist() if name in {"panel", "policy"} else _numbers(read, name) for name in COLUMNS}
    panels = tuple(_panel(facts) for facts in _json(_present(folder / "panels.json")))
    optional = {name: _json(path) if (path := folder / f"{name}.json").exists() else {} for name in ("regret", "meta")}
    return Results(rows, panels, optional["regret"], optional["meta"])


def _present(path: Path) -> Path:
    if not path.exists():
        raise BadData(f"there is no {str(path)!r}: run `labelbandit reproduce --out {str(path.parent)!r}` first")
    return path


def _numbers(table: Any, name: str) -> Any:
    column = table.column(name).to_numpy()
    return column if name in {"run", "labels"} else column.astype(np.float64)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise BadData(f"{str(path)!r}, line {error.lineno}, is no JSON: run the reproduction again") from error


def _panel(facts: Mapping[str, Any]) -> Panel:
    accuracy = facts["worker_accuracy"]
    return Panel(
        name=facts["name"],
        title=facts["title"],
        kind=facts["kind"],
        tasks=facts["tasks"],
        workers=facts["workers"],
        contexts=facts["contexts"],
        classes=facts["classes"],
        budget=facts["budget"],
        context_sizes=np.array(facts["context_sizes"], np.int64),
        class_shares=np.array(facts["class_shares"], np.float64),
        majority_class_accuracy=facts["majority_class_accuracy"],
        # None within becomes NaN: a worker who has no label there.
        worker_accuracy=None if accuracy is None else np.array(accuracy, np.float64),
        note=facts.get("note") or "",
    )

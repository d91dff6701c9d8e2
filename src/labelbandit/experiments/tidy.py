"""Tidy results, a row for each panel, policy, run and mark, and files that are there whole or not at all."""

import json
import os
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from labelbandit.experiments.measures import COLUMNS
from labelbandit.experiments.panels import Panel
from labelbandit.experiments.sweep import swept
from labelbandit.experiments.trials import Trial
from labelbandit.model.errors import LabelbanditError
from labelbandit.simulation.run import budget_marks


def tidy(panels: Iterable[Panel], trials: Iterable[Trial]) -> dict[str, list[Any]]:
    """The columns of the results, in the order of the trials."""
    by_name = {panel.name: panel for panel in panels}
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for trial in trials:
        panel, policy, _ = trial.key
        tasks, budget = by_name[panel].ground.tasks, by_name[panel].budget
        # A mark is a point of the budget, reached or not; swept methods have none, and spend what they spend.
        marks = trial.measures.labels if swept(policy) else budget_marks(tasks, budget)
        for name, value in trial.key._asdict().items():
            columns[name] += [value] * marks.size
        columns["budget"] += (marks / tasks).tolist()
        for name in ("labels", "accuracy", "right", "in_good", "entropy", "log_loss"):
            columns[name] += getattr(trial.measures, name).tolist()
    return columns


def need_arrow() -> None:
    """Refuse to go on where results could not be written."""
    if find_spec("pyarrow") is None:
        raise LabelbanditError("results are kept as Parquet, which needs pyarrow: install labelbandit[experiments]")


def write_table(columns: dict[str, list[Any]], out: Path) -> None:
    """Write results.parquet and results.csv."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    kinds = {"panel": pa.string(), "policy": pa.string(), "run": pa.int64(), "labels": pa.int64()}
    schema = pa.schema([(name, kinds.get(name, pa.float64())) for name in COLUMNS])
    table = pa.table(columns, schema)
    _replace(out / "results.parquet", lambda path: parquet.write_table(table, path))
    _replace(out / "results.csv", lambda path: csv.write_csv(table, path))


def write_json(value: Any, path: Path) -> None:
    """Write a value as JSON."""
    text = json.dumps(value, indent=1, allow_nan=False) + "\n"
    _replace(path, lambda draft: draft.write_text(text, "utf-8"))


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write beside the file and move it into place, so that nobody ever sees half of it."""
    draft = path.with_name(f".{path.name}.draft")
    write(draft)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(path)

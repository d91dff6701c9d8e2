"""The comparison of all policies in all worlds: run what is not yet done, and write results, figures and report."""

import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib

from labelbandit.experiments import own
from labelbandit.experiments.calibration import BUDGETS, equal_mass
from labelbandit.experiments.comparison.report import write_report
from labelbandit.experiments.comparison.worlds import METHODS, RECORDED_SETS, choose_panels
from labelbandit.experiments.finals import check_method
from labelbandit.experiments.panels import Panel
from labelbandit.experiments.schedule import Schedule, Watcher, finish
from labelbandit.experiments.sweep import swept
from labelbandit.experiments.tidy import tidy, write_json, write_table
from labelbandit.experiments.trials import Trial
from labelbandit.model.chance import as_seed
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput
from labelbandit.model.version import VERSION

RUNS, QUICK_RUNS = 30, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be compared."""

    panels: tuple[str, ...] = ()
    """Panels and sets of them by name; none means all."""
    methods: tuple[str, ...] = METHODS
    runs: int = RUNS
    seed: int = 0
    data: Path | None = None
    """The folder of data sets."""
    load: tuple[str, ...] = ()
    """Files or modules that register users' policies."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The panels to run, and what is left out, in sentences."""

    request: Request
    panels: tuple[Panel, ...]
    left_out: tuple[str, ...]


def make_plan(request: Request) -> Plan:
    """Say what is to be run, refusing what cannot be, before anything is written."""
    whole_number("{} runs", request.runs, 1)
    as_seed(request.seed)
    if request.data is not None and not request.data.is_dir():
        raise BadInput(f"{request.data} is no folder: give the folder of data sets, or leave them out")
    own.load_all(request.load)
    for method in request.methods:
        check_method(method)
        if swept(method):
            raise BadInput(f"what {method} spends is an outcome, so it cannot be compared at equal budgets: see `reproduce`")
    panels = choose_panels(request.panels, request.methods, request.data)
    if not panels:
        raise BadInput(f"there is nothing to run: {' '.join(_missing(request)) or 'give panels'}")
    return Plan(request, tuple(panels), tuple(_missing(request)))


def _missing(request: Request) -> list[str]:
    if request.panels and "recorded" not in request.panels:
        return []
    missing = [name for name in RECORDED_SETS if request.data is None or not (request.data / name).is_dir()]
    if not missing:
        return []
    if request.data is None:
        return [f"panels of recorded data ({', '.join(missing)}) are left out: no data folder is given (--data)"]
    return [f"panels of {' and '.join(missing)} are left out: the data folder {request.data} does not have them"]


def run_comparison(plan: Plan, out: Path, *, jobs: int | None = None, command: Sequence[str] = (), watcher: Watcher) -> None:
    """Run what the journal in the folder does not have yet, and write results and report."""
    started = time.monotonic()
    request = plan.request
    trials, run_now = finish(Schedule(plan.panels, request.runs, request.seed, request.load), out, jobs, None, watcher)
    watcher.stage("Writing the results")
    write_table(tidy(plan.panels, trials), out)
    write_json([panel.facts(request.seed) for panel in plan.panels], out / "panels.json")
    write_json(list(_calibrations(plan, trials)), out / "calibration.json")
    write_json(_meta(plan, command, run_now, len(trials), time.monotonic() - started), out / "meta.json")
    watcher.stage("Drawing the figures and writing the report")
    write_report(out)


def _calibrations(plan: Plan, trials: Sequence[Trial]) -> Iterator[dict[str, Any]]:
    """For each kind of panel, method and budget: certainty and what is right, in bins of equally many tasks."""
    kinds = {panel.name: panel.kind for panel in plan.panels}
    for kind in dict.fromkeys(kinds.values()):
        for method in plan.request.methods:
            tables = [
                trial.measures.reliability for trial in trials if trial.key.policy == method and kinds[trial.key.panel] == kind
            ]
            for budget in BUDGETS:
                bins = equal_mass(tables, budget)
                if bins is not None:
                    yield {
                        "kind": kind,
                        "method": method,
                        "budget": budget,
                        "error": bins.error,
                        "tasks": bins.tasks.tolist(),
                        "certainty": bins.certainty.tolist(),
                        "right": bins.right.tolist(),
                    }


def _meta(plan: Plan, command: Sequence[str], run_now: int, trials: int, seconds: float) -> dict[str, Any]:
    return {
        "version": VERSION,
        "seed": plan.request.seed,
        "runs": plan.request.runs,
        "methods": list(plan.request.methods),
        "command": " ".join(command),
        "left_out": list(plan.left_out),
        "trials": trials,
        "trials_run_now": run_now,
        "seconds": round(seconds, 1),
        "cores": joblib.cpu_count(),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
    }

"""The paper's experiments, reproduced: what is to be run, and the results."""

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib

from labelbandit.experiments import own
from labelbandit.experiments.panels import FIGURES, Panel, benchmark_panels, missing_sets, recorded_panels, synthetic_panels
from labelbandit.experiments.regret import regret_of_crowds
from labelbandit.experiments.report import write_report
from labelbandit.experiments.schedule import Schedule, Watcher, finish
from labelbandit.experiments.tidy import tidy, write_json, write_table
from labelbandit.model.chance import as_seed
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput
from labelbandit.model.version import VERSION
from labelbandit.simulation.oracle import policy_to_simulate

QUICK_RUNS = 3
"""How many runs `--quick` makes do with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be reproduced."""

    figures: str = "abcde"
    runs: int = 30
    quick: bool = False
    """Whether sweeps make do with every third threshold."""
    seed: int = 0
    data: Path | None = None
    """The folder of data sets."""
    also: tuple[str, ...] = ()
    """Policies to be compared besides the paper's."""
    load: tuple[str, ...] = ()
    """Files or modules that register them."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The panels to run, and what is left out, in sentences."""

    request: Request
    panels: tuple[Panel, ...]
    left_out: tuple[str, ...]

    @property
    def schedule(self) -> Schedule:
        """The trials to be run."""
        return Schedule(self.panels, self.request.runs, self.request.seed, self.request.load)


def make_plan(request: Request) -> Plan:
    """Say what is to be run, refusing what cannot be, before anything is written."""
    _check(request)
    thin, real = request.quick, "d" in request.figures
    panels: list[Panel] = []
    left_out: list[str] = []
    if set(request.figures) & set("abc"):
        panels += benchmark_panels(request.figures, thin=thin)
    if set(request.figures) & set("ad"):
        if request.data is not None:
            panels += recorded_panels(request.data, run=real, thin=thin)
        left_out += _what_is_missing(request.data)
        panels += synthetic_panels(run=real, thin=thin)
    return Plan(request, tuple(_with(panel, request.also) for panel in panels), tuple(left_out))


def _check(request: Request) -> None:
    for letter in request.figures:
        if letter not in FIGURES:
            known = ", ".join(f"{key} ({what})" for key, what in FIGURES.items())
            raise BadInput(f"there is no figure {letter!r}: choose among {known}")
    whole_number("{} runs", request.runs, 1)
    as_seed(request.seed)
    if request.data is not None and not request.data.is_dir():
        raise BadInput(f"{request.data} is no folder: give the folder of data sets, or leave them out")
    own.load_all(request.load)
    for text in request.also:
        policy_to_simulate(text)


def _what_is_missing(data: Path | None) -> list[str]:
    missing = missing_sets(data)
    if not missing:
        return []
    if data is None:
        return [f"panels of recorded data ({', '.join(missing)}) are left out: no data folder is given (--data)"]
    return [f"panels of {' and '.join(missing)} are left out: the data folder {data} does not have them"]


def _with(panel: Panel, also: Sequence[str]) -> Panel:
    return replace(panel, policies=tuple(dict.fromkeys((*panel.policies, *also)))) if panel.policies else panel


def reproduce(
    plan: Plan,
    out: Path,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    command: Sequence[str] = (),
    watcher: Watcher,
) -> None:
    """Run what the journal in the folder does not have yet, and write results and report."""
    started = time.monotonic()
    trials, run_now = finish(plan.schedule, out, jobs, scheduler, watcher)
    watcher.stage("Measuring regret")
    regret = regret_of_crowds(plan.request.runs, plan.request.seed) if "e" in plan.request.figures else {}
    watcher.stage("Writing the results")
    write_table(tidy(plan.panels, trials), out)
    write_json([panel.facts(plan.request.seed) for panel in plan.panels], out / "panels.json")
    write_json(regret, out / "regret.json")
    write_json(_meta(plan, command, run_now, time.monotonic() - started), out / "meta.json")
    watcher.stage("Drawing the figures and writing the report")
    write_report(out)


def _meta(plan: Plan, command: Sequence[str], run_now: int, seconds: float) -> dict[str, Any]:
    return {
        "version": VERSION,
        "seed": plan.request.seed,
        "runs": plan.request.runs,
        "quick": plan.request.quick,
        "figures": plan.request.figures,
        "also": list(plan.request.also),
        "command": " ".join(command),
        "left_out": list(plan.left_out),
        "trials": len(plan.schedule.trials()),
        "trials_run_now": run_now,
        "seconds": round(seconds, 1),
        "cores": joblib.cpu_count(),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
    }

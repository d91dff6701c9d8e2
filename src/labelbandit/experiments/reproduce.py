"""The paper's experiments, reproduced: what is to be run, the loop that runs what is not yet done, and the results."""

import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import joblib

from labelbandit.experiments import own
from labelbandit.experiments.crew import share_out
from labelbandit.experiments.journal import Journal, header
from labelbandit.experiments.panels import FIGURES, Panel, benchmark_panels, missing_sets, recorded_panels, synthetic_panels
from labelbandit.experiments.provenance import code_digest
from labelbandit.experiments.regret import regret_of_crowds
from labelbandit.experiments.report import write_report
from labelbandit.experiments.tidy import need_arrow, tidy, write_json, write_table
from labelbandit.experiments.trials import Key, Parcel, Trial, work
from labelbandit.model.chance import as_seed
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput
from labelbandit.model.version import VERSION
from labelbandit.policies.registry import POLICIES
from labelbandit.simulation.oracle import Oracle, policy_to_simulate
from labelbandit.simulation.run import simulate
from labelbandit.simulation.world import make_world

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

    def trials(self) -> list[tuple[Panel, Key]]:
        """Every trial, in the order of the results."""
        runs = range(self.request.runs)
        return [(panel, Key(panel.name, policy, run)) for panel in self.panels for policy in panel.policies for run in runs]

    def fingerprint(self, panel_print: str, policy: str) -> str:
        """Of what a trial depends on besides its name; for users' policies, also their sources."""
        ours = policy.partition(":")[0] in {*POLICIES, Oracle.name}
        return panel_print if ours else f"{panel_print}-{own.digest(self.request.load)}"


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


class Watcher(Protocol):
    """Whom to tell how far it is."""

    def stage(self, sentence: str) -> None:
        """Hear what is being done now."""

    def begin(self, done: int, left: int, effort: float) -> None:
        """Hear how many trials were done before, how many are left, and the effort these take."""

    def advance(self, effort: float) -> None:
        """Hear that so much of the effort is behind us."""


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
    need_arrow()
    _make(out)
    with Journal(out / "runs.jsonl", header(plan.request.seed)) as journal:
        before = len(journal.finished)
        _run_what_is_left(plan, journal, jobs or int(joblib.cpu_count()), scheduler, watcher)
        run_now = len(journal.finished) - before
        trials = [journal.finished[key] for _, key in plan.trials()]
    watcher.stage("Measuring regret")
    regret = regret_of_crowds(plan.request.runs, plan.request.seed) if "e" in plan.request.figures else {}
    watcher.stage("Writing the results")
    write_table(tidy(plan.panels, trials), out)
    write_json([panel.facts(plan.request.seed) for panel in plan.panels], out / "panels.json")
    write_json(regret, out / "regret.json")
    write_json(_meta(plan, command, run_now, time.monotonic() - started), out / "meta.json")
    watcher.stage("Drawing the figures and writing the report")
    write_report(out)


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {str(out)!r} ({error.strerror}): give another --out") from None


def _run_what_is_left(plan: Plan, journal: Journal, jobs: int, scheduler: str | None, watcher: Watcher) -> None:
    parcels = _parcels(plan, journal.finished)
    trials = sum(len(parcel.wanted) for parcel in parcels)
    if parcels:
        watcher.stage("Compiling the kernels (the first time about a minute)")
        warm_up(policy for parcel in parcels for policy, _ in parcel.wanted)
    watcher.begin(len(plan.trials()) - trials, trials, sum(parcel.effort for parcel in parcels))
    effort = {(parcel.panel.name, parcel.run): parcel.effort for parcel in parcels}
    for done in share_out(work, parcels, jobs, scheduler):
        journal.add(done)
        watcher.advance(effort[done[0].key.panel, done[0].key.run])


def _parcels(plan: Plan, finished: Mapping[Key, Trial]) -> list[Parcel]:
    """What is left to run, the longest first, so that no process is still busy when the others are done."""
    prints = {panel.name: panel.fingerprint() for panel in plan.panels}
    left: dict[tuple[str, int], list[tuple[str, str]]] = {}
    panels = {panel.name: panel for panel in plan.panels}
    for panel, key in plan.trials():
        wanted = plan.fingerprint(prints[panel.name], key.policy)
        if key not in finished:
            left.setdefault((panel.name, key.run), []).append((key.policy, wanted))
        elif finished[key].fingerprint != wanted:
            remedy = "give another folder, or remove runs.jsonl to start anew"
            raise BadInput(f"the journal has {key.panel} with {key.policy} run on other data or by other code: {remedy}")
    load, code = own.settled(plan.request.load), code_digest()
    parcels = [Parcel(panels[name], run, tuple(rest), plan.request.seed, load, code) for (name, run), rest in left.items()]
    return sorted(parcels, key=lambda parcel: -parcel.effort)


def warm_up(policies: Iterable[str]) -> None:
    """Compile the kernels of these policies, once and here, so that not every process compiles them again."""
    world = make_world("one-coin", 4, 2, 2, 2, 0)
    for text in {policy.partition(":")[0]: policy for policy in policies}.values():
        simulate(text, world, 1)


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
        "trials": len(plan.trials()),
        "trials_run_now": run_now,
        "seconds": round(seconds, 1),
        "cores": joblib.cpu_count(),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
    }

"""A schedule: the trials of an experiment, and the loop that runs those that the journal does not have yet."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import joblib

from labelbandit.experiments import own
from labelbandit.experiments.crew import share_out
from labelbandit.experiments.finals import policy_of
from labelbandit.experiments.journal import Journal, header
from labelbandit.experiments.panels import Panel
from labelbandit.experiments.provenance import code_digest
from labelbandit.experiments.tidy import need_arrow
from labelbandit.experiments.trials import Key, Parcel, Trial, work
from labelbandit.model.errors import BadInput
from labelbandit.policies.registry import POLICIES
from labelbandit.simulation.oracle import Oracle
from labelbandit.simulation.run import simulate
from labelbandit.simulation.world import make_world


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Panels, and how often their policies are run on them."""

    panels: tuple[Panel, ...]
    runs: int
    seed: int
    load: tuple[str, ...] = ()
    """Files or modules that register users' policies."""

    def trials(self) -> list[tuple[Panel, Key]]:
        """Every trial, in the order of the results."""
        runs = range(self.runs)
        return [(panel, Key(panel.name, policy, run)) for panel in self.panels for policy in panel.policies for run in runs]

    def fingerprint(self, panel_print: str, policy: str) -> str:
        """Of what a trial depends on besides its name; for users' policies, also their sources."""
        ours = policy_of(policy).partition(":")[0] in {*POLICIES, Oracle.name}
        return panel_print if ours else f"{panel_print}-{own.digest(self.load)}"


class Watcher(Protocol):
    """Whom to tell how far it is."""

    def stage(self, sentence: str) -> None:
        """Hear what is being done now."""

    def begin(self, done: int, left: int, effort: float) -> None:
        """Hear how many trials were done before, how many are left, and the effort these take."""

    def advance(self, effort: float) -> None:
        """Hear that so much of the effort is behind us."""


def finish(schedule: Schedule, out: Path, jobs: int | None, scheduler: str | None, watcher: Watcher) -> tuple[list[Trial], int]:
    """Run what the journal in the folder does not have yet; all trials in the order of results, and how many were run now."""
    need_arrow()
    _make(out)
    with Journal(out / "runs.jsonl", header(schedule.seed)) as journal:
        before = len(journal.finished)
        _run_what_is_left(schedule, journal, jobs or int(joblib.cpu_count()), scheduler, watcher)
        run_now = len(journal.finished) - before
        return [journal.finished[key] for _, key in schedule.trials()], run_now


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {str(out)!r} ({error.strerror}): give another --out") from None


def _run_what_is_left(schedule: Schedule, journal: Journal, jobs: int, scheduler: str | None, watcher: Watcher) -> None:
    parcels = _parcels(schedule, journal.finished)
    trials = sum(len(parcel.wanted) for parcel in parcels)
    if parcels:
        watcher.stage("Compiling the kernels (the first time about a minute)")
        warm_up(policy for parcel in parcels for policy, _ in parcel.wanted)
    watcher.begin(len(schedule.trials()) - trials, trials, sum(parcel.effort for parcel in parcels))
    effort = {(parcel.panel.name, parcel.run): parcel.effort for parcel in parcels}
    for done in share_out(work, parcels, jobs, scheduler):
        journal.add(done)
        watcher.advance(effort[done[0].key.panel, done[0].key.run])


def _parcels(schedule: Schedule, finished: Mapping[Key, Trial]) -> list[Parcel]:
    """What is left to run, the longest first, so that no process is still busy when the others are done."""
    prints = {panel.name: panel.fingerprint() for panel in schedule.panels}
    left: dict[tuple[str, int], list[tuple[str, str]]] = {}
    panels = {panel.name: panel for panel in schedule.panels}
    for panel, key in schedule.trials():
        wanted = schedule.fingerprint(prints[panel.name], key.policy)
        if key not in finished:
            left.setdefault((panel.name, key.run), []).append((key.policy, wanted))
        elif finished[key].fingerprint != wanted:
            remedy = "give another folder, or remove runs.jsonl to start anew"
            raise BadInput(f"the journal has {key.panel} with {key.policy} run on other data or by other code: {remedy}")
    load, code = own.settled(schedule.load), code_digest()
    parcels = [Parcel(panels[name], run, tuple(rest), schedule.seed, load, code) for (name, run), rest in left.items()]
    return sorted(parcels, key=lambda parcel: -parcel.effort)


def warm_up(policies: Iterable[str]) -> None:
    """Compile the kernels of these policies, once and here, so that not every process compiles them again."""
    world = make_world("one-coin", 4, 2, 2, 2, 0)
    for text in {policy_of(policy).partition(":")[0]: policy_of(policy) for policy in policies}.values():
        simulate(text, world, 1)

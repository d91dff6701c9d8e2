"""The panels of the paper's figures: which policies are run on what, and how far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from labelbandit.experiments.grounds import SHAPES, Ground, MadeUp, Recorded, benchmark_ground, digest
from labelbandit.experiments.sweep import policies_of, swept
from labelbandit.model.arrays import Floats
from labelbandit.model.chance import run_seed
from labelbandit.simulation.benchmarks import BENCHMARKS
from labelbandit.simulation.contexts import census
from labelbandit.simulation.crowds import CROWDS
from labelbandit.simulation.datasets import Dataset, read_dataset
from labelbandit.simulation.grouse import complete_labels

Kind = Literal["benchmark", "replay", "completed", "synthetic", "generated"]

FIGURES = {
    "a": "accuracy distributions of workers",
    "b": "comparison of methods on the benchmarks",
    "c": "lengths of exploration",
    "d": "real data",
    "e": "regret",
}
"""The figures that can be asked for."""

_BUDGET = 15.0
_LONG_BUDGET = 30.0
_BBTA = ("bbta:explore=0", "bbta")
_LONGER = ("bbta:explore=5", "bbta:explore=10")
_BEYOND = ("optkg", "optkg-multi", "bbta")
_DEAREST = ("iethresh:threshold=1", "iethresh:threshold=0.98")
"""On completed labels IEThresh spends more than anyone may, even with these; lower thresholds spend more still."""
_GENDER_HOBBY: dict[str, Any] = {"tasks": 204, "workers": 42, "contexts": 2}
"""The shape of the data set of that name, which is not public."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One pair of axes: policies on the worlds of a ground."""

    name: str
    title: str
    kind: Kind
    ground: Ground
    budget: float
    """Labels per task."""
    policies: tuple[str, ...]
    note: str = ""
    troubles: tuple[str, ...] = ()
    """Of every run, as `name[:key=value,…]`."""

    def budget_of(self, policy: str) -> float:
        """Labels per task that a policy may spend: swept methods end by themselves, so nothing but the crowd stops them."""
        return float(self.ground.workers) if swept(policy) else self.budget

    def fingerprint(self) -> str:
        """A digest of what a trial of this panel depends on, besides policy, run and seed."""
        return "-".join([digest(self.ground), f"{self.budget:g}", *self.troubles])

    def facts(self, seed: int) -> dict[str, Any]:
        """What a reader should know of the panel, as in panels.json; the crowd is that of run 0."""
        world = self.ground.world(run_seed(seed, 0))
        counted = census(world.context, world.truth)
        return {
            "name": self.name,
            "title": self.title,
            "kind": self.kind,
            "tasks": self.ground.tasks,
            "workers": self.ground.workers,
            "contexts": self.ground.contexts,
            "classes": self.ground.classes,
            "budget": self.budget,
            "context_sizes": counted.sizes.tolist(),
            "class_shares": counted.shares.tolist(),
            "majority_class_accuracy": counted.purity,
            "worker_accuracy": _with_nulls(world.accuracy),
            "note": self.note,
        }


def _with_nulls(accuracy: Floats) -> list[list[float | None]]:
    return [[None if np.isnan(value) else value for value in row] for row in accuracy.tolist()]


def _methods(ground: Ground, kind: Kind, *, thin: bool) -> tuple[str, ...]:
    """Every method of the comparison that the ground allows. With one context optkg-multi is optkg, so it is left out."""
    gradients: tuple[str, ...] = ("optkg", "optkg:workers=equal") if ground.classes == 2 else ()
    if gradients and ground.contexts > 1:
        gradients = (*gradients, "optkg-multi")
    recorded = kind in {"replay", "completed"}
    asking = _DEAREST if kind == "completed" else policies_of("iethresh", further=recorded, thin=thin)
    return ("random", *_BBTA, *gradients, *asking, *policies_of("crowdsense", further=recorded, thin=thin), "oracle")


def benchmark_panels(figures: Sequence[str], *, thin: bool) -> Iterator[Panel]:
    """The nine cases, and one of them twice as far."""
    for name in BENCHMARKS:
        contexts, workers = SHAPES[name]
        for crowd in CROWDS:
            ground = benchmark_ground(name, crowd, workers, contexts)
            methods = _methods(ground, "benchmark", thin=thin) if "b" in figures else ()
            lengths = (*_BBTA, *_LONGER) if "c" in figures else ()
            yield Panel(
                name=f"{name}/{crowd}",
                title=f"{name}, {crowd}",
                kind="benchmark",
                ground=ground,
                budget=_BUDGET,
                policies=tuple(dict.fromkeys((*methods, *lengths))),
            )
    if "b" in figures:
        contexts, workers = SHAPES["ionosphere"]
        yield Panel(
            name="ionosphere/spammer-hammer/30N",
            title="ionosphere, spammer-hammer, twice as far",
            kind="benchmark",
            ground=benchmark_ground("ionosphere", "spammer-hammer", workers, contexts),
            budget=_LONG_BUDGET,
            policies=_BEYOND,
            note="At 30 labels per task every worker has labelled every task.",
        )


def synthetic_panels(*, run: bool, thin: bool) -> Iterator[Panel]:
    """Made-up data of the shape of Gender Hobby."""
    for crowd in CROWDS:
        ground = MadeUp(crowd, **_GENDER_HOBBY)
        yield Panel(
            name=f"gender-hobby-shape/{crowd}",
            title=f"synthetic, of the shape of Gender Hobby, {crowd}",
            kind="synthetic",
            ground=ground,
            budget=_BUDGET,
            policies=_methods(ground, "synthetic", thin=thin) if run else (),
            note="Synthetic: the Gender Hobby data are not public. These worlds have as many tasks, workers and contexts.",
        )


@dataclass(frozen=True, slots=True)
class _RecordedSet:
    """A data set of the paper's section 5.2, or one that stands in for it."""

    folder: str
    title: str
    budget: float
    note: str
    flattened: bool = False
    """Whether it is taken as one context first, as in the paper, and with its contexts besides."""


_RECORDED = (
    _RecordedSet("rte", "RTE", 10.0, "Replay ends where the data end, at 10 labels per task.", flattened=True),
    _RecordedSet("four_domains", "four domains", _BUDGET, "Stands in for Gender Hobby: real workers, four contexts."),
    _RecordedSet("gender_hobby", "Gender Hobby", _BUDGET, ""),
)


def recorded_panels(folder: Path, *, run: bool, thin: bool) -> Iterator[Panel]:
    """Those whose data are there, replayed; RTE also completed."""
    for known in _RECORDED:
        if not (folder / known.folder).is_dir():
            continue
        dataset = read_dataset(folder / known.folder)
        yield from _of_dataset(known, dataset, known.budget, "replay", known.note, run=run, thin=thin)
        if known.folder == "rte":
            note = (
                "Labels that were never given are made up by GROUSE: they follow the consensus, not the worker. "
                "IEThresh spends more than 15 labels per task here, whatever its threshold."
            )
            yield from _of_dataset(known, complete_labels(dataset), _BUDGET, "completed", note, run=run, thin=thin)


def missing_sets(folder: Path | None) -> list[str]:
    """The data sets that are not there, of those that anyone can have."""
    public = [known for known in _RECORDED if known.folder != "gender_hobby"]
    return [known.folder for known in public if folder is None or not (folder / known.folder).is_dir()]


def _of_dataset(
    known: _RecordedSet, dataset: Dataset, budget: float, kind: Kind, note: str, *, run: bool, thin: bool
) -> Iterator[Panel]:
    """With its contexts; and, if it is flattened, as one context first."""
    own = f"{known.folder}-{len(dataset.contexts)}" if known.flattened else known.folder
    grounds = [(own, Recorded(dataset))]
    if known.flattened:
        grounds.insert(0, (known.folder, Recorded(dataset, use_contexts=False)))
    for name, ground in grounds:
        contexts = f"{ground.contexts} contexts" if ground.contexts > 1 else "one context"
        alone = "" if ground.contexts > 1 else " With one context, OptKG (Multi) is OptKG, and is left out."
        yield Panel(
            name=f"{name}/{kind}",
            title=f"{known.title}, {kind}, {contexts}",
            kind=kind,
            ground=ground,
            budget=budget,
            policies=_methods(ground, kind, thin=thin) if run else (),
            note=(note + alone).strip(),
        )

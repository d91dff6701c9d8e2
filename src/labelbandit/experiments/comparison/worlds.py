"""The worlds of the comparison, in sets: the paper's cases, synthetic, recorded, and generated to make it hard."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelbandit.experiments.grounds import SHAPES, Ground, MadeUp, Recorded, WithExperts, benchmark_ground
from labelbandit.experiments.panels import Kind, Panel
from labelbandit.model.errors import BadInput
from labelbandit.simulation.benchmarks import BENCHMARKS, read_benchmark
from labelbandit.simulation.crowds import CROWDS
from labelbandit.simulation.datasets import read_dataset

HOUSE = "crosscheck"
METHODS = (
    HOUSE,
    "crosscheck:frequencies=no",
    "bbta",
    "bbta:explore=0",
    "optkg-multi",
    "random",
    "random+em",
    "random+dawid-skene",
    "oracle",
)
"""Compared where nothing else is said; the first is compared with each of the others."""
RECORDED_SETS = ("rte", "four_domains", "bluebirds", "dog")
_TWO_CLASSES = ("optkg", "optkg-multi")
_BUDGET = 15.0
_SMALL: dict[str, Any] = {"tasks": 351, "workers": 30, "contexts": 3}
_MANY_CONTEXTS: dict[str, Any] = {"tasks": 600, "workers": 30, "contexts": 20}
_FEW_TASKS: dict[str, Any] = {"tasks": 351, "workers": 30, "contexts": 117}
_EXPERTS, _EXPERT_PRICE = 3, 10


def _panel(name: str, title: str, kind: Kind, ground: Ground, **more: Any) -> Panel:
    return Panel(name=name, title=title, kind=kind, ground=ground, policies=(), **{"budget": _BUDGET, **more})


def paper_panels() -> Iterator[Panel]:
    """The nine cases of the paper: benchmark tasks in contexts by k-means, three crowds."""
    for name in BENCHMARKS:
        contexts, workers = SHAPES[name]
        for crowd in CROWDS:
            ground = benchmark_ground(name, crowd, workers, contexts)
            yield _panel(f"{name}/{crowd}", f"{name}, {crowd}", "benchmark", ground)


def synthetic_panels() -> Iterator[Panel]:
    """Nine worlds of the same sizes, with uneven contexts in which both classes are as frequent."""
    for name in BENCHMARKS:
        (contexts, workers), tasks = SHAPES[name], read_benchmark(name).truth.size
        for crowd in CROWDS:
            ground = MadeUp(crowd, tasks, workers, contexts, uneven=True)
            yield _panel(f"{tasks}/{crowd}", f"synthetic {tasks}, {crowd}", "synthetic", ground)


def recorded_panels(folder: Path) -> Iterator[Panel]:
    """Replays of the data sets that are there, as far as their labels go; RTE as one context too."""
    for name in RECORDED_SETS:
        if not (folder / name).is_dir():
            continue
        dataset = read_dataset(folder / name)
        budget = min(_BUDGET, float(dataset.answers.size // len(dataset.tasks)))
        many = len(dataset.contexts)
        if name == "rte":
            alone = Recorded(dataset, use_contexts=False)
            yield _panel("rte/replay", "rte, replay, one context", "replay", alone, budget=budget)
        folder_name = f"rte-{many}" if name == "rte" else name
        title = f"{name}, replay, {f'{many} contexts' if many > 1 else 'one context'}"
        yield _panel(f"{folder_name}/replay", title, "replay", Recorded(dataset), budget=budget)


def _troubled_panels() -> Iterator[Panel]:
    for crowd in CROWDS:
        said = "half the workers change at 5N"
        yield _panel(f"drift/{crowd}", f"{said}, {crowd}", "generated", MadeUp(crowd, **_SMALL), troubles=("drift",))
    for name, said in (("late", "answers 50 late"), ("away", "workers away two thirds of the time")):
        yield _panel(f"{name}/malicious", f"{said}, malicious", "generated", MadeUp("malicious", **_SMALL), troubles=(name,))


def _shaped_panels() -> Iterator[Panel]:
    for crowd in CROWDS:
        yield _panel(f"imbalanced/{crowd}", f"classes 85 to 15, {crowd}", "generated", MadeUp(crowd, **_SMALL, frequent=0.85))
        yield _panel(f"four-classes/{crowd}", f"four classes, {crowd}", "generated", MadeUp(crowd, **_SMALL, classes=4))
        experts = WithExperts(MadeUp(crowd, **_SMALL), _EXPERTS, _EXPERT_PRICE)
        note = f"{_EXPERTS} of the workers are experts, at {_EXPERT_PRICE} times the price; the budget is money."
        yield _panel(f"experts/{crowd}", f"with experts, {crowd}", "generated", experts, note=note)
    many = MadeUp("one-coin:deal=even", **_MANY_CONTEXTS)
    yield _panel("twenty-contexts", "20 contexts, one-coin", "generated", many)
    for skills in ("alike", "unrelated"):
        crowd = f"graded:contexts={skills}"
        yield _panel(f"skills-{skills}", f"20 contexts, skills {skills}", "generated", MadeUp(crowd, **_MANY_CONTEXTS))
        yield _panel(f"few-tasks/{skills}", f"3 tasks a context, skills {skills}", "generated", MadeUp(crowd, **_FEW_TASKS))


def _crowd_panels() -> Iterator[Panel]:
    for name, title, crowd in (
        ("identical", "identical workers, right 3 times in 4", "graded:low=0.75,high=0.75"),
        ("majority-malicious", "most workers mislead in two contexts", "majority-malicious"),
        ("class-biased", "everyone has a favourite class", "class-biased"),
    ):
        yield _panel(name, title, "generated", MadeUp(crowd, **_SMALL))


def generated_panels() -> Iterator[Panel]:
    """Worlds that are hard in one way each."""
    yield from _troubled_panels()
    yield from _shaped_panels()
    yield from _crowd_panels()


SETS: Mapping[str, Callable[[], Iterator[Panel]]] = {
    "paper": paper_panels,
    "synthetic": synthetic_panels,
    "generated": generated_panels,
}
"""Those that need no data; the fourth is `recorded`."""


def choose_panels(wanted: Sequence[str], methods: Sequence[str], data: Path | None) -> list[Panel]:
    """The panels of these names or sets (all, if there is none), with the methods that can be run on them."""
    known = [panel for panels in SETS.values() for panel in panels()]
    sets = {name: [panel.name for panel in panels()] for name, panels in SETS.items()}
    recorded = list(recorded_panels(data)) if data is not None else []
    sets["recorded"] = [panel.name for panel in recorded]
    known += recorded
    names = {name for each in wanted or sets for name in _named(each, sets, known)}
    return [replace(panel, policies=_possible(panel.ground, methods)) for panel in known if panel.name in names]


def _named(wanted: str, sets: Mapping[str, list[str]], known: Sequence[Panel]) -> list[str]:
    if wanted in sets:
        return sets[wanted]
    found = [panel.name for panel in known if panel.name == wanted or panel.name.startswith(f"{wanted}/")]
    if not found:
        raise BadInput(f"there is no panel {wanted!r}: choose a set ({', '.join(sets)}) or one of {_all(known)}")
    return found


def _all(known: Sequence[Panel]) -> str:
    return ", ".join(panel.name for panel in known)


def _possible(ground: Ground, methods: Sequence[str]) -> tuple[str, ...]:
    """OptKG knows two classes only."""
    return tuple(name for name in methods if ground.classes == 2 or name.partition(":")[0] not in _TWO_CLASSES)

"""The figures of the comparison: accuracy against budget, labels until so much is right, and reliability."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelbandit.experiments.methods import in_order, method
from labelbandit.experiments.paper_figures.accuracy import draw_accuracy
from labelbandit.experiments.paper_figures.drawing import Drawing, Drawn, draw_to, grid, heading, legend_below, methods_in
from labelbandit.experiments.paper_figures.effort import draw_effort
from labelbandit.experiments.results import Results

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.figure import Figure

KINDS = {
    "benchmark": "the paper's nine cases",
    "synthetic": "synthetic worlds of the same sizes",
    "replay": "recorded labels",
    "generated": "worlds hard in one way each",
}
"""What kinds of panels are called."""
_BANDS = "Bands are ± one standard error over runs."

Calibration = Mapping[str, Any]
"""An entry of calibration.json."""


def draw_comparison(results: Results, calibrations: Sequence[Calibration], folder: Path) -> list[Drawn]:
    """Draw what the results allow."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        draw_to(drawing, results, folder) for drawing in [*_accuracies(results), *_efforts(results), *_reliable(calibrations)]
    ]


def _accuracies(results: Results) -> list[Drawing]:
    return [_accuracy(kind, what, names) for kind, what in KINDS.items() if (names := _names(results, kind))]


def _accuracy(kind: str, what: str, names: Sequence[str]) -> Drawing:
    return Drawing(
        f"accuracy-{kind}",
        f"Accuracy against budget: {what}",
        f"Grid of line charts: accuracy against labels per task for every method, {what}.",
        lambda _: True,
        lambda results: draw_accuracy(results, names, None, same_axes=kind != "replay"),
        lambda _: f"Each method spends the same budget on the same worlds; the oracle knows everyone's accuracy. {_BANDS}",
    )


def _names(results: Results, kind: str) -> list[str]:
    return [panel.name for panel in results.panels if panel.kind == kind]


def _efforts(results: Results) -> list[Drawing]:
    names = methods_in(results, results.panels)
    return [
        Drawing(
            "labels-to-reach",
            "Labels until 90, 95 and 99 % are right",
            "Dot plot: for each panel and method the labels per task at which the mean accuracy reaches 90, 95 and 99 %.",
            lambda _: True,
            lambda given: draw_effort(given, list(given.panels), names),
            lambda _: "Labels per task at which the mean curve first comes to an accuracy; no mark if it never does.",
        )
    ]


def _reliable(calibrations: Sequence[Calibration]) -> list[Drawing]:
    kinds = list(dict.fromkeys(entry["kind"] for entry in calibrations))
    return [_reliability([entry for entry in calibrations if entry["kind"] == kind], kind) for kind in kinds]


def _reliability(entries: Sequence[Calibration], kind: str) -> Drawing:
    errors = "; ".join(
        f"{method(entry['method']).title} {100 * entry['error']:.1f}"
        for entry in entries
        if entry["budget"] == entries[0]["budget"]
    )
    return Drawing(
        f"reliability-{kind}",
        f"Reliability: {KINDS[kind]}",
        "Line charts: the share of tasks answered rightly against the certainty of the answer, at three budgets.",
        lambda _: True,
        lambda _: draw_reliability(entries),
        lambda _: (
            "On the diagonal a probability means what it says; above it the method is too modest, below too sure. "
            "Every dot holds a fifteenth of all tasks of all panels and runs. Expected calibration error at "
            f"{entries[0]['budget']:g}N, in points: {errors}."
        ),
    )


def draw_reliability(entries: Sequence[Calibration]) -> "Figure":
    """A chart for each budget: what is right against certainty, for every method but the oracle."""
    budgets = list(dict.fromkeys(entry["budget"] for entry in entries))
    names = in_order([name for name in dict.fromkeys(entry["method"] for entry in entries) if name != "oracle"])
    figure, axes = grid(
        len(budgets), len(budgets), "certainty of the answer", "answered rightly", 3.6, sharex=True, sharey=True
    )
    for budget, on in zip(budgets, axes, strict=True):
        on.plot([0.3, 1.0], [0.3, 1.0], color="#999999", linewidth=0.8)
        for entry in entries:
            if entry["budget"] == budget and entry["method"] in names:
                look = method(entry["method"])
                style = partial(on.plot, color=look.colour, linestyle=look.line, linewidth=look.width, marker=".")
                style(entry["certainty"], entry["right"])
        on.set_xlim(0.45, 1.01)
        on.set_ylim(0.35, 1.02)
        heading(on, f"at {budget:g} labels per task")
    legend_below(figure, names)
    return figure

"""What accuracy costs: labels until so many tasks are right, and how uncertain the cost of a threshold is."""

from typing import TYPE_CHECKING

import numpy as np

from labelbandit.experiments.claims.behaviour import spread_of_cost
from labelbandit.experiments.claims.cases import CROWDS, reached
from labelbandit.experiments.contrasts import labels_to_reach
from labelbandit.experiments.figures import new_grid
from labelbandit.experiments.methods import method
from labelbandit.experiments.paper_figures.accuracy import COMPARED, NINE, REAL
from labelbandit.experiments.paper_figures.drawing import WIDTH, Drawing, grid, heading, methods_in, with_runs
from labelbandit.experiments.results import Panel, Results
from labelbandit.experiments.sweep import SWEPT
from labelbandit.simulation.benchmarks import BENCHMARKS

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TARGETS = (0.90, 0.95, 0.99)
_MARKERS = "oDsv^<>PX*p"


def _draw_effort(results: Results) -> "Figure":
    panels = with_runs(results, [*NINE, *REAL])
    return draw_effort(results, panels, methods_in(results, panels, COMPARED))


def draw_effort(results: Results, panels: list[Panel], names: list[str]) -> "Figure":
    """Labels per task until 90, 95 and 99 % are right, a row for each panel and a mark for each method."""
    figure, axes = new_grid(1, len(TARGETS), width=WIDTH, height=0.36 * len(panels) + 1.8, sharey=True)
    for target, on in zip(TARGETS, axes[0], strict=True):
        _draw_target(on, results, panels, names, target)
    axes[0][0].set_yticks(range(len(panels)), [panel.title for panel in panels], fontsize=8.5)
    axes[0][0].set_ylim(len(panels) - 0.4, -0.6)
    handles = axes[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return figure


def _draw_target(axes: "Axes", results: Results, panels: list[Panel], names: list[str], target: float) -> None:
    for place, name in enumerate(names):
        look, nudge = method(name), 0.6 * (place / max(1, len(names) - 1) - 0.5)
        found = [results.curves(panel.name, name) for panel in panels]
        rows = [row for row, curves in enumerate(found) if curves is not None]
        labels = [labels_to_reach(reached(curves), target) for curves in found if curves is not None]
        marker = _MARKERS[place % len(_MARKERS)]
        there = [(each, row + nudge) for each, row in zip(labels, rows, strict=True) if each is not None]
        style = {"linestyle": "", "marker": marker, "markersize": 5.5, "color": look.colour}
        axes.plot([x for x, _ in there], [y for _, y in there], label=look.title, **style)  # type: ignore[arg-type]
    for row in range(1, len(panels)):
        axes.axhline(row - 0.5, color="#cccccc", linewidth=0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, 15.5)
    axes.set_xticks([1, 5, 10, 15])
    axes.set_xlabel("labels per task", fontsize=9)
    axes.tick_params(labelsize=8.5)
    heading(axes, f"until {100 * target:g} % are right")


def _effort_caption(results: Results) -> str:
    panels = with_runs(results, NINE) or with_runs(results, REAL)
    names = [name for name in methods_in(results, panels, COMPARED) if name != "oracle"]
    said = []
    for target in TARGETS:
        counts = {}
        for name in names:
            found = [results.curves(panel.name, name) for panel in panels]
            counts[name] = sum(labels_to_reach(reached(curves), target) is not None for curves in found if curves is not None)
        each = ", ".join(f"{method(name).title} {count}" for name, count in counts.items())
        said.append(f"{100 * target:g} %: {each}")
    return (
        "Labels per task at which the mean curve first comes to an accuracy; no mark if it never does. "
        f"In how many of {len(panels)} cases a method gets there, the oracle apart: {'; '.join(said)}."
    )


def _cost_panels(results: Results) -> list[Panel]:
    """The three crowds of the first data set that was swept."""
    for data in BENCHMARKS:
        panels = with_runs(results, [f"{data}/{crowd}" for crowd in CROWDS])
        if swept := [panel for panel in panels if results.sweep(panel.name, SWEPT[0])]:
            return swept
    return []


def _draw_cost(results: Results) -> "Figure":
    panels = _cost_panels(results)
    pairs = [(name, panel) for name in SWEPT for panel in panels]
    figure, axes = grid(len(pairs), len(panels), "threshold", "labels per task that a run cost", row_height=3.0)
    for (name, panel), on in zip(pairs, axes, strict=True):
        ends = results.sweep(panel.name, name)
        jitter = np.random.default_rng(0)
        for place, each in enumerate(ends):
            sideways = place + jitter.uniform(-0.25, 0.25, each.cost.size)
            on.plot(sideways, each.cost, ".", color=method(name).colour, markersize=4, alpha=0.7)
            on.plot([place - 0.35, place + 0.35], [each.cost.mean()] * 2, color="#333333", linewidth=1.4)
        thresholds = [each.policy.partition("threshold=")[2] or "default" for each in ends]
        on.set_xticks(range(len(ends)), thresholds, rotation=90, fontsize=8)
        on.tick_params(axis="y", labelsize=8.5)
        on.set_ylim(bottom=0)
        heading(on, f"{method(name).title}: {panel.title}")
    return figure


def _cost_caption(results: Results) -> str:
    said = []
    for name in SWEPT:
        spreads = [
            float(spread_of_cost(each.cost[None, :])[0])
            for panel in _cost_panels(results)
            for each in results.sweep(panel.name, name)
        ]
        if spreads:
            said.append(f"{method(name).title} {np.median(spreads):.0f} %")
    return (
        "A dot is one run; the bar is the mean. The same threshold costs more in one run than in another, and in one crowd "
        f"than in another. Width of the middle 95 % of costs, in % of the mean, median over thresholds: {', '.join(said)}."
    )


EFFORT = Drawing(
    "labels-to-reach",
    "Labels until 90, 95 and 99 % are right",
    "Dot plot: for each panel and method the labels per task at which the mean accuracy reaches 90, 95 and 99 %.",
    lambda results: bool(with_runs(results, [*NINE, *REAL])),
    _draw_effort,
    _effort_caption,
)
COST = Drawing(
    "cost",
    "What a threshold costs",
    "Strip plots: the cost of each run at each threshold of IEThresh and CrowdSense.",
    lambda results: bool(_cost_panels(results)),
    _draw_cost,
    _cost_caption,
)

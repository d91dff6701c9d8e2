"""Accuracy against budget (the paper's figures 2, 3 and 5), and other readings of the same runs in the same grid."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from labelbandit.experiments.claims.cases import CROWDS, benchmark_panels
from labelbandit.experiments.contrasts import area
from labelbandit.experiments.methods import method
from labelbandit.experiments.paper_figures.drawing import (
    GREY,
    Drawing,
    draw_methods,
    grid,
    heading,
    leaders,
    legend_below,
    methods_in,
    reference_line,
    tally,
    with_runs,
)
from labelbandit.experiments.results import Panel, Results

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NINE = benchmark_panels()
EXPLORATIONS = ("bbta:explore=0", "bbta", "bbta:explore=5", "bbta:explore=10")
COMPARED = (
    "bbta",
    "bbta:explore=0",
    "optkg-multi",
    "optkg",
    "optkg:workers=equal",
    "crowdsense",
    "iethresh",
    "random",
    "oracle",
)
LONG = "ionosphere/spammer-hammer/30N"
REAL = (
    "rte/completed",
    "rte/replay",
    "gender_hobby/replay",
    "rte-7/completed",
    "rte-7/replay",
    "four_domains/replay",
    *(f"gender-hobby-shape/{crowd}" for crowd in CROWDS),
)
BUDGET = "budget (labels per task)"
_BANDS = "Bands are ± one standard error over runs."
_MAJORITY = "each context its majority class"


def draw_accuracy(results: Results, names: Sequence[str], wanted: Sequence[str] | None, *, same_axes: bool = True) -> "Figure":
    """A panel each: the methods, and what would be right without any worker."""
    panels = with_runs(results, names)
    shared = {"sharex": same_axes, "sharey": same_axes}
    figure, axes = grid(len(panels), min(3, len(panels)), BUDGET, "tasks answered correctly", **shared)
    methods = methods_in(results, panels, wanted)
    for panel, on in zip(panels, axes, strict=True):
        draw_methods(on, results, panel.name, methods, "accuracy", 100.0)
        on.axhline(100 * panel.majority_class_accuracy, color=GREY, linestyle=":", linewidth=1.0)
        finish(on, panel, "{x:g} %")
    axes[0].set_ylim(top=101)
    legend_below(figure, methods, [reference_line(_MAJORITY)])
    return figure


def draw_reading(results: Results, reading: str, factor: float, axis: str) -> "Figure":
    """Another reading of the nine cases, in the same grid."""
    panels = with_runs(results, NINE)
    figure, axes = grid(len(panels), min(3, len(panels)), BUDGET, axis, sharex=True, sharey=True)
    methods = methods_in(results, panels)
    for panel, on in zip(panels, axes, strict=True):
        draw_methods(on, results, panel.name, methods, reading, factor)
        finish(on, panel, "{x:g} %" if factor > 1 else "{x:g}")
        if reading == "entropy":
            on.axhline(np.log(panel.workers), color=GREY, linestyle=":", linewidth=1.0)
    extra = [reference_line("all workers equally often")] if reading == "entropy" else []
    legend_below(figure, methods, extra)
    return figure


def finish(axes: "Axes", panel: Panel, numbers: str) -> None:
    """Title and ticks of one panel."""
    from matplotlib.ticker import MultipleLocator

    heading(axes, panel.title, f"N = {panel.tasks}, K = {panel.workers}, S = {panel.contexts}")
    axes.yaxis.set_major_formatter(numbers)
    axes.xaxis.set_major_locator(MultipleLocator(5))
    axes.tick_params(labelsize=8.5)
    axes.margins(x=0.02)


def _comparison_caption(results: Results) -> str:
    panels = with_runs(results, NINE)
    names = [name for name in methods_in(results, panels, COMPARED) if name != "oracle"]
    early, late = (tally(leaders(results, panels, names, budget)) for budget in (5.0, 15.0))
    return (
        f"Accuracy against budget in {len(panels)} cases; the oracle knows every worker's accuracy and is the limit. "
        f"Highest mean accuracy at 5N, the oracle apart: {early}. At 15N: {late}. "
        f"By area between 2N and 15N: {tally(_area_leaders(results, panels, names))}. "
        f"IEThresh and CrowdSense are curves over mean cost. {_BANDS}"
    )


def _exploration_caption(results: Results) -> str:
    panels = with_runs(results, NINE)
    early, late = (tally(leaders(results, panels, EXPLORATIONS, budget)) for budget in (2.0, 15.0))
    return (
        f"BBTA with different lengths of exploration. Highest mean accuracy at 2N: {early}. At 15N: {late}. "
        f"By area between 2N and 15N: {tally(_area_leaders(results, panels, EXPLORATIONS))}. {_BANDS}"
    )


def _real_caption(results: Results) -> str:
    panels = with_runs(results, REAL)
    names = [name for name in methods_in(results, panels, COMPARED) if name != "oracle"]
    kinds = {
        "replay": "only labels that people gave are asked for",
        "completed": "missing labels were made up by matrix completion",
        "synthetic": "simulated crowds of Gender Hobby's shape, not real data",
    }
    there = {panel.kind for panel in panels}
    said = "; ".join(f"{kind}: {words}" for kind, words in kinds.items() if kind in there)
    each = "; ".join(
        f"{panel.title}: {method(best).title}" for panel in panels for best in _area_leaders(results, [panel], names).values()
    )
    return f"Each panel has its own vertical axis. {said}. Most area between 2N and the end: {each}. {_BANDS}"


def _long_caption(results: Results) -> str:
    means = {}
    for name in results.methods(LONG):
        curves = results.curves(LONG, name)
        if curves is not None:
            means[name] = 100 * curves.accuracy.mean(axis=0)[-1]
    ends = ", ".join(f"{method(name).title} {mean:.1f} %" for name, mean in means.items())
    return f"One case continued to twice the budget. At the end: {ends}. {_BANDS}"


def _area_leaders(results: Results, panels: Sequence[Panel], names: Sequence[str]) -> dict[str, str]:
    best = {}
    for panel in panels:
        found = {name: results.curves(panel.name, name) for name in names}
        areas = {name: area(curves) for name, curves in found.items() if curves is not None}
        means = {name: float(sample.values.mean()) for name, sample in areas.items() if sample is not None}
        if means:
            best[panel.name] = max(means, key=lambda name: means[name])
    return best


def _reading_caption(results: Results, reading: str, what: str) -> str:
    """What BBTA and the naive baseline came to, on average over the cases."""
    said = []
    for name in ("bbta", "optkg-multi", "random"):
        found = [results.curves(panel.name, name) for panel in with_runs(results, NINE)]
        ends = [curves.readings[reading][:, -1].mean() for curves in found if curves is not None]
        if ends and not np.isnan(ends).any():
            number = f"{np.mean(ends):.2f} nats" if reading == "entropy" else f"{100 * np.mean(ends):.1f} %"
            said.append(f"{method(name).title} {number}")
    return f"{what} At the end of the budget, on average over the cases: {', '.join(said) or 'not known'}. {_BANDS}"


def _any_of(*names: str) -> Callable[[Results], bool]:
    return lambda results: bool(with_runs(results, names))


def _explored(results: Results) -> bool:
    return any(results.curves(name, "bbta:explore=5") is not None for name in NINE)


COMPARISON = Drawing(
    "comparison",
    "Comparison of methods (the paper's figure 2)",
    "Grid of line charts, data sets across and crowds down: accuracy against budget for every method.",
    _any_of(*NINE),
    lambda results: draw_accuracy(results, NINE, COMPARED),
    _comparison_caption,
)
EXPLORATION = Drawing(
    "exploration",
    "Length of exploration (the paper's figure 3)",
    "Grid of line charts: accuracy of BBTA against budget for N' = 0, 1, 5 and 10.",
    _explored,
    lambda results: draw_accuracy(results, NINE, EXPLORATIONS),
    _exploration_caption,
)
REAL_DATA = Drawing(
    "real-data",
    "Real data (the paper's figure 5)",
    "Grid of line charts: accuracy against budget for every method on recorded and completed data.",
    _any_of(*REAL),
    lambda results: draw_accuracy(results, REAL, COMPARED, same_axes=False),
    _real_caption,
)
LONG_RUN = Drawing(
    "long-run",
    "Twice the budget",
    "Line chart: accuracy of OptKG, OptKG (Multi.) and BBTA up to 30 labels per task.",
    _any_of(LONG),
    lambda results: draw_accuracy(results, [LONG], None),
    _long_caption,
)
RIGHT = Drawing(
    "right-labels",
    "Share of labels that are right",
    "Grid of line charts: share of right labels among all bought so far, against budget.",
    _any_of(*NINE),
    lambda results: draw_reading(results, "right", 100.0, "labels that are right"),
    lambda results: _reading_caption(results, "right", "Who asks the right workers gets right labels."),
)
IN_GOOD = Drawing(
    "good-context",
    "Labels given in a worker's good context",
    "Grid of line charts: share of labels that came from workers in the context they are best at, against budget.",
    _any_of(*NINE),
    lambda results: draw_reading(results, "in_good", 100.0, "labels given in the good context"),
    lambda results: _reading_caption(results, "in_good", "A worker's good context is the one they are most accurate in."),
)
ENTROPY = Drawing(
    "entropy",
    "From exploring to exploiting",
    "Grid of line charts: entropy of the distribution of workers over the labels bought since the last mark, against budget.",
    _any_of(*NINE),
    lambda results: draw_reading(results, "entropy", 1.0, "entropy of who is asked (nats)"),
    lambda results: _reading_caption(results, "entropy", "The lower a curve, the fewer workers get most of the labels."),
)

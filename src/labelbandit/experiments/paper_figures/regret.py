"""Regret against its bound, in each crowd."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from labelbandit.experiments.figures import COLOURS, INK
from labelbandit.experiments.paper_figures.drawing import Drawing, grid, heading
from labelbandit.experiments.results import Results

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CURVES = (("uniform", COLOURS[1], "uniform choice of workers"), ("bbta", COLOURS[0], "BBTA"))
_KINDS = (("strict_regret", "strict_se", "-", "against each run's best"), ("regret", "se", ":", "against the best on average"))


def _draw(results: Results) -> "Figure":
    count, beside = len(results.regret), "loss beyond the best worker of each context"
    figure, axes = grid(count, count, "budget (labels)", beside, row_height=3.6, sharey=True)
    for (crowd, numbers), on in zip(results.regret.items(), axes, strict=True):
        _draw_crowd(on, numbers)
        heading(on, f"{crowd} crowd")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _draw_crowd(axes: "Axes", numbers: Mapping[str, Any]) -> None:
    marks = numbers["marks"]
    axes.plot(marks, numbers["bound"], color=INK, linestyle="--", label="bound of Theorem 1")
    for who, colour, name in _CURVES:
        for regret, error, kind, against in _KINDS:
            mean, se = np.array(numbers[who][regret]), np.array(numbers[who][error])
            axes.plot(marks, mean, color=colour, linestyle=kind, label=f"{name}, {against}")
            axes.fill_between(marks, mean - se, mean + se, color=colour, alpha=0.15, linewidth=0)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.tick_params(labelsize=8.5)


def _caption(results: Results) -> str:
    ends = "; ".join(
        f"{crowd}: BBTA {numbers['bbta']['strict_regret'][-1]:,.0f}, uniform {numbers['uniform']['strict_regret'][-1]:,.0f}, "
        f"bound {numbers['bound'][-1]:,.0f}"
        for crowd, numbers in results.regret.items()
    )
    return (
        "How much more was lost than the best worker of each context would have lost. A straight line is no learning; a curve "
        f"that flattens is. At the last mark, against each run's best: {ends}. Bands are ± one standard error over runs."
    )


REGRET = Drawing(
    "regret",
    "Regret and its bound (theorem 1)",
    "Line charts, one for each crowd: regret of BBTA and of a uniform choice of workers against budget, under the bound.",
    lambda results: bool(results.regret),
    _draw,
    _caption,
)

"""How accurate the workers are (the paper's figures 1 and 4)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from labelbandit.experiments.figures import COLOURS
from labelbandit.experiments.paper_figures.accuracy import NINE, REAL
from labelbandit.experiments.paper_figures.drawing import GREY, Drawing, grid, heading, present
from labelbandit.experiments.results import Panel, Results

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.figure import Figure

_BINS = np.arange(0, 101, 5)


def _with_workers(results: Results, names: Sequence[str]) -> list[Panel]:
    return [panel for panel in present(results, names) if panel.overall_accuracy.size]


def draw_workers(results: Results, names: Sequence[str]) -> "Figure":
    """A histogram for each panel, with the mean."""
    from matplotlib.ticker import MaxNLocator

    panels = _with_workers(results, names)
    below = "true accuracy of the worker, over all tasks"
    figure, axes = grid(len(panels), min(3, len(panels)), below, "workers", row_height=2.1, sharex=True)
    for panel, on in zip(panels, axes, strict=True):
        accuracy = 100 * panel.overall_accuracy
        on.hist(np.minimum(accuracy, 99.99), bins=_BINS.tolist(), color=COLOURS[0], edgecolor="white", linewidth=0.8)
        on.axvline(float(accuracy.mean()), color=COLOURS[1], linewidth=1.6)
        on.axvline(50.0, color=GREY, linestyle=":", linewidth=1.0)
        heading(on, panel.title)
        side, where = ("right", 0.98) if accuracy.mean() < 72 else ("left", 0.02)
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        words = f"mean {accuracy.mean():.1f} %\n{accuracy.size} workers"
        on.text(where, 0.95, words, transform=on.transAxes, ha=side, va="top", fontsize=8.5, bbox=paper)
        on.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        on.xaxis.set_major_formatter("{x:g} %")
        on.tick_params(labelsize=8.5)
        low, high = on.get_ylim()
        on.set_ylim(low, 1.15 * high)
    axes[0].set_xlim(max(0.0, min(5 * np.floor(20 * panel.overall_accuracy.min()) for panel in panels) - 5), 100)
    return figure


def _caption(results: Results, names: Sequence[str]) -> str:
    panels = _with_workers(results, names)
    means = "; ".join(f"{panel.title} {100 * panel.overall_accuracy.mean():.1f} %" for panel in panels)
    lines = "the vertical line is the mean, the dotted one a coin's 50 %"
    return f"Workers by their true accuracy, in steps of 5 %; {lines}. Means: {means}."


SIMULATED_WORKERS = Drawing(
    "workers",
    "Accuracy of simulated workers (the paper's figure 1)",
    "Grid of histograms: how many workers have which true accuracy, data sets across and crowds down.",
    lambda results: bool(_with_workers(results, NINE)),
    lambda results: draw_workers(results, NINE),
    lambda results: _caption(results, NINE) + " Drawn for the first run.",
)
_RECORDED = tuple(name for name in REAL if not name.startswith(("gender-hobby-shape", "rte-7")))
REAL_WORKERS = Drawing(
    "real-workers",
    "Accuracy of real workers (the paper's figure 4)",
    "Histograms: how many workers of the recorded data have which true accuracy.",
    lambda results: bool(_with_workers(results, _RECORDED)),
    lambda results: draw_workers(results, _RECORDED),
    lambda results: _caption(results, _RECORDED),
)

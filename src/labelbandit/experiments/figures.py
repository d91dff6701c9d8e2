"""Figures: one look for all of them, and accuracy against budget.

The colours are those of Okabe and Ito, which people with any common colour blindness can tell apart, without the yellow.
"""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labelbandit.experiments.compare import Result
from labelbandit.model.arrays import Floats
from labelbandit.model.errors import BadInput, LabelbanditError

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", ":", "-.")
"""When the colours are used up, they start again with the next kind of line."""
INK = "#333333"

_ENDINGS = (".png", ".svg")
_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 10,
    "grid.color": "#e6e6e6",
    "svg.hashsalt": "labelbandit",  # the same figure is the same file
    "xtick.color": INK,
    "ytick.color": INK,
}


def new_figure(columns: int = 1) -> "tuple[Figure, list[Axes]]":
    """An empty figure in the house style, with that many pairs of axes side by side."""
    figure, axes = new_grid(1, columns, width=6.8 * columns, height=4.2)
    return figure, list(axes[0])


def new_grid(rows: int, columns: int, *, width: float, height: float, **shared: Any) -> "tuple[Figure, Any]":
    """An empty figure in the house style, with rows and columns of axes (an array of them); sizes are in inches."""
    _need_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, **shared)
    return figure, axes


def look(index: int) -> tuple[str, str]:
    """The colour and the kind of line of the curve with that number."""
    return COLOURS[index % len(COLOURS)], LINES[index // len(COLOURS) % len(LINES)]


def check_path(path: Path) -> None:
    """Refuse a file that no figure could be saved to."""
    _need_matplotlib()
    if path.suffix.lower() not in _ENDINGS:
        raise BadInput(f"cannot draw to {str(path)!r}: give a file that ends in {' or '.join(_ENDINGS)}")
    if not path.parent.is_dir():
        raise BadInput(f"cannot draw to {str(path)!r}: there is no folder {str(path.parent)!r}, make it first")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadInput(f"cannot draw to {str(path)!r}: it may not be written to, give another file")


def save(figure: "Figure", path: Path) -> None:
    """Write the figure as PNG or SVG, by the ending of the file."""
    import matplotlib as mpl

    check_path(path)
    svg = path.suffix.lower() == ".svg"
    with mpl.rc_context(_STYLE):
        figure.savefig(path, dpi=160, metadata={"Date": None} if svg else {"Software": None})


def accuracy_figure(results: Sequence[Result], title: str, path: Path) -> None:
    """Draw accuracy against budget, a curve for each policy in a band of one standard error."""
    figure, (axes,) = new_figure()
    from matplotlib.ticker import MaxNLocator

    for index, result in enumerate(results):
        _draw_curve(axes, result, look(index))
    axes.set_title(title, color=INK, loc="left", fontsize=11, pad=12)
    axes.set_xlabel("budget (labels per task)")
    axes.set_ylabel("tasks answered correctly")
    axes.yaxis.set_major_formatter("{x:g} %")
    axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=bool(results[0].budget[-1] >= 3)))
    axes.margins(x=0.02)
    _explain_bands(axes)
    _name_curves(axes, results)
    save(figure, path)


def _draw_curve(axes: "Axes", result: Result, line: tuple[str, str]) -> None:
    colour, kind = line
    mean, error = 100 * result.accuracy_mean, 100 * result.accuracy_se
    # With a point or two a line alone would be hard or impossible to see.
    marker = "o" if mean.size < 4 else ""
    axes.fill_between(result.budget, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
    axes.plot(result.budget, mean, color=colour, linestyle=kind, linewidth=1.8, marker=marker)


def _explain_bands(axes: "Axes") -> None:
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    words = "bands: ± one standard error"
    axes.text(0.99, 0.02, words, transform=axes.transAxes, ha="right", color=INK, fontsize=8, bbox=paper)


def _name_curves(axes: "Axes", results: Sequence[Result]) -> None:
    """Write each policy's name where its curve ends, apart from the other names."""
    low, high = axes.get_ylim()
    ends = 100 * np.array([result.accuracy_mean[-1] for result in results])
    heights = spread_apart(ends, 0.055 * (high - low), low)
    for index, (result, height) in enumerate(zip(results, heights, strict=True)):
        colour, kind = look(index)
        axes.annotate(
            f"{result.name}  {ends[index]:.1f} %",
            (result.budget[-1], ends[index]),
            xytext=(22, height),
            textcoords=("offset points", "data"),
            color=colour,
            fontsize=9,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linestyle": kind,
                "linewidth": 0.8,
                "relpos": (0, 0.5),
                "shrinkB": 0,
            },
        )


def spread_apart(wanted: Floats, gap: float, low: float) -> Floats:
    """Heights as near as may be to those wanted, in the same order, a gap apart and none below `low` if room allows."""
    heights = wanted.copy()
    order = np.argsort(-wanted, kind="stable")
    for above, below in pairwise(order):
        heights[below] = min(heights[below], heights[above] - gap)
    heights[order[-1]] = max(heights[order[-1]], low)
    for below, above in pairwise(order[::-1]):
        heights[above] = max(heights[above], heights[below] + gap)
    return heights


def _need_matplotlib() -> None:
    if find_spec("matplotlib") is None:
        raise LabelbanditError("figures need matplotlib, which is not installed: install labelbandit[figures]")

"""What the paper's figures have in common: a figure with its words, grids of panels, one legend, both formats."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from labelbandit.experiments.figures import INK, new_grid, save
from labelbandit.experiments.methods import in_order, method
from labelbandit.experiments.results import Panel, Results
from labelbandit.model.arrays import Floats

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
WIDTH = 11.0
"""Inches: read at the full width of a laptop's page."""
GREY = "#777777"


class Drawing(NamedTuple):
    """A figure of the report: what it is called, what it shows and how it is made."""

    key: str
    title: str
    shows: str
    """What a reader who cannot see it would be told."""
    can_draw: Callable[[Results], bool]
    draw: "Callable[[Results], Figure]"
    caption: Callable[[Results], str]
    """What is to be seen in it, with numbers from the results."""


class Drawn(NamedTuple):
    """A figure that was made."""

    key: str
    title: str
    shows: str
    caption: str
    svg: Path
    png: Path


def draw_to(drawing: Drawing, results: Results, folder: Path) -> Drawn:
    """Make the figure, in both formats."""
    figure = drawing.draw(results)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, for both formats
    paths = [folder / f"{drawing.key}.{ending}" for ending in FORMATS]
    for path in paths:
        save(figure, path)
    return Drawn(drawing.key, drawing.title, drawing.shows, drawing.caption(results), *paths)


def grid(
    count: int, columns: int, below: str, beside: str, row_height: float = 2.6, **shared: Any
) -> "tuple[Figure, list[Axes]]":
    """Axes for so many panels in rows, with what they show below the lowest and beside all; those left over are taken out."""
    rows = -(-count // columns)
    figure, axes = new_grid(rows, columns, width=WIDTH, height=row_height * rows + 0.9, **shared)
    flat = list(axes.ravel())
    for empty in flat[count:]:
        empty.remove()
    for lowest in flat[max(0, count - columns) : count]:
        lowest.set_xlabel(below, fontsize=9)
        lowest.tick_params(labelbottom=True)
    figure.supylabel(beside, fontsize=10)
    return figure, flat[:count]


def present(results: Results, names: Iterable[str]) -> list[Panel]:
    """Those panels that were run, in that order."""
    found = [results.panel(name) for name in names]
    return [panel for panel in found if panel is not None]


def with_runs(results: Results, names: Iterable[str]) -> list[Panel]:
    """Those panels on which something was run; of others only the facts are known."""
    return [panel for panel in present(results, names) if results.methods(panel.name)]


def legend_below(figure: "Figure", names: Sequence[str], extra: Sequence[Any] = ()) -> None:
    """One legend for the whole figure: the methods in it, then what else is drawn."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=look.colour, linestyle=look.line, linewidth=look.width, label=look.title)
        for look in map(method, names)
    ]
    figure.legend(handles=[*lines, *extra], loc="outside lower center", ncols=5, frameon=False, fontsize=9)


def reference_line(label: str) -> Any:
    """The legend's entry for a thin reference line."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=GREY, linestyle=":", linewidth=1.0, label=label)


def heading(axes: "Axes", text: str, size: str = "") -> None:
    """The title of one panel, and how large it is."""
    axes.set_title("\n".join(filter(None, (fill(text, 42), size))), color=INK, loc="left", fontsize=9)


def draw_methods(axes: "Axes", results: Results, panel: str, names: Sequence[str], reading: str, factor: float) -> None:
    """The mean of each method with a band of one standard error."""
    for name in names:
        curves = results.curves(panel, name)
        if curves is None:
            continue
        values = factor * curves.readings[reading]
        known = ~np.isnan(values).any(axis=0)
        if not known.any():
            continue
        look = method(name)
        mean, error = values[:, known].mean(axis=0), standard_error(values[:, known])
        marker = "o" if known.sum() == 1 else ""
        axes.fill_between(curves.budget[known], mean - error, mean + error, color=look.colour, alpha=0.15, linewidth=0)
        axes.plot(curves.budget[known], mean, color=look.colour, linestyle=look.line, linewidth=look.width, marker=marker)


def standard_error(values: Floats) -> Floats:
    """Of the mean over runs, at each mark."""
    if len(values) < 2:
        return np.zeros(values.shape[1])
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))


def methods_in(results: Results, panels: Sequence[Panel], wanted: Sequence[str] | None = None) -> list[str]:
    """The methods run on any of the panels, in the order of legends; only those wanted, if so said."""
    run = dict.fromkeys(name for panel in panels for name in results.methods(panel.name))
    return in_order([name for name in run if wanted is None or name in wanted])


def leaders(results: Results, panels: Sequence[Panel], names: Sequence[str], budget: float) -> dict[str, str]:
    """For each panel the method with the highest mean accuracy at a budget; methods that do not get there take no part."""
    best = {}
    for panel in panels:
        means = {}
        for name in names:
            curves = results.curves(panel.name, name)
            if curves is None:
                continue
            mark = np.flatnonzero(np.isclose(curves.budget, budget))
            if mark.size and not np.isnan(curves.accuracy[:, mark[0]]).any():
                means[name] = float(curves.accuracy[:, mark[0]].mean())
        if means:
            best[panel.name] = max(means, key=lambda name: means[name])
    return best


def tally(best: dict[str, str]) -> str:
    """Who leads in how many panels: "BBTA (N' = 1) in 5, OptKG in 4"."""
    winners = list(best.values())
    order = sorted(set(winners), key=lambda name: -winners.count(name))
    return ", ".join(f"{method(name).title} in {winners.count(name)}" for name in order) or "nobody"

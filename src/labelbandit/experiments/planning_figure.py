"""The picture of a plan: accuracy against money, the budget, the target, and what it costs."""

from collections.abc import Sequence
from pathlib import Path

from labelbandit.experiments.figures import INK, look, new_figure, save
from labelbandit.experiments.planning import Forecast

_GREY = "#777777"


def planning_figure(forecasts: Sequence[Forecast], budget: int, target: float | None, title: str, path: Path) -> None:
    """Draw the curve of each policy in a band that holds eight runs in ten."""
    figure, (axes,) = new_figure()
    for index, each in enumerate(forecasts):
        colour, line = look(index)
        curve = each.curve
        axes.fill_between(curve.money, 100 * curve.low, 100 * curve.high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(curve.money, 100 * curve.mean, color=colour, linestyle=line, linewidth=1.8, label=each.policy)
        if each.needed is not None and target is not None:
            axes.plot([each.needed], [100 * target], "o", color=colour, markersize=6)
    axes.axvline(budget, color=_GREY, linewidth=1.0, linestyle=":")
    axes.annotate(f" budget {budget:,}", (budget, 0.02), xycoords=("data", "axes fraction"), color=_GREY, fontsize=8.5)
    if target is not None:
        axes.axhline(100 * target, color=_GREY, linewidth=1.0, linestyle=":")
    axes.set_title(title, color=INK, loc="left", fontsize=11, pad=12)
    axes.set_xlabel("money spent")
    axes.set_ylabel("tasks answered correctly")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:g} %")
    axes.margins(x=0.02)
    axes.legend(loc="lower right", frameon=False, fontsize=9, title="bands: eight runs in ten", title_fontsize=8)
    save(figure, path)

"""The figure of regret: measured regret under its bound, and what longer exploration does to the bound."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from labelbandit.experiments.figures import COLOURS, INK, new_figure, save
from labelbandit.experiments.regret import Regret, RegretWorld, theorem_bound
from labelbandit.model.arrays import Floats, Longs

if TYPE_CHECKING:  # an optional extra, imported when a figure is made
    from matplotlib.axes import Axes

_MOST_EXPLORED = 40


def regret_figure(policy: Regret, control: Regret, world: RegretWorld, explore: int, path: Path) -> None:
    """Draw both panels."""
    figure, (left, right) = new_figure(columns=2)
    _draw_regret(left, policy, control, world, explore)
    _draw_bound_by_exploration(right, world, int(policy.marks[-1]))
    save(figure, path)


def _draw_regret(axes: "Axes", policy: Regret, control: Regret, world: RegretWorld, explore: int) -> None:
    bound = [theorem_bound(labels, world.contexts, world.workers, explore) for labels in policy.marks]
    axes.plot(policy.marks, bound, color=INK, linestyle="--", label="bound of Theorem 1")
    for curve, colour, name in ((control, COLOURS[1], "uniform choice of workers"), (policy, COLOURS[0], "BBTA")):
        axes.plot(curve.marks, curve.strict_regret, color=colour, label=f"{name}, against each run's best")
        _draw_band(axes, curve.marks, curve.strict_regret, curve.strict_standard_error, colour)
        axes.plot(curve.marks, curve.regret, color=colour, linestyle=":", label=f"{name}, against the best on average")
        _draw_band(axes, curve.marks, curve.regret, curve.standard_error, colour)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_title(f"Regret in the {world.crowd.name} crowd (bands: ± one standard error)", color=INK, loc="left", fontsize=11)
    axes.set_xlabel("budget (labels)")
    axes.set_ylabel("loss beyond the best worker of each context")
    axes.legend(frameon=False, fontsize=9)


def _draw_band(axes: "Axes", marks: Longs, mean: Floats, error: Floats, colour: str) -> None:
    axes.fill_between(marks, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)


def _draw_bound_by_exploration(axes: "Axes", world: RegretWorld, labels: int) -> None:
    most = min(_MOST_EXPLORED, labels // (world.contexts * world.workers))
    explored = np.arange(most + 1)
    bound = np.array([theorem_bound(labels, world.contexts, world.workers, int(explore)) for explore in explored])
    axes.plot(explored, bound, color=INK)
    least = int(bound.argmin())
    axes.plot(least, bound[least], "o", color=COLOURS[0])
    axes.annotate(
        f"least at N' = {least}", (least, bound[least]), xytext=(6, -14), textcoords="offset points", color=COLOURS[0]
    )
    axes.set_title(f"The bound at {labels:,} labels, by length of exploration (Remark 2)", color=INK, loc="left", fontsize=11)
    axes.set_xlabel("explored tasks per context, N'")
    axes.set_ylabel("bound of Theorem 1")
    axes.set_ylim(bottom=0.0)

"""The figure of the demo: accuracy against labels, a curve for each campaign."""

from collections.abc import Sequence
from pathlib import Path

from labelbandit.cli.demo_story import Outcome
from labelbandit.experiments import figures


def draw(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw both campaigns, each named where its curve ends."""
    figure, (axes,) = figures.new_figure()
    for index, outcome in enumerate(outcomes):
        colour, kind = figures.look(index)
        percents = [100 * share for share in outcome.accuracy]
        axes.plot(outcome.labels, percents, color=colour, linestyle=kind, linewidth=1.8)
        axes.annotate(
            f"{outcome.name}  {percents[-1]:.1f} %",
            (outcome.labels[-1], percents[-1]),
            xytext=(8, 0),
            textcoords="offset points",
            color=colour,
            fontsize=9,
            va="center",
            annotation_clip=False,
        )
    title = "Same crowd, same budget: who is asked makes the difference"
    axes.set_title(title, color=figures.INK, loc="left", fontsize=11, pad=12)
    axes.set_xlabel("labels spent")
    axes.set_ylabel("tasks answered correctly")
    axes.yaxis.set_major_formatter("{x:g} %")
    axes.margins(x=0.02)
    figures.save(figure, path)

"""The numbers of a reproduction in tables: per panel and method, and the facts of each panel; for the page and the document."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labelbandit.experiments.claims.cases import reached
from labelbandit.experiments.contrasts import Sample, area, at, labels_to_reach
from labelbandit.experiments.measures import convergence
from labelbandit.experiments.methods import in_order, method
from labelbandit.experiments.results import Curves, Panel, Results

TARGETS = (0.90, 0.95, 0.99)


class Table(NamedTuple):
    """A table before it is HTML or Markdown."""

    caption: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def numbers_of(results: Results, panel: Panel) -> Table:
    """Accuracy at 5N and at the end, area, labels to 90, 95 and 99 % and to 95 % of its own end, for every method there."""
    end = min(15.0, panel.budget)
    targets = (*(f"labels to {100 * target:g} %" for target in TARGETS), f"labels to 95 % of its {end:g}N")
    header = ("method", "at 5N", f"at {end:g}N", f"area 2N–{end:g}N", *targets)
    rows = []
    for name in in_order(results.methods(panel.name)):
        curves = results.curves(panel.name, name)
        if curves is not None and reached(curves).budget.size:
            rows.append((method(name).title, *_numbers(reached(curves), end)))
    caption = f"{panel.title}: accuracy in % ± standard error over runs; labels per task until the mean curve gets there."
    return Table(caption, header, rows)


def _numbers(curves: Curves, end: float) -> tuple[str, ...]:
    labels = [*(labels_to_reach(curves, target) for target in TARGETS), _convergence(curves, end)]
    reads = [at(curves, 5.0), at(curves, end), area(curves, high=end)]
    wanted = ("5N", f"{end:g}N", f"area 2N–{end:g}N")
    spelt = [_spell(read, where) for read, where in zip(reads, wanted, strict=True)]
    return (*spelt, *("–" if each is None else f"{each:.1f}" for each in labels))


def _convergence(curves: Curves, end: float) -> float | None:
    """Labels per task to 95 % of the method's own accuracy at the end."""
    until = curves.budget <= end
    return convergence(curves.budget[until], curves.accuracy[:, until].mean(axis=0))


def _spell(read: Sample | None, wanted: str) -> str:
    """A mean with its error, and where it was taken if that is not where it was wanted."""
    if read is None:
        return "–"
    elsewhere = "" if read.where == wanted else f" ({read.where.removeprefix('area ')})"
    mean = f"{100 * read.values.mean():.1f}"
    if read.values.size < 2:
        return mean + elsewhere
    return f"{mean} ± {100 * read.values.std(ddof=1) / np.sqrt(read.values.size):.1f}{elsewhere}"


def facts_of(panels: tuple[Panel, ...]) -> Table:
    """Sizes, contexts and class shares of every panel."""
    header = (
        "panel",
        "kind",
        "tasks",
        "workers",
        "classes",
        "budget",
        "tasks by context",
        "classes by context",
        "majority class",
        "note",
    )
    rows = [
        (
            panel.title,
            panel.kind,
            f"{panel.tasks}",
            f"{panel.workers}",
            f"{panel.classes}",
            f"{panel.budget:g}N",
            " · ".join(f"{size}" for size in panel.context_sizes),
            " · ".join("/".join(f"{100 * share:.0f}" for share in shares) for shares in panel.class_shares),
            f"{100 * panel.majority_class_accuracy:.1f} %",
            panel.note,
        )
        for panel in panels
    ]
    caption = (
        "Shares of classes are in %, context by context; “majority class” is the accuracy of answering in each context its "
        "commonest class, with no worker at all."
    )
    return Table(caption, header, rows)

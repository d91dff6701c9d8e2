"""A comparison as the commands run and show it: progress on stderr, a table on stdout."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from labelbandit.cli import progress

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from rich.console import Console
    from rich.table import Table

    from labelbandit.experiments.compare import AnyComparison, Result

COMPILING = "Compiling the kernels (the first time about 20 s)"
_USUAL_BUDGETS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100)
_PIPED_WIDTH = 160


def run(comparison: "AnyComparison", policies: Sequence[str], jobs: int | None) -> "list[Result]":
    """Compare the policies, showing how far it is, and pass on their notes."""
    from labelbandit.experiments.compare import check, compare, warm_up

    check(comparison, policies, jobs)
    with progress.spinner(COMPILING):
        warm_up(comparison, policies)
    with progress.bar("Simulating", comparison.runs) as on_run:
        results = compare(comparison, policies, jobs, on_run)
    for result in results:
        for note in result.notes:
            typer.echo(f"labelbandit: note on {result.name}: {note}", err=True)
    return results


def in_words(runs: int) -> str:
    """So many runs."""
    return "1 run" if runs == 1 else f"{runs} runs"


def show(results: "Sequence[Result]") -> None:
    """Print a row for each policy, with as many budgets as fit."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    typer.echo(f"Accuracy in %, mean ± standard error of {in_words(results[0].runs)}, by budget in labels per task:")
    console.print(_table(results, console))
    for result in results:
        if result.name.partition(":")[0] != result.policy.partition(":")[0]:
            typer.echo(f"{result.name} is {result.policy}")


def _table(results: "Sequence[Result]", console: "Console") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("policy", overflow="fold")
    longest = max(len(result.name) for result in results)
    points = points_that_fit(results[0].budget.tolist(), room=(console.width - longest - 15) // 13)
    for point in points:
        table.add_column(f"{round(results[0].budget[point], 2):g}", justify="right", no_wrap=True)
    table.add_column("labels used", justify="right", no_wrap=True)
    for result in results:
        percents = [f"{100 * result.accuracy_mean[point]:.1f} ± {100 * result.accuracy_se[point]:.1f}" for point in points]
        table.add_row(result.name, *percents, f"{result.labels_used:,.0f}")
    return table


def points_that_fit(budgets: list[float], room: int) -> list[int]:
    """The usual points of the curve and its last; fewer, evenly picked, where there is no room for all."""
    last = len(budgets) - 1
    points = [index for index, budget in enumerate(budgets) if budget in _USUAL_BUDGETS or index == last]
    if len(points) <= room:
        return points
    step = (len(points) - 1) / max(room - 1, 1)
    return [points[len(points) - 1 - round(step * back)] for back in range(max(room, 1))][::-1]

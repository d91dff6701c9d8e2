"""`labelbandit plan`: what a budget will buy, simulated before it is spent."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelbandit import __version__
from labelbandit.cli import comparing, progress
from labelbandit.cli.numbers import number, whole
from labelbandit.cli.showing import Format, Style, show, table
from labelbandit.model.errors import BadInput

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.experiments.planning import Forecast, Prospect

_LABELS_PER_TASK = 5


def plan(
    tasks: Annotated[int, typer.Option(parser=whole, help="How many tasks there are.")],
    contexts: Annotated[int, typer.Option(parser=whole, help="How many kinds of task there are.")] = 1,
    classes: Annotated[int, typer.Option(parser=whole, help="How many answers a task can have.")] = 2,
    workers: Annotated[
        str, typer.Option(help="How many workers there are, or a CSV or Parquet file: worker[,price][,accuracy][,expert].")
    ] = "10",
    crowd: Annotated[str, typer.Option(help="Who may be good at what: graded, one-coin, spammer-hammer, ...")] = "graded",
    budget: Annotated[
        int | None,
        typer.Option(parser=whole, help=f"What all labels may cost. [default: {_LABELS_PER_TASK} labels per task]"),
    ] = None,
    target: Annotated[
        float | None, typer.Option(parser=number, help="Say also what it costs to have this share of the tasks right.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="<str>", help="Who decides: name[:key=value,...]. [default: crosscheck, bbta, random]"),
    ] = None,
    runs: Annotated[int, typer.Option(parser=whole, help="How many worlds to try it on.")] = 20,
    seed: Annotated[int, typer.Option(parser=whole, help="The same seed gives the same numbers.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(parser=whole, help="How many processes to use. [default: all cores, if that is faster]")
    ] = None,
    style: Style = Format.TABLE,
    plot: Annotated[Path | None, typer.Option(help="Draw accuracy against money to this PNG or SVG file.")] = None,
) -> None:
    """Simulate before spending: the accuracy to expect of a budget, and the budget that a target needs."""
    from labelbandit.experiments import figures, planning

    hires = _hires(workers)
    spent = budget if budget is not None else round(_LABELS_PER_TASK * tasks * sum(hire.price for hire in hires) / len(hires))
    prospect = planning.Prospect(tasks=tasks, contexts=contexts, classes=classes, hires=hires, crowd=crowd, budget=spent)
    policies = list(dict.fromkeys(policy or ["crosscheck", "bbta", "random"]))
    planning.check(prospect, policies, target, runs, seed)
    if plot is not None:
        figures.check_path(plot)
    with progress.spinner(comparing.COMPILING):
        planning.warm_up(policies)
    total = runs * len(policies) * (1 if target is None or prospect.horizon == spent else 2)
    with progress.bar("Simulating", total) as on_run:
        found = planning.forecast(prospect, policies, target=target, runs=runs, seed=seed, jobs=jobs, on_run=on_run)
    if plot is not None:
        from labelbandit.experiments.planning_figure import planning_figure

        planning_figure(found, spent, target, f"{tasks:,} tasks, {len(hires)} workers, {comparing.in_words(runs)}", plot)
    show(style, _document(prospect, found, target, runs, seed), _lines(prospect, found, target, runs))


def _hires(workers: str) -> Any:
    from labelbandit.experiments.planning import Hire, read_hires

    if not workers.strip().lstrip("-").isdigit():
        return read_hires(Path(workers))
    if int(workers) < 1:
        raise BadInput(f"{workers} workers will not do: give 1 or more, or a file of workers")
    return (Hire(),) * int(workers)


def _lines(prospect: "Prospect", found: "Sequence[Forecast]", target: float | None, runs: int) -> list[str]:
    per_task = prospect.budget / prospect.tasks
    lines = [f"With a budget of {prospect.budget:,}, which is {per_task:.3g} for each task ({comparing.in_words(runs)}):"]
    header = ["policy", "accuracy", "8 runs in 10"]
    rows: list[list[object]] = [
        [each.policy, f"{100 * each.accuracy:.1f} %", f"{100 * each.low:.1f} to {100 * each.high:.1f} %"] for each in found
    ]
    if target is not None:
        header += [f"money for {100 * target:g} %", "in 9 runs of 10"]
        for row, each in zip(rows, found, strict=True):
            row += [_money(each.needed, prospect.horizon), _money(each.needed_surely, prospect.horizon)]
    return [*lines, *table(header, rows)]


def _money(needed: int | None, horizon: int) -> str:
    return f"more than {horizon:,}" if needed is None else f"{needed:,}"


def _document(prospect: "Prospect", found: "Sequence[Forecast]", target: float | None, runs: int, seed: int) -> dict[str, Any]:
    return {
        "tasks": prospect.tasks,
        "contexts": prospect.contexts,
        "classes": prospect.classes,
        "workers": len(prospect.hires),
        "crowd": prospect.crowd,
        "budget": prospect.budget,
        "target": target,
        "horizon": prospect.horizon,
        "policies": [_forecast(each) for each in found],
        "runs": runs,
        "seed": seed,
        "version": __version__,
    }


def _forecast(each: "Forecast") -> dict[str, Any]:
    return {
        "policy": each.policy,
        "accuracy": each.accuracy,
        "low": each.low,
        "high": each.high,
        "needed": each.needed,
        "needed_surely": each.needed_surely,
        "curve": {name: column.tolist() for name, column in each.curve._asdict().items()},
    }

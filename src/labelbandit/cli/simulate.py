"""`labelbandit simulate`: policies compared on a simulated crowd."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelbandit import __version__
from labelbandit.cli import comparing
from labelbandit.cli.numbers import number, whole
from labelbandit.cli.showing import Format, Style

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.experiments.compare import Comparison, Result


def simulate(
    tasks: Annotated[int, typer.Option(parser=whole, help="How many tasks there are.")] = 351,
    workers: Annotated[int, typer.Option(parser=whole, help="How many workers there are.")] = 30,
    contexts: Annotated[int, typer.Option(parser=whole, help="How many kinds of task there are.")] = 3,
    classes: Annotated[int, typer.Option(parser=whole, help="How many answers a task can have.")] = 2,
    crowd: Annotated[str, typer.Option(help="Who is good at what: spammer-hammer, one-coin or malicious.")] = "spammer-hammer",
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<str>",
            help="Who decides: name[:key=value,...], such as bbta:explore=1; give it several times to compare. "
            "[default: default, random]",
        ),
    ] = None,
    budget: Annotated[float, typer.Option(parser=number, help="Labels per task that may be collected.")] = 15,
    runs: Annotated[int, typer.Option(parser=whole, help="How many worlds to average over.")] = 30,
    seed: Annotated[int, typer.Option(parser=whole, help="The same seed gives the same numbers.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(parser=whole, help="How many processes to use. [default: all cores, if that is faster]")
    ] = None,
    style: Style = Format.TABLE,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves to this PNG or SVG file.")] = None,
) -> None:
    """Compare policies on a simulated crowd: accuracy at every budget, on the same worlds."""
    from labelbandit.experiments import figures
    from labelbandit.experiments.compare import Comparison

    comparison = Comparison(
        tasks=tasks,
        workers=workers,
        contexts=contexts,
        classes=classes,
        crowd=crowd,
        budget=budget,
        runs=runs,
        seed=seed,
    )
    if plot:
        figures.check_path(plot)
    results = comparing.run(comparison, policy or ["default", "random"], jobs)
    if plot:
        title = f"{crowd} crowd: {tasks} tasks, {workers} workers, {comparing.in_words(runs)}"
        figures.accuracy_figure(results, title, plot)
    if style is Format.JSON:
        typer.echo(json.dumps(_document(comparison, results), allow_nan=False))
    else:
        comparing.show(results)


def _document(comparison: "Comparison", results: "Sequence[Result]") -> dict[str, Any]:
    return {
        "policies": [_policy(result) for result in results],
        "tasks": comparison.tasks,
        "workers": comparison.workers,
        "contexts": comparison.contexts,
        "classes": comparison.classes,
        "crowd": comparison.crowd,
        "seed": comparison.seed,
        "runs": comparison.runs,
        "version": __version__,
    }


def _policy(result: "Result") -> dict[str, Any]:
    return {
        "name": result.name,
        "policy": result.policy,
        "parameters": result.parameters,
        "budget": result.budget.tolist(),
        "accuracy_mean": result.accuracy_mean.tolist(),
        "accuracy_se": result.accuracy_se.tolist(),
        "runs": result.runs,
        "labels_used": result.labels_used,
        "notes": list(result.notes),
    }

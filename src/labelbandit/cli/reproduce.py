"""`labelbandit reproduce`: the paper's experiments, its figures and a verdict on each of its claims."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from labelbandit.cli import progress
from labelbandit.cli.numbers import whole
from labelbandit.cli.options import Load

_RUNS = 30


def reproduce(
    figures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIGURES]...",
            help="What to reproduce: a (workers), b (methods), c (exploration), d (real data), e (regret). [default: all]",
        ),
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Everything, but with 3 runs and fewer thresholds.")] = False,
    out: Annotated[Path, typer.Option(help="The folder for results, figures and report; what is there goes on.")] = Path(
        "reproduction"
    ),
    runs: Annotated[int | None, typer.Option(parser=whole, help=f"Runs to average over. [default: {_RUNS}]")] = None,
    seed: Annotated[int, typer.Option(parser=whole, help="The same seed gives the same numbers.")] = 0,
    jobs: Annotated[int | None, typer.Option(parser=whole, help="How many processes to use. [default: all cores]")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Run on the Dask cluster whose scheduler has this address.")] = None,
    data: Annotated[Path | None, typer.Option(help="The folder of data sets. [default: LABELBANDIT_DATA]")] = None,
    also: Annotated[list[str] | None, typer.Option(metavar="<str>", help="A policy to compare besides.")] = None,
    load: Load = None,
) -> None:
    """Run the paper's experiments again: results, figures and a report; killed and started again, it goes on."""
    from labelbandit.experiments import reproduce as experiment

    where = data or (Path(given) if (given := os.environ.get("LABELBANDIT_DATA")) else None)
    request = experiment.Request(
        figures="".join(dict.fromkeys("".join(figures))) if figures else "abcde",
        runs=runs if runs is not None else experiment.QUICK_RUNS if quick else _RUNS,
        quick=quick,
        seed=seed,
        data=where,
        also=tuple(also or ()),
        load=tuple(load or ()),
    )
    with progress.spinner("Reading the data"):
        plan = experiment.make_plan(request)
    for sentence in plan.left_out:
        typer.echo(f"labelbandit: {sentence}", err=True)
    with progress.stages() as watcher:
        experiment.reproduce(plan, out, jobs=jobs, scheduler=scheduler, command=_command(), watcher=watcher)
    typer.echo(f"The report is {out / 'report.html'}, the results are {out / 'results.parquet'}.")


def _command() -> list[str]:
    return ["labelbandit", *sys.argv[1:]]

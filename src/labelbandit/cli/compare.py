"""`labelbandit compare`: every policy in every world, at equal budgets, with all that is to be said of it."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from labelbandit.cli import progress
from labelbandit.cli.numbers import whole
from labelbandit.cli.options import Load

_RUNS = 30


def compare(
    panels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<str>",
            help="A set of worlds (paper, synthetic, recorded, generated) or one by its name, such as drift/malicious; "
            "give it several times for more. [default: all]",
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<str>",
            help="A policy, name[:key=value,...], or one with another rule for final answers, such as random+em; "
            "the first is compared with each of the others. [default: crosscheck and all that it should beat]",
        ),
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Make do with 3 runs.")] = False,
    out: Annotated[Path, typer.Option(help="The folder for results, figures and report; what is there goes on.")] = Path(
        "comparison"
    ),
    runs: Annotated[int | None, typer.Option(parser=whole, help=f"Runs to average over. [default: {_RUNS}]")] = None,
    seed: Annotated[int, typer.Option(parser=whole, help="The same seed gives the same numbers.")] = 0,
    jobs: Annotated[int | None, typer.Option(parser=whole, help="How many processes to use. [default: all cores]")] = None,
    data: Annotated[Path | None, typer.Option(help="The folder of data sets. [default: LABELBANDIT_DATA]")] = None,
    load: Load = None,
) -> None:
    """Compare policies in many worlds: results, figures and a report; killed and started again, it goes on."""
    from labelbandit.experiments.comparison import compare as experiment
    from labelbandit.experiments.comparison.worlds import METHODS

    where = data or (Path(given) if (given := os.environ.get("LABELBANDIT_DATA")) else None)
    request = experiment.Request(
        panels=tuple(panels or ()),
        methods=tuple(dict.fromkeys(policy)) if policy else METHODS,
        runs=runs if runs is not None else experiment.QUICK_RUNS if quick else experiment.RUNS,
        seed=seed,
        data=where,
        load=tuple(load or ()),
    )
    with progress.spinner("Making the worlds"):
        plan = experiment.make_plan(request)
    for sentence in plan.left_out:
        typer.echo(f"labelbandit: {sentence}", err=True)
    with progress.stages() as watcher:
        experiment.run_comparison(plan, out, jobs=jobs, command=["labelbandit", *sys.argv[1:]], watcher=watcher)
    typer.echo(f"The report is {out / 'report.html'}, the results are {out / 'results.parquet'}.")

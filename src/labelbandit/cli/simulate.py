"""`labelbandit simulate`: policies compared on a simulated crowd."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelbandit import __version__
from labelbandit.cli import comparing
from labelbandit.cli.numbers import number, whole
from labelbandit.cli.options import Load
from labelbandit.cli.showing import Format, Style
from labelbandit.model.errors import BadInput

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.experiments.compare import AnyComparison, Result
    from labelbandit.experiments.grounds import Ground

_Trouble = Annotated[
    list[str] | None,
    typer.Option(
        metavar="<str>",
        help="What goes wrong: late[:by=50], away[:present=0.3333,stretch=50] or drift[:at=5,share=0.5]; "
        "give it several times for more.",
    ),
]
_OF_WORLDS = ("tasks", "workers", "contexts", "classes", "crowd")
"""Options that say what worlds are like."""


def simulate(
    asked: typer.Context,
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
    dataset: Annotated[
        str | None,
        typer.Option(
            help="Replay a data set, by its path or its name in the folder LABELBANDIT_DATA; "
            "or take the tasks of a benchmark (ionosphere, breast, pima) with a simulated crowd."
        ),
    ] = None,
    *,
    complete: Annotated[bool, typer.Option("--complete", help="Make up the labels a data set does not have.")] = False,
    trouble: _Trouble = None,
    load: Load = None,
) -> None:
    """Compare policies on a simulated crowd or a data set: accuracy at every budget, on the same worlds."""
    from labelbandit.experiments import figures

    comparison = _comparison(asked, **asked.params)
    if plot:
        figures.check_path(plot)
    results = comparing.run(comparison, policy or ["default", "random"], jobs)
    if plot:
        figures.accuracy_figure(results, _title(comparison, dataset), plot)
    if style is Format.JSON:
        typer.echo(json.dumps(_document(comparison, dataset, results), allow_nan=False))
    else:
        comparing.show(results)


def _was_given(asked: typer.Context, option: str) -> bool:
    source = asked.get_parameter_source(option)
    return source is not None and source.name != "DEFAULT"


def ground_of(dataset: str, worlds: Mapping[str, Any], given: set[str], *, complete: bool) -> "Ground":
    """The ground that --dataset names; options that say nothing about it are refused."""
    from labelbandit.experiments.grounds import SHAPES, Recorded, benchmark_ground
    from labelbandit.simulation.datasets import find_dataset, read_dataset
    from labelbandit.simulation.grouse import complete_labels

    benchmark = dataset in SHAPES
    senseless = sorted(given - {"crowd", "workers", "contexts"} if benchmark else given)
    if senseless or (benchmark and complete):
        option = f"--{senseless[0]}" if senseless else "--complete"
        raise BadInput(f"{option} and --dataset {dataset} do not go together: the data set says it already, leave one out")
    if benchmark:
        shape = dict(zip(("contexts", "workers"), SHAPES[dataset], strict=True)) | {name: worlds[name] for name in given}
        return benchmark_ground(dataset, worlds["crowd"], shape["workers"], shape["contexts"])
    read = read_dataset(find_dataset(dataset))
    return Recorded(complete_labels(read) if complete else read)


def _comparison(
    asked: typer.Context, dataset: str | None, complete: bool, trouble: list[str] | None, load: list[str] | None, **options: Any
) -> "AnyComparison":
    """What is to be compared on what; the options as they were parsed, those of other things passed over."""
    from labelbandit.experiments.compare import Comparison, GroundComparison

    spending = {name: options[name] for name in ("budget", "runs", "seed")}
    spending |= {"troubles": tuple(trouble or ()), "load": tuple(load or ())}
    worlds = {name: options[name] for name in _OF_WORLDS}
    if dataset is not None:
        given = {name for name in _OF_WORLDS if _was_given(asked, name)}
        return GroundComparison(ground=ground_of(dataset, worlds, given, complete=complete), **spending)
    if complete:
        raise BadInput("--complete makes up labels of a data set: name it with --dataset")
    return Comparison(**worlds, **spending)


def _title(comparison: "AnyComparison", dataset: str | None) -> str:
    worlds: Any = getattr(comparison, "ground", comparison)
    where = dataset or f"{worlds.crowd} crowd"
    return f"{where}: {worlds.tasks} tasks, {worlds.workers} workers, {comparing.in_words(comparison.runs)}"


def _document(comparison: "AnyComparison", dataset: str | None, results: "Sequence[Result]") -> dict[str, Any]:
    worlds: Any = getattr(comparison, "ground", comparison)
    return {
        "policies": [_policy(result) for result in results],
        **({} if dataset is None else {"dataset": dataset}),
        **({"troubles": list(comparison.troubles)} if comparison.troubles else {}),
        "tasks": worlds.tasks,
        "workers": worlds.workers,
        "contexts": worlds.contexts,
        "classes": worlds.classes,
        "crowd": getattr(worlds, "crowd", None),
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

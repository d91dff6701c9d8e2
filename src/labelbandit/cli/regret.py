"""`labelbandit regret`: how much more BBTA loses than the best worker of each context would, against the paper's bound."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelbandit.cli import progress
from labelbandit.cli.numbers import whole
from labelbandit.cli.showing import Format, Style
from labelbandit.model.errors import BadInput

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.experiments.regret import Regret, RegretWorld

_POINTS = 8
_SHOWN = ("regret", "uniform", "strict_regret", "strict_uniform")


def regret(
    crowd: Annotated[str, typer.Option(help="Crowd model, name[:key=value,…].")] = "spammer-hammer:deal=even",
    tasks: Annotated[int, typer.Option(parser=whole, help="Number of tasks.")] = 1500,
    workers: Annotated[int, typer.Option(parser=whole, help="Number of workers.")] = 5,
    contexts: Annotated[int, typer.Option(parser=whole, help="Number of contexts.")] = 2,
    explore: Annotated[int, typer.Option(parser=whole, help="N', tasks explored per context.")] = 0,
    budget: Annotated[int, typer.Option(parser=whole, help="Labels per task.")] = 8,
    runs: Annotated[int, typer.Option(parser=whole, help="Runs to average over.")] = 30,
    seed: Annotated[int, typer.Option(parser=whole, help="Seed of the crowd and of all runs.")] = 0,
    style: Style = Format.TABLE,
    plot: Annotated[Path | None, typer.Option(help="Draw the regret and its bound to this .png or .svg file.")] = None,
) -> None:
    """Measure BBTA's regret as the paper reads (draws with repeats), beside its bound and uniform choice of workers."""
    from labelbandit.experiments import figures
    from labelbandit.experiments.regret import RegretWorld
    from labelbandit.simulation.crowds import crowd_from

    world = RegretWorld(crowd_from(crowd), tasks=tasks, workers=workers, contexts=contexts, seed=seed)
    if budget < 1:
        raise BadInput(f"a budget of {budget} labels per task buys nothing: give 1 or more")
    if plot is not None:
        figures.check_path(plot)
    policy, control = _measure(world, explore, budget, runs)
    if plot is not None:
        from labelbandit.experiments.regret_figure import regret_figure

        regret_figure(policy, control, world, explore, plot)
    rows = _rows(policy, control, world, explore)
    document = {"crowd": crowd, "runs": runs, "seed": seed, "marks": rows}
    typer.echo(json.dumps(document) if style is Format.JSON else _lines(rows))


def _measure(world: "RegretWorld", explore: int, budget: int, runs: int) -> "tuple[Regret, Regret]":
    import numpy as np

    from labelbandit.experiments.regret import measure_regret
    from labelbandit.policies.bbta import Bbta

    marks = np.unique(np.linspace(0, budget * world.tasks, _POINTS * 2 + 1).astype(np.int64)[1:])
    with progress.bar("Measuring", 2 * runs) as on_run:
        policy = measure_regret(Bbta(explore=explore, repeats=True), world, marks, runs, on_run)
        control = measure_regret(Bbta(explore=explore, repeats=True, draw="uniform"), world, marks, runs, on_run)
    return policy, control


def _rows(policy: "Regret", control: "Regret", world: "RegretWorld", explore: int) -> list[dict[str, float]]:
    from labelbandit.experiments.regret import theorem_bound

    return [
        {
            "labels": int(labels),
            "regret": float(policy.regret[at]),
            "regret_se": float(policy.standard_error[at]),
            "strict_regret": float(policy.strict_regret[at]),
            "strict_regret_se": float(policy.strict_standard_error[at]),
            "uniform": float(control.regret[at]),
            "uniform_se": float(control.standard_error[at]),
            "strict_uniform": float(control.strict_regret[at]),
            "strict_uniform_se": float(control.strict_standard_error[at]),
            "bound": theorem_bound(int(labels), world.contexts, world.workers, explore),
        }
        for at, labels in enumerate(policy.marks)
    ]


def _lines(rows: list[dict[str, float]]) -> str:
    lines = [
        "Loss beyond the best worker of each context: the best on average (the paper's), and of each run (strict).",
        f"{'labels':>8} {'bound':>8} {'BBTA':>14} {'uniform':>14} {'BBTA, strict':>14} {'uniform, strict':>16}",
    ]
    for row in rows:
        cells = [f"{row[key]:.0f} ± {row[key + '_se']:.0f}" for key in _SHOWN]
        lines.append(f"{row['labels']:8,} {row['bound']:8.0f} {cells[0]:>14} {cells[1]:>14} {cells[2]:>14} {cells[3]:>16}")
    return "\n".join(lines)

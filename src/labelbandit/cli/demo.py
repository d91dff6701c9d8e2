"""`labelbandit demo`: the main job in half a minute, on a simulated crowd."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelbandit.cli import comparing
from labelbandit.model.errors import BadInput

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.experiments.compare import Comparison, Result

_POLICIES = ("default", "random")


def demo(out: Annotated[Path, typer.Option(help="The folder for the figure; made if need be.")] = Path("demo")) -> None:
    """Watch a simulated crowd label under a budget, and see what assigning well is worth."""
    from labelbandit.experiments import figures

    figure = _folder(out) / "demo.png"
    figures.check_path(figure)
    comparison = story()
    _tell_story(comparison)
    results = comparing.run(comparison, _POLICIES, jobs=None)
    _tell_outcome(comparison, *results)
    comparing.show(results)
    figures.accuracy_figure(results, "Same crowd, same budget: who is asked makes the difference", figure)
    typer.echo(f"\nThe figure is {figure}.")
    _tell_what_next()


def story() -> "Comparison":
    """The crowd of the demo."""
    from labelbandit.experiments.compare import Comparison

    return Comparison(tasks=351, workers=30, contexts=3, classes=2, crowd="spammer-hammer", budget=10, runs=20, seed=0)


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {str(out)!r} ({error.strerror}): give another --out") from None
    return out


def _tell_story(comparison: "Comparison") -> None:
    labels = round(comparison.tasks * comparison.budget)
    typer.echo(
        f"{comparison.workers} simulated workers label {comparison.tasks} tasks of {comparison.contexts} kinds.\n"
        "Each worker knows one kind and guesses at the others; nobody is told who knows what.\n"
        f"The budget is {comparison.budget:g} labels per task, {labels:,} in all. Who should be asked what?\n"
    )
    if not sys.stderr.isatty():
        typer.echo(f"{comparing.COMPILING}.\n")


def _tell_outcome(comparison: "Comparison", ours: "Result", naive: "Result") -> None:
    enough = next(
        (at for at, mean in zip(ours.budget, ours.accuracy_mean, strict=True) if mean >= naive.accuracy_mean[-1]), None
    )
    typer.echo(
        f"With {comparison.budget:g} labels per task, mean of {comparison.runs} simulated crowds:\n"
        f"  {100 * ours.accuracy_mean[-1]:5.1f} % of the tasks are right when labelbandit decides who is asked,\n"
        f"  {100 * naive.accuracy_mean[-1]:5.1f} % when workers are asked at random and the majority wins."
    )
    if enough is not None and enough < comparison.budget:
        typer.echo(
            f"With {enough:g} labels per task it is already as good as random assignment with all {comparison.budget:g}."
        )
    typer.echo()


def _tell_what_next() -> None:
    command = _command()
    typer.echo(
        "\nTry next:\n"
        f"  {command} simulate --crowd malicious --policy bbta:explore=5 --policy random --plot malicious.png\n"
        f"  {command} simulate --crowd one-coin --classes 4 --budget 8 --format json\n"
        f"  {command} simulate --help"
    )


def _command() -> str:
    """How this program is called from here."""
    script = Path(sys.executable).parent / "labelbandit"
    if shutil.which("labelbandit") == str(script):
        return "labelbandit"
    if script.exists():
        return str(script.relative_to(Path.cwd())) if script.is_relative_to(Path.cwd()) else str(script)
    return "python -m labelbandit"

"""`labelbandit demo`: two campaigns on one simulated crowd, and what asking the right people is worth."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelbandit.cli import comparing, progress
from labelbandit.model.errors import BadInput

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.cli.demo_story import Outcome, Story

_DATABASE = "demo.db"


def demo(
    out: Annotated[Path, typer.Option(help="The folder for what the demo leaves; made if need be.")] = Path("demo"),
) -> None:
    """Watch a simulated crowd label under a budget, and see what assigning well is worth."""
    from labelbandit.experiments import figures

    figure = _folder(out) / "demo.png"
    figures.check_path(figure)
    with progress.spinner(comparing.COMPILING):
        from labelbandit.cli.demo_figure import draw
        from labelbandit.cli.demo_story import prepare

        story = prepare(out)
    _tell_story(story)
    outcomes = _run(story, out / _DATABASE)
    _tell_outcomes(story, outcomes)
    draw(outcomes, figure)
    _tell_what_is_left(out, figure)


def _folder(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {str(out)!r} ({error.strerror}): give another --out") from None
    return out


def _tell_story(story: "Story") -> None:
    from labelbandit.cli.demo_story import CONTEXTS

    world = story.world
    typer.echo(
        f"{world.workers} simulated workers say if there is a bird in each of {world.tasks} pictures ({', '.join(CONTEXTS)}).\n"
        "Each worker knows one of these places and guesses at the others; nobody is told who knows what.\n"
        f"The budget is {story.budget:,} labels, {story.budget // world.tasks} per picture. Who should be asked what?\n"
    )
    if not sys.stderr.isatty():
        typer.echo(f"{comparing.COMPILING}.\n")


def _run(story: "Story", database: Path) -> "list[Outcome]":
    from labelbandit.cli.demo_story import POLICIES, run

    for ending in ("", "-wal", "-shm"):  # of an earlier demo
        database.with_name(f"{database.name}{ending}").unlink(missing_ok=True)
    outcomes = []
    for name, policy in POLICIES.items():
        with progress.bar(f"Campaign {name!r}", story.budget) as on_label:
            outcomes.append(run(story, f"sqlite:///{database}", name, policy, on_label))
    return outcomes


def _tell_outcomes(story: "Story", outcomes: "list[Outcome]") -> None:
    ours, naive = outcomes
    typer.echo(
        f"Both campaigns spent {ours.spent:,} of {story.budget:,}, and not one label more:\n"
        f"  {100 * ours.accuracy[-1]:5.1f} % of the pictures are right when labelbandit decides who is asked,\n"
        f"  {100 * naive.accuracy[-1]:5.1f} % when workers are asked at random and the majority wins."
    )
    enough = next((at for at, right in zip(ours.labels, ours.accuracy, strict=True) if right >= naive.accuracy[-1]), None)
    if enough is not None and enough < story.budget:
        typer.echo(f"With {enough:,} labels it was already as good as random assignment with all {story.budget:,}.")


def _tell_what_is_left(out: Path, figure: Path) -> None:
    typer.echo(
        f"\nThe figure is {figure}; the tasks came from {out / 'tasks.csv'}; labels and estimates are in\n"
        f"{out / 'labels.csv'} and {out / 'estimates.csv'}; both campaigns are in {out / _DATABASE}."
    )
    command, storage = _command(), f"--storage sqlite:///{out / _DATABASE}"
    typer.echo(
        "\nTry next:\n"
        f"  {command} status chosen {storage}\n"
        f"  {command} explain chosen 700 {storage}\n"
        f"  {command} log verify chosen {storage}\n"
        f"  {command} simulate --crowd malicious --policy bbta:explore=5 --policy random\n"
        f"  {command} init --help"
    )


def _command() -> str:
    """How this program is called from here."""
    script = Path(sys.executable).parent / "labelbandit"
    if shutil.which("labelbandit") == str(script):
        return "labelbandit"
    if script.exists():
        return str(script.relative_to(Path.cwd())) if script.is_relative_to(Path.cwd()) else str(script)
    return "python -m labelbandit"

"""The command line: a small file for each command, and here what they share: help, version and how errors are told.

Nothing heavy is imported before a command runs, so that help answers at once.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from labelbandit import __version__
from labelbandit.cli import agreement, demo, regret, serve, simulate
from labelbandit.model.errors import LabelbanditError

FAILED, MISUSED = 1, 2

# Plain help: rich would take as long to import as all the rest.
app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command()(simulate.simulate)
app.command()(regret.regret)
app.command()(demo.demo)
app.command()(serve.serve)
app.command()(agreement.agreement)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"labelbandit {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def labelbandit(
    context: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Decide who labels what next, under a hard budget, and say what to believe of the answers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 failed, 2 asked for what cannot be done."""
    try:
        return app(arguments, prog_name="labelbandit", standalone_mode=False) or 0
    except typer.TyperException as error:
        return _tell(error.format_message(), MISUSED)
    except LabelbanditError as error:
        return _tell(str(error), MISUSED)
    except (OSError, MemoryError) as error:
        return _tell(str(error) or "out of memory", FAILED)


def _tell(sentence: str, code: int) -> int:
    typer.echo(f"labelbandit: {' '.join(sentence.split())}", err=True)
    return code

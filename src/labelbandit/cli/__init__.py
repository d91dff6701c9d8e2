"""The command line: a small file for each command, and here what they share: help, version and how errors are told.

Nothing heavy is imported before a command runs, so that help answers at once.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from labelbandit import __version__
from labelbandit.cli import (
    agreement,
    amending,
    asking,
    compare,
    demo,
    exporting,
    importing,
    init,
    log,
    plan,
    regret,
    reproduce,
    serve,
    simulate,
    status,
    upgrading,
    workers,
)
from labelbandit.model import errors

FAILED, MISUSED = 1, 2
_FAILURES = (
    errors.StoreUnavailable,
    errors.StoreFull,
    errors.StoreReadOnly,
    errors.StoreTooNew,
    errors.StoreOutdated,
    errors.Conflict,
)
"""What goes wrong by nobody's asking."""

# Plain help: rich would take as long to import as all the rest.
app = typer.Typer(add_completion=False, rich_markup_mode=None)
for command in (
    demo.demo,
    init.init,
    asking.ask,
    asking.tell,
    asking.decline,
    asking.renew,
    asking.correct,
    asking.withdraw,
    status.status,
    status.estimates,
    status.explain,
    status.campaigns,
    amending.amend,
    amending.pause,
    amending.resume,
    amending.close,
    exporting.export,
    upgrading.upgrade,
    plan.plan,
    simulate.simulate,
    regret.regret,
    reproduce.reproduce,
    compare.compare,
    agreement.agreement,
    serve.serve,
):
    app.command()(command)
app.add_typer(importing.app, name="import", help="Bring in tasks, gold, workers or labels from a file.")
app.add_typer(workers.app, name="workers", help="See and change who is enrolled.")
app.add_typer(log.app, name="log", help="Show, verify or copy the log of a campaign.")


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
    except _FAILURES as error:
        return _tell(str(error), FAILED)
    except errors.LabelbanditError as error:
        return _tell(str(error), MISUSED)
    except (KeyboardInterrupt, typer.Abort):
        return _tell("interrupted: what was acknowledged before is kept", FAILED)
    except (OSError, MemoryError) as error:
        return _tell(str(error) or "out of memory", FAILED)


def _tell(sentence: str, code: int) -> int:
    typer.echo(f"labelbandit: {' '.join(sentence.split())}", err=True)
    return code

"""`labelbandit serve`: campaigns over HTTP, with pages for workers and requesters."""

from importlib.util import find_spec
from typing import Annotated

import typer

from labelbandit.cli.numbers import whole
from labelbandit.model.errors import LabelbanditError

_DEFAULT, _DEMO = "sqlite:///labelbandit.db", "memory:"


def serve(
    storage: Annotated[
        str | None,
        typer.Option(
            envvar="LABELBANDIT_STORAGE",
            help=f"Where campaigns are kept: sqlite:///file.db or postgresql://host/database. [default: {_DEFAULT}]",
        ),
    ] = None,
    host: Annotated[str, typer.Option(envvar="LABELBANDIT_HOST", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="LABELBANDIT_PORT", parser=whole, help="The port; 0 takes a free one.")] = 8000,
    processes: Annotated[int, typer.Option(parser=whole, help="How many processes serve.")] = 1,
    *,
    demo: Annotated[bool, typer.Option("--demo", help="Watch a simulated crowd label live; kept in memory.")] = False,
    new_key: Annotated[bool, typer.Option("--new-key", help="Make another requester's key, if the first was lost.")] = False,
) -> None:
    """Serve campaigns over HTTP: an API, a page for workers, a dashboard for the requester."""
    missing = [name for name in ("fastapi", "uvicorn", "jinja2", "prometheus_client", "httpx") if find_spec(name) is None]
    if missing:
        raise LabelbanditError(f"the server needs {missing[0]}, which is not installed: install labelbandit[server]")
    from labelbandit.server.serving import serve as run
    from labelbandit.server.settings import Settings

    where = storage or (_DEMO if demo else _DEFAULT)
    run(Settings(where, host, port, processes, demo), lambda line: typer.echo(line), new_key=new_key)

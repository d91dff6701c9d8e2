"""Options that several commands take."""

from typing import Annotated

import typer

Load = Annotated[
    list[str] | None,
    typer.Option(metavar="<file or module>", help="Python that registers policies of your own, to be loaded first."),
]

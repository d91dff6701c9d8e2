"""What is shown while one waits: on stderr, and only when it is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def spinner(sentence: str) -> Iterator[None]:
    """Turn a spinner beside the sentence."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(sentence):
        yield


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar with the time left; what it yields moves it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        runs = progress.add_task(what, total=total)
        yield lambda: progress.advance(runs)


@contextmanager
def count(what: str) -> Iterator[Callable[[int], None]]:
    """A number that grows; what it yields adds to it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f}"), TextColumn(what), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        rows = progress.add_task(what, total=None)
        yield lambda more: progress.advance(rows, more)

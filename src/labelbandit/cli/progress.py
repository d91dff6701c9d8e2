"""What is shown while one waits: on stderr, and only when it is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:  # imported when there is something to show
    from rich.progress import Progress


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


class Stages:
    """Tells how far a long piece of work is: on a terminal by a bar and the time left, elsewhere in a sentence."""

    def __init__(self, progress: "Progress | None") -> None:
        self._progress = progress
        self._line = progress.add_task("", total=None) if progress else None

    def stage(self, sentence: str) -> None:
        """Say what is being done now."""
        self._reset(sentence, None)

    def begin(self, done: int, left: int, effort: float) -> None:
        """Say how many trials were done before and are left, and start a bar over the effort these take."""
        before = f", {done:,} are done already" if done else ""
        typer.echo(f"labelbandit: {left:,} trials to run{before}", err=True)
        self._reset("Running trials", effort)

    def advance(self, effort: float) -> None:
        """Move the bar."""
        if self._progress is not None and self._line is not None:
            self._progress.advance(self._line, effort)

    def _reset(self, sentence: str, effort: float | None) -> None:
        if self._progress is not None and self._line is not None:
            self._progress.reset(self._line, description=sentence, total=effort)


@contextmanager
def stages() -> Iterator[Stages]:
    """Tell the stages of a long piece of work."""
    if not sys.stderr.isatty():
        yield Stages(None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=120.0) as progress:
        yield Stages(progress)

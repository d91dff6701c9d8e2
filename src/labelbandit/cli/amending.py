"""`amend`, `pause`, `resume`, `close`: the terms of a campaign, and whether it goes on."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from labelbandit.cli.numbers import number, whole
from labelbandit.cli.showing import remark
from labelbandit.cli.storage import DEFAULT, Name, Storage, opened

_NONE = "none"


def amend(
    name: Name,
    *,
    budget: Annotated[int | None, typer.Option(parser=whole, help="What all labels together may cost.")] = None,
    policy: Annotated[str | None, typer.Option(help="Who decides from now on; it is taught the whole log.")] = None,
    lease: Annotated[float | None, typer.Option(parser=number, help="Seconds for an assignment.")] = None,
    presence: Annotated[float | None, typer.Option(parser=number, help="Seconds for which someone is in reach.")] = None,
    hold: Annotated[int | None, typer.Option(parser=whole, help="Open assignments a worker may have.")] = None,
    min_labels: Annotated[int | None, typer.Option(parser=whole, help="Labels a task needs before it can settle.")] = None,
    max_labels: Annotated[str | None, typer.Option(help="Labels a task gets at most, or none for no limit.")] = None,
    settle: Annotated[str | None, typer.Option(help="The probability that settles a task, or none.")] = None,
    target: Annotated[str | None, typer.Option(help="The expected accuracy at which to stop, or none.")] = None,
    price: Annotated[list[str] | None, typer.Option(metavar="WORKER=PRICE", help="What a worker's later labels cost.")] = None,
    cap: Annotated[
        list[str] | None, typer.Option(metavar="WORKER=CAP", help="How many labels a worker may give, or none.")
    ] = None,
    storage: Storage = DEFAULT,
) -> None:
    """Change the terms from now on."""
    given: dict[str, Any] = {
        "budget": budget,
        "policy": policy,
        "lease": lease,
        "presence": presence,
        "hold": hold,
        "min_labels": min_labels,
    }
    terms = {key: value for key, value in given.items() if value is not None}
    if max_labels is not None:
        terms["max_labels"] = None if max_labels == _NONE else whole(max_labels)
    for key, text in (("settle", settle), ("target", target)):
        if text is not None:
            terms[key] = None if text == _NONE else number(text)
    prices = {worker: whole(text) for worker, text in _pairs(price or [], "price")}
    caps = {worker: None if text == _NONE else whole(text) for worker, text in _pairs(cap or [], "cap")}
    if not (terms or prices or caps):
        raise typer.BadParameter("there is nothing to amend: give at least one option")
    with opened(storage, name) as campaign:
        campaign.amend(prices=prices, caps=caps, **terms)
    remark(f"campaign {name!r} was amended: {', '.join([*terms, *prices, *caps])}")


def _pairs(texts: Sequence[str], what: str) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        worker, equals, value = text.rpartition("=")
        if not (worker and equals and value):
            raise typer.BadParameter(f"{text!r} is no {what}: give WORKER={what.upper()}")
        pairs.append((worker, value))
    return pairs


def pause(name: Name, *, storage: Storage = DEFAULT) -> None:
    """Ask nobody until resumed; open assignments may be told."""
    with opened(storage, name) as campaign:
        campaign.pause()
    remark(f"campaign {name!r} is paused")


def resume(name: Name, *, storage: Storage = DEFAULT) -> None:
    """Go on after a pause."""
    with opened(storage, name) as campaign:
        campaign.resume()
    remark(f"campaign {name!r} goes on")


def close(name: Name, *, storage: Storage = DEFAULT) -> None:
    """Ask nobody any more; open assignments may be told until they are due."""
    with opened(storage, name) as campaign:
        campaign.close()
    remark(f"campaign {name!r} is closed")

"""`status`, `campaigns`, `estimates` and `explain`: what is known."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from labelbandit.cli.asking import Number
from labelbandit.cli.showing import Format, Style, local, printable, remark, show, table
from labelbandit.cli.storage import DEFAULT, Name, Storage, opened, opened_store

if TYPE_CHECKING:  # these import Numba, which takes longer than help may
    from labelbandit.campaign.values import Estimate, Progress


def status(name: Name, *, storage: Storage = DEFAULT, style: Style = Format.TABLE) -> None:
    """Say where a campaign stands."""
    with opened(storage, name) as campaign:
        progress = campaign.progress()
    show(style, {**asdict(progress), "remaining": progress.remaining}, _lines(progress))
    if style is Format.TABLE:
        for warning in progress.warnings:
            remark(warning)


def _lines(progress: "Progress") -> Iterator[str]:
    money = "" if progress.currency is None else f" (smallest unit of {progress.currency})"
    yield f"{printable(progress.name)} is {progress.phase}, decided by {progress.policy}"
    yield f"budget   {progress.budget}{money}: {progress.spent} spent, {progress.reserved} reserved, {progress.remaining} left"
    yield f"tasks    {progress.tasks}: {progress.labelled} labelled, {progress.closed} need no more labels"
    yield f"workers  {progress.workers}"
    yield f"labels   {progress.labels}, and {progress.open} assignments open"
    if progress.expected_accuracy is not None:
        goal = "" if progress.target is None else f", to be {progress.target:.1%}"
        yield f"accuracy {progress.expected_accuracy:.1%} expected{goal}"
        yield f"         {progress.accuracy_low:.1%} to {progress.accuracy_high:.1%} with a probability of 95 %"
    if progress.saved is not None:
        yield f"saved    {progress.saved}: no more labels are needed"


def campaigns(*, storage: Storage = DEFAULT, style: Style = Format.TABLE) -> None:
    """List the campaigns of a store."""
    with opened_store(storage) as store:
        rows = store.campaigns()
    documents = [{"name": row.name, "id": row.id, "owner": row.owner, "created_at": row.created_at} for row in rows]
    lines = table(("name", "owner", "created"), [(row.name, row.owner, local(row.created_at)) for row in rows])
    show(style, {"campaigns": documents}, lines)


def estimates(name: Name, *, storage: Storage = DEFAULT, style: Style = Format.TABLE) -> None:
    """Say what to believe of every task."""
    with opened(storage, name) as campaign:
        found = list(campaign.estimates().values())
    rows = ((one.task, one.answer, _probability(one), _votes(one), one.closed) for one in found)
    lines = table(("task", "answer", "probability", "votes", "closed"), rows)
    show(style, {"estimates": [_document(one) for one in found]}, lines)


def _probability(estimate: "Estimate") -> float | None:
    return estimate.probability if any(estimate.votes.values()) else None


def _votes(estimate: "Estimate") -> str:
    return ", ".join(f"{votes} {name}" for name, votes in estimate.votes.items() if votes)


def _document(estimate: "Estimate") -> dict[str, Any]:
    return {**asdict(estimate), "probability": _probability(estimate)}


def explain(name: Name, assignment: Number, *, storage: Storage = DEFAULT, style: Style = Format.TABLE) -> None:
    """Say why an assignment was made: why this task, why this worker, with what probability."""
    with opened(storage, name) as campaign:
        reasons = campaign.explain(assignment)
    show(style, asdict(reasons), map(printable, reasons.sentences))

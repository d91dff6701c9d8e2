"""`labelbandit agreement`: how far workers agree, from a file or a campaign."""

import csv
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelbandit.model.errors import BadData, BadInput

if TYPE_CHECKING:
    from labelbandit.aggregation.agreement import Measure

_MOST_PAIRED = 12
Labels = list[tuple[str, str, str]]


class Format(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"


def agreement(
    file: Annotated[Path | None, typer.Argument(help="A CSV file with the columns task, worker and label.")] = None,
    storage: Annotated[
        str | None, typer.Option(envvar="LABELBANDIT_STORAGE", help="The store of a campaign, instead of a file.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The campaign's name.")] = None,
    style: Annotated[Format, typer.Option("--format", help="How to print the results.")] = Format.TABLE,
) -> None:
    """Say how far workers agree: percent, Fleiss' kappa, Krippendorff's alpha, and Cohen's kappa between two."""
    labels = _from_file(file) if file is not None else _from_campaign(storage, name)
    measured = _measured(labels)
    if style is Format.JSON:
        typer.echo(json.dumps(measured, ensure_ascii=False, indent=2))
        return
    for title, key in (("percent agreement", "percent"), ("Fleiss' kappa", "fleiss"), ("Krippendorff's alpha", "alpha")):
        typer.echo(f"{title:22} {_said(measured[key])}")
    for pair in measured["pairs"]:
        typer.echo(f"Cohen's kappa          {_said(pair['cohen'])} between {pair['workers'][0]} and {pair['workers'][1]}")


def _said(measure: dict[str, Any]) -> str:
    if measure["value"] is None:
        return f"undefined: {measure['why']}"
    return f"{measure['value']:6.3f} ({measure['tasks']} tasks)"


def _from_file(path: Path) -> Labels:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            missing = [column for column in ("task", "worker", "label") if column not in (reader.fieldnames or [])]
            if missing:
                raise BadData(f"{str(path)!r} has no column {missing[0]!r}: give task, worker and label")
            return [(row["task"], row["worker"], row["label"]) for row in reader]
    except UnicodeDecodeError:
        raise BadData(f"{str(path)!r} is not UTF-8: save it as UTF-8") from None


def _from_campaign(storage: str | None, name: str | None) -> Labels:
    if storage is None or name is None:
        raise BadInput("there is nothing to measure: give a CSV file, or --storage and --name of a campaign")
    from labelbandit.campaign.opening import open_campaign

    campaign = open_campaign(storage, name)
    try:
        return [(label.task, label.worker, label.answer) for label in campaign.labels()]
    finally:
        campaign.store.close()


def _measured(labels: Labels) -> dict[str, Any]:
    import numpy as np

    from labelbandit.aggregation.agreement import agreement as measure
    from labelbandit.aggregation.agreement import pair_agreements

    names = [sorted({label[column] for label in labels}) for column in range(3)]
    numbers = [{name: at for at, name in enumerate(column)} for column in names]
    task, worker, answer = (np.array([numbers[at][label[at]] for label in labels], np.int64) for at in range(3))
    classes = max(len(names[2]), 2)
    together = measure(task, answer, classes)
    busiest = np.sort(np.argsort(-np.bincount(worker), kind="stable")[:_MOST_PAIRED]) if labels else worker
    pairs = pair_agreements(task, worker, answer, classes, busiest)
    return {
        **{key: _plain(getattr(together, key)) for key in ("percent", "fleiss", "alpha")},
        "pairs": [
            {
                "workers": [names[1][one] for one in pair.workers],
                "percent": _plain(pair.percent),
                "cohen": _plain(pair.cohen),
            }
            for pair in pairs
        ],
    }


def _plain(measure: "Measure") -> dict[str, Any]:
    return {"value": measure.value, "why": measure.why, "tasks": measure.tasks}

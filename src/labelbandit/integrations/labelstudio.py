"""Labels and estimates as JSON that Label Studio imports: a list of tasks with annotations and predictions."""

import json
from collections.abc import Iterator
from typing import IO, Any

from labelbandit.campaign.campaign import Campaign
from labelbandit.integrations.records import LabelRecord
from labelbandit.integrations.tables import all_ids, labels_by_task, moment, payloads
from labelbandit.stores.contract import Register

MODEL = "model"
"""The source whose labels go out as predictions: what a machine said is no annotation."""
_FROM, _TO = "label", "task"


def write_labels(campaign: Campaign, out: IO[bytes]) -> None:
    """Every labelled task with an annotation for each worker's label."""
    labels = labels_by_task(campaign)
    _write((_task(*one, labels=labels[one[1]]) for one in _described(campaign) if one[1] in labels), out)


def write_estimates(campaign: Campaign, out: IO[bytes]) -> None:
    """Every task that has an answer, with a prediction by labelbandit."""
    estimates = campaign.estimates()

    def predicted() -> Iterator[dict[str, Any]]:
        for one in _described(campaign):
            estimate = estimates.get(one[1])
            if estimate is not None and estimate.answer is not None:
                task = _task(*one, labels=[])
                task["predictions"] = [_prediction(estimate.answer, "labelbandit", estimate.probability)]
                yield task

    _write(predicted(), out)


def _described(campaign: Campaign) -> Iterator[tuple[str, str, dict[str, Any] | None]]:
    """The context, id and payload of every task."""
    contexts, board = all_ids(campaign, Register.CONTEXT), campaign.board
    for number, id_, payload in payloads(campaign):
        if number < board.tasks:
            yield contexts[int(board.facts.context[number])], id_, payload


def _task(context: str, id_: str, payload: dict[str, Any] | None, *, labels: list[LabelRecord]) -> dict[str, Any]:
    return {
        "data": payload or {"task": id_},
        "meta": {"task": id_, "context": context},
        "annotations": [_annotation(label) for label in labels if label.source != MODEL],
        "predictions": [_prediction(label.label, label.worker, None) for label in labels if label.source == MODEL],
    }


def _annotation(label: LabelRecord) -> dict[str, Any]:
    return {
        "completed_by": {"email": label.worker},
        "result": _result(label.label),
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": label.lead_time,
        "created_at": moment(label.created_at).isoformat().replace("+00:00", "Z"),
    }


def _prediction(answer: str, version: str, score: float | None) -> dict[str, Any]:
    scored = {} if score is None else {"score": score}
    return {"model_version": version, **scored, "result": _result(answer)}


def _result(answer: str) -> list[dict[str, Any]]:
    return [{"from_name": _FROM, "to_name": _TO, "type": "choices", "value": {"choices": [answer]}}]


def _write(tasks: Iterator[dict[str, Any]], out: IO[bytes]) -> None:
    out.write(b"[")
    for at, task in enumerate(tasks):
        out.write((",\n" if at else "\n").encode() + json.dumps(task, ensure_ascii=False).encode())
    out.write(b"\n]\n")

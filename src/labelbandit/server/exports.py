"""Labels and estimates going out: CSV, JSONL, Parquet and Label Studio's JSON, with who said what."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from labelbandit.campaign.campaign import Campaign
from labelbandit.model.errors import LabelbanditError
from labelbandit.stores.contract import Register

FORMATS = {
    "csv": ("text/csv; charset=utf-8", "labels.csv"),
    "jsonl": ("application/x-ndjson", "labels.jsonl"),
    "parquet": ("application/vnd.apache.parquet", "labels.parquet"),
    "label-studio": ("application/json", "label-studio.json"),
    "estimates-csv": ("text/csv; charset=utf-8", "estimates.csv"),
}
_LABELS = ("task", "worker", "label", "context", "price", "assignment")
_RISKY = ("=", "+", "-", "@", "\t", "\r")
"""How a cell must not begin: spreadsheets would compute it."""


def export(campaign: Campaign, form: str) -> Iterator[bytes]:
    """The campaign in that format, in parts."""
    match form:
        case "csv":
            return _csv(_LABELS, label_rows(campaign))
        case "jsonl":
            return (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in label_rows(campaign))
        case "parquet":
            return iter([_parquet(label_rows(campaign))])
        case "estimates-csv":
            names = ("task", "answer", "probability", "margin", "labels", "closed")
            return _csv(names, _estimate_rows(campaign))
        case _:
            return _label_studio(campaign)


def label_rows(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Every label as a row, in the order in which they came."""
    contexts = _contexts(campaign)
    for label in campaign.labels():
        yield {
            "task": label.task,
            "worker": label.worker,
            "label": label.answer,
            "context": contexts.get(label.task, ""),
            "price": label.price,
            "assignment": label.number,
        }


def _contexts(campaign: Campaign) -> dict[str, str]:
    store, number = campaign.store, campaign.row.number
    names = {at: id_ or "" for at, id_, _ in store.all_rows(number, Register.CONTEXT)}
    with campaign.looking() as board:
        of = board.facts.context.tolist()
    rows = store.all_rows(number, Register.TASK)
    return {id_ or f"erased-{at}": names.get(of[at], "") for at, id_, _ in rows if at < len(of)}


def _estimate_rows(campaign: Campaign) -> Iterator[dict[str, Any]]:
    for task, estimate in campaign.estimates().items():
        yield {
            "task": task,
            "answer": estimate.answer,
            "probability": round(estimate.probability, 6),
            "margin": round(estimate.margin, 6),
            "labels": sum(estimate.votes.values()),
            "closed": estimate.closed,
        }


def _csv(names: tuple[str, ...], rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    yield (",".join(names) + "\r\n").encode()
    for row in rows:
        line = io.StringIO()
        csv.writer(line).writerow([_safe(row[name]) for name in names])
        yield line.getvalue().encode()


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_RISKY) else value


def _parquet(rows: Iterator[dict[str, Any]]) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise LabelbanditError("Parquet needs pyarrow, which is not installed: install labelbandit[frames]") from None
    kinds = pa.schema(
        [(name, pa.int64() if name in {"price", "assignment"} else pa.string()) for name in _LABELS],
    )
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows), schema=kinds), out)
    return out.getvalue()


def _label_studio(campaign: Campaign) -> Iterator[bytes]:
    """Tasks with an annotation for each label and the estimate as a prediction, as Label Studio imports them."""
    said: dict[str, list[dict[str, Any]]] = {}
    for label in campaign.labels():
        said.setdefault(label.task, []).append(
            {"completed_by": {"email": label.worker}, "was_cancelled": False, "result": [_choice(label.answer)]}
        )
    yield b"["
    rows = campaign.store.all_rows(campaign.row.number, Register.TASK)
    payloads = {id_ or f"erased-{at}": details for at, id_, details in rows}
    for at, (task, estimate) in enumerate(campaign.estimates().items()):
        details = payloads.get(task)
        predicted = [
            {
                "model_version": campaign.terms.rule,
                "score": round(estimate.probability, 6),
                "result": [_choice(estimate.answer)],
            }
        ]
        one = {
            "data": json.loads(details) if details else {},
            "meta": {"task": task},
            "annotations": said.get(task, []),
            "predictions": predicted if estimate.answer is not None else [],
        }
        yield (b",\n" if at else b"\n") + json.dumps(one, ensure_ascii=False).encode()
    yield b"\n]\n"


def _choice(answer: str | None) -> dict[str, Any]:
    return {"from_name": "label", "to_name": "task", "type": "choices", "value": {"choices": [answer]}}

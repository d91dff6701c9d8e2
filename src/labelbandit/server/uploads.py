"""Files into tasks: CSV, JSONL and JSON read as rows, and a plan that says which column is what."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationError

from labelbandit.campaign.enrolling import check_tasks
from labelbandit.campaign.values import Task
from labelbandit.model.errors import BadData, BadInput
from labelbandit.server.grouping import group
from labelbandit.server.models import Display, Name, Strict

Row = dict[str, Any]
_MOST_ROWS = 1_000_000
_LONGEST_CELL = 1_000_000
_TEXTS, _IMAGES, _IDS, _GOLDS, _CONTEXTS = (
    ("text", "sentence", "question", "content", "body", "comment", "review", "message", "title"),
    ("image", "image_url", "img", "picture", "photo", "url"),
    ("id", "task", "task_id", "key"),
    ("gold", "truth", "true_label"),
    ("context", "topic", "category", "language", "kind"),
)


class Plan(Strict):
    """Which column is what; columns not named are left out."""

    id: Name | None = None
    text: Name | None = None
    image: Name | None = None
    fields: Annotated[list[Name], Field(max_length=100, default_factory=list)]
    context: Name | None = None
    gold: Name | None = None
    groups: Annotated[int, Field(ge=2, le=100)] | None = None
    """Group similar tasks into so many contexts."""

    def shown(self) -> list[str]:
        """The columns that workers see."""
        return list(dict.fromkeys(one for one in (self.text, self.image, *self.fields) if one is not None))


def plan_from(text: str) -> Plan:
    """The plan that comes with a file as JSON."""
    try:
        return Plan.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"the plan will not do: {'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}") from None


def read_rows(content: bytes, name: str) -> list[Row]:
    """The rows of a file, by what its name ends in; without a known ending, by how it begins."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadData(f"{name!r} is not UTF-8 (byte {error.start}): save it as UTF-8") from None
    ending = name.rpartition(".")[2].lower()
    begins = text.lstrip()[:1]
    if ending in {"jsonl", "ndjson"} or (ending not in {"csv", "tsv", "json"} and begins == "{"):
        rows = _json_lines(text, name)
    elif ending == "json" or begins == "[":
        rows = _json_list(text, name)
    else:
        rows = _csv(text, name, "\t" if ending == "tsv" else ",")
    if not rows:
        raise BadData(f"{name!r} has no rows: give a header and at least one task")
    if len(rows) > _MOST_ROWS:
        raise BadData(f"{name!r} has {len(rows)} rows: give at most {_MOST_ROWS} at a time")
    return rows


def _csv(text: str, name: str, delimiter: str) -> list[Row]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [one or "" for one in reader.fieldnames or []]
        if len(set(header)) < len(header) or "" in header:
            raise BadData(f"{name!r} has columns without a name or of one name: name each of them once")
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise BadData(f"{name!r}, line {reader.line_num}: give {len(header)} values, as in the header")
            rows.append(dict(row))
    except csv.Error as error:
        raise BadData(f"{name!r}, line {reader.line_num}: {error}; mend the file") from None
    return rows


def _json_lines(text: str, name: str) -> list[Row]:
    rows = []
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip():
            rows.append(_object(_loaded(line, f"{name!r}, line {at}"), f"{name!r}, line {at}"))
    return rows


def _json_list(text: str, name: str) -> list[Row]:
    found = _loaded(text, repr(name))
    if not isinstance(found, list):
        raise BadData(f"{name!r} is no JSON list: give a list of objects, or one object a line in a .jsonl file")
    return [_object(one, f"{name!r}, row {at}") for at, one in enumerate(found, 1)]


def _loaded(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{where} is no JSON ({error}): mend it") from None


def _object(found: Any, where: str) -> Row:
    if not isinstance(found, dict):
        raise BadData(f"{where} is no JSON object: give one such as {{'id': 'a1', 'text': '…'}}")
    return found


def columns_of(rows: Sequence[Row]) -> list[str]:
    """Every column, in the order of first appearance."""
    return list(dict.fromkeys(name for row in rows[:1000] for name in row))


def suggested(rows: Sequence[Row]) -> Plan:
    """A plan guessed from the columns' names and first values."""
    columns = columns_of(rows)
    by_name = {name.lower(): name for name in reversed(columns)}

    def first(names: Sequence[str]) -> str | None:
        return next((by_name[name] for name in names if name in by_name), None)

    id_, gold, context = first(_IDS), first(_GOLDS), first(_CONTEXTS)
    image = next((name for name in columns if all(_is_picture(row.get(name)) for row in rows[:20])), None)
    image = image or (first(_IMAGES[:5]))
    rest = [name for name in columns if name not in {id_, gold, context, image}]
    text = first(_TEXTS) or max(rest, key=lambda name: _length(rows, name), default=None)
    fields = [name for name in rest if name != text] if text is None or _length(rows, text) < 12 else []
    ids = [str(row.get(id_)) for row in rows] if id_ else []
    return Plan(
        id=id_ if len(set(ids)) == len(rows) else None, text=text, image=image, fields=fields, context=context, gold=gold
    )


def _is_picture(value: Any) -> bool:
    return (
        isinstance(value, str)
        and value.startswith("https://")
        and value.partition("?")[0].lower().endswith((".png", ".jpg", ".jpeg", ".webp", ".gif"))
    )


def _length(rows: Sequence[Row], name: str) -> float:
    sample = rows[:50]
    return sum(len(str(row.get(name, ""))) for row in sample) / len(sample)


def tasks_from(rows: Sequence[Row], plan: Plan) -> tuple[list[Task], Display]:
    """The tasks of a file, checked, and how they are shown."""
    known = set(columns_of(rows))
    for column in (plan.id, plan.context, plan.gold, *plan.shown()):
        if column is not None and column not in known:
            raise BadInput(f"there is no column {column!r}: choose among {', '.join(sorted(known))}")
    shown = plan.shown() or [name for name in columns_of(rows) if name not in {plan.id, plan.context, plan.gold}]
    payloads = [{name: row[name] for name in shown if name in row} for row in rows]
    contexts = [""] * len(rows)
    if plan.groups is not None:
        contexts = group(payloads, plan.groups)
    elif plan.context is not None:
        contexts = [str(row.get(plan.context, "")) for row in rows]
    tasks = [
        Task(str(row.get(plan.id, "")) if plan.id else f"task-{at}", context, payload, _gold(row, plan))
        for at, (row, context, payload) in enumerate(zip(rows, contexts, payloads, strict=True), 1)
    ]
    check_tasks(tasks)
    return tasks, Display(text=plan.text, image=plan.image, fields=plan.fields or None)


def _gold(row: Row, plan: Plan) -> str | None:
    value = row.get(plan.gold) if plan.gold else None
    return None if value is None or not str(value) else str(value)

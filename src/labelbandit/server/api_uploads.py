"""A campaign from a file: look at it first, then make it in one step."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, UploadFile
from pydantic import BaseModel, ValidationError

from labelbandit.campaign.opening import create_campaign
from labelbandit.model.errors import BadInput, UnknownClass
from labelbandit.server import uploads
from labelbandit.server.access import Hosted, Owner
from labelbandit.server.answers import CampaignDetail
from labelbandit.server.api_campaigns import detail
from labelbandit.server.errors import PROBLEMS
from labelbandit.server.models import NewCampaign

router = APIRouter(tags=["uploads"], responses=PROBLEMS)
_SHOWN = 8


class Preview(BaseModel):
    """The beginning of a file, and what its columns seem to be."""

    columns: list[str]
    rows: list[dict[str, Any]]
    count: int
    plan: uploads.Plan
    classes: list[str]
    """Found in the gold column."""


@router.post("/uploads/preview")
def look(key: Owner, file: UploadFile) -> Preview:
    """What a CSV, JSONL or JSON file holds; nothing is kept."""
    rows = uploads.read_rows(file.file.read(), file.filename or "")
    plan = uploads.suggested(rows)
    golds = {str(row.get(plan.gold)) for row in rows if row.get(plan.gold) not in {None, ""}} if plan.gold else set()
    return Preview(
        columns=uploads.columns_of(rows),
        rows=[{name: _short(value) for name, value in row.items()} for row in rows[:_SHOWN]],
        count=len(rows),
        plan=plan,
        classes=sorted(golds) if len(golds) <= 30 else [],
    )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


@router.post("/uploads/campaign", status_code=201)
def make(
    key: Owner,
    campaigns: Hosted,
    file: UploadFile,
    campaign: Annotated[str, Form(max_length=100_000)],
    plan: Annotated[str, Form(max_length=20_000)],
) -> CampaignDetail:
    """Make a campaign of a file's rows. `campaign` and `plan` are JSON; nothing is made if anything will not do."""
    try:
        new = NewCampaign.model_validate_json(campaign)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{'.'.join(map(str, first['loc'])) or 'the campaign'} will not do: {first['msg']}") from None
    tasks, display = uploads.tasks_from(uploads.read_rows(file.file.read(), file.filename or ""), uploads.plan_from(plan))
    for task in tasks:
        if task.gold is not None and task.gold not in new.classes:
            raise UnknownClass(f"task {task.id!r} has the gold {task.gold!r}: give one of {', '.join(new.classes)}")
    made = create_campaign(campaigns.store, **new.model_dump(exclude={"display"}), owner=key.owner)
    made.add_tasks(*tasks)
    one = campaigns.opened(made.row)
    instructions = new.display.instructions if new.display is not None else ""
    one.set_display(display.model_dump() | {"instructions": instructions})
    return detail(one)

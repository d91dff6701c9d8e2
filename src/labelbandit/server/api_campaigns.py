"""Campaigns over HTTP: made, listed, amended, paused, closed."""

from fastapi import APIRouter, Response

from labelbandit.campaign.campaign import Campaign
from labelbandit.campaign.opening import create_campaign
from labelbandit.server import keys, models
from labelbandit.server.access import Found, Hosted, Owner, Requester
from labelbandit.server.answers import CampaignDetail, CampaignSummary, Done
from labelbandit.server.campaigns import OpenCampaign
from labelbandit.server.errors import PROBLEMS

router = APIRouter(tags=["campaigns"], responses=PROBLEMS)
_MICRO = 1_000_000


def detail(one: OpenCampaign) -> CampaignDetail:
    """A campaign with its terms."""
    campaign: Campaign = one.campaign
    terms, display = campaign.terms, models.Display(**one.display())
    return CampaignDetail(
        id=one.row.id,
        name=one.row.name,
        created_at=one.row.created_at,
        progress=campaign.progress(),
        classes=campaign.classes,
        policy=terms.policy,
        lease=terms.lease / _MICRO,
        presence=terms.presence / _MICRO,
        hold=terms.hold,
        min_labels=terms.least,
        max_labels=terms.most,
        settle=terms.settle,
        target=terms.target,
        display=display,
    )


@router.post("/campaigns", status_code=201)
def create(new: models.NewCampaign, key: Owner, campaigns: Hosted, response: Response) -> CampaignDetail:
    """Make a campaign."""
    given = new.model_dump(exclude={"display"})
    made = create_campaign(campaigns.store, **given, owner=key.owner)
    one = campaigns.opened(made.row)
    if new.display is not None:
        one.set_display(new.display.model_dump())
    response.headers["Location"] = f"/api/v1/campaigns/{made.row.id}"
    return detail(one)


@router.get("/campaigns")
def list_all(key: Requester, campaigns: Hosted) -> list[CampaignSummary]:
    """The campaigns that the key opens, oldest first."""
    rows = [row for row in campaigns.rows(key.owner) if key.campaign in {None, row.number}]
    return [
        CampaignSummary(id=row.id, name=row.name, created_at=row.created_at, progress=campaigns.opened(row).campaign.progress())
        for row in rows
    ]


@router.get("/campaigns/{campaign}")
def get(one: Found) -> CampaignDetail:
    """A campaign with its terms and where it stands."""
    return detail(one)


@router.patch("/campaigns/{campaign}")
def amend(changes: models.Amendment, one: Found) -> CampaignDetail:
    """Change terms, prices, caps, classes or how tasks are shown; what is left out stays, and null means no limit."""
    given = changes.model_dump(exclude_unset=True)
    display, classes = given.pop("display", None), given.pop("classes", None)
    clearable = {"max_labels", "settle", "target"}
    given = {name: value for name, value in given.items() if value is not None or name in clearable}
    if given:
        one.campaign.amend(**given)
    if classes:
        one.campaign.add_classes(*classes)
    if display is not None:
        one.set_display(display)
    return detail(one)


@router.post("/campaigns/{campaign}/pause")
def pause(one: Found) -> Done:
    """Ask nobody until it is resumed."""
    one.campaign.pause()
    return Done()


@router.post("/campaigns/{campaign}/resume")
def resume(one: Found) -> Done:
    """Go on after a pause."""
    one.campaign.resume()
    return Done()


@router.post("/campaigns/{campaign}/close")
def close(one: Found) -> Done:
    """Ask nobody any more; open assignments may be told until they are due."""
    one.campaign.close()
    return Done()


@router.post("/campaigns/{campaign}/keys", status_code=201)
def make_key(one: Found, key: Owner) -> dict[str, str]:
    """A key that opens this campaign and no other, shown this once."""
    return {"token": keys.issue(one.campaign.store, key.owner, one.row.number)}

"""`labelbandit init`: a new campaign."""

from typing import Annotated

import typer

from labelbandit.cli.numbers import number, whole
from labelbandit.cli.showing import Format, Style, remark, show
from labelbandit.cli.storage import DEFAULT, Storage


def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the campaign.")],
    *,
    classes: Annotated[str, typer.Option(help="The possible answers, separated by commas.")],
    budget: Annotated[int, typer.Option(parser=whole, help="What all labels together may cost, in the unit of prices.")],
    policy: Annotated[str, typer.Option(help="Who decides: name[:key=value,...].")] = "default",
    currency: Annotated[str | None, typer.Option(help="Of which prices are the smallest unit, such as EUR.")] = None,
    lease: Annotated[float, typer.Option(parser=number, help="Seconds a worker has for an assignment.")] = 3600,
    presence: Annotated[
        float | None, typer.Option(parser=number, help="Seconds for which someone heard of is in reach. [default: the lease]")
    ] = None,
    hold: Annotated[int, typer.Option(parser=whole, help="Open assignments a worker may have.")] = 1,
    min_labels: Annotated[int, typer.Option(parser=whole, help="Labels a task needs before it can settle.")] = 1,
    max_labels: Annotated[int | None, typer.Option(parser=whole, help="Labels a task gets at most.")] = None,
    settle: Annotated[
        float | None, typer.Option(parser=number, help="Ask no more about a task when a class is this probable.")
    ] = None,
    target: Annotated[
        float | None, typer.Option(parser=number, help="Ask no more when the estimates are expected to be right this often.")
    ] = None,
    seed: Annotated[int | None, typer.Option(parser=whole, help="The same seed and answers give the same decisions.")] = None,
    storage: Storage = DEFAULT,
    style: Style = Format.TABLE,
) -> None:
    """Open a campaign: what may be answered, what may be spent, who decides."""
    from labelbandit.campaign.opening import create_campaign

    campaign = create_campaign(
        storage,
        name,
        classes=[one.strip() for one in classes.split(",")],
        budget=budget,
        policy=policy,
        currency=currency,
        lease=lease,
        presence=presence,
        hold=hold,
        min_labels=min_labels,
        max_labels=max_labels,
        settle=settle,
        target=target,
        seed=seed,
    )
    row, terms, kinds = campaign.row, campaign.terms, campaign.classes
    campaign.store.close()
    document = {"name": row.name, "id": row.id, "classes": kinds, "budget": terms.budget, "policy": terms.policy}
    show(style, document, [])
    if style is Format.TABLE:
        remark(f"campaign {name!r} is open, with a budget of {terms.budget} and {terms.policy}; import tasks and workers next")

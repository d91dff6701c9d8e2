"""A small campaign for the tests of what people touch."""

import labelbandit as lb


def birds(storage="memory:", **terms):
    """Three tasks of two kinds, one of them gold; ann, bob and the expert eve; nobody was asked yet."""
    campaign = lb.create_campaign(storage, "birds", **{"classes": ["owl", "jay"], "budget": 100, "seed": 1} | terms)
    campaign.add_tasks(
        lb.Task("b1", "night", {"text": "hoo-hoo"}, gold="owl"), lb.Task("b2", "night", {"text": "=1+1"}), lb.Task("b3", "day")
    )
    campaign.add_workers(lb.Worker("ann", price=2), lb.Worker("bob", cap=10), lb.Worker("eve", price=5, expert=True))
    return campaign

"""The client speaks as a local campaign does: the same verbs, values and errors."""

import pytest

import labelbandit as lb
from labelbandit.model.errors import AlreadyAnswered, KeyRefused, StoreUnavailable, UnknownName
from tests.servers import make_server


@pytest.fixture
def client():
    server = make_server()
    client = lb.Client("http://testserver", server.token, transport=server.client._transport)
    yield client
    client.close()


def filled(campaign):
    campaign.add_tasks(*(lb.Task(f"t{at}", "garden", {"text": f"bird {at}"}) for at in range(5)))
    campaign.add_workers(lb.Worker("ann"), lb.Worker("bob", price=2))
    return campaign


def go_through(campaign):
    """What a caller sees of a whole campaign."""
    seen = []
    lent = campaign.ask("ann", "bob", request="first")
    seen += [lent, campaign.ask("ann", "bob", request="first"), campaign.payload(lent.task)]
    seen.append(campaign.tell(lent, "owl", lead_time=1.5, source="person"))
    alone = campaign.ask("bob")
    seen += [campaign.holding("bob"), *campaign.tell_and_ask(alone, "jay")]
    campaign.decline(campaign.holding("bob")[0])
    campaign.correct(lent.task, lent.worker, "jay")
    campaign.attach("t4", "ann", "owl") if lent.task != "t4" else None
    campaign.amend(budget=60, prices={"bob": 3})
    campaign.bar("bob")
    campaign.withdraw("t3")
    campaign.pause()
    seen += [campaign.ask("ann").reason]
    campaign.resume()
    seen += [campaign.estimates(), list(campaign.labels()), campaign.progress(), campaign.explain(lent).sentences]
    campaign.close()
    return [_timeless(one) for one in seen] + [campaign.progress().phase]


def _timeless(value):
    if isinstance(value, list):
        return [_timeless(one) for one in value]
    return (value.number, value.task, value.worker, value.price) if isinstance(value, lb.Assignment) else value


def test_a_remote_campaign_answers_as_a_local_one(client):
    terms = {"classes": ["owl", "jay"], "budget": 50, "seed": 7}
    local = filled(lb.create_campaign("memory:", "birds", **terms))
    remote = filled(client.create_campaign("birds", **terms))
    assert go_through(remote) == go_through(local)


def test_a_refusal_is_the_error_it_would_be_locally(client):
    campaign = filled(client.create_campaign("birds", classes=["owl", "jay"], budget=50))
    lent = campaign.ask("ann")
    campaign.tell(lent, "owl")
    with pytest.raises(AlreadyAnswered, match="use correct"):
        campaign.tell(lent, "jay")
    with pytest.raises(lb.UnknownClass):
        campaign.tell(campaign.ask("ann"), "crow")


def test_campaigns_are_found_by_name(client):
    client.create_campaign("birds", classes=["owl", "jay"], budget=50)
    assert client.open_campaign("birds").progress().budget == 50
    with pytest.raises(UnknownName):
        client.open_campaign("fish")


def test_a_wrong_key_is_refused():
    server = make_server()
    with lb.Client("http://testserver", "lbr_wrong", transport=server.client._transport) as client, pytest.raises(KeyRefused):
        client.campaigns()


def test_a_server_that_is_not_there_is_named_as_the_trouble():
    with lb.Client("http://127.0.0.1:9", "key") as client, pytest.raises(StoreUnavailable, match="cannot be reached"):
        client.campaigns()

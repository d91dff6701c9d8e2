"""Webhooks: signed, in order, again until taken, and going on after a restart."""

import hashlib
import hmac
import json

import httpx
import pytest

import labelbandit as lb
from labelbandit.server.courier import Courier
from labelbandit.server.webhooks import add_webhook, webhooks_of
from tests.servers import API, make_campaign, make_server

ALL = ["task.completed", "budget.reached", "campaign.closed"]


class Receiver:
    """Takes what is sent, or does not."""

    def __init__(self):
        self.got, self.status = [], 200

    def __call__(self, request):
        if self.status == 200:
            self.got.append(request)
        return httpx.Response(self.status)

    def events(self):
        return [json.loads(request.content)["event"] for request in self.got]

    def courier(self, store):
        return Courier(store, httpx.Client(transport=httpx.MockTransport(self)))


@pytest.fixture
def campaign():
    made = lb.create_campaign("memory:", "birds", classes=["owl", "jay"], budget=5, max_labels=2, seed=1)
    made.add_tasks(*(lb.Task(f"t{at}") for at in range(3)))
    made.add_workers(lb.Worker("ann"), lb.Worker("bob"))
    return made


def hook(campaign, events=ALL):
    return add_webhook(campaign.store, campaign.row.number, "http://receiver/hook", events, campaign.board.position)


def label(campaign, count):
    for _ in range(count):
        campaign.tell(campaign.ask("ann", "bob"), "owl")


def settle(campaign, task):
    campaign.attach_many([(task, "ann", "owl"), (task, "bob", "owl")])


def test_a_settled_task_the_budget_and_the_end_are_told(campaign):
    made, receiver = hook(campaign), Receiver()
    courier = receiver.courier(campaign.store)
    courier.round()
    label(campaign, 5)
    campaign.close()
    courier.round()
    assert sorted(receiver.events()) == ["budget.reached"] * 2 + ["campaign.closed"] + ["task.completed"] * 2
    assert receiver.events()[-1] == "campaign.closed"
    first = json.loads(receiver.got[0].content)
    assert (first["campaign"], first["data"]["votes"]) == (campaign.row.id, {"owl": 2, "jay": 0})
    assert webhooks_of(campaign.store, campaign.row.number)[0].position == campaign.board.position
    assert made.secret


def test_messages_are_signed(campaign):
    made, receiver = hook(campaign), Receiver()
    settle(campaign, "t0")
    receiver.courier(campaign.store).round()
    (request,) = receiver.got
    signed = request.headers["x-labelbandit-timestamp"].encode() + b"." + request.content
    wanted = "sha256=" + hmac.new(made.secret.encode(), signed, hashlib.sha256).hexdigest()
    assert request.headers["x-labelbandit-signature"] == wanted


def test_what_is_refused_is_sent_again_in_order_and_kept_over_a_restart(campaign):
    hook(campaign, ["task.completed"])
    receiver = Receiver()
    receiver.status = 500
    courier = receiver.courier(campaign.store)
    settle(campaign, "t0")
    settle(campaign, "t1")
    courier.round()
    assert webhooks_of(campaign.store, campaign.row.number)[0].failing == "answered 500"
    receiver.status = 200
    receiver.courier(campaign.store).round()  # another one, as after a restart
    assert receiver.events() == ["task.completed"] * 2
    assert webhooks_of(campaign.store, campaign.row.number)[0].failing is None


def test_a_courier_started_anew_repeats_nothing_it_delivered(campaign):
    hook(campaign)
    first, second = Receiver(), Receiver()
    settle(campaign, "t0")
    first.courier(campaign.store).round()
    settle(campaign, "t1")
    second.courier(campaign.store).round()
    ids = [request.headers["x-labelbandit-delivery"] for request in first.got + second.got]
    assert len(ids) == len(set(ids)) == 2


def test_a_receiver_that_fails_is_left_alone_for_a_while(campaign):
    hook(campaign)
    receiver = Receiver()
    receiver.status = 503
    courier = receiver.courier(campaign.store)
    label(campaign, 2)
    courier.round()
    receiver.status = 200
    courier.round()
    assert receiver.got == []  # its second try is due in a second


def test_webhooks_are_made_listed_and_removed_over_http():
    server = make_server()
    birds = make_campaign(server)
    made = server.client.post(f"{birds.path}/webhooks", json={"url": "https://example.org/x", "events": ALL}).json()
    assert len(made["secret"]) > 30
    assert [(one["url"], one["secret"]) for one in server.client.get(f"{birds.path}/webhooks").json()] == [
        ("https://example.org/x", None)
    ]
    assert server.client.delete(f"{birds.path}/webhooks/{made['id']}").status_code == 200
    assert server.client.get(f"{birds.path}/webhooks").json() == []
    assert server.client.delete(f"{birds.path}/webhooks/{made['id']}").status_code == 404
    refused = server.client.post(f"{birds.path}/webhooks", json={"url": "file:///etc/passwd", "events": ALL})
    assert refused.status_code == 422
    assert server.client.get(f"{API}/campaigns").status_code == 200

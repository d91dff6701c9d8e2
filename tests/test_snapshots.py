"""Snapshots and verified logs: a shortcut leads where the whole way leads, and a log that was tampered with is found out."""

import json

import pytest

import labelbandit as lb
from labelbandit.campaign import ledger, snapshot
from labelbandit.campaign.verify import verify
from labelbandit.policies.registry import POLICIES

COLOURS = ["red", "blue"]


def a_campaign(policy="bbta", **terms):
    campaign = lb.create_campaign("memory:", "tints", classes=COLOURS, budget=200, policy=policy, seed=3, **terms)
    campaign.add_tasks(*(lb.Task(f"t{task}", context=f"c{task % 2}") for task in range(20)))
    campaign.add_workers(*(lb.Worker(f"w{worker}") for worker in range(5)))
    return campaign


def label(campaign, count):
    for _ in range(count):
        if assignment := campaign.ask():
            campaign.tell(assignment, COLOURS[hash_of(assignment.task, assignment.worker)])


def hash_of(task, worker):
    return (int(task[1:]) * 7 + int(worker[1:]) * 3) % 5 > 2


def from_snapshot(campaign):
    snapshot.keep(campaign.store, campaign.row.number, campaign.board)
    return lb.open_campaign(campaign.store, campaign.name)


@pytest.mark.parametrize("policy", [*sorted(set(POLICIES) - {"default"}), "bbta:memory=5"])
def test_a_snapshot_leads_where_the_whole_log_leads(policy):
    campaign = a_campaign(policy)
    label(campaign, 30)
    opened = from_snapshot(campaign)
    label(opened, 10)
    whole = ledger.replay(campaign.store, campaign.row.number)
    assert ledger.digest(opened.board) == ledger.digest(whole)


def test_tasks_that_need_no_more_labels_are_kept_as_such():
    campaign = a_campaign(max_labels=2)
    campaign.withdraw("t7")
    label(campaign, 30)
    opened = from_snapshot(campaign)
    assert {task: one.closed for task, one in opened.estimates().items()} == {
        task: one.closed for task, one in campaign.estimates().items()
    }
    assert opened.progress() == campaign.progress()
    assert opened.board.mind.done.tolist() == campaign.board.mind.done.tolist()


def test_open_assignments_are_open_after_a_snapshot():
    campaign = a_campaign()
    lent = campaign.ask("w1")
    opened = from_snapshot(campaign)
    assert opened.holding("w1") == [lent]
    opened.tell(lent, "red")
    assert opened.progress().open == 0


def test_a_damaged_snapshot_is_passed_over():
    campaign = a_campaign()
    label(campaign, 20)
    position, digest, data = kept(campaign)
    campaign.store.keep_snapshot(campaign.row.number, position, digest, [data[:-9] + b"123456789"])
    opened = lb.open_campaign(campaign.store, campaign.name)
    assert ledger.digest(opened.board) == ledger.digest(campaign.board)


def kept(campaign):
    snapshot.keep(campaign.store, campaign.row.number, campaign.board)
    return campaign.store.snapshot(campaign.row.number)


@pytest.mark.parametrize("policy", ["bbta", "bbta:memory=5"])
def test_a_log_as_it_was_written_is_verified(policy):
    campaign = a_campaign(policy)
    label(campaign, 20)
    campaign.ask("w2")
    campaign.amend(policy="random")
    label(campaign, 5)
    told = verify(campaign.store, campaign.row.number)
    assert told.agrees
    assert told.decisions == 26


def test_a_log_that_was_tampered_with_is_found_out():
    campaign = a_campaign()
    label(campaign, 20)
    forged = lb.open_store("memory:")
    row = None
    for entry in campaign.store.read(campaign.row.number):
        body = json.loads(entry.body)
        if entry.kind == "task assigned" and body["number"] == 12:
            body["worker"] = (body["worker"] + 1) % 5
        changed = entry._replace(body=json.dumps(body))
        if row is None:
            row = forged.create("tints", "local", changed)
            continue
        with forged.writing(row.number) as writing:
            writing.append([changed])
    differences = verify(forged, row.number).differences
    assert differences[0].what == "worker of assignment 12"

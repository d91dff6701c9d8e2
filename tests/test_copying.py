"""Campaigns copied from one store to another."""

import pytest

import labelbandit as lb
from labelbandit.campaign.ledger import digest
from labelbandit.model.errors import Conflict, NameTaken
from labelbandit.stores import Register, copying
from labelbandit.stores.copying import copy_campaign
from tests.birds import birds


@pytest.fixture
def campaign():
    campaign = birds()
    campaign.tell(campaign.ask("ann"), "owl")
    campaign.attach("b2", "bob", "jay")
    campaign.erase_worker("bob")
    return campaign


@pytest.fixture
def target(tmp_path):
    store = lb.open_store(f"sqlite:///{tmp_path / 'copy.db'}")
    yield store
    store.close()


def test_a_copy_is_the_same_campaign_to_the_last_bit(campaign, target):
    row = copy_campaign(campaign.store, campaign.row, target)
    copied = lb.open_campaign(target, "birds")
    assert list(target.read(row.number)) == list(campaign.store.read(campaign.row.number))
    assert digest(copied.board) == digest(campaign.board)
    assert copied.payload("b1") == {"text": "hoo-hoo"}
    assert list(copied.labels()) == list(campaign.labels())
    assert copied.row.id != campaign.row.id


def test_a_copy_goes_on_by_itself(campaign, target):
    copy_campaign(campaign.store, campaign.row, target)
    copied = lb.open_campaign(target, "birds")
    assert copied.ask("ann").task == campaign.ask("ann").task
    copied.add_tasks(lb.Task("b4", "noon"))
    assert campaign.progress().tasks == 3


def test_a_campaign_can_move_from_sqlite_to_postgresql(postgres_url, tmp_path):
    campaign = birds(f"sqlite:///{tmp_path / 'birds.db'}")
    campaign.tell(campaign.ask("ann"), "owl")
    server = lb.open_store(postgres_url)
    copy_campaign(campaign.store, campaign.row, server)
    assert digest(lb.open_campaign(server, "birds").board) == digest(campaign.board)
    server.close()
    campaign.store.close()


def test_a_name_that_is_taken_is_refused(campaign, target):
    copy_campaign(campaign.store, campaign.row, target)
    with pytest.raises(NameTaken):
        copy_campaign(campaign.store, campaign.row, target)


def test_a_copy_that_was_broken_off_is_not_to_be_had_and_goes_on_later(campaign, target, monkeypatch):
    monkeypatch.setattr(copying, "_BATCH", 2)

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_campaign(campaign.store, campaign.row, target, stop)
    assert target.find("birds", "local") is None
    campaign.add_tasks(lb.Task("b4"))
    copied = []
    row = copy_campaign(campaign.store, campaign.row, target, copied.append)
    entries = list(campaign.store.read(campaign.row.number))
    assert list(target.read(row.number)) == entries
    assert sum(copied) == len(entries) - 3
    assert len(list(target.all_rows(row.number, Register.TASK))) == 4
    assert [one.name for one in target.campaigns()] == ["birds"]


def test_another_campaign_s_unfinished_copy_is_left_alone(campaign, target):
    other = birds(seed=2)
    target.create("birds (being copied)", "local", next(iter(other.store.read(other.row.number))))
    with pytest.raises(Conflict, match="never finished"):
        copy_campaign(campaign.store, campaign.row, target)

"""Several Campaign objects on one store, as several processes have them, and several threads on one."""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import labelbandit as lb
from labelbandit.model.errors import LabelbanditError, StoreFull, StoreReadOnly, StoreTooNew, StoreUnavailable
from labelbandit.policies.mind import Mind
from tests.audits import audit
from tests.campaigns import a_campaign, digest, kinds, replayed, tell_all


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def url(request, tmp_path):
    urls = {"memory": f"memory:{tmp_path}", "sqlite": f"sqlite:///{tmp_path}/store.db"}
    return urls.get(request.param) or request.getfixturevalue("postgres_url")


@pytest.fixture
def opened():
    """Stores that are closed in the end."""
    stores = []

    def open_one(url):
        stores.append(lb.open_store(url))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


def test_what_one_does_the_other_knows(url, opened):
    one = a_campaign(opened(url), tasks=6, workers=0)
    other = lb.open_campaign(opened(url), "birds")
    other.add_workers(lb.Worker("w0"), lb.Worker("w1", price=3))
    lent = one.ask("w1")
    assert other.ask("w1") == lent
    other.tell(lent, "yes", price=2)
    one.correct(lent.task, "w1", "no")
    other.add_classes("maybe")
    one.tell(one.ask("w0"), "maybe")
    other.amend(budget=50, policy="iethresh")
    one.withdraw("t5")
    other.pause()
    assert one.ask().reason == lb.Reason.PAUSED
    assert one.progress() == other.progress()
    assert one.estimates() == other.estimates()
    assert list(one.labels()) == list(other.labels())
    assert digest(one.board) == digest(other.board) == digest(lb.open_campaign(opened(url), "birds").board)


def test_two_who_decide_in_turn_decide_as_one_would(url, opened):
    alone = a_campaign(lb.open_store("memory:"), tasks=8, workers=4, contexts=2, policy="bbta")
    one = a_campaign(opened(url), tasks=8, workers=4, contexts=2, policy="bbta")
    both = one, lb.open_campaign(opened(url), "birds")
    for at in range(30):
        lent, same = both[at % 2].ask(), alone.ask()
        assert (lent.number, lent.task, lent.worker, lent.propensity) == (same.number, same.task, same.worker, same.propensity)
        both[at // 2 % 2].tell(lent, "yes" if at % 3 else "no")
        alone.tell(same, "yes" if at % 3 else "no")


def test_threads_share_a_campaign(url, opened):
    campaign = a_campaign(opened(url), tasks=30, workers=6, budget=60, policy="bbta")

    def labour(at):
        return len(tell_all(campaign, f"w{at}", most=30))

    with ThreadPoolExecutor(6) as pool:
        told = sum(pool.map(labour, range(6)))
    while campaign.progress().remaining:  # the door may have turned some away
        told += len(tell_all(campaign, most=60))
    assert told == campaign.progress().spent == 60
    assert audit(campaign).faults == []
    assert digest(campaign.board) == digest(replayed(campaign).board)


def test_of_two_with_the_same_key_one_decides(url, opened):
    one = a_campaign(opened(url))
    other = lb.open_campaign(opened(url), "birds")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda campaign: campaign.ask(request="same"), (one, other))
    assert first == second
    assert kinds(one).count("task assigned") == 1


# what can go wrong below


def test_a_full_disk_is_told_nothing_is_kept_and_work_goes_on_when_there_is_room(tmp_path):
    store = lb.open_store(f"sqlite:///{tmp_path}/store.db")
    campaign = a_campaign(store)
    state = digest(campaign.board)
    store._database._writer.run("PRAGMA max_page_count = 50")  # a disk of 200 kB
    with pytest.raises(StoreFull, match="free some disk space"):
        campaign.add_tasks(*(lb.Task(f"new {at}", payload={"text": "x" * 1000}) for at in range(1000)))
    assert digest(campaign.board) == state == digest(replayed(campaign).board)
    store._database._writer.run("PRAGMA max_page_count = 100000")
    assert len(tell_all(campaign)) == 12
    store.close()


def test_a_store_that_may_not_be_written_can_be_read(postgres_url):
    campaign = a_campaign(lb.open_store(postgres_url))
    tell_all(campaign)
    read_only = lb.open_store(postgres_url.replace("options=", "options=-cdefault_transaction_read_only%3Don%20"))
    reader = lb.open_campaign(read_only, "birds")
    assert reader.estimates() == campaign.estimates()
    with pytest.raises(StoreReadOnly, match="primary server"):
        reader.amend(budget=500)
    assert reader.progress() == campaign.progress()
    for store in (read_only, campaign.store):
        store.close()


def test_a_file_that_may_not_be_written_is_told_and_the_campaign_goes_on_when_it_may():
    script = """
import os, sys
from labelbandit import LabelbanditError, open_campaign
from labelbandit.stores import sqlite
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
try:
    open_campaign(sys.argv[1], "birds").pause()
except LabelbanditError as error:
    print(type(error).__name__, error)
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        campaign = a_campaign(lb.open_store(f"sqlite:///{file}"))
        before = kinds(campaign)
        campaign.store.close()
        file.chmod(0o444)
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", script, f"sqlite:///{file}"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        Path(folder).chmod(0o755)
        file.chmod(0o644)
        assert told.startswith(("StoreReadOnly", "StoreUnavailable"))
        assert "store.db" in told
        campaign = lb.open_campaign(f"sqlite:///{file}", "birds")
        assert kinds(campaign) == before
        assert tell_all(campaign)
        campaign.store.close()


def test_a_connection_lost_between_requests_goes_unnoticed(postgres_url, postgres_server):
    campaign = a_campaign(lb.open_store(postgres_url))
    for _ in range(3):
        postgres_server.cut_connections()
        lent = campaign.ask()
        postgres_server.cut_connections()
        campaign.tell(lent, "yes")
    assert campaign.progress().labels == 3
    campaign.store.close()


def test_a_connection_lost_midway_is_told_and_the_retry_is_harmless(postgres_url, postgres_server):
    campaign = a_campaign(lb.open_store(postgres_url))
    lent = campaign.ask()

    def broken_off(request, writing):
        label = campaign._tell(request, lent, "yes", None, None, None)
        postgres_server.cut_connections()
        return label

    with pytest.raises(StoreUnavailable):
        campaign._session.commit(broken_off, "a")
    assert campaign.progress().labels == 0
    campaign.tell(lent, "yes", request="a")
    campaign.tell(lent, "yes", request="a")
    assert campaign.progress().labels == 1
    assert digest(campaign.board) == digest(replayed(campaign).board)
    campaign.store.close()


def test_a_server_that_is_away_is_told_and_found_again(postgres_url, postgres_server):
    campaign = a_campaign(lb.open_store(postgres_url))
    lent = campaign.ask()
    postgres_server.kill()
    try:
        for request in (campaign.ask, campaign.progress, lambda: campaign.tell(lent, "yes")):
            with pytest.raises(StoreUnavailable, match="check that PostgreSQL runs"):
                request()
    finally:
        postgres_server.start()
    campaign.tell(lent, "yes")
    assert campaign.progress().labels == 1
    campaign.store.close()


def test_a_store_of_a_newer_version_is_told(tmp_path):
    url = f"sqlite:///{tmp_path}/store.db"
    campaign = a_campaign(lb.open_store(url))
    with campaign.store._database.changing() as link:
        link.run("UPDATE labelbandit SET version = 99")
    campaign.store.close()
    with pytest.raises(StoreTooNew, match="upgrade labelbandit"):
        lb.open_campaign(url, "birds")


def test_a_store_that_was_closed_is_told(tmp_path):
    campaign = a_campaign(lb.open_store(f"sqlite:///{tmp_path}/store.db"))
    campaign.store.close()
    for request in (campaign.ask, campaign.progress, campaign.estimates):
        with pytest.raises(LabelbanditError, match="closed"):
            request()


def test_who_catches_up_while_waiting_decides_on_that_and_on_what_came_after(url, opened, monkeypatch):
    one = a_campaign(opened(url), tasks=8, workers=4, policy="bbta")
    other = lb.open_campaign(opened(url), "birds")
    writing, read, met = one.store.writing, one.store.read, []

    def writing_in_a_crowd(number, waiting):
        waiting(lambda after: [met.append(entry.position) or entry for entry in read(number, after)])
        other.tell(other.ask("w1"), "no")
        return writing(number, waiting)

    monkeypatch.setattr(one.store, "writing", writing_in_a_crowd)
    other.tell(other.ask("w1"), "yes")
    one.tell(one.ask("w0"), "yes")
    assert met == [3, 4]
    monkeypatch.undo()
    assert digest(one.board) == digest(other.board) == digest(replayed(one).board)
    assert audit(one).faults == []


def test_a_rule_is_loaded_before_the_lock_is_taken(tmp_path, monkeypatch):
    campaign = a_campaign(lb.open_store(f"sqlite:///{tmp_path}/store.db"))
    loaded = []
    rehearse, writing = Mind.rehearse, campaign.store.writing
    monkeypatch.setattr(Mind, "rehearse", lambda mind: (loaded.append("rule"), rehearse(mind)))
    monkeypatch.setattr(campaign.store, "writing", lambda *given: (loaded.append("lock"), writing(*given))[1])
    campaign.ask()
    campaign.amend(policy="random")
    campaign.ask()
    campaign.ask()
    assert loaded == ["rule", "lock", "lock", "rule", "lock", "lock"]
    campaign.store.close()

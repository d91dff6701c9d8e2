"""Nothing acknowledged is lost and nothing is paid twice, whoever is killed or races; full runs in proofs_campaign.py."""

import pytest

import labelbandit as lb
from tests import campaign_crew, postgres
from tests.audits import Audit
from tests.campaigns import a_campaign, tell_all

pytestmark = pytest.mark.xdist_group("crews")  # one process forks them all


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    return f"sqlite:///{tmp_path}/store.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")


def test_what_was_acknowledged_survives_when_processes_are_killed(url):
    outcome = campaign_crew.kill_members(url, kills=4)
    assert outcome.faults == []
    assert outcome.labels >= outcome.acknowledged > 4


@pytest.mark.skipif(postgres.binaries() is None, reason=postgres.ABSENT)
def test_what_was_acknowledged_survives_when_the_server_is_killed_and_processes_go_on():
    outcome = campaign_crew.kill_server(kills=1)
    assert outcome.faults == []
    assert outcome.labels >= outcome.acknowledged > 3


def test_processes_that_race_spend_the_budget_exactly(url):
    outcome = campaign_crew.run_race(url, processes=3, labels=150)
    assert outcome.faults == []
    assert outcome.labels == 150


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path):
    url, notes = f"sqlite:///{tmp_path}/store.db", tmp_path / "notes"
    campaign = campaign_crew.open_birds(url, 3000)
    process = campaign_crew.nursery().Process(target=campaign_crew.fill_up, args=(url, notes, 600_000))
    process.start()
    process.join()
    *acknowledged, error = notes.read_text().splitlines()
    assert error in {"StoreFull", "StoreUnavailable"}
    assert len(acknowledged) > 20
    assert campaign_crew.faults(campaign, [line.split() for line in acknowledged])[1] == []
    assert campaign.ask()
    campaign.store.close()


def test_faults_are_noticed():
    campaign = a_campaign(lb.open_store("memory:"), budget=5)
    tell_all(campaign)
    entries = list(campaign.store.read(campaign.row.number))
    spoiled = Audit().read([*entries[:2], *entries[3:], entries[-1]._replace(position=len(entries))])
    assert "position 3 where 2 belongs" in spoiled.faults
    assert any("labelled twice" in fault for fault in spoiled.faults)
    _, faults = campaign_crew.faults(campaign, [("0", "t0", "w9", "yes"), ("77", "t0", "w0", "yes")])
    assert faults == ["acknowledged label 0 is lost", "acknowledged label 77 is lost"]

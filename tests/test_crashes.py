"""Nothing acknowledged is lost, whatever is killed: a few kills here, many in proofs_stores.py."""

import pytest

from tests import crashes, postgres


def test_sqlite_keeps_what_it_acknowledged_when_writers_are_killed(tmp_path):
    outcome = crashes.kill_writers(f"sqlite:///{tmp_path}/store.db", kills=6)
    assert outcome.faults == []
    assert outcome.entries > outcome.acknowledged > 6


def test_postgresql_keeps_what_it_acknowledged_when_writers_are_killed(postgres_url):
    outcome = crashes.kill_writers(postgres_url, kills=6)
    assert outcome.faults == []
    assert outcome.entries > outcome.acknowledged > 6


@pytest.mark.skipif(postgres.binaries() is None, reason=postgres.ABSENT)
def test_postgresql_keeps_what_it_acknowledged_when_the_server_is_killed_and_writers_go_on():
    outcome = crashes.kill_server(kills=2)
    assert outcome.faults == []
    assert outcome.entries > outcome.acknowledged > 4


def test_faults_in_a_log_are_noticed(tmp_path):
    url = f"sqlite:///{tmp_path}/store.db"
    campaign = crashes.new_campaign(url)
    store = crashes.open_store(url)
    with store.writing(campaign) as writing:
        half = crashes.entry_of(1, "1-1", 0, 2)
        torn = crashes.entry_of(2, "1-2", 0, 1)
        writing.append([half, torn._replace(body=torn.body.replace('", ', '0", '))])
    store.close()
    _, faults = crashes.faults(url, campaign, [(0, "first"), (1, "9-9"), (3, "1-3")])
    assert faults == [
        "entry 2 is torn",
        "group 1-1 is not whole",
        "acknowledged entry 1 is lost",
        "acknowledged entry 3 is lost",
    ]

"""What only PostgreSQL has: connections that break, and campaigns that run in parallel."""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from labelbandit.model.errors import StoreFull, StoreReadOnly, StoreUnavailable, UnknownStore
from labelbandit.stores import Register, open_store
from labelbandit.stores.postgres_link import in_our_words
from labelbandit.testing.fixtures import an_entry, append, positions


@pytest.fixture
def store(postgres_url):
    store = open_store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def campaign(store):
    return store.create("birds", "ann", an_entry(0)).number


def test_a_connection_lost_while_idle_goes_unnoticed(store, campaign, postgres_server):
    for use in (lambda: append(store, campaign, "{}"), lambda: store.rename(campaign, "wings"), store.campaigns, store.now):
        postgres_server.cut_connections()
        use()
    assert positions(store, campaign) == [0, 1]


def test_a_connection_lost_in_a_transaction_is_told_and_the_next_call_works(store, campaign, postgres_server):
    with pytest.raises(StoreUnavailable, match="broke"), store.writing(campaign) as writing:  # noqa: PT012
        postgres_server.cut_connections()
        writing.append([an_entry(1)])
    assert positions(store, campaign) == [0]
    append(store, campaign, "{}")
    assert positions(store, campaign) == [0, 1]


def test_a_server_that_is_away_is_told_and_found_again_when_it_is_back(store, campaign, postgres_server):
    postgres_server.kill()
    try:
        with pytest.raises(StoreUnavailable, match="check that PostgreSQL runs"):
            store.campaigns()
    finally:
        postgres_server.start()
    append(store, campaign, "{}")
    assert positions(store, campaign) == [0, 1]


def test_different_campaigns_do_not_wait_for_each_other(store, campaign):
    other = store.create("fish", "ann", an_entry(0)).number
    with store.writing(campaign) as writing, ThreadPoolExecutor(1) as pool:
        pool.submit(append, store, other, "{}").result(10)
        writing.append([an_entry(1)])
    assert positions(store, other) == [0, 1]


def test_a_snapshot_does_not_wait_for_a_writer(store, campaign):
    with store.writing(campaign), ThreadPoolExecutor(1) as pool:
        pool.submit(store.keep_snapshot, campaign, 0, "abc", [b"state"]).result(10)
    assert store.snapshot(campaign) == (0, "abc", b"state")


def test_the_time_of_a_writer_who_waited_is_taken_when_its_turn_comes(store, campaign):
    waiting, times = threading.Event(), []

    def second():
        waiting.set()
        with store.writing(campaign) as writing:
            times.append(writing.now)

    with ThreadPoolExecutor(1) as pool:
        with store.writing(campaign):
            late = pool.submit(second)
            waiting.wait(10)
            threading.Event().wait(0.2)
            released = store.now()
        late.result(10)
    assert times[0] >= released


def test_a_writer_sees_what_others_wrote_since(store, campaign, postgres_url):
    other = open_store(postgres_url)
    append(store, campaign, "ours")
    append(other, campaign, "theirs", "theirs too")
    with store.writing(campaign) as writing:
        assert [entry.body for entry in writing.read(1)] == ["theirs", "theirs too"]
        assert [entry.position for entry in writing.read(-1)] == [0, 1, 2, 3]
        writing.append([an_entry(4)])
        assert [entry.position for entry in writing.read(2)] == [3, 4]
    other.close()


def test_a_log_that_was_set_back_is_read_as_it_is(store, campaign, postgres_url):
    append(store, campaign, "a", "b")
    with psycopg.connect(postgres_url, autocommit=True) as restored:
        restored.execute("DELETE FROM entries WHERE position > 0")
    append(store, campaign, "c")
    assert [entry.body for entry in store.read(campaign, after=0)] == ["c"]


def test_commits_are_synchronous_even_if_the_server_says_otherwise(postgres_url):
    lax = open_store(postgres_url.replace("options=", "options=-csynchronous_commit%3Doff%20"))
    assert lax._database.ask("SHOW synchronous_commit") == [("on",)]
    lax.close()


def test_many_entries_at_once_are_kept_whole(store, campaign):
    bodies = [f'"{"ä%s?" * 500}\\n\\t{number}"' for number in range(200)]
    append(store, campaign, *bodies)
    append(store, campaign, "'%s ? \\ %(x)s", "$1")
    assert [entry.body for entry in store.read(campaign, after=0)] == [*bodies, "'%s ? \\ %(x)s", "$1"]


def test_addresses_that_lead_nowhere_are_told_without_their_password(postgres_url):
    missing = postgres_url.replace("@/postgres?", ":secret@/nowhere?")
    with pytest.raises(StoreUnavailable, match='database "nowhere" does not exist') as told:
        open_store(missing)
    assert "secret" not in str(told.value)
    with pytest.raises(UnknownStore, match="no address"):
        open_store("postgresql://[bad")


def test_a_database_in_another_encoding_is_refused(postgres_server):
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(UnknownStore, match="LATIN1"):
        open_store(postgres_server.url().replace("/postgres?", "/latin?"))


def test_a_store_we_may_not_write_is_told(postgres_url):
    open_store(postgres_url).close()
    read_only = open_store(postgres_url.replace("options=", "options=-cdefault_transaction_read_only%3Don%20"))
    with pytest.raises(StoreReadOnly, match="primary server"):
        read_only.create("birds", "ann", an_entry(0))
    assert read_only.campaigns() == []
    read_only.close()


def test_a_full_disk_of_the_server_is_told():
    assert isinstance(in_our_words(psycopg.errors.DiskFull("no space left on device"), "postgresql://host/db"), StoreFull)


def test_threads_that_write_one_campaign_share_a_connection(store, campaign):
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: append(store, campaign, "{}"), range(24)))
    assert positions(store, campaign) == list(range(25))
    assert len(store._database._idle) == 1


def test_one_of_many_new_names_is_found_without_going_through_all_of_them(store, campaign):
    with store.writing(campaign) as writing:
        writing.enter(Register.TASK, 0, [(f"t{number}", None) for number in range(5000)])
        writing.append([an_entry(1)])
    plan = store._database.ask(
        "EXPLAIN SELECT id FROM registered WHERE campaign = ? AND register = 'task' AND number = ANY(?)", campaign, [77]
    )
    assert any("Index Cond" in line and "number = ANY" in line for (line,) in plan), plan

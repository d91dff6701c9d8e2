"""The antechamber of a campaign on PostgreSQL: the next in line catches up there, and nobody can stay in it."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from labelbandit.model.errors import StoreUnavailable
from labelbandit.stores import open_store
from labelbandit.testing.fixtures import an_entry, append, positions

SOON = 20


def in_a_crowd(store, url, campaign):
    """Let the store notice that others write, too: five entries, the last of them its own."""
    other = open_store(url)
    append(store, campaign, "ours")
    append(other, campaign, *["theirs"] * 3)
    append(store, campaign, "ours")
    other.close()


@pytest.fixture
def store(postgres_url):
    store = open_store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def other(postgres_url):
    store = open_store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def campaign(store, postgres_url):
    number = store.create("birds", "ann", an_entry(0)).number
    in_a_crowd(store, postgres_url, number)
    return number


def held(store):
    """How many antechambers are taken."""
    return store._database.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")[0][0]


def test_in_a_crowd_what_others_wrote_is_read_before_the_lock_is_free(store, other, campaign):
    append(other, campaign, "before")
    read_ahead, inside, met = threading.Event(), [], []

    def follow(read):
        met.extend(entry.body for entry in read(5))
        read_ahead.set()

    def write():
        with store.writing(campaign, follow) as writing:
            inside.extend(entry.body for entry in writing.read(6))
            assert [entry.position for entry in writing.read(-1)] == list(range(8))
            writing.append([an_entry(8)])

    with ThreadPoolExecutor(1) as pool:
        with other.writing(campaign) as writing:
            done = pool.submit(write)
            assert read_ahead.wait(SOON)
            assert inside == []
            writing.append([an_entry(7, "meanwhile")])
        done.result(SOON)
    assert (met, inside) == (["before"], ["meanwhile"])
    assert positions(store, campaign) == list(range(9))


def test_the_next_may_enter_as_soon_as_the_lock_is_taken(store, campaign):
    with store.writing(campaign, lambda read: None):
        assert held(store) == 0


def test_whoever_lacks_more_than_this_process_saw_last_reads_that_as_well(store, campaign):
    met = []
    with store.writing(campaign, lambda read: met.extend(entry.position for entry in read(-1))):
        pass
    assert met == list(range(6))


def test_one_who_writes_alone_is_not_sent_there(store, campaign):
    append(store, campaign, "ours")
    with store.writing(campaign, lambda read: pytest.fail("nobody else is there")) as writing:
        writing.append([an_entry(7)])
    assert positions(store, campaign) == list(range(8))


def test_an_error_while_waiting_changes_nothing_and_leaves_nobody_inside(store, campaign):
    def fail(read):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), store.writing(campaign, fail):
        pass
    assert held(store) == 0
    append(store, campaign, "{}")
    assert positions(store, campaign) == list(range(7))


def test_an_error_in_the_block_leaves_nobody_inside(store, campaign):
    with pytest.raises(ZeroDivisionError), store.writing(campaign, lambda read: None):
        raise ZeroDivisionError
    assert held(store) == 0


def test_a_connection_lost_while_waiting_leaves_nobody_inside(store, campaign, postgres_server):
    with (
        pytest.raises(StoreUnavailable, match="broke"),
        store.writing(campaign, lambda read: postgres_server.cut_connections()) as writing,
    ):
        writing.append([an_entry(6)])
    assert held(store) == 0
    assert positions(store, campaign) == list(range(6))


def stay_inside(url, campaign, inside):
    store = open_store(url)
    in_a_crowd(store, url, campaign)

    def stay(read):
        inside.set()
        threading.Event().wait()

    with store.writing(campaign, stay):
        pass


def test_a_process_killed_in_the_antechamber_holds_nobody_up(store, campaign, postgres_url):
    context = multiprocessing.get_context("spawn")
    inside, follows = context.Event(), threading.Event()
    process = context.Process(target=stay_inside, args=(postgres_url, campaign, inside))
    process.start()
    try:
        assert inside.wait(60)
        with ThreadPoolExecutor(1) as pool:

            def write():
                with store.writing(campaign, lambda read: follows.set()) as writing:
                    writing.append([an_entry(writing.read(-1)[-1].position + 1)])

            append(store, campaign, "those who do not ask to catch up need not pass")
            in_a_crowd(store, postgres_url, campaign)
            done = pool.submit(write)
            assert not follows.wait(0.3)
            process.kill()
            done.result(SOON)
    finally:
        process.kill()
        process.join()
    assert follows.is_set()
    assert positions(store, campaign) == list(range(18))

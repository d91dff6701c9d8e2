"""The antechamber of a campaign on PostgreSQL: the next in line catches up there, and nobody can stay in it."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from labelbandit.model.errors import StoreUnavailable
from labelbandit.stores import open_store
from labelbandit.stores.postgres_queue import _MOMENTS
from labelbandit.testing.fixtures import an_entry, append, positions

SOON = 20


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
def campaign(store):
    """A campaign whose log the store has seen to its end, at position 1."""
    number = store.create("birds", "ann", an_entry(0)).number
    append(store, number, "ours")
    return number


def held(store):
    """How many antechambers are taken."""
    return store._database.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")[0][0]


def write_next(store, campaign, waiting):
    """Append an entry behind whatever is there."""
    with store.writing(campaign, waiting) as writing:
        writing.append([an_entry(writing.read(-1)[-1].position + 1)])


@contextmanager
def waiting_for(other, campaign, wait):
    """Another writes while this one waits; the block is what that other does meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        with other.writing(campaign) as writing:
            done = pool.submit(wait)
            yield writing
        done.result(SOON)


def test_what_others_wrote_is_read_before_the_lock_is_free(store, other, campaign):
    append(other, campaign, "before")
    read_ahead, inside, met = threading.Event(), [], []

    def follow(read):
        met.append([entry.body for entry in read(1)])
        read_ahead.set()

    def write():
        with store.writing(campaign, follow) as writing:
            inside.extend(entry.body for entry in writing.read(2))
            assert [entry.position for entry in writing.read(-1)] == list(range(4))
            writing.append([an_entry(4)])

    with waiting_for(other, campaign, write) as writing:
        assert read_ahead.wait(SOON)
        assert inside == []
        writing.append([an_entry(3, "meanwhile")])
    assert (met[0], inside) == (["before"], ["meanwhile"])
    assert positions(store, campaign) == list(range(5))


def test_as_long_as_somebody_writes_the_next_in_line_follows_but_not_for_ever(store, other, campaign):
    waited, rounds = threading.Event(), []

    def follow(read):
        rounds.append(read(-1)[-1].position)
        waited.set()

    with ThreadPoolExecutor(1) as pool:
        with other.writing(campaign):
            done = pool.submit(write_next, store, campaign, follow)
            assert waited.wait(SOON)
        while not done.done():  # hardly a moment without an entry: to be let in, the next must insist
            append(other, campaign, "again")
        done.result(SOON)
    assert rounds == sorted(rounds)
    assert 1 <= len(rounds) <= 1 + _MOMENTS
    assert positions(store, campaign) == list(range(len(positions(store, campaign))))


def test_one_who_finds_the_campaign_free_is_not_sent_there(store, other, campaign):
    append(other, campaign, *["theirs"] * 5)
    write_next(store, campaign, lambda read: pytest.fail("nobody writes"))
    assert positions(store, campaign) == list(range(8))


def test_whoever_lacks_more_than_this_process_saw_last_reads_that_as_well(store, other, campaign):
    met, read_ahead = [], threading.Event()

    def follow(read):
        met.append([entry.position for entry in read(-1)])
        read_ahead.set()

    with waiting_for(other, campaign, lambda: write_next(store, campaign, follow)):
        assert read_ahead.wait(SOON)
    assert met[0] == [0, 1]


def test_who_has_written_has_left(store, other, campaign):
    read_ahead = threading.Event()
    with waiting_for(other, campaign, lambda: write_next(store, campaign, lambda read: read_ahead.set())):
        assert read_ahead.wait(SOON)
    assert held(store) == 0


def test_an_error_while_waiting_changes_nothing_and_leaves_nobody_inside(store, other, campaign):
    waited = threading.Event()

    def fail(read):
        waited.set()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), waiting_for(other, campaign, lambda: write_next(store, campaign, fail)):
        assert waited.wait(SOON)
    assert held(store) == 0
    append(store, campaign, "{}")
    assert positions(store, campaign) == list(range(3))


def test_an_error_in_the_block_leaves_nobody_inside(store, other, campaign):
    read_ahead = threading.Event()

    def fail():
        with store.writing(campaign, lambda read: read_ahead.set()):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), waiting_for(other, campaign, fail):
        assert read_ahead.wait(SOON)
    assert held(store) == 0


def test_who_loses_the_connection_while_waiting_connects_again_and_leaves_nobody_in(store, other, campaign, postgres_server):
    cut = threading.Event()

    def cut_once(read):
        if not cut.is_set():
            postgres_server.cut_connections()
            cut.set()

    with (
        pytest.raises(StoreUnavailable, match="broke"),  # the other's connection was cut, too
        waiting_for(other, campaign, lambda: write_next(store, campaign, cut_once)),
    ):
        assert cut.wait(SOON)
    assert held(store) == 0
    assert positions(store, campaign) == list(range(3))


def stay_inside(url, campaign, inside):
    def stay(read):
        inside.set()
        threading.Event().wait()

    write_next(open_store(url), campaign, stay)


def test_a_process_killed_in_the_antechamber_holds_nobody_up(store, other, campaign, postgres_url):
    context = multiprocessing.get_context("spawn")
    inside, follows = context.Event(), threading.Event()
    process = context.Process(target=stay_inside, args=(postgres_url, campaign, inside))
    with ThreadPoolExecutor(1) as pool:
        try:
            with other.writing(campaign):
                process.start()
                assert inside.wait(60)
                done = pool.submit(write_next, store, campaign, lambda read: follows.set())
                assert not follows.wait(0.3)
                process.kill()
                assert follows.wait(SOON)
            done.result(SOON)
        finally:
            process.kill()
            process.join()
    assert positions(store, campaign) == list(range(3))

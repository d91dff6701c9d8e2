"""The suite for many writers at a time, in threads and in processes."""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from labelbandit.model.errors import AlreadyThere, NameTaken
from labelbandit.stores import Register, Store
from labelbandit.stores.contract import Reading
from labelbandit.testing.fixtures import FreshStore, an_entry, positions

TOGETHER = 60.0
"""Seconds after which something hangs."""


def append_in_turn(store: Store, campaign: int, who: str, times: int) -> None:
    """Append entries as a campaign does: read what is new, some of it while waiting, then write behind it."""
    seen = -1

    def follow(read: Reading) -> None:
        nonlocal seen
        new = [entry.position for entry in read(seen)]
        assert new == list(range(seen + 1, seen + 1 + len(new)))
        seen += len(new)

    for _ in range(times):
        with store.writing(campaign, follow) as writing:
            follow(writing.read)
            seen += 1
            writing.append([an_entry(seen, who)])


def append_from_a_process(opener: Callable[..., Store], url: str, campaigns: list[int], who: str, times: int) -> None:
    """What a process of the suite does."""
    store = opener(url, create=False)
    for campaign in campaigns:
        append_in_turn(store, campaign, who, times)
    store.close()


class RacesContract(FreshStore):
    """Writers and readers at the same time."""

    def test_threads_that_write_one_log_all_get_their_turn(self, store: Store, campaign: int) -> None:
        with ThreadPoolExecutor(8) as pool:
            runs = [pool.submit(append_in_turn, store, campaign, f"thread {who}", 20) for who in range(8)]
            for run in runs:
                run.result(TOGETHER)
        assert positions(store, campaign) == list(range(161))
        bodies = [entry.body for entry in store.read(campaign, after=0)]
        assert all(bodies.count(f"thread {who}") == 20 for who in range(8))

    def test_processes_that_write_one_log_all_get_their_turn(self, store: Store, campaign: int, store_url: str) -> None:
        if not self.across_processes:
            pytest.skip("this store belongs to one process")
        other = store.create("fish", "ann", an_entry(0)).number
        context = multiprocessing.get_context("spawn")
        writers = [
            context.Process(
                target=append_from_a_process, args=(self.opener, store_url, [campaign, other], f"process {who}", 40)
            )
            for who in range(3)
        ]
        for writer in writers:
            writer.start()
        append_in_turn(store, campaign, "parent", 40)
        for writer in writers:
            writer.join(TOGETHER)
        assert [writer.exitcode for writer in writers] == [0, 0, 0]
        assert positions(store, campaign) == list(range(161))
        assert positions(store, other) == list(range(121))

    def test_a_reader_never_meets_a_gap_while_others_write(self, store: Store, campaign: int) -> None:
        with ThreadPoolExecutor(2) as pool:
            writer = pool.submit(append_in_turn, store, campaign, "x" * 50_000, 60)
            ends = []
            while not writer.done():
                read = positions(store, campaign)
                assert read == list(range(len(read)))
                ends.append(len(read))
            writer.result(TOGETHER)
        assert ends == sorted(ends)
        assert positions(store, campaign) == list(range(61))

    def test_one_stream_has_no_gap_while_others_write(self, store: Store, campaign: int) -> None:
        append_in_turn(store, campaign, "{}", 30)
        stream = store.read(campaign)
        first = next(stream).position
        append_in_turn(store, campaign, "{}", 5)
        rest = [entry.position for entry in stream]
        assert [first, *rest] == list(range(len(rest) + 1))
        assert len(rest) >= 30

    def test_a_writer_waits_for_the_one_before(self, store: Store, campaign: int) -> None:
        entered, order = threading.Event(), []

        def second() -> None:
            entered.set()
            with store.writing(campaign) as writing:
                order.append(f"second sees {writing.read(-1)[-1].position}")

        with ThreadPoolExecutor(1) as pool, store.writing(campaign) as writing:
            waiting = pool.submit(second)
            assert entered.wait(TOGETHER)
            order.append("first")
            writing.append([an_entry(1)])
        waiting.result(TOGETHER)
        assert order == ["first", "second sees 1"]

    def test_of_those_who_take_a_name_at_once_one_gets_it(self, store: Store) -> None:
        def take(_: int) -> bool:
            try:
                store.create("wanted", "ann", an_entry(0))
            except NameTaken:
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            assert sum(pool.map(take, range(6))) == 1
        assert len(store.campaigns()) == 1

    def test_of_those_who_enrol_under_one_id_at_once_one_succeeds(self, store: Store, campaign: int) -> None:
        def enrol(_: int) -> bool:
            try:
                with store.writing(campaign) as writing:
                    last = writing.read(-1)[-1].position
                    writing.enter(Register.WORKER, last, [("ann", None)])
                    writing.append([an_entry(last + 1)])
            except AlreadyThere:
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            assert sum(pool.map(enrol, range(6))) == 1
        assert positions(store, campaign) == [0, 1]

    def test_of_snapshots_kept_at_once_one_is_there_and_whole(self, store: Store, campaign: int) -> None:
        def keep(who: int) -> None:
            for position in range(5):
                store.keep_snapshot(campaign, position, f"{who}", [bytes([who]) * 1000] * 3)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(keep, range(4)))
        kept = store.snapshot(campaign)
        assert kept is not None
        assert kept[2] == bytes([int(kept[1])]) * 3000

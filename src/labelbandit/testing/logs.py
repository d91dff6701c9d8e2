"""The suite for logs: what is written is there, whole, in order, or not at all."""

import pytest

from labelbandit.model.errors import BadInput, Conflict, StoreError, StoreUnavailable
from labelbandit.stores import Register, Store
from labelbandit.testing.fixtures import FreshStore, an_entry, append, positions


class LogContract(FreshStore):
    """Logs and the transactions that write them."""

    def test_a_new_log_has_its_first_entry(self, store: Store, campaign: int) -> None:
        assert list(store.read(campaign)) == [an_entry(0)]

    def test_entries_come_back_as_they_were_written(self, store: Store, campaign: int) -> None:
        entries = [an_entry(1, '{"a": 1}'), an_entry(2)._replace(at=2**53 + 1, kind="größer → 漢字 🦉", version=7)]
        with store.writing(campaign) as writing:
            writing.append(entries)
        assert list(store.read(campaign, after=0)) == entries

    def test_reading_starts_after_a_position(self, store: Store, campaign: int) -> None:
        append(store, campaign, "{}", "{}", "{}")
        assert [entry.position for entry in store.read(campaign, after=1)] == [2, 3]
        assert list(store.read(campaign, after=3)) == []

    def test_a_writer_reads_the_log_and_what_it_appended_itself(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            assert [entry.position for entry in writing.read(-1)] == [0]
            assert writing.read(0) == []
            writing.append([an_entry(1)])
            writing.append([an_entry(2)])
            assert [entry.position for entry in writing.read(0)] == [1, 2]

    def test_nothing_is_left_of_a_block_that_raises(self, store: Store, campaign: int) -> None:
        with pytest.raises(ZeroDivisionError), store.writing(campaign) as writing:  # noqa: PT012 - the block is the test
            writing.append([an_entry(1)])
            writing.enter(Register.TASK, 0, [("t0", "{}")])
            writing.remember("r1", "{}")
            raise ZeroDivisionError
        assert positions(store, campaign) == [0]
        assert store.rows(campaign, Register.TASK, [0]) == {}
        assert store.numbers(campaign, Register.TASK, ["t0"]) == {}
        assert store.outcome(campaign, "r1") is None
        append(store, campaign, "{}")
        assert positions(store, campaign) == [0, 1]

    def test_nobody_sees_what_is_not_committed(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.append([an_entry(1)])
            writing.enter(Register.TASK, 0, [("t0", None)])
            assert positions(store, campaign) == [0]
            assert store.numbers(campaign, Register.TASK, ["t0"]) == {}
        assert positions(store, campaign) == [0, 1]

    @pytest.mark.parametrize("wrong", [[0], [2], [1, 1], [1, 3], [-1]])
    def test_a_position_that_is_taken_or_leaves_a_gap_is_a_conflict(
        self, store: Store, campaign: int, wrong: list[int]
    ) -> None:
        with pytest.raises(Conflict), store.writing(campaign) as writing:
            writing.append([an_entry(position) for position in wrong])
        assert positions(store, campaign) == [0]

    def test_an_error_that_was_caught_spoils_the_block_all_the_same(self, store: Store, campaign: int) -> None:
        with pytest.raises(Conflict), store.writing(campaign) as writing:  # noqa: PT012 - the block is the test
            writing.append([an_entry(1)])
            with pytest.raises(Conflict):
                writing.append([an_entry(1)])
        assert positions(store, campaign) == [0]

    def test_an_empty_block_changes_nothing(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.append([])
            writing.enter(Register.NOTE, 0, [])
        assert positions(store, campaign) == [0]

    def test_a_body_may_be_large(self, store: Store, campaign: int) -> None:
        bodies = ['{"x": "' + letter * 3_000_000 + '"}' for letter in "aß"]
        append(store, campaign, *bodies)
        assert [entry.body for entry in store.read(campaign, after=0)] == bodies

    def test_text_that_not_every_store_can_keep_is_refused(self, store: Store, campaign: int) -> None:
        for text in ("a\0b", "\ud800"):
            with pytest.raises(BadInput), store.writing(campaign) as writing:
                writing.append([an_entry(1, text)])
            with pytest.raises(BadInput), store.writing(campaign) as writing:
                writing.enter(Register.WORKER, 0, [(text, None)])
            with pytest.raises(BadInput):
                store.create(text, "ann", an_entry(0))
        assert positions(store, campaign) == [0]

    def test_a_campaign_nobody_made_is_refused(self, store: Store, campaign: int) -> None:
        with pytest.raises(StoreError), store.writing(campaign + 1):
            pass
        with pytest.raises(StoreError):
            store.rename(campaign + 1, "x")

    def test_logs_are_apart(self, store: Store, campaign: int) -> None:
        other = store.create("fish", "ann", an_entry(0)).number
        append(store, campaign, '{"of": "birds"}')
        append(store, other, '{"of": "fish"}')
        assert [entry.body for entry in store.read(other, after=0)] == ['{"of": "fish"}']

    def test_what_was_written_is_there_when_opened_again(self, store: Store, campaign: int, store_url: str) -> None:
        if not self.across_processes:
            pytest.skip("this store ends with its process")
        append(store, campaign, '{"kept": true}')
        store.close()
        again = self.opener(store_url, create=False)
        assert [entry.body for entry in again.read(campaign)] == ["{}", '{"kept": true}']
        again.close()

    def test_a_closed_store_says_so(self, store: Store, campaign: int) -> None:
        store.close()
        with pytest.raises(StoreUnavailable, match="open it again"):
            store.campaigns()
        with pytest.raises(StoreUnavailable, match="open it again"), store.writing(campaign):
            pass

    def test_time_goes_on(self, store: Store, campaign: int) -> None:
        before = store.now()
        with store.writing(campaign) as writing:
            assert before <= writing.now <= store.now()
        assert 1_500_000_000_000_000 < before < 10_000_000_000_000_000

    def test_time_is_never_before_the_last_entry(self, store: Store, campaign: int) -> None:
        ahead = store.now() + 3_600_000_000
        with store.writing(campaign) as writing:
            writing.append([an_entry(1)._replace(at=ahead)])
        with store.writing(campaign) as writing:
            assert writing.now == ahead

    def test_a_clock_that_is_given_is_used(self, store_url: str) -> None:
        store = self.opener(store_url, clock=lambda: 42_000_000)
        campaign = store.create("birds", "ann", an_entry(0)).number
        with store.writing(campaign) as writing:
            assert (store.now(), writing.now) == (42_000_000, 42_000_000)
        store.close()

    def test_a_request_is_remembered_with_its_outcome(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            assert writing.outcome("r1") is None
            writing.remember("r1", '{"task": "ü"}')
            assert writing.outcome("r1") == '{"task": "ü"}'
        assert store.outcome(campaign, "r1") == '{"task": "ü"}'
        assert store.outcome(campaign, "r2") is None

    def test_a_request_is_not_remembered_twice(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.remember("r1", "1")
        with pytest.raises(Conflict), store.writing(campaign) as writing:  # noqa: PT012 - the block is the test
            writing.append([an_entry(1)])
            writing.remember("r1", "2")
        assert store.outcome(campaign, "r1") == "1"
        assert positions(store, campaign) == [0]

    def test_requests_of_different_campaigns_are_apart(self, store: Store, campaign: int) -> None:
        other = store.create("fish", "ann", an_entry(0)).number
        for number in (campaign, other):
            with store.writing(number) as writing:
                writing.remember("r1", str(number))
        assert store.outcome(other, "r1") == str(other)

"""The suite for what stands beside the logs: campaigns, ids and details, snapshots, keys."""

from collections.abc import Iterator

import pytest

from labelbandit.model.errors import AlreadyThere, Conflict, NameTaken, StoreError
from labelbandit.stores import Key, Register, Store
from labelbandit.testing.fixtures import FreshStore, an_entry, positions


class CampaignsContract(FreshStore):
    """Campaigns by name and owner."""

    def test_a_campaign_is_found_by_its_name_and_owner(self, store: Store) -> None:
        row = store.create("Vögel", "ann", an_entry(0))
        assert store.find("Vögel", "ann") == row
        assert (row.name, row.owner, row.created_at, len(row.id)) == ("Vögel", "ann", an_entry(0).at, 32)
        assert store.find("Vögel", "bob") is None
        assert store.find("birds", "ann") is None

    def test_names_are_unique_for_their_owner_only(self, store: Store, campaign: int) -> None:
        with pytest.raises(NameTaken, match="birds"):
            store.create("birds", "ann", an_entry(0))
        of_bob = store.create("birds", "bob", an_entry(0))
        assert [row.owner for row in store.campaigns()] == ["ann", "bob"]
        assert store.campaigns("bob") == [of_bob]
        assert store.campaigns("eve") == []
        assert of_bob.number != campaign

    def test_a_campaign_that_was_refused_leaves_nothing(self, store: Store, campaign: int) -> None:
        with pytest.raises(NameTaken):
            store.create("birds", "ann", an_entry(0))
        with pytest.raises(Conflict):
            store.create("fish", "ann", an_entry(1))
        assert [row.number for row in store.campaigns()] == [campaign]

    def test_renaming_keeps_id_and_log(self, store: Store, campaign: int) -> None:
        before = store.find("birds", "ann")
        assert before is not None
        store.rename(campaign, "wings")
        assert store.find("wings", "ann") == before._replace(name="wings")
        assert store.find("birds", "ann") is None
        store.rename(campaign, "wings")
        assert positions(store, campaign) == [0]

    def test_renaming_to_a_name_in_use_is_refused(self, store: Store, campaign: int) -> None:
        store.create("fish", "ann", an_entry(0))
        with pytest.raises(NameTaken, match="fish"):
            store.rename(campaign, "fish")
        assert store.find("birds", "ann") is not None


class RegistersContract(FreshStore):
    """What the numbers in a log stand for."""

    def test_ids_and_details_are_found_by_number_and_numbers_by_id(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.enter(Register.TASK, 0, [("ä", '{"text": "🦉"}'), ("b", None), (None, "{}")])
        assert store.rows(campaign, Register.TASK, [2, 0, 9]) == {0: ("ä", '{"text": "🦉"}'), 2: (None, "{}")}
        assert store.numbers(campaign, Register.TASK, ["b", "ä", "z"]) == {"ä": 0, "b": 1}
        assert store.rows(campaign, Register.TASK, []) == {}
        assert store.numbers(campaign, Register.TASK, []) == {}
        assert list(store.all_rows(campaign, Register.TASK, after=0)) == [(1, "b", None), (2, None, "{}")]

    def test_registers_and_campaigns_are_apart(self, store: Store, campaign: int) -> None:
        other = store.create("fish", "ann", an_entry(0)).number
        for number in (campaign, other):
            with store.writing(number) as writing:
                for register in Register:
                    writing.enter(register, 0, [("same", f'"{register} {number}"')])
        for register in Register:
            assert store.rows(other, register, [0]) == {0: ("same", f'"{register} {other}"')}

    @pytest.mark.parametrize("again", [["b", "a"], ["b", "b"]])
    def test_an_id_that_is_taken_is_named_and_nothing_is_entered(self, store: Store, campaign: int, again: list[str]) -> None:
        with store.writing(campaign) as writing:
            writing.enter(Register.WORKER, 0, [("a", None)])
        with pytest.raises(AlreadyThere, match=f"worker '{again[-1]}'"), store.writing(campaign) as writing:  # noqa: PT012
            writing.append([an_entry(1)])
            writing.enter(Register.WORKER, 1, [(id_, None) for id_ in again])
        assert list(store.all_rows(campaign, Register.WORKER)) == [(0, "a", None)]
        assert positions(store, campaign) == [0]

    def test_an_awkward_id_is_named_too(self, store: Store, campaign: int) -> None:
        awkward = "a), (b, \"c\" 'd' é"
        with pytest.raises(AlreadyThere) as told, store.writing(campaign) as writing:
            writing.enter(Register.TASK, 0, [(awkward, None), (awkward, None)])
        assert repr(awkward) in str(told.value)

    def test_a_number_that_is_taken_is_a_conflict(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.enter(Register.TASK, 0, [("a", None)])
        with pytest.raises(Conflict, match="task number 0"), store.writing(campaign) as writing:
            writing.enter(Register.TASK, 0, [("b", None)])

    def test_details_are_amended(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.enter(Register.WORKER, 0, [("a", '{"name": "Ann"}'), ("b", "{}")])
        store.amend_row(campaign, Register.WORKER, 0, '{"name": "Anna"}')
        assert store.rows(campaign, Register.WORKER, [0, 1]) == {0: ("a", '{"name": "Anna"}'), 1: ("b", "{}")}
        with pytest.raises(StoreError, match="no worker number 5"):
            store.amend_row(campaign, Register.WORKER, 5, "{}")

    def test_erasing_leaves_a_tombstone_and_the_log(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.enter(Register.WORKER, 0, [("a", '{"name": "Ann"}'), ("b", "{}")])
        log = list(store.read(campaign))
        store.erase(campaign, Register.WORKER, 0)
        assert store.rows(campaign, Register.WORKER, [0, 1]) == {0: (None, None), 1: ("b", "{}")}
        assert store.numbers(campaign, Register.WORKER, ["a"]) == {}
        assert list(store.read(campaign)) == log
        with pytest.raises(StoreError, match="no worker number 5"):
            store.erase(campaign, Register.WORKER, 5)

    def test_the_id_of_an_erased_row_may_be_given_again_but_not_its_number(self, store: Store, campaign: int) -> None:
        with store.writing(campaign) as writing:
            writing.enter(Register.WORKER, 0, [("a", None)])
        store.erase(campaign, Register.WORKER, 0)
        with pytest.raises(Conflict), store.writing(campaign) as writing:
            writing.enter(Register.WORKER, 0, [("a", None)])
        with store.writing(campaign) as writing:
            writing.enter(Register.WORKER, 1, [("a", None)])
        assert store.numbers(campaign, Register.WORKER, ["a"]) == {"a": 1}

    def test_many_rows_are_entered_and_streamed_in_order(self, store: Store, campaign: int) -> None:
        wanted = [(number, f"id {number * 7919 % 20_011}", "x" * (number % 50)) for number in range(20_000)]
        with store.writing(campaign) as writing:
            writing.enter(Register.TASK, 0, ((id_, details) for _, id_, details in wanted))
        assert list(store.all_rows(campaign, Register.TASK)) == wanted
        assert len(store.numbers(campaign, Register.TASK, [id_ for _, id_, _ in wanted])) == 20_000
        assert len(store.rows(campaign, Register.TASK, range(20_000))) == 20_000


class SnapshotsContract(FreshStore):
    """States that are kept to open faster."""

    def test_a_snapshot_replaces_the_former(self, store: Store, campaign: int) -> None:
        assert store.snapshot(campaign) is None
        store.keep_snapshot(campaign, 3, "abc", [b"\0\xff", b"", b"rest"])
        assert store.snapshot(campaign) == (3, "abc", b"\0\xffrest")
        store.keep_snapshot(campaign, 5, "def", [])
        assert store.snapshot(campaign) == (5, "def", b"")

    def test_a_snapshot_may_be_large(self, store: Store, campaign: int) -> None:
        parts = [bytes([number]) * 3_000_000 for number in range(4)]
        store.keep_snapshot(campaign, 3, "abc", iter(parts))
        assert store.snapshot(campaign) == (3, "abc", b"".join(parts))

    def test_a_snapshot_that_fails_halfway_leaves_the_former(self, store: Store, campaign: int) -> None:
        def breaking() -> Iterator[bytes]:
            yield b"new"
            raise ZeroDivisionError

        store.keep_snapshot(campaign, 3, "abc", [b"old"])
        with pytest.raises(ZeroDivisionError):
            store.keep_snapshot(campaign, 4, "def", breaking())
        assert store.snapshot(campaign) == (3, "abc", b"old")
        store.keep_snapshot(campaign, 5, "ghi", [b"newer"])
        assert store.snapshot(campaign) == (5, "ghi", b"newer")


class KeysContract(FreshStore):
    """Hashed tokens."""

    def test_keys_are_added_found_listed_and_dropped(self, store: Store, campaign: int) -> None:
        of_ann = Key(b"\x00\xff" * 16, "ann", None, None, 1)
        of_worker = Key(b"\x01" * 32, "ann", campaign, 4, 2)
        of_bob = Key(b"\x02" * 32, "bob", None, None, 3)
        for key in (of_worker, of_bob, of_ann):
            store.add_key(key)
        assert store.find_key(of_worker.digest) == of_worker
        assert store.find_key(b"unknown") is None
        assert store.keys("ann") == [of_ann, of_worker]
        store.drop_key(of_ann.digest)
        store.drop_key(of_ann.digest)
        assert store.find_key(of_ann.digest) is None
        assert store.keys("ann") == [of_worker]

    def test_a_digest_is_not_added_twice(self, store: Store) -> None:
        store.add_key(Key(b"\x01" * 32, "ann", None, None, 1))
        with pytest.raises(Conflict):
            store.add_key(Key(b"\x01" * 32, "bob", None, None, 2))
        assert store.keys("bob") == []

"""Whatever is done to them, all stores do and say the same."""

import tempfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelbandit.model.errors import LabelbanditError
from labelbandit.stores import CampaignRow, Entry, Register, open_store

TEXTS = st.text(max_size=8) | st.sampled_from(["a", "b", "birds", "ann", "a\0", "\ud800", "'", "%s ?", "🦉"])
IDS = st.none() | TEXTS
SMALL = st.integers(-1, 6)
REGISTERS = st.sampled_from(Register)


def entries(first, bodies):
    return [Entry(first + at, 0, "task assigned", 1, body) for at, body in enumerate(bodies)]


IN_A_BLOCK = st.one_of(
    st.tuples(st.just("read"), SMALL),
    st.tuples(st.just("append"), st.builds(entries, SMALL, st.lists(TEXTS, max_size=3))),
    st.tuples(st.just("enter"), REGISTERS, SMALL, st.lists(st.tuples(IDS, IDS), max_size=3)),
    st.tuples(st.just("remember"), TEXTS, TEXTS),
    st.tuples(st.just("outcome"), TEXTS),
)
ON_THE_STORE = st.one_of(
    st.tuples(st.just("rename"), st.integers(0, 3), TEXTS),
    st.tuples(st.just("erase"), st.just(1), REGISTERS, SMALL),
    st.tuples(st.just("amend_row"), st.just(1), REGISTERS, SMALL, IDS),
    st.tuples(st.just("outcome"), st.just(1), TEXTS),
    st.tuples(st.just("numbers"), st.just(1), REGISTERS, st.lists(TEXTS)),
    st.tuples(st.just("find"), TEXTS, TEXTS | st.just("ann")),
    st.tuples(st.just("keys"), TEXTS),
    st.tuples(st.just("rows"), st.just(1), REGISTERS, st.lists(SMALL)),
    st.tuples(st.just("keep_snapshot"), st.just(1), SMALL, st.just("digest"), st.lists(st.binary(max_size=9), max_size=3)),
    st.tuples(st.just("snapshot"), st.just(1)),
    st.tuples(st.just("block"), st.lists(IN_A_BLOCK, max_size=4)),
)


def told(function, *arguments):
    """What comes of it; of several reasons to refuse, each store may name another."""
    try:
        result = function(*arguments)
    except LabelbanditError:
        return "refused"
    return result._replace(id="drawn at random") if isinstance(result, CampaignRow) else result


def block(store, calls):
    results = []
    with store.writing(1) as writing:
        results.extend(getattr(writing, name)(*arguments) for name, *arguments in calls)
    return results


def apply(store, call):
    name, *arguments = call
    return told(block, store, *arguments) if name == "block" else told(getattr(store, name), *arguments)


def everything(store):
    registered = [list(store.all_rows(1, register)) for register in Register]
    return list(store.read(1)), registered, [row._replace(id="") for row in store.campaigns()]


def two_campaigns(url):
    store = open_store(url, clock=lambda: 0)
    for name in ("birds", "a"):
        store.create(name, "ann", Entry(0, 0, "campaign opened", 1, "{}"))
    return store


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(calls=st.lists(ON_THE_STORE, max_size=8))
def test_a_database_does_what_memory_does(kind, calls, request):
    with tempfile.TemporaryDirectory() as folder:
        fresh = f"sqlite:///{folder}/store.db" if kind == "sqlite" else request.getfixturevalue("postgres_server").fresh_url()
        plain, durable = two_campaigns("memory:"), two_campaigns(fresh)
        try:
            for call in calls:
                assert apply(durable, call) == apply(plain, call)
            assert everything(durable) == everything(plain)
        finally:
            durable.close()

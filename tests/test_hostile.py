"""Hostile requests change nothing and are never a fault of ours."""

import pytest

from tests.hostile import attacked


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return attacked(tmp_path_factory.mktemp("hostile"), 400)


def test_every_hostile_request_is_refused_or_a_harmless_repetition(outcome):
    assert outcome.wrong == []


def test_hostile_requests_leave_everything_in_the_store_as_it_was(outcome):
    assert outcome.unchanged


def test_hostile_requests_are_of_every_kind(outcome):
    assert len(outcome.kinds) == 7
    assert min(outcome.kinds.values()) > 20


def test_the_server_serves_on(outcome):
    assert outcome.serves

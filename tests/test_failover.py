"""Two servers on PostgreSQL, one of them killed."""

import pytest

from tests.failover import one_is_killed

pytestmark = pytest.mark.xdist_group("server processes")


def test_workers_go_on_at_the_other_server_and_nothing_is_lost_or_doubled(postgres_url):
    seen = one_is_killed(postgres_url, workers=6, seconds=6, think=0.05, tasks=200)
    assert seen.there == seen.acknowledged
    assert seen.pairs == seen.spent == len(seen.there)
    assert seen.moved >= 3
    assert seen.after > 0

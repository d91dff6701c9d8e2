"""One campaign from file to export in a real browser, with two workers at the same time; and servers that end under them."""

from collections import Counter

import pytest

from tests.browser import ABSENT, chromium

story = pytest.importorskip("tests.story", reason="not run: Playwright is not installed")
restarts = pytest.importorskip("tests.restarts", reason="not run: Playwright is not installed")
pytestmark = [
    pytest.mark.skipif(chromium() is None, reason=ABSENT),
    pytest.mark.xdist_group("server processes"),
]
BUDGET = 18


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return story.whole_story(tmp_path_factory.mktemp("story"), tasks=12, budget=BUDGET)


def test_every_answer_that_was_typed_is_exported_once(told):
    assert Counter(told.exported) == Counter(told.typed)
    assert max(Counter((task, worker) for task, worker, _ in told.exported).values()) == 1
    assert {worker for _, worker, _ in told.exported} == {"ann", "bob"}


def test_the_budget_is_spent_to_the_last_label_and_no_further(told):
    assert told.tiles == {"spent": str(BUDGET), "of": f"of {BUDGET}; 0 reserved"}
    assert len(told.exported) == BUDGET


def test_the_dashboard_moves_while_people_label(told):
    assert told.seen == sorted(told.seen)
    assert len(told.seen) >= 4
    assert told.seen[-1] == BUDGET


def test_answers_were_kept_while_the_connection_was_lost(told):
    assert told.kept == 2


def test_no_request_left_the_machine(told):
    assert told.hosts == {told.host}


def test_the_console_has_nothing_to_complain_of(told):
    assert told.faults == []


def test_the_page_is_no_wider_than_the_phone(told):
    assert told.width == 390


@pytest.mark.parametrize("end", ["SIGTERM", "SIGKILL"])
def test_a_page_goes_on_by_itself_when_the_server_ended_and_came_back(tmp_path, end):
    typed, kept, faults = restarts.through_restarts(tmp_path, end, times=1)
    assert Counter(kept) == Counter(typed)
    assert faults == []

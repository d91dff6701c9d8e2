"""Old logs are read for ever as they were written."""

import pytest

from labelbandit.model import events as ev
from tests import golden_log
from tests.audits import Audit

VERSIONS = [1]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_log_is_believed_as_it_was(version):
    entries, wanted = golden_log.read(version)
    digest = wanted.pop("digest")
    found = golden_log.as_far_as(wanted, golden_log.belief(golden_log.restored(entries)))
    for part in wanted:
        assert found[part] == wanted[part], part
    assert golden_log.digest_of(found) == digest


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_log_would_be_written_the_same_today(version):
    for entry in golden_log.read(version)[0]:
        event = ev.decode(entry.kind, entry.version, entry.body)
        assert (ev.kind_of(event), ev.encode(event)) == (entry.kind, entry.body)


def test_the_newest_log_has_every_kind_of_event_and_keeps_the_promises():
    entries, _ = golden_log.read(VERSIONS[-1])
    assert {entry.kind for entry in entries} == set(ev.KINDS)
    assert Audit().read(entries).faults == []

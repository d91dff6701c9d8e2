"""Random interleavings of everything a campaign can be asked for. LABELBANDIT_RUNS=2000 runs as many; proofs do."""

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

import labelbandit as lb
from tests.campaign_machine import CampaignMachine

RUNS = int(os.environ.get("LABELBANDIT_RUNS", "0"))


def as_test(machine, runs, steps):
    case = machine.TestCase
    health = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    case.settings = settings(max_examples=RUNS or runs, stateful_step_count=steps, deadline=None, suppress_health_check=health)
    return case


class InMemory(CampaignMachine):
    def make_store(self):
        return lb.open_store("memory:", clock=self.clock)


class OnSqlite(CampaignMachine):
    def make_store(self):
        self.folder = tempfile.TemporaryDirectory()
        return lb.open_store(f"sqlite:///{self.folder.name}/store.db", clock=self.clock)

    def end_store(self):
        super().end_store()
        self.folder.cleanup()


class OnPostgres(CampaignMachine):
    server = None

    def make_store(self):
        return lb.open_store(self.server.fresh_url(), clock=self.clock)


TestCampaignInMemory = as_test(InMemory, 40, 30)
TestCampaignOnSqlite = as_test(OnSqlite, 10, 20)


class TestCampaignOnPostgres(as_test(OnPostgres, 3, 15)):
    @pytest.fixture(autouse=True)
    def _server(self, postgres_server):
        OnPostgres.server = postgres_server

"""`labelbandit serve` as a process: started, stopped, killed."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import labelbandit as lb
from labelbandit.cli import main
from tests.processes import RunningServer

pytestmark = pytest.mark.xdist_group("server processes")


def campaign_on(server, tasks=6, workers=4, budget=200):
    client = lb.Client(server.address, server.key)
    campaign = client.create_campaign("birds", classes=["owl", "jay"], budget=budget, seed=1)
    campaign.add_tasks(*(lb.Task(f"t{at}") for at in range(tasks)))
    campaign.add_workers(*(lb.Worker(f"w{at}") for at in range(workers)))
    return client, campaign


def test_the_key_is_told_once_and_the_end_is_clean(tmp_path):
    url = f"sqlite:///{tmp_path}/store.db"
    server = RunningServer(url)
    client, campaign = campaign_on(server)
    with client:
        campaign.tell(campaign.ask(), "owl")
    assert server.stop() == 0
    server.start()
    with lb.Client(server.address, server.key) as client:
        assert client.open_campaign("birds").progress().labels == 1
    assert server.stop() == 0


def test_several_processes_serve_one_campaign(tmp_path):
    server = RunningServer(f"sqlite:///{tmp_path}/store.db", "--processes", "2")
    client, campaign = campaign_on(server, tasks=12, workers=4, budget=40)

    def work(worker):
        with lb.Client(server.address, server.key) as own:
            mine, told = own.open_campaign("birds"), 0
            lent = mine.ask(worker)
            while lent:
                told += 1
                _, lent = mine.tell_and_ask(lent, "owl")
            return told

    with client, ThreadPoolExecutor(4) as crowd:
        told = list(crowd.map(work, [f"w{at}" for at in range(4)]))
        seen = campaign.progress()
    assert sum(told) == seen.labels
    assert seen.spent + seen.reserved <= 40
    assert server.stop() == 0


def test_an_acknowledged_label_survives_a_kill(tmp_path):
    server = RunningServer(f"sqlite:///{tmp_path}/store.db")
    client, campaign = campaign_on(server)
    with client:
        told = [campaign.tell(campaign.ask(), "owl") for _ in range(5)]
        server.kill()
        server.start()
        assert list(campaign.labels()) == told
    server.stop()


def test_a_port_in_use_is_named_with_the_remedy(tmp_path, capsys):
    server = RunningServer(f"sqlite:///{tmp_path}/store.db")
    assert main(["serve", "--storage", f"sqlite:///{tmp_path}/other.db", "--port", str(server.port)]) == 2
    assert "give another --host or --port" in capsys.readouterr().err
    server.stop()


def test_memory_is_not_shared_between_processes(capsys):
    assert main(["serve", "--storage", "memory:", "--processes", "2"]) == 2
    assert "not shared" in capsys.readouterr().err


def test_the_demo_shows_both_campaigns_and_a_link(tmp_path):
    server = RunningServer("memory:", "--demo")
    told = [server.process.stdout.readline() for _ in range(2)]
    assert "/demo" in told[0]
    assert "/w#lbw_" in told[1]
    seen = httpx.get(f"{server.address}/demo/state").json()
    assert set(seen["campaigns"]) == {"bandit", "random"}
    assert httpx.get(f"{server.address}/demo").status_code == 200
    assert server.stop() == 0


def test_help_does_not_import_the_server():
    code = "import sys; from labelbandit.cli import main; main(['serve', '--help']); sys.exit('fastapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0

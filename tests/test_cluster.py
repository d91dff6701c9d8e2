"""The reproduction on a Dask cluster: the same numbers, also when a worker is killed midway."""

import os
import signal

import pytest

from labelbandit.experiments.trials import Parcel, work
from labelbandit.model.errors import LabelbanditError
from tests.test_reproduction import Watched, carry_out, panel, plan, results

dask = pytest.importorskip("dask", reason="not run: dask is not installed")
distributed = pytest.importorskip("distributed", reason="not run: distributed is not installed")

pytestmark = [
    pytest.mark.xdist_group("cluster"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Dask leaves sockets of a killed worker to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def cluster():
    quiet = {"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "20s"}
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as started,
    ):
        yield started


class Killer(Watched):
    """Kills a worker of the cluster when the first parcel is done."""

    def __init__(self, cluster):
        super().__init__()
        self.cluster = cluster
        self.killed = None

    def advance(self, effort):
        if self.killed is None:
            self.killed = self.cluster.workers[0].pid
            os.kill(self.killed, signal.SIGKILL)


def test_a_cluster_gives_the_same_results_even_if_a_worker_is_killed(tmp_path, cluster):
    some = plan(*(panel(f"tiny {number}") for number in range(20)), runs=2)
    carry_out(some, tmp_path / "here")
    killer = Killer(cluster)
    carry_out(some, tmp_path / "there", scheduler=cluster.scheduler_address, watcher=killer)
    assert killer.killed is not None
    assert results(tmp_path / "there") == results(tmp_path / "here")


def test_a_worker_with_other_code_refuses_the_work():
    parcel = Parcel(panel(), 0, (("random", "x"),), 0, (), "other code")
    with pytest.raises(LabelbanditError, match="a worker of the cluster has other code"):
        work(parcel)

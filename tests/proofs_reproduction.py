"""Proofs for the reproduction: its time, that it goes on after a kill, on a cluster too, and how it refuses bad data."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.proofs_engine import ROOT

REPRODUCE = [sys.executable, "-m", "labelbandit", "reproduce"]
QUICK_MINUTES, FULL_MINUTES = 2, 15
RESULTS = ("results.csv", "panels.json", "regret.json")
KILLS = 4


def _seconds(*arguments):
    started = time.monotonic()
    subprocess.run([*REPRODUCE, *arguments], cwd=ROOT, check=True)
    return time.monotonic() - started


def times():
    with tempfile.TemporaryDirectory() as folder:
        _seconds("c", "--runs=1", f"--out={folder}/warm")
        quick = _seconds("--quick", f"--out={folder}/quick")
        yield f"quick, warm, in under {QUICK_MINUTES} minutes", f"{quick:.0f} s", quick < 60 * QUICK_MINUTES
        full = _seconds(f"--out={folder}/full")
        yield f"30 runs in under {FULL_MINUTES} minutes", f"{full / 60:.1f} min", full < 60 * FULL_MINUTES
        report = Path(folder, "full", "report.html")
        yield "a report is there", f"{report.name}, {report.stat().st_size if report.exists() else 0:,} bytes", report.exists()


def _results(folder):
    return [Path(folder, name).read_bytes() for name in RESULTS]


def _lines(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _killed_at_random(out, lots):
    """Kill it again and again, each time some trials later, then let it end; what the journal had at each kill."""
    command = [*REPRODUCE, "c", "d", "e", "--quick", "--runs=2", f"--out={out}"]
    journal, had = Path(out, "runs.jsonl"), []
    for _ in range(KILLS):
        enough = _lines(journal) + lots.randrange(60)
        with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as running:
            while running.poll() is None and _lines(journal) <= enough:
                time.sleep(0.05)
            time.sleep(lots.uniform(0, 0.5))
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
        had.append(_lines(journal) - 1)
    subprocess.run(command, cwd=ROOT, check=True)
    return had


def goes_on():
    lots = random.Random(0)  # noqa: S311 - moments to kill at, nothing secret
    with tempfile.TemporaryDirectory() as folder:
        _seconds("c", "d", "e", "--quick", "--runs=2", f"--out={folder}/whole")
        had = _killed_at_random(f"{folder}/killed", lots)
        same = _results(f"{folder}/killed") == _results(f"{folder}/whole")
        measured = f"killed when {', '.join(map(str, had))} trials were done"
        yield "killed at random moments, the same results to the last bit", measured, same and had == sorted(had)
        before = Path(folder, "killed", "runs.jsonl").read_bytes()
        _seconds("c", "d", "e", "--quick", "--runs=2", f"--out={folder}/killed")
        untouched = Path(folder, "killed", "runs.jsonl").read_bytes() == before
        yield "finished trials are not run again", f"journal of {before.count(b'{') - 1:,} trials", untouched
        yield from _on_a_cluster(folder)


def _on_a_cluster(folder):
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        address = f"--scheduler={cluster.scheduler_address}"
        command = [*REPRODUCE, "c", "d", "e", "--quick", "--runs=2", address, f"--out={folder}/cluster"]
        journal = Path(folder, "cluster", "runs.jsonl")
        with subprocess.Popen(command, cwd=ROOT) as running:
            while running.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 20):
                time.sleep(0.1)
            done = journal.read_bytes().count(b"\n") - 1
            os.kill(cluster.workers[0].pid, signal.SIGKILL)
            code = running.wait()
    same = code == 0 and _results(f"{folder}/cluster") == _results(f"{folder}/whole")
    yield "on a Dask cluster with a worker killed, the same results", f"killed after {done} trials", same


def bad_data():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "tests/test_reproduction.py",
        "tests/test_datasets.py",
        "-k",
        "bad or refused",
    ]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    measured = (result.stdout.strip().splitlines() or ["nothing"])[-1]
    yield "bad data files are named with file and line, exit 2, nothing written", measured, result.returncode == 0

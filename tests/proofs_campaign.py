"""Proofs for campaigns: kills, races and random interleavings in full, and rates beside the disk's."""

import re
import sys
import tempfile
from pathlib import Path

from benchmarks import campaign as rates

from tests import campaign_crew
from tests.postgres import Server
from tests.proofs_engine import run

KILLS = 200
RACERS = 8
LABELS = 5000


def _row(wanted, outcome):
    fault = outcome.faults[0] if outcome.faults else "no fault"
    measured = (
        f"{outcome.acknowledged} labels acknowledged, {outcome.labels} in the log, {outcome.positions} positions, {fault}"
    )
    return wanted, measured, not outcome.faults


def _on_each_store(what):
    """What comes of it on SQLite and on a PostgreSQL that syncs."""
    with tempfile.TemporaryDirectory() as folder:
        yield "SQLite", what(f"sqlite:///{folder}/store.db")
    server = Server(fsync=True)
    try:
        yield "PostgreSQL", what(server.fresh_url())
    finally:
        server.stop()


def killed_processes():
    """SIGKILLs of processes that ask and tell on one campaign, and of the server below them."""
    promise = "every acknowledged label is there, none twice, positions without gaps, budget kept at each, replay equal"
    for store, outcome in _on_each_store(lambda url: campaign_crew.kill_members(url, kills=KILLS)):
        yield _row(f"{store}, {KILLS} SIGKILLs of processes: {promise}", outcome)
    outcome = campaign_crew.kill_server(kills=30)
    yield _row(f"PostgreSQL with fsync, 30 SIGKILLs of the server: {promise}", outcome)


def racing_processes():
    """Eight processes spend one budget; and what that costs beside the disk."""
    promise = "budget exact, no pair twice, no two open for a pair"
    for store, outcome in _on_each_store(lambda url: campaign_crew.run_race(url, processes=RACERS, labels=LABELS)):
        yield _row(f"{store}, {RACERS} processes, {LABELS} labels: {promise}", outcome)
    with tempfile.TemporaryDirectory() as folder:
        measured = {row["name"]: row for row in rates.measure(Path(folder), 2.0)}
    for name, least in (
        ("SQLite, 1 process: commits", 0.5),
        ("SQLite, 1 process: ask and tell", 0.25),
        ("PostgreSQL, 8 processes, 1 campaign: ask and tell", 0.9),
        ("PostgreSQL, 8 processes, 8 campaigns: ask and tell", 1.5),
    ):
        row = measured[name]
        yield (
            f"{name}: at least {least} of {row['of']}",
            f"{row['ratio']:.2f} ({row['per second']:.0f} /s)",
            row["ratio"] >= least,
        )


def _tests(wanted, *names, **variables):
    """Whether those tests pass, none of them left out."""
    done = run(sys.executable, "-m", "pytest", "-q", *(f"tests/test_{name}.py" for name in names), **variables)
    said = done.stdout.strip().splitlines()[-1:] or done.stderr.strip().splitlines()[-1:]
    return wanted, re.sub(r" in .*", "", " ".join(said)), done.returncode == 0 and "skipped" not in " ".join(said)


def promises():
    """The live campaign, promise by promise, and in thousands of random interleavings."""
    parts = ("money", "time", "tasks", "people", "changes")
    yield _tests("every promise of a live campaign has its test, and passes", *(f"campaign_{part}" for part in parts))
    yield _tests("random interleavings of all verbs on two objects keep them", "campaign_machine", LABELBANDIT_RUNS="500")


def same_decisions():
    """The live campaign and the simulator."""
    yield _tests("the campaign decides as the simulator does, for every policy", "campaign_decisions")


def push_and_pull():
    """Workers who come alone."""
    yield _tests("pull serves the best, the lonely and the early, with honest propensities", "campaign_pull")


def hardship():
    """Disks, rights, connections, versions."""
    yield _tests("what goes wrong below is told in one sentence, and nothing is lost", "campaign_together", "opening_stores")
    yield _tests("a log of every kind of event is read as it was written", "golden_log")


def documents():
    yield _tests("the README's example and the tutorial run as tests", "docs")

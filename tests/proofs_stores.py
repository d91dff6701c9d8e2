"""Proofs for the stores: nothing acknowledged is lost, many kills in a row."""

import tempfile

from tests import crashes
from tests.postgres import Server


def _row(wanted, outcome):
    measured = f"{outcome.kills} kills, {outcome.acknowledged} groups acknowledged, {outcome.entries} entries, "
    return wanted, measured + (outcome.faults[0] if outcome.faults else "no fault"), not outcome.faults


def killed_writers():
    """200 SIGKILLs of writers on each store."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = crashes.kill_writers(f"sqlite:///{folder}/store.db", kills=200)
        yield _row("SQLite: every acknowledged entry survives 200 SIGKILLs of writers", outcome)
    server = Server(fsync=True)
    try:
        outcome = crashes.kill_writers(server.fresh_url(), kills=200)
    finally:
        server.stop()
    yield _row("PostgreSQL: every acknowledged entry survives 200 SIGKILLs of writers", outcome)


def killed_servers():
    """30 SIGKILLs of the PostgreSQL server under writers."""
    outcome = crashes.kill_server(kills=30)
    yield _row("PostgreSQL: every acknowledged entry survives 30 SIGKILLs of the server, and writers go on", outcome)

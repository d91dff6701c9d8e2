"""Proofs for the server: pages in a browser, security, the API against its document, speed, nothing lost or doubled."""

import re
import subprocess
import sys


def _tests(wanted, *selection):
    """A row for tests that must all pass, none of them skipped."""
    run = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *selection]
    told = subprocess.run(run, capture_output=True, text=True, check=False)
    summary = re.sub(r" in .*", "", told.stdout.strip().splitlines()[-1])
    return wanted, summary, told.returncode == 0 and "skipped" not in summary


def pages():
    """A requester makes a campaign of a file, invites, watches; a worker labels by keyboard and on a phone."""
    yield _tests(
        "pages work in Chromium, light and dark, at 390 px, by keyboard, with no request to elsewhere", "tests/test_pages.py"
    )


def nothing_lost():
    """Lost connections, reloads and kills."""
    chosen = "connection or receipt or killed or kill or several_processes"
    wanted = "no answer is lost or doubled offline, on reload, or by kill -9"
    yield _tests(wanted, "tests/test_pages.py", "tests/test_serving.py", "-k", chosen)


def speed():
    """200 workers through HTTP beside a bare FastAPI insert."""
    from benchmarks.server import main

    pace, most = main(10.0)
    measured = f"p50 {pace:.2f} times bare at an even pace, throughput {most:.2f} times bare"
    yield (
        "200 workers: at most 5 times the latency and a fifth of the throughput of a bare insert",
        measured,
        pace <= 5 and most >= 0.2,
    )


def security():
    """Keys and hostile requests."""
    yield _tests("a worker's token opens own work only; hostile requests are refused", "tests/test_server_security.py")


def schema():
    """The API against its own document."""
    yield _tests("generated requests get declared answers, never a 500", "tests/test_server_schema.py")

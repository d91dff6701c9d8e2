"""Proofs for the server: pages in a browser, security, the API against its document, speed, nothing lost or doubled."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _tests(wanted, *selection, **environment):
    """A row for tests that must all pass, none of them skipped."""
    run = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *selection]
    told = subprocess.run(run, capture_output=True, text=True, check=False, env=os.environ | environment)
    summary = re.sub(r" in .*", "", told.stdout.strip().splitlines()[-1])
    return wanted, summary, told.returncode == 0 and "skipped" not in summary


def pages():
    """A requester and two workers in Chromium, at the same time, from file to export; then every other page and gesture."""
    from tests.story import whole_story

    with tempfile.TemporaryDirectory() as folder:
        told = whole_story(folder, tasks=60, budget=100)
    twice = len(told.exported) - len({(task, worker) for task, worker, _ in told.exported})
    same = Counter(told.exported) == Counter(told.typed)
    yield (
        "two workers by keyboard, one reloading, one offline on a phone of 390 px: the export is what was typed, each once",
        f"{len(told.typed)} typed, {len(told.exported)} exported, {twice} twice, {told.kept} kept offline, {told.width} px",
        same and twice == 0 and told.kept == 2 and told.width == 390,
    )
    yield (
        "budgets add up",
        f"{told.tiles['spent']} {told.tiles['of']}",
        told.tiles == {"spent": "100", "of": "of 100; 0 reserved"},
    )
    live = told.seen == sorted(told.seen) and len(told.seen) >= 10
    yield (
        "the dashboard shows it live",
        f"{len(told.seen)} states seen, the last {told.seen[-1]}",
        live and told.seen[-1] == 100,
    )
    yield "no request leaves the machine", f"hosts {sorted(told.hosts)}", told.hosts == {told.host}
    yield "no console error", f"{len(told.faults)} errors", told.faults == []
    yield _tests("the pages work in Chromium, light and dark, by keyboard and by touch", "tests/test_pages.py")


def security():
    """Keys and hostile content."""
    yield _tests("a worker's token opens own work only; hostile requests are refused", "tests/test_server_security.py")


def schema():
    """The API against its own document, and against 10,000 hostile requests."""
    from tests.hostile import attacked

    wanted = "schemathesis, 100 requests of each kind for every operation: no failure"
    yield _tests(wanted, "tests/test_server_schema.py", LABELBANDIT_EXAMPLES="100")
    with tempfile.TemporaryDirectory() as folder:
        seen = attacked(Path(folder), 10_000)
    faults = sum(count for status, count in seen.statuses.items() if status >= 500)
    store = "unchanged" if seen.unchanged else "CHANGED"
    measured = f"{seen.kinds.total()} of {len(seen.kinds)} kinds, {len(seen.wrong)} let through, {faults} 5xx, store {store}"
    holds = not seen.wrong and not faults and seen.unchanged and seen.serves
    yield "10,000 hostile requests change nothing and give no 5xx", measured, holds


def speed():
    """200 workers through HTTP beside bare FastAPI inserts, and two servers on PostgreSQL of which one is killed."""
    from benchmarks.server import main

    from tests.failover import one_is_killed
    from tests.postgres import Server

    seen = main(20.0)
    yield (
        "200 workers with 1 s to think: p50 of ask and tell within 3 times two bare requests, p99 within 5 times",
        f"p50 {seen.p50:.2f} times, p99 {seen.p99:.2f} times",
        seen.p50 <= 3 and seen.p99 <= 5,
    )
    rates = f"{seen.labels_per_second:.0f} labels a second, bare {seen.bare_labels_per_second:.0f}"
    yield "without thinking: labels a second, no error, exact budgets", rates, seen.exact
    database = Server(fsync=True)
    try:
        seen = one_is_killed(database.fresh_url(), workers=200, seconds=20, think=1.0)
    finally:
        database.stop()
    yield (
        "two servers on PostgreSQL, one killed midway: nothing lost, nobody stops",
        (
            f"{len(seen.acknowledged)} acknowledged, {len(seen.there)} there, {seen.pairs} pairs, {seen.spent} spent, "
            f"{seen.after} after the kill, {seen.moved} workers moved"
        ),
        seen.there == seen.acknowledged and seen.pairs == seen.spent == len(seen.there) and seen.after > 0 and seen.moved > 90,
    )


def nothing_lost():
    """Servers that end while somebody labels."""
    from tests.restarts import through_restarts

    for end in ("SIGTERM", "SIGKILL"):
        with tempfile.TemporaryDirectory() as folder:
            typed, kept, faults = through_restarts(folder, end, times=3, tasks=60)
        yield (
            f"{end} three times while a worker labels: every answer is there once, and the page goes on by itself",
            f"{len(typed)} typed, {len(kept)} there, {len(faults)} errors of the page",
            Counter(kept) == Counter(typed) and faults == [],
        )
    wanted = "no acknowledged answer is lost by kill -9, and several processes double none"
    yield _tests(wanted, "tests/test_serving.py", "-k", "survives or several_processes or end_is_clean")


def newcomer():
    """From a clone to the first own label in a browser, by the README's own commands, file and buttons."""
    from playwright.sync_api import sync_playwright

    from tests.browser import LAUNCH
    from tests.newcomer import give_first_label, way

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        begin, clone = time.perf_counter(), Path(folder) / "labelbandit"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        (setup, serve), _, _, _ = way(clone / "README.md")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run(setup.split(), cwd=clone, env=environment, check=True, capture_output=True)
        ready = time.perf_counter() - begin
        environment |= {"LABELBANDIT_PORT": "0", "PYTHONUNBUFFERED": "1"}
        command = {"cwd": clone, "env": environment, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(serve.split(), **command) as server:
            try:
                address, key = (server.stdout.readline().split()[-1] for _ in range(2))
                asked = give_first_label(browser, address, key)
            finally:
                server.terminate()
        took = time.perf_counter() - begin
        browser.close()
    measured = f"{took:.0f} s, of which {ready:.0f} s until the server could start; asked: {asked!r}"
    yield "from git clone to the first own label in the browser, by the README alone, under 300 s", measured, took < 300

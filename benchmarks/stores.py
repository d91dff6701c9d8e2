"""How fast the stores commit, as ratios to a raw fdatasync loop measured side by side in one run.

`python -m benchmarks.stores [--seconds 2] [--folder .]`: PostgreSQL is started for the purpose where it is installed.
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from tests import postgres

from labelbandit.stores import Entry, Store, open_store

BODY = '{"decision": 123, "task": 123456, "worker": 17, "price": 3, "propensity": 0.123456789, "present": [1, 2, 3]}'
ROUNDS = 3
PROCESSES = 8


def raw_syncs(folder: Path, seconds: float) -> float:
    """Writes of a page per second, each synced: what the disk allows one writer."""
    descriptor, page, count = os.open(folder / "raw", os.O_CREAT | os.O_TRUNC | os.O_WRONLY), bytes(4096), 0
    begin = time.perf_counter()
    while (took := time.perf_counter() - begin) < seconds:
        os.write(descriptor, page)
        os.fdatasync(descriptor)
        count += 1
    os.close(descriptor)
    return count / took


def commits(store: Store, campaign: int, seconds: float) -> tuple[int, float]:
    """How many commits succeed in a row, and the longest one took: each reads what is new and appends an entry."""
    seen = count = 0
    worst = 0.0
    begin = before = time.perf_counter()
    while before - begin < seconds:
        with store.writing(campaign) as writing:
            seen = max([seen, *(entry.position for entry in writing.read(seen))]) + 1
            writing.append([Entry(seen, writing.now, "task assigned", 1, BODY)])
        now = time.perf_counter()
        before, worst, count = now, max(worst, now - before), count + 1
    return count, worst


def new_campaign(store: Store) -> int:
    row = store.create(f"campaign {len(store.campaigns())}", "bench", Entry(0, store.now(), "campaign opened", 1, "{}"))
    return row.number


def commits_of_a_process(url, campaign, seconds, ready, go, results):
    store = open_store(url, create=False)
    ready.put(None)
    go.wait()
    results.put(commits(store, campaign, seconds))
    store.close()


def together(url: str, campaigns: list[int], seconds: float) -> tuple[float, float]:
    """Commits per second of several processes in all, and the longest one of them."""
    context = multiprocessing.get_context("spawn")
    ready, go, results = context.Queue(), context.Event(), context.Queue()
    arguments = [(url, campaign, seconds, ready, go, results) for campaign in campaigns]
    processes = [context.Process(target=commits_of_a_process, args=each) for each in arguments]
    for process in processes:
        process.start()
    for _ in processes:
        ready.get()
    go.set()
    done = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return sum(count for count, _ in done) / seconds, max(worst for _, worst in done)


def report(name: str, rounds: list[tuple[float, float, float]]) -> None:
    """A line with the median ratio; each round has commits per second, raw syncs per second and the longest commit."""
    rate = statistics.median(rate for rate, _, _ in rounds)
    ratio = statistics.median(rate / raw for rate, raw, _ in rounds)
    worst = max(worst for _, _, worst in rounds)
    print(f"{name:42} {rate:8,.0f} commits/s   {ratio:5.2f} of raw fdatasync   longest {1000 * worst:6.0f} ms", flush=True)


def measure(name: str, url: str, folder: Path, seconds: float) -> None:
    store = open_store(url)
    campaign = new_campaign(store)
    alone = []
    for _ in range(ROUNDS):
        raw = raw_syncs(folder, seconds)
        count, worst = commits(store, campaign, seconds)
        alone.append((count / seconds, raw, worst))
    report(f"{name}, 1 process", alone)
    if not url.startswith("memory:"):
        for kind, campaigns in (("1 campaign", [campaign]), ("8 campaigns", [new_campaign(store) for _ in range(PROCESSES)])):
            raw = raw_syncs(folder, seconds)
            many = together(url, (campaigns * PROCESSES)[:PROCESSES], seconds)
            report(f"{name}, {PROCESSES} processes, {kind}", [(many[0], raw, many[1])])
    store.close()


@contextmanager
def server():
    started = postgres.Server(fsync=True)
    try:
        yield started
    finally:
        started.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="per measurement")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="on the disk to be measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        folder = Path(place)
        measure("memory", "memory:", folder, options.seconds)
        measure("SQLite", f"sqlite:///{folder}/bench.db", folder, options.seconds)
        if postgres.binaries() is None:
            print(postgres.ABSENT)
        else:
            with server() as started:
                measure("PostgreSQL", started.fresh_url(), folder, options.seconds)


if __name__ == "__main__":
    main()

"""A campaign of a million tasks: loading, asking and telling, opening, and memory, each in a process of its own.

`python -m benchmarks.large` runs the full size, `--tasks 10000 --labels 50000` a small one; `--json` is for scripts.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BATCH = 10_000
STEPS = 20_000


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def load(storage, size):
    """Tasks, workers and labels, by the import a user has: batches, a transaction each."""
    import labelbandit as lb

    budget = 10 * size.labels
    campaign = lb.create_campaign(storage, "large", classes=["no", "yes"], budget=budget, policy="bbta", seed=1)
    for first in range(0, size.tasks, BATCH):
        last = min(first + BATCH, size.tasks)
        campaign.add_tasks(*(lb.Task(f"t{task}", context=f"c{task % size.contexts}") for task in range(first, last)))
    campaign.add_workers(*(lb.Worker(f"w{worker}") for worker in range(size.workers)))
    began = time.perf_counter()
    for labels in batches(size):
        campaign.attach_many(labels)
    rate = size.labels / (time.perf_counter() - began)
    return campaign, {"labels_per_second": rate, "load_peak_mb": peak_megabytes()}


def batches(size):
    """Labels of workers who are right three times in four, each task's from different workers, as (task, worker, answer)."""
    lots = np.random.default_rng(0)
    each = size.labels // size.tasks
    for first in range(0, size.tasks, BATCH // each):
        tasks = np.repeat(np.arange(first, min(first + BATCH // each, size.tasks)), each)
        workers = (tasks * 7 + np.tile(np.arange(each), tasks.size // each) * 13 + tasks // 97) % size.workers
        answers = (tasks % 2) ^ (lots.random(tasks.size) < 0.25)
        yield [
            (f"t{task}", f"w{worker}", "yes" if answer else "no")
            for task, worker, answer in zip(tasks.tolist(), workers.tolist(), answers.tolist(), strict=True)
        ]


def ask_and_tell(size):
    """In process, memory store: milliseconds of an ask and a tell together."""
    campaign, figures = load("memory:", size)
    campaign.ask()
    times = []
    for step in range(STEPS):
        began = time.perf_counter()
        assignment = campaign.ask()
        campaign.tell(assignment, "yes" if step % 4 else "no")
        times.append(time.perf_counter() - began)
    return figures | {
        "p50_ms": 1e3 * float(np.percentile(times, 50)),
        "p99_ms": 1e3 * float(np.percentile(times, 99)),
        "peak_mb": peak_megabytes(),
    }


def make_file(size, storage):
    """The same campaign on disk, with a snapshot."""
    from labelbandit.campaign import snapshot

    campaign, figures = load(storage, size)
    snapshot.keep(campaign.store, campaign.row.number, campaign.board)
    return {f"disk_{name}": value for name, value in figures.items()}


def open_file(storage, *, whole_log):
    """Seconds until the first estimate could be asked, and the digest of what was opened."""
    import labelbandit as lb
    from labelbandit.campaign import ledger, snapshot

    store = lb.open_store(storage)
    number = store.find("large", "local").number
    began = time.perf_counter()
    board = ledger.replay(store, number) if whole_log else snapshot.load(store, number)
    assert board.mind is not None
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "digest": ledger.digest(board), "peak_mb": peak_megabytes()}


def apart(*arguments):
    """Run a part of this in a process of its own, so that its memory is its own."""
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.large", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    if told.returncode:
        raise SystemExit(told.stderr)
    return json.loads(told.stdout)


def measure(size):
    sizes = [f"--{name}={value}" for name, value in vars(size).items() if name in {"tasks", "workers", "contexts", "labels"}]
    figures = apart("--part", "ask", *sizes)
    with tempfile.TemporaryDirectory() as folder:
        storage = f"sqlite:///{Path(folder) / 'large.db'}"
        figures |= apart("--part", "file", "--storage", storage, *sizes)
        figures["snapshot"] = apart("--part", "snapshot", "--storage", storage, *sizes)
        figures["replay"] = apart("--part", "replay", "--storage", storage, *sizes)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=1_000)
    parser.add_argument("--contexts", type=int, default=10)
    parser.add_argument("--labels", type=int, default=5_000_000)
    parser.add_argument("--part", choices=("ask", "file", "snapshot", "replay"))
    parser.add_argument("--storage")
    parser.add_argument("--json", action="store_true")
    size = parser.parse_args()
    if size.part:
        part = {
            "ask": lambda: ask_and_tell(size),
            "file": lambda: make_file(size, size.storage),
            "snapshot": lambda: open_file(size.storage, whole_log=False),
            "replay": lambda: open_file(size.storage, whole_log=True),
        }[size.part]
        print(json.dumps(part()))
        return
    figures = measure(size)
    if size.json:
        print(json.dumps(figures))
        return
    print(f"{size.tasks:,} tasks, {size.workers:,} workers, {size.contexts} contexts, {size.labels:,} labels")
    print(f"  bulk import, memory store     {figures['labels_per_second']:>10,.0f} labels/s (want 50,000)")
    print(f"  bulk import, SQLite           {figures['disk_labels_per_second']:>10,.0f} labels/s (want 50,000)")
    print(f"  ask + tell                    p50 {figures['p50_ms']:.3f} ms (want 0.5), p99 {figures['p99_ms']:.3f} ms (want 5)")
    print(f"  peak memory                   {figures['peak_mb']:,.0f} MB (want under 1,500)")
    for kind, want in (("snapshot", 5), ("replay", 180)):
        opened = figures[kind]
        print(f"  opening by {kind:<10}         {opened['seconds']:.1f} s (want {want}), {opened['peak_mb']:,.0f} MB")
    print(f"  both end in the same digest   {figures['snapshot']['digest'] == figures['replay']['digest']}")


if __name__ == "__main__":
    main()

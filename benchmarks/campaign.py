"""How fast campaigns ask and tell, as ratios to a raw fdatasync loop and to each other, measured side by side in one run.

`python -m benchmarks.campaign [--seconds 2] [--folder .] [--json FILE]` starts PostgreSQL for the purpose, where there is one.
"""

import argparse
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests import postgres

import labelbandit as lb
from benchmarks.stores import raw_syncs, server

ROUNDS = 5
PROCESSES = 8
TASKS = 20_000
PATIENCE = 120
"""Seconds for which a process may keep the others waiting."""


def open_campaign_for(url: str, name: str, workers: int) -> None:
    """A campaign with work for everyone."""
    store = lb.open_store(url)
    campaign = lb.create_campaign(store, name, classes=["yes", "no"], budget=TASKS * workers, seed=1, policy="bbta")
    campaign.add_tasks(*(lb.Task(f"t{at}") for at in range(TASKS)))
    campaign.add_workers(*(lb.Worker(f"w{at}") for at in range(workers)))
    store.close()


def pairs(campaign: lb.Campaign, worker: str, seconds: float) -> float:
    """Asks with their tells per second: two durable commits each."""
    count, begin = 0, time.perf_counter()
    while (took := time.perf_counter() - begin) < seconds:
        lent = campaign.ask(worker)
        assert lent, lent
        campaign.tell(lent, "yes")  # all agree, so that nobody is turned away
        count += 1
    return count / took


def steps(campaign: lb.Campaign, worker: str, seconds: float) -> float:
    """Answers told and the next task lent, in one commit each, per second."""
    count, lent, begin = 0, campaign.ask(worker), time.perf_counter()
    while (took := time.perf_counter() - begin) < seconds:
        assert lent, lent
        _, lent = campaign.tell_and_ask(lent, "yes")
        count += 1
    assert lent
    campaign.tell(lent, "yes")
    return count / took


def a_process(url, name, worker, seconds, ready, go, results):
    campaign = lb.open_campaign(url, name)
    pairs(campaign, worker, 0.2)
    for _ in range(ROUNDS):
        ready.put(None)
        go.get()
        results.put(pairs(campaign, worker, seconds))
    campaign.store.close()


class Crew:
    """Processes that stand by, and ask and tell when told to."""

    def __init__(self, url: str, names: list[str], seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self._ready, self._go, self._results = context.Queue(), context.Queue(), context.Queue()
        queues = (self._ready, self._go, self._results)
        arguments = [(url, name, f"w{at}", seconds, *queues) for at, name in enumerate(names)]
        self._processes = [context.Process(target=a_process, args=each) for each in arguments]
        for process in self._processes:
            process.start()

    def run(self) -> float:
        """Pairs per second of all together."""
        for _ in self._processes:
            self._ready.get(timeout=PATIENCE)
        for _ in self._processes:
            self._go.put(None)
        return sum(self._results.get(timeout=PATIENCE) for _ in self._processes)

    def end(self) -> None:
        for process in self._processes:
            process.join()


def report(name: str, rates: list[float], beside: list[float], of_what: str) -> dict[str, object]:
    """A line with the median rate and the median ratio."""
    rate, ratio = statistics.median(rates), statistics.median(one / other for one, other in zip(rates, beside, strict=True))
    print(f"{name:52} {rate:8,.0f} /s   {ratio:5.2f} of {of_what}", flush=True)
    return {"name": name, "per second": round(rate, 1), "ratio": round(ratio, 3), "of": of_what}


def measure_alone(kind: str, url: str, folder: Path, seconds: float) -> list[dict[str, object]]:
    """One process: pairs, commits and steps beside raw syncs, in turn."""
    open_campaign_for(url, "alone", 8)
    campaign = lb.open_campaign(url, "alone")
    pairs(campaign, "w0", 0.2)
    raw, two, one = [], [], []
    for at in range(ROUNDS):
        raw.append(raw_syncs(folder, seconds))
        two.append(pairs(campaign, f"w{at % 4}", seconds))
        one.append(steps(campaign, f"w{4 + at % 4}", seconds))
    campaign.store.close()
    disk = "raw fdatasync"
    return [
        report(f"{kind}, 1 process: commits", [2 * rate for rate in two], raw, disk),
        report(f"{kind}, 1 process: ask and tell", two, raw, disk),
        report(f"{kind}, 1 process: tell and ask in one step", one, raw, disk),
    ]


def measure_together(kind: str, url: str, seconds: float) -> list[dict[str, object]]:
    """Eight processes on one campaign and on eight, each beside one process, in turn."""
    names = [f"campaign {at}" for at in range(PROCESSES)]
    for name in ("single", "shared", *names):
        open_campaign_for(url, name, PROCESSES)
    crews = [Crew(url, chosen, seconds) for chosen in (["single"], ["shared"] * PROCESSES, names)]
    rates = [[crew.run() for crew in crews] for _ in range(ROUNDS)]
    for crew in crews:
        crew.end()
    single, shared, apart = (list(column) for column in zip(*rates, strict=True))
    return [
        report(f"{kind}, {PROCESSES} processes, 1 campaign: ask and tell", shared, single, "1 process"),
        report(f"{kind}, {PROCESSES} processes, {PROCESSES} campaigns: ask and tell", apart, single, "1 process"),
    ]


def measure(folder: Path, seconds: float) -> list[dict[str, object]]:
    """Everything, row by row."""
    rows = measure_alone("SQLite", f"sqlite:///{folder}/alone.db", folder, seconds)
    rows += measure_together("SQLite", f"sqlite:///{folder}/together.db", seconds)
    if postgres.binaries() is None:
        print(postgres.ABSENT, file=sys.stderr)
        return rows
    with server() as started:
        rows += measure_alone("PostgreSQL", started.fresh_url(), folder, seconds)
        rows += measure_together("PostgreSQL", started.fresh_url(), seconds)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="per measurement")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="on the disk to be measured")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        rows = measure(Path(place), options.seconds)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

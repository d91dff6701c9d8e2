"""200 workers through HTTP, beside a bare FastAPI app that inserts rows into SQLite: the same load, in turns, in one run.

A worker thinks for a second on average, then tells an answer and gets the next task; the bare app's worker sends two requests,
each of which inserts a row. Every row is synced before it is acknowledged. Then nobody thinks. At the end the labels are
counted: none lost, none twice, all paid. `python -m benchmarks.server [seconds]` of each kind; both sides have one process.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np

import labelbandit as lb
from benchmarks.load import crowd

WORKERS, TASKS, THINK, ROUNDS = 200, 4000, 1.0, 5
API = "/api/v1"
PORTS = {"ours": 8931, "bare": 8932}
BARE = """
import sqlite3, sys, threading, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
app, lock = FastAPI(), threading.Lock()
store = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
store.execute("PRAGMA journal_mode = WAL")
store.execute("PRAGMA synchronous = FULL")
store.execute("CREATE TABLE labels (assignment INTEGER, answer TEXT)")
class Answer(BaseModel):
    assignment: int
    answer: str
@app.post("/insert")
def insert(answer: Answer) -> dict[str, int]:
    with lock:
        store.execute("INSERT INTO labels VALUES (?, ?)", (answer.assignment, answer.answer))
    return {"assignment": answer.assignment}
uvicorn.run(app, port=int(sys.argv[2]), log_level="warning", access_log=False)
"""


class Result(NamedTuple):
    """Ours over bare, and whether the books are right."""

    p50: float
    p99: float
    labels_per_second: float
    bare_labels_per_second: float
    exact: bool


class Ours:
    """A server of ours with a campaign; workers tell and get the next task."""

    def __init__(self, folder, port):
        command = ["-m", "labelbandit", "serve", "--storage", f"sqlite:///{folder}/store.db", "--port", str(port)]
        self.process = started(command, f"http://127.0.0.1:{port}/ready")
        self.process.stdout.readline()
        key = self.process.stdout.readline().rpartition(" ")[2].strip()
        self.client = lb.Client(f"http://127.0.0.1:{port}", key)
        self.campaign = self.client.create_campaign("load", classes=["a", "b"], budget=10**7, hold=2)
        self.campaign.add_tasks(*(lb.Task(f"t{at}", f"c{at % 5}", {"text": f"task {at}"}) for at in range(TASKS)))
        links = self.campaign.add_workers(*(lb.Worker(f"w{at}") for at in range(WORKERS)))
        self.heads = [f"Authorization: Bearer {link.rpartition('#')[2]}\r\n" for link in links.values()]
        self.told = 0

    async def step(self, connection, at, desk):
        """Tell what lies on the desk, or ask."""
        if not desk or not desk["work"]:
            return await connection.post(f"{API}/work/ask", {}, self.heads[at])
        number = desk["work"][0]["assignment"]
        body = {"assignment": number, "answer": "ab"[at % 2], "lead_time": 1.5}
        desk = await connection.post(f"{API}/work/tell", body, f"{self.heads[at]}Idempotency-Key: {at}-{number}\r\n")
        self.told += 1
        return desk

    def exact(self):
        """Every acknowledged label is there, no pair twice, and the money is what the labels cost."""
        seen, labels = self.campaign.progress(), list(self.campaign.labels())
        pairs = Counter((label.task, label.worker) for label in labels)
        print(
            f"{self.told} acknowledged, {len(labels)} there, {len(pairs)} pairs, {seen.spent} spent, {seen.reserved} reserved"
        )
        return self.told == len(labels) == len(pairs) == seen.spent == seen.labels and seen.reserved == seen.open

    def close(self):
        self.client.close()
        end(self.process)


class Bare:
    """The least an app can do: two requests, each a row."""

    def __init__(self, folder, port):
        script = Path(folder) / "bare.py"
        script.write_text(BARE)
        self.process = started([str(script), f"{folder}/bare.db", str(port)], f"http://127.0.0.1:{port}/")

    async def step(self, connection, at, _):
        """One row for the asking and one for the telling."""
        await connection.post("/insert", {"assignment": at, "answer": "a"})
        return await connection.post("/insert", {"assignment": at, "answer": "b"})

    def close(self):
        end(self.process)


def started(command, url):
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(600):
        try:
            httpx.get(url)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return process
    raise TimeoutError(url)


def end(process):
    process.terminate()
    process.wait()
    process.stdout.close()


def measure(sides, seconds, think):
    """The milliseconds of every step, on each side; in turns, so that both meet the same machine."""
    took = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, side in sides.items():
            took[name].append(asyncio.run(crowd(PORTS[name], WORKERS, side.step, seconds / ROUNDS, think)))
    return {name: np.concatenate(rounds) for name, rounds in took.items()}


def told(name, kind, took, seconds):
    """Print a line; p50, p99 and labels a second."""
    p50, p95, p99 = np.percentile(took, [50, 95, 99])
    rate = took.size / seconds
    print(
        f"{name:5} {WORKERS} workers, {kind:20} {rate:6.0f} labels/s  p50 {p50:7.2f}  p95 {p95:7.2f}  p99 {p99:7.2f} ms",
        flush=True,
    )
    return p50, p99, rate


def main(seconds=20.0):
    with tempfile.TemporaryDirectory() as folder:
        sides = {"ours": Ours(folder, PORTS["ours"]), "bare": Bare(folder, PORTS["bare"])}
        try:
            for side, one in sides.items():  # kernels are loaded, connections tried
                asyncio.run(crowd(PORTS[side], WORKERS, one.step, 1.0, THINK))
            seen = {}
            for kind, think in (("1 s to think", THINK), ("none to think", 0.0)):
                took = measure(sides, seconds, think)
                seen[kind] = {name: told(name, kind, one, seconds) for name, one in took.items()}
            exact = sides["ours"].exact()
        finally:
            for one in sides.values():
                one.close()
    calm, busy = seen.values()
    result = Result(
        calm["ours"][0] / calm["bare"][0], calm["ours"][1] / calm["bare"][1], busy["ours"][2], busy["bare"][2], exact
    )
    print(f"ask and tell, over two bare requests: p50 {result.p50:.2f} times, p99 {result.p99:.2f} times; exact: {exact}")
    return result


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))

"""200 workers through HTTP, beside a bare FastAPI app that inserts a row into SQLite: the same load, in one run.

Each worker has a connection of their own and answers about once in two seconds, as fast people do; then all of them answer
as fast as they are served. `python -m benchmarks.server [seconds]`.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import httpx
import numpy as np

import labelbandit as lb

WORKERS, TASKS, PAUSE = 200, 4000, 2.0
API = "/api/v1"
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


class Connection:
    """HTTP over one socket, with as little of the client's own time as possible."""

    def __init__(self, port):
        self._port = port

    async def open(self):
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def post(self, path, body, headers=""):
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Type: application/json\r\n"
        head += f"Content-Length: {len(content)}\r\n\r\n"
        self._writer.write(head.encode() + content)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length"))
        answer = await self._reader.readexactly(length)
        if b" 200 " not in lines[0]:
            raise RuntimeError(answer)
        return json.loads(answer)


async def crowd(port, step, seconds, pause):
    """Everyone comes, and then answers for a while; the milliseconds of each answer."""
    took = []

    async def come(at):
        connection = await Connection(port).open()
        return connection, await step(connection, at, None)

    async def work(at, connection, state, end):
        lots = Random(at)  # noqa: S311 - only to keep workers out of step
        await asyncio.sleep(lots.uniform(0, pause))
        while time.perf_counter() < end:
            began = time.perf_counter()
            state = await step(connection, at, state)
            took.append(1000 * (time.perf_counter() - began))
            await asyncio.sleep(pause * lots.uniform(0.5, 1.5) if pause else 0)

    here = [await come(at) for at in range(WORKERS)]
    end = time.perf_counter() + seconds
    await asyncio.gather(*(work(at, *one, end) for at, one in enumerate(here)))
    return np.array(took)


def started(command, url):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(600):
        try:
            httpx.get(url)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return process
    raise TimeoutError(url)


def ours(folder, port):
    command = [sys.executable, "-m", "labelbandit", "serve", "--storage", f"sqlite:///{folder}/store.db", "--port", str(port)]
    process = started(command, f"http://127.0.0.1:{port}/ready")
    process.stdout.readline()
    key = process.stdout.readline().rpartition(" ")[2].strip()
    with lb.Client(f"http://127.0.0.1:{port}", key) as client:
        campaign = client.create_campaign("load", classes=["a", "b"], budget=10**7, hold=2)
        campaign.add_tasks(*(lb.Task(f"t{at}", f"c{at % 5}", {"text": f"task {at}"}) for at in range(TASKS)))
        links = campaign.add_workers(*(lb.Worker(f"w{at}") for at in range(WORKERS)))
    tokens = [link.rpartition("#")[2] for link in links.values()]

    async def step(connection, at, desk):
        headers = f"Authorization: Bearer {tokens[at]}\r\n"
        if not desk or not desk["work"]:
            return await connection.post(f"{API}/work/ask", {}, headers)
        body = {"assignment": desk["work"][0]["assignment"], "answer": "ab"[at % 2], "lead_time": 1.5}
        return await connection.post(f"{API}/work/tell", body, headers + f"Idempotency-Key: {at}-{body['assignment']}\r\n")

    return process, step


def bare(folder, port):
    script = Path(folder) / "bare.py"
    script.write_text(BARE)
    process = started([sys.executable, str(script), f"{folder}/bare.db", str(port)], f"http://127.0.0.1:{port}/")

    async def step(connection, at, _):
        return await connection.post("/insert", {"assignment": at, "answer": "a"})

    return process, step


def main(seconds=10.0):
    with tempfile.TemporaryDirectory() as folder:
        servers = {
            "labelbandit: tell and ask next": (*ours(folder, 8931), 8931),
            "bare FastAPI + insert": (*bare(folder, 8932), 8932),
        }
        medians = {}
        try:
            for name, (_, step, port) in servers.items():
                for kind, pause in (("one answer in 2 s each", PAUSE), ("as fast as served", 0.0)):
                    took = asyncio.run(crowd(port, step, seconds, pause))
                    p50, p95, p99 = np.percentile(took, [50, 95, 99])
                    medians[name, kind] = p50, took.size / seconds
                    times = f"p50 {p50:7.2f}  p95 {p95:7.2f}  p99 {p99:7.2f} ms"
                    print(f"{name:32} {WORKERS} workers, {kind:24} {took.size / seconds:7.0f}/s  {times}")
        finally:
            for process, _, _ in servers.values():
                process.terminate()
                process.wait()
                process.stdout.close()
        (mine, mine_fast, plain, plain_fast) = medians.values()
        pace, most = mine[0] / plain[0], mine_fast[1] / plain_fast[1]
        print(f"p50 at an even pace: {pace:.2f} times bare; throughput at most: {most:.2f} times bare")
    return pace, most


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))

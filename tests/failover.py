"""Two servers on one PostgreSQL database, of which one is killed while workers label; they go on at the other."""

import asyncio
import itertools
import time
from typing import NamedTuple

import httpx
from benchmarks.load import Connection

import labelbandit as lb
from tests.processes import RunningServer

API = "/api/v1"
GONE = (ConnectionError, asyncio.IncompleteReadError)


class Outcome(NamedTuple):
    """Labels that were acknowledged and labels that are there, both by assignment; the money; and what came after the kill."""

    acknowledged: dict[int, str]
    there: dict[int, str]
    pairs: int
    spent: int
    after: int
    moved: int


class Labeller:
    """A worker who sends everything until it is acknowledged, at whichever server answers."""

    def __init__(self, token, servers, at):
        self._head = f"Authorization: Bearer {token}\r\n"
        self._ports = itertools.cycle([server.port for server in servers[at % 2 :] + servers[: at % 2]])
        self._connection, self.moved = None, 0

    async def _post(self, path, body, key):
        while True:
            try:
                self._connection = self._connection or await Connection(next(self._ports)).open()
                return await self._connection.post(f"{API}/work/{path}", body, f"{self._head}Idempotency-Key: {key}\r\n")
            except GONE:
                await self._leave()
                self.moved += 1
                await asyncio.sleep(0.05)

    async def work(self, acknowledged, end, think):
        """Label until the time is up."""
        desk = await self._post("ask", {}, "first")
        while time.monotonic() < end:
            await asyncio.sleep(think)
            if not desk["work"]:  # not wanted just now, as a page would: come again
                desk = await self._post("ask", {}, f"ask-{time.monotonic_ns()}")
                continue
            number = desk["work"][0]["assignment"]
            answer = "owl" if number % 3 else "jay"
            desk = await self._post("tell", {"assignment": number, "answer": answer}, f"tell-{number}")
            acknowledged[number] = (answer, time.monotonic())
        await self._leave()

    async def _leave(self):
        if self._connection:
            await self._connection.close()
        self._connection = None


async def _labels(servers, tokens, seconds, think):
    acknowledged, people = {}, [Labeller(token, servers, at) for at, token in enumerate(tokens)]
    end = time.monotonic() + seconds

    async def kill():
        await asyncio.sleep(seconds / 2)
        await asyncio.to_thread(servers[0].kill)
        return time.monotonic()

    killing = asyncio.create_task(kill())
    await asyncio.gather(*(one.work(acknowledged, end, think) for one in people))
    return acknowledged, await killing, sum(one.moved > 0 for one in people)


def one_is_killed(url, workers, seconds, think, tasks=2000):
    """Let workers label at two servers, kill one midway, and compare what was acknowledged with what is there."""
    servers = [RunningServer(url)]
    servers.append(RunningServer(url, key=servers[0].key))
    headers = {"Authorization": f"Bearer {servers[0].key}"}
    try:
        with httpx.Client(base_url=servers[1].address, headers=headers, timeout=60) as client:
            terms = {"name": "birds", "classes": ["owl", "jay"], "budget": 100_000, "hold": 2}
            path = f"{API}/campaigns/{client.post(f'{API}/campaigns', json=terms).json()['id']}"
            client.post(f"{path}/tasks", json={"tasks": [{"id": f"t{at}"} for at in range(tasks)]}).raise_for_status()
            crew = {"workers": [{"id": f"w{at}"} for at in range(workers)]}
            tokens = [link["token"] for link in client.post(f"{path}/workers", json=crew).json()]
            acknowledged, killed, moved = asyncio.run(_labels(servers, tokens, seconds, think))
            seen = client.get(f"{path}/progress").json()
        with lb.Client(servers[1].address, servers[1].key) as client:
            labels = list(client.open_campaign("birds").labels())
    finally:
        servers[1].stop()
        if servers[0].process.poll() is None:
            servers[0].stop()
    return Outcome(
        {number: answer for number, (answer, _) in acknowledged.items()},
        {label.number: label.answer for label in labels},
        len({(label.task, label.worker) for label in labels}),
        seen["spent"],
        sum(at > killed for _, at in acknowledged.values()),
        moved,
    )

"""A crowd of workers over HTTP from one process, taking as little of the machine's time as it can."""

import asyncio
import json
import time
from contextlib import suppress
from random import Random

import numpy as np


class Connection:
    """HTTP over one socket that stays open."""

    def __init__(self, port):
        self._port = port

    async def open(self):
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def close(self):
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()

    async def post(self, path, body, headers=""):
        """The JSON of a 200; anything else is an error."""
        content = json.dumps(body)
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Type: application/json\r\n"
        self._writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n{content}".encode())
        lines = await self._reader.readuntil(b"\r\n\r\n")
        start = lines.lower().index(b"content-length:") + 15
        answer = await self._reader.readexactly(int(lines[start : lines.index(b"\r\n", start)]))
        if not lines.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer)
        return json.loads(answer)


async def crowd(port, workers, step, seconds, think):
    """Everyone comes, then works for a while, thinking so many seconds on average; the milliseconds of each step."""
    took = []

    async def come(at):
        connection = await Connection(port).open()
        return connection, await step(connection, at, None)

    async def work(at, connection, state, end):
        lots = Random(at)  # noqa: S311 - only to keep workers out of step
        await asyncio.sleep(lots.uniform(0, think))
        while time.perf_counter() < end:
            began = time.perf_counter()
            state = await step(connection, at, state)
            took.append(1000 * (time.perf_counter() - began))
            await asyncio.sleep(think * lots.uniform(0.5, 1.5))
        await connection.close()

    here = await asyncio.gather(*map(come, range(workers)))
    end = time.perf_counter() + seconds
    await asyncio.gather(*(work(at, *one, end) for at, one in enumerate(here)))
    return np.array(took)

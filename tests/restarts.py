"""A worker labels in a browser while the server ends and comes back, again and again."""

import asyncio
import csv
import io
import signal

import httpx
from playwright.async_api import async_playwright

from tests.browser import LAUNCH
from tests.processes import RunningServer
from tests.story import Person, label, nothing_told, tasks_file

PAUSE = 1.0
"""Seconds of labelling before the server ends."""


def make_campaign(server, tasks):
    """A campaign with a worker, by plain HTTP: where its labels are, and the worker's link."""
    with httpx.Client(headers={"Authorization": f"Bearer {server.key}"}, base_url=server.address, timeout=60) as client:
        terms = {"name": "numbers", "classes": ["true", "false"], "budget": tasks, "hold": 2, "seed": 1}
        path = f"/api/v1/campaigns/{client.post('/api/v1/campaigns', json=terms).json()['id']}"
        rows = list(csv.DictReader(io.StringIO(tasks_file(tasks))))
        added = {"tasks": [{"id": row["id"], "payload": {"text": row["text"]}} for row in rows]}
        assert client.post(f"{path}/tasks", json=added).status_code == 201
        return path, client.post(f"{path}/workers", json={"workers": [{"id": "ann"}]}).json()[0]["link"]


async def end_and_start(server, end, times):
    """End the server with that signal and start it again, while keys are pressed."""
    for _ in range(times):
        await asyncio.sleep(PAUSE)
        server.process.send_signal(signal.Signals[end])
        code = await asyncio.to_thread(server.process.wait, 30)
        assert code == (0 if end == "SIGTERM" else -signal.SIGKILL)
        server.process.stdout.close()
        await asyncio.to_thread(server.start)


async def work_through(server, link, end, times):
    """What the worker typed until all was done, and what the page complained of, connections refused apart."""
    told = nothing_told(server)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**LAUNCH)
        ann = Person("ann", await browser.new_context(), told, expected="net::ERR_")
        page = await ann.context.new_page()
        await page.goto(link)
        async with asyncio.TaskGroup() as together:
            together.create_task(label(ann, page, told.typed))
            together.create_task(end_and_start(server, end, times))
        await browser.close()
    return told


def through_restarts(folder, end, times, tasks=14):
    """What was typed, which labels the server has afterwards, and what the page complained of."""
    server = RunningServer(f"sqlite:///{folder}/store.db")
    try:
        path, link = make_campaign(server, tasks)
        told = asyncio.run(work_through(server, link, end, times))
        headers = {"Authorization": f"Bearer {server.key}"}
        labels = httpx.get(f"{server.address}{path}/labels", headers=headers, timeout=60).json()
        return told.typed, [(one["task"], one["worker"], one["answer"]) for one in labels], told.faults
    finally:
        server.stop()

"""A whole campaign in a real browser: a requester and two workers, at the same time, with a reload and a lost connection."""

import asyncio
import csv
import re
from typing import NamedTuple

from playwright.async_api import async_playwright

from tests.browser import LAUNCH, WIDTH
from tests.processes import RunningServer

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
CUT = "net::ERR_INTERNET_DISCONNECTED"
BLINK = 230
"""Milliseconds after which a page takes a key for an answer to the task it shows."""
LABELS = ".tile:has-text('Labels') b >> nth=0"


class Told(NamedTuple):
    """What the story came to."""

    typed: list[tuple[str, str, str]]
    exported: list[tuple[str, str, str]]
    seen: list[int]
    tiles: dict[str, str]
    hosts: set[str]
    host: str
    faults: list[str]
    kept: int = 0
    width: int = 0


def nothing_told(server):
    """The beginning of a story."""
    return Told([], [], [], {}, set(), server.address.removeprefix("http://"), [])


class Person:
    """Somebody with a browser of their own: what it asked for and complained of is noted."""

    def __init__(self, name, context, told, expected=None):
        self.name, self.context, self.expected = name, context, expected
        context.on("request", lambda request: told.hosts.add(request.url.split("/")[2]))
        context.on("weberror", lambda error: told.faults.append(f"{name}: {error.error}"))
        context.on("console", lambda message: self._heard(message, told))

    def _heard(self, message, told):
        if message.type == "error" and not (self.expected and self.expected in message.text):
            told.faults.append(f"{self.name}: {message.text}")

    async def cut_off(self, cut):
        self.expected = CUT if cut else None
        await self.context.set_offline(cut)


def tasks_file(tasks):
    """Statements to judge, as a CSV file."""
    lines = [f"s{at},{at} is {'even' if at % 3 else 'odd'}" for at in range(tasks)]
    return "\n".join(["id,text", *lines, ""])


async def make_campaign(page, server, tasks, budget):
    """Sign in, make a campaign of a file, invite two workers; returns their links."""
    await page.goto(server.address)
    await page.fill("dialog input[name=key]", server.key)
    await page.click("text=Sign in")
    await page.click("text=New campaign")
    content = {"name": "numbers.csv", "mimeType": "text/csv", "buffer": tasks_file(tasks).encode()}
    await page.set_input_files("input[type=file]", files=[content])
    await page.fill("input[name=classes]", "true, false")
    await page.fill("input[name=budget]", str(budget))
    await page.click("text=Start the campaign")
    await page.fill("#people textarea", "ann\nbob")
    await page.click("text=Make links")
    await page.wait_for_selector("text=Send each worker their own link")
    return [await page.locator("#people .note .mono").nth(at).inner_text() for at in range(2)]


async def label(person, page, typed, *, count=None):
    """Press keys, as fast as the page takes them, until so many are pressed or all is done; returns how many."""
    pressed = 0
    while count is None or pressed < count:
        await page.wait_for_selector(".answers button, h1:text-is('All done')", timeout=30_000)
        text = await page.inner_text("#task")
        statement = re.fullmatch(r"(\d+) is (even|odd)", text.strip())
        if statement is None:
            if "All done" in text:
                break
            continue
        number, kind = int(statement[1]), statement[2]
        right = (number % 2 == 0) == (kind == "even")
        await page.wait_for_timeout(BLINK)
        await page.keyboard.press("1" if right else "2")
        typed.append((f"s{number}", person.name, "true" if right else "false"))
        pressed += 1
    return pressed


async def waiting(page):
    """How many answers the page keeps because the server has not acknowledged them."""
    return await page.evaluate("Object.values(localStorage).flatMap(kept => JSON.parse(kept)).length")


async def reload_midway(person, page, typed, steps):
    """A worker at a desk, who reloads the page with an answer just given."""
    await label(person, page, typed, count=steps)
    await page.reload()
    await label(person, page, typed)


async def lose_connection(person, page, typed, steps):
    """A worker with a phone and a keyboard, who loses the network for a while; returns the answers kept meanwhile."""
    await label(person, page, typed, count=steps)
    while await waiting(page):
        await page.wait_for_timeout(50)
    await page.wait_for_selector(".answers button")
    await person.cut_off(True)
    await label(person, page, typed, count=2)
    await page.wait_for_selector("text=2 answers are kept on this device")
    kept = await waiting(page)
    await page.wait_for_timeout(500)
    await person.cut_off(False)
    await label(person, page, typed)
    return kept


async def watch(page, seen, budget):
    """Note the number of labels whenever the dashboard, which nobody reloads, shows another."""
    while not seen or seen[-1] < budget:
        shown = int((await page.locator(LABELS).inner_text(timeout=20_000)).replace(",", ""))
        if not seen or seen[-1] != shown:
            seen.append(shown)
        await asyncio.sleep(0.1)


async def export(page):
    """The file of labels that the dashboard's menu gives."""
    async with page.expect_download() as download:
        await page.select_option("select[aria-label=Export]", label="Labels as CSV")
    return await (await download.value).path()


def labels_in(path):
    """The labels of an exported CSV file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [(row["task"], row["worker"], row["label"]) for row in csv.DictReader(lines)]


async def tell(server, tasks, budget):
    """The story on a server."""
    told = nothing_told(server)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**LAUNCH)
        requester = Person("requester", await browser.new_context(accept_downloads=True), told)
        ann = Person("ann", await browser.new_context(), told)
        bob = Person("bob", await browser.new_context(**PHONE), told)
        dashboard = await requester.context.new_page()
        links = await make_campaign(dashboard, server, tasks, budget)
        desk, phone = await ann.context.new_page(), await bob.context.new_page()
        await asyncio.gather(desk.goto(links[0]), phone.goto(links[1]))
        steps = budget // 6
        async with asyncio.TaskGroup() as together:
            together.create_task(watch(dashboard, told.seen, budget))
            together.create_task(reload_midway(ann, desk, told.typed, steps))
            losing = together.create_task(lose_connection(bob, phone, told.typed, steps))
        spent = (await dashboard.locator(".tile:has-text('Spent')").inner_text()).split("\n")
        told.tiles.update(spent=spent[1], of=spent[2])
        told.exported.extend(labels_in(await export(dashboard)))
        width = await phone.evaluate(WIDTH)
        await browser.close()
    return told._replace(kept=losing.result(), width=width)


def whole_story(folder, tasks, budget):
    """Start a server, tell the story, stop the server."""
    server = RunningServer(f"sqlite:///{folder}/store.db")
    try:
        return asyncio.run(tell(server, tasks, budget))
    finally:
        server.stop()

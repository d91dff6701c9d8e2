"""Pictures of every page, light and dark, for docs/images/server: `python -m tests.pictures`. Look at them afterwards."""

import re
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import LAUNCH
from tests.processes import RunningServer

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images" / "server"
WIDE = {"viewport": {"width": 1200, "height": 850}}
NARROW = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
LABELS = 500
"""Labels that the demo's crowd has given when the first picture is taken."""
REVIEWS = "\n".join(
    ["id,text,topic,gold"]
    + [f"r{at},{text},{topic},{gold}" for at, (text, topic, gold) in enumerate([
        ("The soup was cold and nobody cared.", "food", "bad"),
        ("We had the best bread in town.", "food", "good"),
        ("A quiet room with a view of the harbour.", "room", "good"),
        ("The heating rattled all night.", "room", "bad"),
        ("They found us a table at once.", "service", "good"),
    ] * 6)]
)  # fmt: skip


def sign_in(page, server):
    page.goto(server.address)
    page.wait_for_selector("dialog")
    page.fill("input[name=key]", server.key)
    page.click("text=Sign in")
    page.wait_for_selector("dialog", state="detached")


def take(page, name, scheme, **options):
    page.wait_for_timeout(700)
    page.screenshot(path=FOLDER / f"{name}-{scheme}.png", **options)


def campaign_pages(page, server, scheme):
    """The dashboard from top to bottom, and everything about one task."""
    page.goto(server.address)
    page.click("text=The bandit decides")
    page.wait_for_selector("#tasks tr.open-row")
    page.click("text=Compute again")
    page.click("#people >> text=Invite workers")
    page.mouse.move(0, 0)
    take(page, "campaign", scheme, clip={"x": 0, "y": 0, "width": 1200, "height": 1250}, full_page=True)
    take(page, "campaign-tasks", scheme, clip={"x": 0, "y": 1240, "width": 1200, "height": 1300}, full_page=True)
    page.locator("#people").screenshot(path=FOLDER / f"campaign-workers-{scheme}.png")
    page.click("#tasks tr.open-row >> nth=0")
    page.wait_for_selector("dialog[open] td")
    take(page, "task", scheme)


def requester_pages(browser, server, scheme):
    page = browser.new_context(**WIDE, color_scheme=scheme).new_page()
    page.goto(server.address)
    page.wait_for_selector("dialog")
    take(page, "sign-in", scheme)
    sign_in(page, server)
    page.wait_for_selector("#campaigns a.card")
    take(page, "home", scheme)
    campaign_pages(page, server, scheme)
    page.goto(f"{server.address}/new")
    content = {"name": "reviews.csv", "mimeType": "text/csv", "buffer": REVIEWS.encode()}
    page.set_input_files("input[type=file]", files=[content])
    page.wait_for_selector("text=3. The terms")
    take(page, "new", scheme, full_page=True)
    page.goto(f"{server.address}/demo")
    page.wait_for_selector("svg")
    take(page, "demo", scheme)
    page.context.close()


def phone_pages(browser, server, link, scheme):
    page = browser.new_context(**NARROW, color_scheme=scheme).new_page()
    sign_in(page, server)
    page.click("text=The bandit decides")
    page.wait_for_selector("#tasks tr.open-row")
    take(page, "campaign-phone", scheme)
    for name, shape in (("work-phone", NARROW), ("work", WIDE)):
        worker = browser.new_context(**shape, color_scheme=scheme).new_page()
        worker.goto(link)
        worker.wait_for_selector(".answers button")
        take(worker, name, scheme)
        worker.context.close()
    page.context.close()


def main():
    server = RunningServer("memory:", "--demo")
    link = [re.search(r"http\S+", server.process.stdout.readline())[0] for _ in range(2)][1]
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(**LAUNCH)
            page = browser.new_context().new_page()
            sign_in(page, server)
            while page.evaluate("fetch('/demo/state').then(found => found.json())")["campaigns"]["bandit"]["labels"] < LABELS:
                page.wait_for_timeout(1000)
            for scheme in ("light", "dark"):
                requester_pages(browser, server, scheme)
                phone_pages(browser, server, link, scheme)
            browser.close()
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())

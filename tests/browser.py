"""A real browser, if there is one: pages are opened from disk with the network cut off."""

import shutil
from contextlib import contextmanager

QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
SHOWN = "[...document.images].filter(image => image.complete && image.naturalWidth > 0).length"
WIDTH = "document.documentElement.scrollWidth"


def chromium():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


LAUNCH = {"executable_path": chromium(), "args": QUIET, "chromium_sandbox": False}
ABSENT = "not run: Chromium is not installed"


@contextmanager
def opened(path, width=1280, *, dark=False):
    """The page, as a browser without network shows it in a window of that width, all its pictures loaded."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**LAUNCH)
        page = browser.new_context(
            offline=True, viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        ).new_page()
        page.goto(path.resolve().as_uri())
        page.evaluate("Promise.all([...document.images].map(image => image.decode()))")
        yield page
        browser.close()

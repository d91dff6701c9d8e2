"""A real browser, if there is one: pages are opened from disk with the network cut off."""

import shutil
import subprocess
import tempfile

QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
# Every name leads nowhere: whatever a page asks of the network fails.
OFFLINE = ("--disable-sync", "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9")


def chromium():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def open_page(path, *options):
    """What the browser makes of the page, as HTML."""
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium(), *QUIET, *OFFLINE, f"--user-data-dir={profile}", *options, path.resolve().as_uri()]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout

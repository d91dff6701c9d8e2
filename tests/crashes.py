"""Writers that are killed at random moments, and what must be true afterwards.

`python -m tests.crashes URL CAMPAIGN` appends groups of entries for ever, and prints the last position of each group once it is
acknowledged.
"""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from labelbandit.model.errors import StoreUnavailable
from labelbandit.stores import Entry, open_store
from tests.postgres import Server

ROOT = Path(__file__).resolve().parent.parent


class Outcome(NamedTuple):
    kills: int
    acknowledged: int
    entries: int
    faults: list[str]


def write_for_ever(url, campaign):
    store, seen = open_store(url, create=False), -1
    for group in itertools.count():
        size = 1 + group % 3
        try:
            with store.writing(campaign) as writing:
                seen = max([seen, *(entry.position for entry in writing.read(seen))])
                writing.append([entry_of(seen + 1 + at, f"{os.getpid()}-{group}", at, size) for at in range(size)])
        except StoreUnavailable:
            time.sleep(0.05)
        else:
            seen += size
            print(seen, f"{os.getpid()}-{group}", flush=True)


def entry_of(position, group, at, size):
    fill = os.urandom(3000 if at else 10).hex()
    return Entry(position, 0, "task assigned", 1, json.dumps([group, at, size, fill, zlib.crc32(fill.encode())]))


class Writer:
    """A process that appends, and the file in which it notes what was acknowledged."""

    def __init__(self, url, campaign):
        with tempfile.NamedTemporaryFile("w", delete=False) as notes:
            self._notes = Path(notes.name)
            command = [sys.executable, "-m", "tests.crashes", url, str(campaign)]
            self._process = subprocess.Popen(command, stdout=notes, cwd=ROOT)
        self.acknowledged = []

    def go_on(self, lines):
        """Wait until so many more groups are acknowledged."""
        patience, before = time.monotonic() + 60, self._notes.read_text().count("\n")
        while self._notes.read_text().count("\n") < before + lines:
            assert self._process.poll() is None, "the writer ended by itself"
            assert time.monotonic() < patience, "the writer hangs"
            time.sleep(0.01)

    def kill(self):
        """End the process, and learn the (position, group) it noted; a line cut short was not printed in full."""
        if self._notes.exists():
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            lines = self._notes.read_text().split("\n")[:-1]
            self.acknowledged = [(int(position), group) for position, group in (line.split() for line in lines)]
            self._notes.unlink()


@contextmanager
def writers(url, campaign):
    """Two writers at the beginning; all that were added are ended in the end."""
    all_of_them = [Writer(url, campaign), Writer(url, campaign)]
    try:
        yield all_of_them
    finally:
        for writer in all_of_them:
            writer.kill()


def new_campaign(url):
    store = open_store(url)
    number = store.create("crash", "me", entry_of(0, "first", 0, 1)).number
    store.close()
    return number


def faults(url, campaign, acknowledged):
    """What is wrong with the log, in sentences."""
    store = open_store(url, create=False)
    entries = list(store.read(campaign))
    store.close()
    found = []
    if [entry.position for entry in entries] != list(range(len(entries))):
        found.append("positions are not contiguous")
    decoded = [json.loads(entry.body) for entry in entries]
    found += [f"entry {at} is torn" for at, body in enumerate(decoded) if zlib.crc32(body[3].encode()) != body[4]]
    for group, members in itertools.groupby(decoded, key=lambda body: body[0]):
        part = list(members)
        if [body[1] for body in part] != list(range(part[0][2])):
            found.append(f"group {group} is not whole")
    groups = dict(enumerate(body[0] for body in decoded))
    found += [f"acknowledged entry {position} is lost" for position, group in acknowledged if groups.get(position) != group]
    return len(entries), found


def kill_writers(url, kills, seed=0):
    """Two writers at a time; one of them is killed at a random moment, and another takes its place."""
    chance, campaign = random.Random(seed), new_campaign(url)  # noqa: S311 - any moment will do
    with writers(url, campaign) as all_of_them:
        for _ in range(kills):
            all_of_them[-2].go_on(chance.randrange(1, 5))
            time.sleep(chance.random() * 0.05)
            all_of_them[-2].kill()
            all_of_them.append(Writer(url, campaign))
    acknowledged = [noted for writer in all_of_them for noted in writer.acknowledged]
    entries, found = faults(url, campaign, acknowledged)
    return Outcome(kills, len(acknowledged), entries, found)


def kill_server(kills, seed=0):
    """The PostgreSQL server itself is killed under two writers and started again; the writers go on by themselves."""
    chance, server = random.Random(seed), Server(fsync=True)  # noqa: S311 - any moment will do
    try:
        url = server.fresh_url()
        campaign = new_campaign(url)
        with writers(url, campaign) as all_of_them:
            for _ in range(kills):
                for writer in all_of_them:
                    writer.go_on(chance.randrange(1, 5))
                time.sleep(chance.random() * 0.05)
                server.kill()
                server.start()
            for writer in all_of_them:
                writer.go_on(1)
        acknowledged = [noted for writer in all_of_them for noted in writer.acknowledged]
        entries, found = faults(url, campaign, acknowledged)
        return Outcome(kills, len(acknowledged), entries, found)
    finally:
        server.stop()


if __name__ == "__main__":
    write_for_ever(sys.argv[1], int(sys.argv[2]))

"""A PostgreSQL server of our own: private, on a socket only, gone with the tests."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import psycopg

USER = "labelbandit"
ABSENT = "not run: PostgreSQL is not installed"


def binaries():
    """The folder of initdb and postgres, or None."""
    on_path = shutil.which("initdb")
    places = [os.environ.get("PG_BIN"), on_path and Path(on_path).resolve().parent]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((Path(place) for place in places if place and (Path(place) / "initdb").exists()), None)


def _account():
    """Whom to run the server as: initdb refuses root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def _lowered():
    """The command before the command: without root's rights, and ending with us."""
    account = _account()
    rights = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"] if account else []
    return ["setpriv", "--pdeathsig=QUIT", *rights]


def _lives(process):
    """Whether a process, by its folder in /proc, is there and not merely waiting to be buried."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Server:
    """One server with one data folder; it can be killed and started again."""

    def __init__(self, *, fsync=False):
        self._fsync = fsync
        self._folder = Path(tempfile.mkdtemp(prefix="lbpg"))
        self._process = None
        self._schemas = itertools.count()
        if account := _account():
            os.chown(self._folder, account.pw_uid, account.pw_gid)
        options = ["-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]
        self._run("initdb", "-D", str(self._folder / "data"), *options)
        self.start()

    def _run(self, name, *arguments):
        command = [*_lowered(), str(binaries() / name), *arguments]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def start(self):
        """Start the server and wait until it answers."""
        settings = ["listen_addresses=", "max_connections=60", f"fsync={'on' if self._fsync else 'off'}", "shared_buffers=32MB"]
        chosen = [part for setting in settings for part in ("-c", setting)]
        command = [
            *_lowered(),
            str(binaries() / "postgres"),
            "-D",
            str(self._folder / "data"),
            "-k",
            str(self._folder),
            *chosen,
        ]
        patience = time.monotonic() + 60
        while True:
            with (self._folder / "log").open("a") as log:
                self._process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log)
            while self._process.poll() is None:
                try:
                    psycopg.connect(self.url()).close()
                except psycopg.OperationalError:
                    time.sleep(0.02)
                else:
                    return
                assert time.monotonic() < patience, (self._folder / "log").read_text()
            # Backends of a killed server may live a moment longer and hold its shared memory.
            assert time.monotonic() < patience, (self._folder / "log").read_text()
            time.sleep(0.1)

    def url(self, schema="public"):
        """A URL whose tables lie in that schema."""
        return f"postgresql://{USER}@/postgres?host={quote(str(self._folder), safe='')}&options=-csearch_path%3D{schema}"

    def fresh_url(self):
        """The URL of an empty store."""
        schema = f"store_{next(self._schemas)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        return self.url(schema)

    def kill(self):
        """End the server as a crash would; `start` brings it back. A connection may outlive it for a moment: wait for that."""
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children")
        left = [Path("/proc") / child for child in children.read_text().split()] if children.exists() else []
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        until = time.monotonic() + 10
        while any(map(_lives, left)) and time.monotonic() < until:
            time.sleep(0.01)

    def cut_connections(self):
        """End all connections of clients."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    def stop(self):
        """End the server and remove its folder."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

"""A server in a process of its own, as users start it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx

SOURCE = str(Path(__file__).parent.parent / "src")


class RunningServer:
    """`labelbandit serve`, started and stopped, on one store and one port."""

    def __init__(self, url, *options, key=None):
        self.url, self.options, self.port, self.key = url, options, 0, key
        self.start()

    def start(self):
        command = [sys.executable, "-m", "labelbandit", "serve", "--storage", self.url, "--port", str(self.port), *self.options]
        environment = os.environ | {"PYTHONPATH": SOURCE, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        self.address = re.search(r"is at (\S+)", self.process.stdout.readline())[1]
        self.port = int(self.address.rpartition(":")[2])
        if self.key is None:
            self.key = re.search(r"once\): (\S+)", self.process.stdout.readline())[1]
        self.wait()

    def wait(self, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.address}/ready", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                time.sleep(0.1)
        raise TimeoutError("the server does not answer")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """End it as an operator would; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.process.stdout.close()
        return code

"""Serving: a socket, the first key, one process or several, the courier, and an end that loses nothing."""

import multiprocessing
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.context import SpawnContext, SpawnProcess
from types import FrameType

import uvicorn
from fastapi import FastAPI

from labelbandit.campaign.opening import create_campaign
from labelbandit.campaign.values import OWNER, Task, Worker
from labelbandit.model.errors import BadInput
from labelbandit.server import demo, keys
from labelbandit.server.app import make_app
from labelbandit.server.courier import Courier
from labelbandit.server.logs import write_json_logs
from labelbandit.server.settings import Settings
from labelbandit.server.stopping import STOPPING
from labelbandit.stores import Store, open_store

_GRACE = 5
"""Seconds that answers under way have to end."""
_SWITCH = 0.0005
"""Seconds after which a thread must let another run. Python's own 5 ms are as long as a whole request, and each look at the
store would wait for them anew while others read and write HTTP."""
_WATCH = 0.5
"""Seconds between looks at whether the processes are alive."""


class _Server(uvicorn.Server):
    """Tells long answers that it is time to end."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """See uvicorn.Server."""
        STOPPING.set()
        super().handle_exit(sig, frame)


def serve(settings: Settings, tell: Callable[[str], None], *, new_key: bool = False) -> None:
    """Serve until told to stop."""
    _check(settings)
    store = open_store(settings.storage)
    listening = _listen(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    address = f"http://{settings.host}:{settings.port}"
    token = keys.issue(store, OWNER) if new_key else keys.first_key(store)
    live = demo.Demo(store) if settings.demo else None
    tell(f"labelbandit is at {address}")
    if token is not None:
        tell(f"requester's key (shown this once): {token}")
    if live is not None:
        live.tell(address, tell)
    write_json_logs()
    _heed_signals()
    sys.setswitchinterval(_SWITCH)
    _rehearse()
    courier = Courier(store)
    courier.start()
    try:
        _run(settings, store, listening, live)
    finally:
        courier.stop()
        listening.close()
        store.close()


def _run(settings: Settings, store: Store, listening: socket.socket, live: "demo.Demo | None") -> None:
    if settings.processes == 1:
        _Server(_config(make_app(settings, store, live))).run(sockets=[listening])
        return
    spawn = multiprocessing.get_context("spawn")
    crew = [_started(spawn, settings, listening) for _ in range(settings.processes)]
    while not STOPPING.wait(_WATCH):
        crew = [one if one.is_alive() else _started(spawn, settings, listening) for one in crew]
    for one in crew:
        one.terminate()
    for one in crew:
        one.join(2 * _GRACE)


def _started(spawn: SpawnContext, settings: Settings, listening: socket.socket) -> SpawnProcess:
    process = spawn.Process(target=_further_process, args=(settings, listening), daemon=True)
    process.start()
    return process


def _further_process(settings: Settings, listening: socket.socket) -> None:
    """What every process but the first does: it opens the store by itself."""
    _heed_signals()
    write_json_logs()
    sys.setswitchinterval(_SWITCH)
    _rehearse()
    store = open_store(settings.storage, create=False)
    try:
        _Server(_config(make_app(settings, store))).run(sockets=[listening])
    finally:
        store.close()


def _rehearse() -> None:
    """Load the usual rule meanwhile, or compile it the first time, so that the first worker need not wait for it."""

    def play() -> None:
        campaign = create_campaign("memory:", "rehearsal", classes=["a", "b"], budget=2)
        campaign.add_tasks(Task("a"))
        campaign.add_workers(Worker("a"))
        campaign.tell(campaign.ask("a"), "a")  # type: ignore[arg-type] # there is a task, and money

    threading.Thread(target=play, name="rehearsal", daemon=True).start()


def _heed_signals() -> None:
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, lambda *_: STOPPING.set())  # uvicorn hands signals on when it has ended: they are done with


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )


def _check(settings: Settings) -> None:
    if settings.processes < 1:
        raise BadInput(f"{settings.processes} processes cannot serve: give 1 or more")
    if settings.processes > 1 and (settings.demo or settings.storage.startswith("memory:")):
        raise BadInput("memory is not shared between processes: give --processes 1, or --storage sqlite:///file.db")


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise BadInput(f"cannot listen at {settings.host}:{settings.port} ({error}): give another --host or --port") from None
    listening.listen(2048)
    listening.set_inheritable(True)
    return listening

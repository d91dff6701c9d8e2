"""The crew: parcels of work done by processes of this machine, or by a Dask cluster, with the same results."""

import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import cache
from importlib.util import find_spec
from threading import Thread
from typing import TypeVar

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from labelbandit.model.errors import BadInput, LabelbanditError

Work = TypeVar("Work")
Result = TypeVar("Result")

_GO_ON = "give the command again, and it goes on where it was"
_PATIENCE = "10s"
_TRIES = 5
"""How often a parcel is handed out again when the worker that had it is gone."""


def share_out(
    function: Callable[[Work], Result], parcels: Sequence[Work], jobs: int, scheduler: str | None = None
) -> Iterator[Result]:
    """The results, in the order in which they come."""
    if scheduler is not None:
        return _on_cluster(function, parcels, scheduler)
    if jobs == 1 or len(parcels) < 2:
        return map(function, parcels)
    return _in_processes(function, parcels, jobs)


def unpacked(function: Callable[[Work], Result], packed: bytes) -> Result:
    """Do the work of a packed parcel."""
    return function(pickle.loads(packed))  # noqa: S301 - packed by us, a moment ago


def _unpacked_for(owner: int, function: Callable[[Work], Result], packed: bytes) -> Result:
    """Do the work of a packed parcel for the process of that id, and end with it."""
    _end_with(owner)
    return unpacked(function, packed)


@cache
def _end_with(owner: int) -> None:
    """End this process soon after the one that gave it work is gone; one that was killed could not say goodbye."""

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(1.0)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _in_processes(function: Callable[[Work], Result], parcels: Sequence[Work], jobs: int) -> Iterator[Result]:
    # Packed by hand: arrays that joblib or Dask move by themselves arrive read-only, another type to the compiler.
    tasks = (joblib.delayed(_unpacked_for)(os.getpid(), function, pickle.dumps(parcel)) for parcel in parcels)
    try:
        yield from joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(tasks)
    except TerminatedWorkerError:
        raise ChildProcessError(f"a process was killed, perhaps for want of memory: {_GO_ON}") from None


def _on_cluster(function: Callable[[Work], Result], parcels: Sequence[Work], scheduler: str) -> Iterator[Result]:
    if find_spec("distributed") is None:
        raise LabelbanditError("--scheduler needs Dask, which is not installed: install labelbandit[cluster]")
    from distributed import Client, KilledWorker, as_completed

    try:
        client = Client(scheduler, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, ImportError) as wrong:
        raise BadInput(f"no Dask scheduler answers at {scheduler!r} ({wrong}): start one, or leave out --scheduler") from None
    with client:
        packed = [pickle.dumps(parcel) for parcel in parcels]
        futures = client.map(unpacked, [function] * len(packed), packed, pure=False, retries=_TRIES)
        try:
            for future in as_completed(futures):  # type: ignore[no-untyped-call]
                yield future.result()
                future.release()
        except (CancelledError, KilledWorker, OSError) as wrong:
            raise ChildProcessError(f"the cluster at {scheduler} gave up ({type(wrong).__name__}): {_GO_ON}") from None

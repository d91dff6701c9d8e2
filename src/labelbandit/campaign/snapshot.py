"""Snapshots: a board kept as plain arrays, so that a campaign of millions of labels opens in seconds.

A snapshot is only ever a shortcut. It carries the digest of its bytes and of the code that made it; where either differs, the
log is read from its beginning and a new snapshot takes its place.
"""

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from labelbandit.campaign import ledger
from labelbandit.campaign.board import Board
from labelbandit.compiled import source_digest
from labelbandit.model import events as ev
from labelbandit.model.errors import StoreError
from labelbandit.model.version import VERSION
from labelbandit.stores.contract import Store

_WORTH = 50_000
"""Rows of history after which opening is faster from a new snapshot."""
_PART = 2**22
_SCALARS = ("classes", "phase", "position", "at", "spent", "reserved", "labels", "attached", "contexts")
_TABLES = ("assignments", "crew")
_FACTS = ("context", "gold", "expert", "silent", "price")


def load(store: Store, campaign: int) -> Board:
    """The board: from a snapshot and what came after it, or from the whole log."""
    board = _restored(store, campaign)
    known = 0
    if board is None:
        board = ledger.replay(store, campaign)
    else:
        known = board.history.size
        ledger.catch_up(board, store.read(campaign, board.position))
    if board.history.size - known > _WORTH:
        with suppress(StoreError):  # a store that cannot be written can still be read
            keep(store, campaign, board)
    return board


def keep(store: Store, campaign: int, board: Board) -> None:
    """Keep the board as it is."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **_arrays(board))
    data = file.getbuffer()
    parts = (bytes(data[at : at + _PART]) for at in range(0, len(data), _PART))
    store.keep_snapshot(campaign, board.position, _digest(data), parts)


def _digest(data: bytes | memoryview) -> str:
    """Of the bytes and of the code that will read them."""
    digest = hashlib.sha256(f"{VERSION} {source_digest()}".encode())
    digest.update(data)
    return digest.hexdigest()


def _restored(store: Store, campaign: int) -> Board | None:
    kept = store.snapshot(campaign)
    if kept is None or _digest(kept[2]) != kept[1]:
        return None
    with np.load(io.BytesIO(kept[2]), allow_pickle=False) as arrays:
        return _board({name: arrays[name] for name in arrays.files})


def _arrays(board: Board) -> dict[str, Any]:
    header = {name: getattr(board, name) for name in _SCALARS} | {
        "terms": asdict(board.terms),
        "seed": int(board.facts.seed),
        "stages": board.history.stages,
        "corrections": board.history.corrections,
    }
    arrays: dict[str, Any] = {
        "header": np.frombuffer(json.dumps(header).encode(), np.uint8),
    }
    for table in _TABLES:
        for name, column in getattr(board, table).arrays.items():
            arrays[f"{table}.{name}"] = column
    for name in _FACTS:
        arrays[f"facts.{name}"] = getattr(board.facts, name)
    for name, column in board.history.ops._asdict().items():
        arrays[f"ops.{name}"] = column[: board.history.size]
    if board.tasks and board.workers:
        for path, leaf in _leaves("mind", board.mind.memory()):
            arrays[path] = np.asarray(leaf)
    return arrays


def _board(arrays: dict[str, npt.NDArray[Any]]) -> Board:
    header = json.loads(arrays["header"].tobytes())
    board = Board(ev.CampaignOpened(header["classes"], header["seed"], ev.Terms(**header["terms"])))
    for name in _SCALARS:
        setattr(board, name, header[name])
    for name in _FACTS:
        setattr(board.facts, name, arrays[f"facts.{name}"])
    for table in _TABLES:
        columns = getattr(board, table)
        columns.restore({name: arrays[f"{table}.{name}"] for name in columns.arrays})
    ops = {name: arrays[f"ops.{name}"] for name in board.history.ops._fields}
    board.history.restore(ops, header["stages"], header["corrections"])
    board.find_open()
    if "mind.rows" in arrays:
        mind = board.new_mind()
        mind.recall(_filled("mind", mind.blank_memory(), arrays))
    return board


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The arrays and numbers in a tuple of tuples, by path."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        for name in value._fields:
            yield from _leaves(f"{path}.{name}", getattr(value, name))
    else:
        yield path, value


def _filled(path: str, pattern: Any, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """A tuple of the same make, with the arrays that were kept."""
    if isinstance(pattern, tuple) and hasattr(pattern, "_fields"):
        return type(pattern)(*(_filled(f"{path}.{name}", getattr(pattern, name), arrays) for name in pattern._fields))
    kept = arrays[path]
    return kept if isinstance(pattern, np.ndarray) else type(pattern)(kept[()])

"""The journal: every finished trial is kept at once, so that a run killed at any moment goes on where it was.

A line of JSON for each trial, after a first line that says what they all depend on. Floats are written to the last bit.
A line without an end was being written when the power went: it is cut off, and its trial is run again.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from labelbandit.experiments.provenance import code_digest
from labelbandit.experiments.trials import Key, Trial, as_line, from_line
from labelbandit.model.errors import BadInput
from labelbandit.model.version import VERSION

FORMAT = 1


def header(seed: int) -> dict[str, Any]:
    """What all trials depend on."""
    import numba
    import numpy as np

    return {
        "journal": FORMAT,
        "labelbandit": VERSION,
        "code": code_digest(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "seed": seed,
    }


class Journal:
    """The trials finished so far, and a file to which more are added."""

    def __init__(self, path: Path, wanted: Mapping[str, Any]) -> None:
        self._path = path
        self._wanted = dict(wanted)
        self._file: IO[bytes] | None = None
        self.finished: dict[Key, Trial] = {}

    def __enter__(self) -> Self:
        self._file = self._path.open("a+b")
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, trials: Iterable[Trial]) -> None:
        """Keep finished trials, on the disk before this returns."""
        kept = list(trials)
        self._append([as_line(trial) for trial in kept])
        self.finished.update((trial.key, trial) for trial in kept)

    def _append(self, lines: Iterable[Mapping[str, Any]]) -> None:
        if self._file is None:
            raise ValueError("the journal is not open")
        text = "".join(json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n" for line in lines)
        self._file.write(text.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def _lock(self) -> None:
        """Refuse to write beside another process. Where files cannot be locked (Windows), the user must take care."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"{self._path} is being written by another process: wait for it, or give another folder") from None

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            raise ValueError("the journal is not open")
        return self._file

    def _read(self) -> None:
        file = self._opened()
        file.seek(0)
        data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if lines:
            self._check(lines[0])
        for number, line in enumerate(lines[1:], 2):
            trial = self._trial(number, line)
            self.finished[trial.key] = trial
        if len(whole) < len(data):
            file.truncate(len(whole))
        if not lines:
            self._append([self._wanted])

    def _check(self, line: bytes) -> None:
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict) or "journal" not in found:
            raise BadInput(f"{self._path}, line 1: this is no journal of trials: give another folder, or remove the file")
        for key, value in self._wanted.items():
            if found.get(key) != value:
                remedy = "give another folder, or remove the file to start anew"
                raise BadInput(f"{self._path} was made with {key} {found.get(key)}, not {value}: {remedy}")

    def _trial(self, number: int, line: bytes) -> Trial:
        try:
            return from_line(json.loads(line))
        except (ValueError, KeyError, TypeError):
            remedy = "take the line out, and its trial will be run again"
            raise BadInput(f"{self._path}, line {number}: this is no trial: {remedy}") from None

"""Which code made a number: a digest of all of ours that could change it."""

import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_DECISIVE = (
    "compiled.py",
    "model",
    "policies",
    "aggregation",
    "simulation",
    *(f"experiments/{name}.py" for name in ("calibration", "finals", "measures", "trials")),
)
"""Code whose change may change what a trial measures. What a ground holds is in the trial's fingerprint."""


@cache
def code_digest() -> str:
    """A digest of the code that trials depend on."""
    digest = hashlib.sha256()
    for part in _DECISIVE:
        path = _PACKAGE / part
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]

"""Policies of users' own, loaded from a file or module before they are named."""

import hashlib
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from labelbandit.model.errors import BadInput


def load_all(names: Sequence[str]) -> None:
    """Load each file (`my_policy.py`) or module (`my_package.policies`), once in every process."""
    for name in names:
        if is_file(name) and not Path(name).is_file():
            raise BadInput(
                f"there is no file {name} to load: give the Python file that registers your policy, or a module's name"
            )
    for name in settled(names):
        _load(name)


def is_file(name: str) -> bool:
    """Whether a file is meant, and not a module by its name."""
    return name.endswith(".py") or "/" in name


def settled(names: Iterable[str]) -> tuple[str, ...]:
    """The names with files by their full path, so that they lead to the same file from everywhere."""
    return tuple(str(Path(name).resolve()) if is_file(name) else name for name in names)


def digest(names: Iterable[str]) -> str:
    """A digest of the sources that were loaded; empty if there are none."""
    found = hashlib.sha256()
    sources = [_source(name) for name in names]
    for source in sources:
        found.update(source)
    return found.hexdigest()[:12] if sources else ""


def _source(name: str) -> bytes:
    path = name if is_file(name) else getattr(sys.modules.get(name), "__file__", None)
    return Path(path).read_bytes() if path else name.encode()


@cache
def _load(name: str) -> None:
    try:
        if is_file(name):
            _run_file(Path(name))
        else:
            import_module(name)
    except BadInput:
        raise
    except Exception as wrong:
        raise BadInput(f"{name} cannot be loaded: {type(wrong).__name__}: {wrong}") from wrong


def _run_file(path: Path) -> None:
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} is no Python file: give one that ends in .py")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)

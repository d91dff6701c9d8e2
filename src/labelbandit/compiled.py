"""The one door to Numba: `compiled` gives a kernel its type back and its machine code a cache that is never stale."""

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import caching

Kernel = TypeVar("Kernel", bound=Callable[..., object])

_PACKAGE = Path(__file__).resolve().parent


def compiled(function: Kernel) -> Kernel:
    """Compile a function of numbers and arrays; `NUMBA_DISABLE_JIT=1` leaves it plain Python."""
    return _compile(function, no_cfunc_wrapper=True)


def inner(function: Kernel) -> Kernel:
    """Compile a function that only compiled functions call: without a way in from Python it takes half the time."""
    return _compile(function, no_cfunc_wrapper=True, no_cpython_wrapper=True, forceinline=True)


def _compile(function: Kernel, **options: bool) -> Kernel:
    # Kernels own no memory: whoever calls them holds the arrays, so counting references (_nrt) would only cost time.
    compile_it = partial(numba.njit, error_model="numpy", _nrt=False, **options)
    try:
        kernel: Any = compile_it(cache=True)(function)
    except RuntimeError:  # Numba found no folder it may write to: recompiling is slower, failing would be worse
        return cast("Kernel", compile_it()(function))
    if kernel is not function:
        kernel._cache = _OfOurTypes(kernel.py_func)  # type: ignore[no-untyped-call]
    return cast("Kernel", kernel)


def compiled_afresh(function: Kernel) -> Kernel:
    """Compile without a cache, for loops around code whose source we do not watch (a user's own policy)."""
    return cast("Kernel", numba.njit(error_model="numpy")(getattr(function, "py_func", function)))


def code_for(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """A kernel's machine code for arguments of these types; it takes the types of all later ones for granted."""
    if not isinstance(kernel, numba.core.dispatcher.Dispatcher):  # the compiler is off, or a rule is plain Python
        return kernel
    return kernel.compile(tuple(map(numba.typeof, arguments)))


@cache
def source_digest() -> str:
    """A digest of every file of the package that holds kernels."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"labelbandit.compiled" in source:
            digest.update(source)
    return digest.hexdigest()[:12]


class _OfOurTypes(caching.FunctionCache):
    """Keeps on disk only what was compiled for types of ours: no other process could read what names a user's class."""

    def save_overload(self, sig: tuple[object, ...], data: object) -> None:
        if all(_is_ours(kind) for kind in sig):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


def _is_ours(kind: Any) -> bool:
    """Whether a type, with all that it is made of, can be found in every process."""
    made_by = getattr(kind, "instance_class", None)
    if made_by is not None and not made_by.__module__.startswith("labelbandit."):
        return False
    return all(_is_ours(part) for part in getattr(kind, "types", ()))


class _WholePackage:
    """Kernels call kernels of other files, which Numba does not watch: name the cache files after all of them."""

    @classmethod
    def from_function(cls, py_func: object, py_file: str) -> object | None:
        if _PACKAGE not in Path(py_file).resolve().parents:
            return None
        return cast("object | None", super().from_function(py_func, py_file))  # type: ignore[misc]

    def get_disambiguator(self) -> str:
        return f"{super().get_disambiguator()}-{source_digest()}"  # type: ignore[misc]


class _Provided(_WholePackage, caching.UserProvidedCacheLocator):
    """The folder named by NUMBA_CACHE_DIR."""


class _InTree(_WholePackage, caching.InTreeCacheLocator):
    """Beside the source."""


class _UserWide(_WholePackage, caching.UserWideCacheLocator):
    """The user's cache folder, when the package's own is read-only."""


caching.CacheImpl._locator_classes[:0] = [_Provided, _InTree, _UserWide]


@compiled
def whole(number: int | np.integer[Any]) -> int:
    """An array's element as a plain 64-bit integer: tuples of different widths are different types to the compiler."""
    return int(np.int64(number))

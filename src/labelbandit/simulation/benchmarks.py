"""The paper's benchmark data, which come with the package: features and true classes, of public record at UCI."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.errors import BadInput

BENCHMARKS = ("ionosphere", "breast", "pima")
"""In the paper's order."""


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """Tasks that have features, from which contexts can be made, and a truth."""

    name: str
    features: Floats
    """Tasks by features."""
    truth: Longs
    classes: tuple[str, ...]


@cache
def read_benchmark(name: str) -> Benchmark:
    """The benchmark data of that name."""
    if name not in BENCHMARKS:
        raise BadInput(f"unknown benchmark {name!r}: choose one of {', '.join(BENCHMARKS)}")
    text = (files("labelbandit.simulation") / "data" / f"{name}.csv").read_text("utf-8")
    rows = list(csv.reader(text.splitlines()))[1:]
    classes = tuple(sorted({row[-1] for row in rows}))
    return Benchmark(
        name=name,
        features=np.array([row[:-1] for row in rows], np.float64),
        truth=np.array([classes.index(row[-1]) for row in rows], np.int64),
        classes=classes,
    )

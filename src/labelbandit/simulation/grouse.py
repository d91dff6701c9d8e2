"""GROUSE (Balzano, Nowak and Recht, 2010): a matrix completed from the entries seen, by steps along the Grassmannian.

The matrix is held to be of low rank: every column is a combination w of the columns of U, which are orthonormal. Each column
seen turns U a little towards what it could not explain.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from labelbandit.model.arrays import Bools, Floats, Longs
from labelbandit.model.chance import as_seed
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import BadInput
from labelbandit.policies.openings import Pairs
from labelbandit.simulation.datasets import Dataset

RANKS, STEPS = (1, 2, 3, 4, 5), (1.0, 3.0, 10.0, 30.0)
"""What `rate_settings` tries."""

_NEXT_TO_NOTHING = 1e-14
_HIDDEN = 0.1


def complete(matrix: Floats, seen: Bools, *, rank: int, passes: int = 30, step: float | None = None, seed: int = 0) -> Floats:
    """A matrix of that rank through the entries seen, by turns that shrink as columns pass; without a step, by arctangents."""
    _check(matrix, seen, rank, passes, step)
    if matrix.shape[0] > matrix.shape[1]:
        return complete(matrix.T, seen.T, rank=rank, passes=passes, step=step, seed=seed).T
    rng = np.random.default_rng(int(as_seed(seed)))
    basis = np.linalg.qr(rng.standard_normal((matrix.shape[0], rank)))[0]
    rows = [np.flatnonzero(column) for column in seen.T]
    updates = 0
    for _ in range(passes):
        for column in rng.permutation(matrix.shape[1]):
            if rows[column].size:
                updates += 1
                _turn(basis, rows[column], matrix[rows[column], column], None if step is None else step / updates)
    return np.column_stack([basis @ _fit(basis, rows[column], matrix[rows[column], column]) for column in range(len(rows))])


def complete_labels(dataset: Dataset, *, rank: int = 2, passes: int = 30, step: float | None = 10.0, seed: int = 0) -> Dataset:
    """The data set with a label for every pair: those recorded stay, the missing are the signs of the completed matrix."""
    if len(dataset.classes) != 2:
        raise BadInput(f"{dataset.name} has {len(dataset.classes)} classes and completion knows two only: replay it instead")
    labels, seen = _as_signs(dataset)
    filled = complete(labels, seen, rank=rank, passes=passes, step=step, seed=seed)
    silent = ~seen.any(axis=1)
    filled[silent] = labels.sum(axis=0)  # nothing is known of a worker without labels: they go with the others
    lots = np.random.default_rng(int(as_seed(seed))).choice([-1.0, 1.0], size=filled.shape)
    signs = np.where(seen, labels, np.where(filled == 0.0, lots, np.sign(filled)))
    workers, tasks = signs.shape
    return replace(
        dataset,
        name=f"{dataset.name}, completed",
        pairs=Pairs(workers * np.arange(tasks + 1, dtype=np.int64), np.tile(np.arange(workers, dtype=np.int32), tasks)),
        answers=(signs.T.ravel() > 0).astype(np.int16),
    )


class Settings(NamedTuple):
    """A rank and a step, and how well they foretell labels that were hidden."""

    rank: int
    step: float
    foretold: float
    """The share of hidden labels that the completed matrix has right."""


def rate_settings(
    dataset: Dataset, ranks: Iterable[int] = RANKS, steps: Iterable[float] = STEPS, *, tries: int = 4, passes: int = 30
) -> list[Settings]:
    """Ranks and steps, the best first, by a rule that needs no truth: hide a tenth of the labels, and foretell them."""
    labels, seen = _as_signs(dataset)
    rated = []
    for rank, step in product(ranks, steps):
        shares = []
        for seed in range(tries):
            hidden = seen & (np.random.default_rng(seed).random(seen.shape) < _HIDDEN)
            filled = complete(np.where(hidden, 0.0, labels), seen & ~hidden, rank=rank, passes=passes, step=step, seed=seed)
            shares.append(float((filled[hidden] * labels[hidden] > 0.0).mean()))
        rated.append(Settings(rank, step, float(np.mean(shares))))
    return sorted(rated, key=lambda settings: -settings.foretold)


def _as_signs(dataset: Dataset) -> tuple[Floats, Bools]:
    """Workers by tasks: -1 for the first class, 1 for the second, 0 where there is no label; and where there is one."""
    labels = np.zeros((len(dataset.workers), len(dataset.tasks)))
    task = np.repeat(np.arange(len(dataset.tasks)), np.diff(dataset.pairs.start))
    labels[dataset.pairs.worker, task] = 2.0 * dataset.answers - 1.0
    return labels, labels != 0.0


def _fit(basis: Floats, rows: Longs, values: Floats) -> Floats:
    """The weights w with which the basis comes nearest to the values seen; of several, the shortest."""
    return np.asarray(np.linalg.lstsq(basis[rows], values, rcond=None)[0], np.float64)


def _turn(basis: Floats, rows: Longs, values: Floats, step: float | None) -> None:
    """Turn the basis towards what it leaves unexplained of a column (specification, the rule for U)."""
    weights = _fit(basis, rows, values)
    rest = values - basis[rows] @ weights
    length, unexplained = float(np.linalg.norm(weights)), float(np.linalg.norm(rest))
    if min(length, unexplained) < _NEXT_TO_NOTHING:
        return
    angle = math.atan(unexplained / length) if step is None else step * unexplained * length
    if angle >= math.pi / 2:
        return
    direction = (math.cos(angle) - 1.0) * (basis @ weights) / length
    direction[rows] += math.sin(angle) * rest / unexplained
    basis += np.outer(direction, weights / length)


def _check(matrix: Floats, seen: Bools, rank: int, passes: int, step: float | None) -> None:
    if matrix.ndim != 2 or matrix.shape != seen.shape or 0 in matrix.shape:
        raise BadInput(f"a matrix of shape {matrix.shape} and marks of shape {seen.shape} do not go together")
    whole_number("rank {}", rank, 1, min(matrix.shape))
    whole_number("{} passes", passes, 1)
    if step is not None and not 0.0 < step < math.inf:
        raise BadInput(f"a step of {step} leads nowhere: give a positive number, or none for steps as long as needed")

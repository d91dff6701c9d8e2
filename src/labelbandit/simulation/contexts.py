"""Contexts made by clustering the features of tasks (paper, section 5.1), and benchmark worlds with such contexts."""

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

import numpy as np

from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.checks import whole_number
from labelbandit.model.errors import LabelbanditError
from labelbandit.simulation.benchmarks import read_benchmark
from labelbandit.simulation.crowds import Crowd
from labelbandit.simulation.world import World, populate

_STARTS = 10
_SEED = 0
"""Fixed: contexts are part of the data, and do not change from run to run."""


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """How many tasks each context has, and how they divide among the classes."""

    sizes: Longs
    shares: Floats
    """Contexts by classes; each row sums to 1."""

    @property
    def purity(self) -> float:
        """The accuracy of answering each context's most frequent class, which needs no worker at all."""
        return float((self.sizes * self.shares.max(axis=1)).sum() / self.sizes.sum())


def standardised(features: Floats) -> Floats:
    """Every column with mean 0 and deviation 1; those that say nothing, being constant, are dropped."""
    varied = features[:, np.ptp(features, axis=0) > 0.0]
    return np.asarray((varied - varied.mean(axis=0)) / varied.std(axis=0), np.float64)


def cluster(features: Floats, contexts: int) -> Longs:
    """The context of each task by k-means: the best of ten starts. Contexts are numbered as they first come."""
    whole_number("{} contexts", contexts, 1, features.shape[0])
    if contexts == 1:
        return np.zeros(features.shape[0], np.int64)
    if find_spec("sklearn") is None:
        raise LabelbanditError(
            "contexts by k-means need scikit-learn, which is not installed: install labelbandit[experiments]"
        )
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums in one order however many cores there are; and runs are in parallel already
        found = KMeans(n_clusters=contexts, n_init=_STARTS, random_state=_SEED).fit_predict(standardised(features))
    _, first, number = np.unique(found, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int64)


@cache
def benchmark_contexts(name: str, contexts: int) -> Longs:
    """The contexts of a benchmark's tasks; clustering takes longer than a run, so it is done once."""
    return cluster(read_benchmark(name).features, contexts)


def census(context: Longs, truth: Longs) -> Census:
    """Count the tasks and classes of each context."""
    counts = np.zeros((int(context.max()) + 1, int(truth.max()) + 1))
    np.add.at(counts, (context, truth), 1.0)
    sizes = counts.sum(axis=1)
    return Census(sizes.astype(np.int64), counts / sizes[:, None])


def benchmark_world(
    name: str, crowd: Crowd | str, workers: int, contexts: int, seed: int, *, crowd_seed: int | None = None
) -> World:
    """The tasks of a benchmark, in contexts by k-means, and a simulated crowd; `census` says how contexts and classes lie."""
    data = read_benchmark(name)
    workers = whole_number("{} workers", workers, 1)
    return populate(crowd, benchmark_contexts(name, contexts), data.truth, workers, len(data.classes), seed, crowd_seed)

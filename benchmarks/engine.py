"""How fast the engine is: microseconds a step, and ratios measured side by side in one run.

`--json` prints the same figures as one JSON document.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import time

import numpy as np

from labelbandit.policies.bbta import Bbta
from labelbandit.simulation.crowds import SpammerHammer
from labelbandit.simulation.run import simulate
from labelbandit.simulation.world import World, answer_of, make_world

SMALL = {"tasks": 351, "workers": 30, "contexts": 3}
LARGE = {"tasks": 100_000, "workers": 100, "contexts": 10}


def world_of(shape: dict[str, int], seed: int = 1) -> World:
    return make_world(SpammerHammer(), classes=2, seed=seed, **shape)


def step_time(world: World, budget: float, repeat: int) -> float:
    """The best of several runs: noise only ever adds."""
    best = math.inf
    for _ in range(repeat):
        begin = time.perf_counter()
        labels = simulate(Bbta(explore=1), world, budget).labels
        best = min(best, (time.perf_counter() - begin) / labels)
    return best * 1e6


def numpy_step_time(world: World, budget: int, repeat: int) -> float:
    best = math.inf
    answers = np.array([[answer_of(world, i, j) for j in range(world.workers)] for i in range(world.tasks)]) * 2 - 1
    for _ in range(repeat):
        begin = time.perf_counter()
        labels = numpy_bbta(world, answers, budget * world.tasks)
        best = min(best, (time.perf_counter() - begin) / labels)
    return best * 1e6


def numpy_bbta(world: World, answers: np.ndarray, budget: int) -> int:
    """The same rule as anyone would write it in NumPy: one matrix-vector product over the context's tasks a step."""
    rng = np.random.default_rng(0)
    tasks, workers = answers.shape
    given, open_tasks = np.zeros(answers.shape), np.ones(tasks, bool)
    loss, steps, confidence = np.zeros((world.contexts, workers)), np.zeros(world.contexts), np.zeros(tasks)
    members = [np.flatnonzero(world.context == s) for s in range(world.contexts)]
    for s, tasks_of in enumerate(members):
        task = rng.choice(tasks_of)
        given[task], open_tasks[task] = answers[task], False
        loss[s] += answers[task] != np.sign(answers[task].sum())
    for spent in range(world.contexts * workers, budget):
        if not open_tasks.any():
            return spent
        task = int(np.argmin(np.where(open_tasks, confidence, np.inf)))
        s = world.context[task]
        steps[s] += 1
        rate = math.sqrt(math.log(workers) / (steps[s] * workers))
        weight = np.exp(-rate * (loss[s] - loss[s].min()))
        odds = np.where(given[task] == 0, weight, 0.0)
        odds /= odds.sum()
        worker = int(np.searchsorted(np.cumsum(odds), rng.random(), side="right").clip(0, workers - 1))
        given[task, worker] = answers[task, worker]
        vote = given[task] @ weight
        if (vote > 0) != (answers[task, worker] > 0):
            loss[s, worker] += 1.0 / odds[worker]
        weight = np.exp(-rate * (loss[s] - loss[s].min()))
        confidence[members[s]] = np.abs(given[members[s]] @ weight) / weight.sum()
        open_tasks[task] = (given[task] == 0).any()
    return budget


def measure_large() -> dict[str, float]:
    """In a process of its own, so that its peak memory is its own."""
    simulate(Bbta(), world_of(SMALL), 1)
    microseconds = step_time(world_of(LARGE), 10, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"large_us": microseconds, "large_peak_mb": peak}


def measure() -> dict[str, float]:
    small = world_of(SMALL)
    simulate(Bbta(), small, 1)
    large = json.loads(
        subprocess.run([sys.executable, "-m", "benchmarks.engine", "--large"], check=True, capture_output=True).stdout
    )
    ours, theirs = step_time(small, 15, 10), numpy_step_time(small, 15, 3)
    growth = large["large_us"] / ours
    return {"small_us": ours, "numpy_us": theirs, "ratio_to_numpy": theirs / ours, "growth": growth, **large}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--large", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    figures = measure_large() if wanted.large else measure()
    if wanted.json or wanted.large:
        print(json.dumps(figures))
        return
    print(f"N=351     K=30  S=3   T=15N   {figures['small_us']:8.2f} µs a step")
    print(f"  the same rule in NumPy      {figures['numpy_us']:8.2f} µs a step: {figures['ratio_to_numpy']:.1f}× (want 15×)")
    print(f"N=100,000 K=100 S=10  T=10N   {figures['large_us']:8.2f} µs a step: {figures['growth']:.1f}× the small world's")
    print(f"  (want at most 30×; tasks grow 285×), peak memory {figures['large_peak_mb']:.0f} MB (want under 500)")


if __name__ == "__main__":
    main()

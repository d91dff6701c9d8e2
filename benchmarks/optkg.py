"""OptKG's cached selection beside rescoring every pair with SciPy's `betainc`, in one run.

`--json` prints the same figures as one JSON document.
"""

import argparse
import json
import time

import numpy as np
from scipy.special import betainc

import labelbandit as lb
from labelbandit.simulation.world import World, answer_of

STEPS = 60


def world_of() -> World:
    return lb.make_world("spammer-hammer", 351, 30, 3, 2, seed=1)


def cached_step_time(world: World) -> float:
    lb.simulate("optkg", world, 0.1)
    begin = time.perf_counter()
    labels = lb.simulate("optkg", world, 15).labels
    return (time.perf_counter() - begin) / labels * 1e6


def gains(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """max(R1, R2) of every pair, all at once."""
    now = np.maximum(betainc(b, a, 0.5), betainc(a, b, 0.5))[:, None]
    best = np.full((a.size, c.size), -np.inf)
    for up, down in ((c, d), (d, c)):
        after_a, after_b = matched(*moments(a[:, None], b[:, None], up[None, :], down[None, :]))
        chance = betainc(after_b, after_a, 0.5)
        best = np.maximum(best, np.maximum(chance, 1.0 - chance) - now)
    return best


def moments(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    weight = a * c + b * d
    first = a * ((a + 1) * c + b * d) / ((a + b + 1) * weight)
    second = a * (a + 1) * ((a + 2) * c + b * d) / ((a + b + 1) * (a + b + 2) * weight)
    return first, second


def matched(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    total = (first - second) / (second - first**2)
    return first * total, (1 - first) * total


def rescoring_step_time(world: World) -> float:
    """Rescore all pairs, take the best, update one task and one worker: what anyone would write first."""
    tasks, workers = world.tasks, world.workers
    a, b, c, d = np.ones(tasks), np.ones(tasks), np.full(workers, 4.0), np.ones(workers)
    used = np.zeros((tasks, workers), bool)
    begin = time.perf_counter()
    for _ in range(STEPS):
        task, worker = np.unravel_index(np.argmax(np.where(used, -np.inf, gains(a, b, c, d))), used.shape)
        used[task, worker] = True
        right = answer_of(world, int(task), int(worker)) == 1
        up, down = (c[worker], d[worker]) if right else (d[worker], c[worker])
        of_task = matched(*moments(a[task], b[task], up, down))
        plus, minus = (a[task], b[task]) if right else (b[task], a[task])
        c[worker], d[worker] = matched(*moments(c[worker], d[worker], plus, minus))
        a[task], b[task] = of_task
    return (time.perf_counter() - begin) / STEPS * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    world = world_of()
    ours, theirs = cached_step_time(world), rescoring_step_time(world)
    if wanted.json:
        print(json.dumps({"cached_us": ours, "rescoring_us": theirs, "ratio": theirs / ours}))
        return
    print(f"OptKG at N=351, K=30: {ours:.1f} µs a step; rescoring every pair: {theirs:.0f} µs, {theirs / ours:.0f}× (want 20×)")


if __name__ == "__main__":
    main()

"""The levels of skill that crosscheck tells apart, one by one."""

from dataclasses import dataclass

import numpy as np

EVEN = [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
HABITS = [(0.5, 0.05), (0.5, 0.2), (0.5, 0.35), (0.5, 0.5), (0.5, 0.65), (0.5, 0.8), (0.5, 0.95), (0.85, 0.5)]


@dataclass
class Level:
    hit: list[float]
    miss: list[float]
    expected: float
    name: object
    image: object


def levels_of(classes, contexts, by_class):
    """Even levels; with two classes, one context and errors by class, those with a habit of saying 0, and of saying 1."""
    even, besides = float(np.sum(EVEN)), float(np.sum([r for _, r in HABITS]))
    habits = by_class and classes == 2 and contexts == 1
    levels = []
    for r in EVEN:
        expected = r / even if not habits else (1.0 - 0.005) * (r / even)
        levels.append(Level([r] * classes, [(1.0 - r) / (classes - 1)] * classes, expected, r, round(1.0 - r, 2)))
    for said in (0, 1) if habits else ():
        for b, r in HABITS:
            hit = [b + (1.0 - b) * r, (1.0 - b) * r]
            hit = hit if said == 0 else hit[::-1]
            miss = [1.0 - hit[1], 1.0 - hit[0]]
            levels.append(Level(hit, miss, 0.005 * r / besides / 2.0, (said, b, r), (said, b, round(1.0 - r, 2))))
    return levels

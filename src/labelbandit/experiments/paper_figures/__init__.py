"""The paper's figures, and some more, drawn from the results of a reproduction."""

from collections.abc import Sequence
from pathlib import Path

import joblib

from labelbandit.experiments.paper_figures.accuracy import COMPARISON, ENTROPY, EXPLORATION, IN_GOOD, LONG_RUN, REAL_DATA, RIGHT
from labelbandit.experiments.paper_figures.drawing import Drawing, Drawn, draw_to
from labelbandit.experiments.paper_figures.effort import COST, EFFORT
from labelbandit.experiments.paper_figures.regret import REGRET
from labelbandit.experiments.paper_figures.workers import REAL_WORKERS, SIMULATED_WORKERS
from labelbandit.experiments.results import Results

DRAWINGS = (
    SIMULATED_WORKERS,
    COMPARISON,
    EXPLORATION,
    LONG_RUN,
    REAL_WORKERS,
    REAL_DATA,
    REGRET,
    EFFORT,
    RIGHT,
    IN_GOOD,
    ENTROPY,
    COST,
)
"""In the order of the report."""

_WORTH_PROCESSES = 6
"""From so many figures on, more processes draw them sooner than one."""


def draw_all(results: Results, folder: Path, drawings: Sequence[Drawing] = DRAWINGS) -> tuple[list[Drawn], list[Drawing]]:
    """Draw what the results allow; return the figures made, and those that could not be."""
    folder.mkdir(parents=True, exist_ok=True)
    possible = [drawing for drawing in drawings if drawing.can_draw(results)]
    impossible = [drawing for drawing in drawings if drawing not in possible]
    if len(possible) < _WORTH_PROCESSES:
        return [draw_to(drawing, results, folder) for drawing in possible], impossible
    places = [DRAWINGS.index(drawing) for drawing in possible]
    made = joblib.Parallel(n_jobs=-1)(joblib.delayed(_draw)(place, results, folder) for place in places)
    return list(made), impossible


def _draw(place: int, results: Results, folder: Path) -> Drawn:
    """A drawing by its place: functions without a name do not travel to other processes."""
    return draw_to(DRAWINGS[place], results, folder)

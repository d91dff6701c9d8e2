"""Regret: how much more the policy lost than the best worker of each context would have, against the paper's bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from labelbandit.model.arrays import Floats, Longs
from labelbandit.model.chance import as_seed, run_seed
from labelbandit.model.errors import BadInput
from labelbandit.model.grammar import spell
from labelbandit.policies.bbta import Bbta
from labelbandit.simulation.crowds import CROWDS, Crowd, crowd_from
from labelbandit.simulation.regret import Losses, losses_fixed_in_advance, losses_of
from labelbandit.simulation.world import make_world

_BUDGET, _POINTS = 8, 16
"""Labels per task, and points of the curve, where regret is measured for every crowd."""


@dataclass(frozen=True, slots=True)
class Regret:
    """Means over runs, at each mark of the budget."""

    marks: Longs
    """Labels spent."""
    policy_loss: Floats
    best_loss: Floats
    """Loss of the mapping from contexts to workers that is best on average: the paper's comparison."""
    best_loss_of_each_run: Floats
    """Loss of the mapping that is best in each run: harder to match, since a vote may come to follow any one worker."""
    standard_error: Floats
    """Of the regret, over runs."""
    strict_standard_error: Floats

    @property
    def regret(self) -> Floats:
        """The policy's loss less the best mapping's, the maximum over mappings taken outside the mean (section 3)."""
        return self.policy_loss - self.best_loss

    @property
    def strict_regret(self) -> Floats:
        """The policy's loss less that of each run's best mapping: never below the regret."""
        return self.policy_loss - self.best_loss_of_each_run


def theorem_bound(labels: float, contexts: int, workers: int, explore: int) -> float:
    """Theorem 1: 2 sqrt((T - S K N') S K ln K) + (S N'²/4) sqrt(ln K / K) + S N'."""
    adaptive = max(0.0, labels - contexts * workers * explore)
    adapting = 2.0 * sqrt(adaptive * contexts * workers * log(workers))
    return adapting + contexts * explore**2 / 4.0 * sqrt(log(workers) / workers) + contexts * explore


def lemma_bound(labels: float, workers: int, explore: int) -> float:
    """Lemma 1: the bound for a single context."""
    return theorem_bound(labels, 1, workers, explore)


def summarise(marks: Longs, runs: Sequence[Losses]) -> Regret:
    """Average first, then take the best mapping: the maximum stands outside the mean, so all runs must share one crowd."""
    own = np.array([run.own for run in runs])
    each = np.array([run.each for run in runs])
    best = each.mean(axis=0).argmin(axis=2)
    chosen = np.take_along_axis(each, best[None, :, :, None], axis=3)[..., 0].sum(axis=2)
    best_each = each.min(axis=3).sum(axis=2)
    total = own.sum(axis=2)
    return Regret(
        marks=marks,
        policy_loss=total.mean(axis=0),
        best_loss=chosen.mean(axis=0),
        best_loss_of_each_run=best_each.mean(axis=0),
        standard_error=_standard_error(total - chosen),
        strict_standard_error=_standard_error(total - best_each),
    )


def _standard_error(runs: Floats) -> Floats:
    if len(runs) == 1:
        return np.zeros(runs.shape[1])
    return np.asarray(runs.std(axis=0, ddof=1) / sqrt(len(runs)))


@dataclass(frozen=True, slots=True)
class RegretWorld:
    """The worlds of a regret experiment: one crowd, fresh tasks and answers in every run."""

    crowd: Crowd
    tasks: int = 1500
    workers: int = 5
    contexts: int = 2
    classes: int = 2
    seed: int = 0


def measure_regret(
    policy: Bbta, world: RegretWorld, marks: Longs, runs: int, on_run: Callable[[], None] = lambda: None
) -> Regret:
    """Run the policy and average what it and everyone else lost."""
    if runs < 1:
        raise BadInput(f"{runs} runs measure nothing: give 1 or more")
    losses = []
    for run in range(runs):
        made = make_world(
            world.crowd,
            world.tasks,
            world.workers,
            world.contexts,
            world.classes,
            run_seed(world.seed, run),
            crowd_seed=world.seed,
        )
        losses.append(losses_of(policy, made, marks))
        on_run()
    return summarise(marks, losses)


def measure_fixed(means: Floats, marks: Longs, runs: int, seed: int) -> Regret:
    """Regret where losses are fixed in advance, as the theorem supposes: one loss sequence, fresh draws of workers."""
    fixed = as_seed(seed)
    return summarise(marks, [losses_fixed_in_advance(means, marks, fixed, as_seed(run_seed(seed, run))) for run in range(runs)])


def regret_of_crowds(runs: int, seed: int) -> dict[str, dict[str, Any]]:
    """Regret of BBTA and of uniform choice beside the bound, for every crowd, as in regret.json."""
    return {name: _regret_document(RegretWorld(crowd_from(f"{name}:deal=even"), seed=seed), runs) for name in CROWDS}


def _regret_document(world: RegretWorld, runs: int) -> dict[str, Any]:
    marks = np.linspace(0, _BUDGET * world.tasks, _POINTS + 1).astype(np.int64)[1:]
    bound = [theorem_bound(int(labels), world.contexts, world.workers, 0) for labels in marks]
    document: dict[str, Any] = {"marks": marks.tolist(), "bound": bound, "explore": 0, "runs": runs}
    document |= {"tasks": world.tasks, "workers": world.workers, "contexts": world.contexts, "crowd": spell(world.crowd)}
    for name, policy in {
        "bbta": Bbta(explore=0, repeats=True),
        "uniform": Bbta(explore=0, repeats=True, draw="uniform"),
    }.items():
        found = measure_regret(policy, world, marks, runs)
        document[name] = {
            "regret": found.regret.tolist(),
            "se": found.standard_error.tolist(),
            "strict_regret": found.strict_regret.tolist(),
            "strict_se": found.strict_standard_error.tolist(),
        }
    return document


def growth(regret: Regret) -> float:
    """The slope of log regret on log budget: 1 is no learning, 1/2 is what the theorem promises."""
    return float(np.polyfit(np.log(regret.marks), np.log(np.maximum(regret.regret, 1e-9)), 1)[0])

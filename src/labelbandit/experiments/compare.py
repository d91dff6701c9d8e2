"""A comparison: several policies spend the same budget on the same worlds, run after run."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import joblib
import numpy as np

from labelbandit.experiments.grounds import Ground
from labelbandit.experiments.own import load_all
from labelbandit.model.arrays import Floats
from labelbandit.model.chance import as_seed, run_seed
from labelbandit.model.errors import BadInput
from labelbandit.model.grammar import parameters, spell
from labelbandit.simulation.crowds import crowd_from
from labelbandit.simulation.oracle import policy_to_simulate
from labelbandit.simulation.run import Curve, budget_marks, simulate
from labelbandit.simulation.troubles import troubles_from
from labelbandit.simulation.world import World, make_world

_MOST_LABELS = 10**8
"""Labels of one run that still fit in the memory of an ordinary machine."""
_STEPS_WORTH_A_PROCESS = 2_000_000
"""Below so many labels in all, starting processes takes longer than they save."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The worlds on which policies are compared, and what each policy may spend on them."""

    tasks: int
    workers: int
    contexts: int
    classes: int
    crowd: str
    """As `name[:key=value,…]`."""
    budget: float
    """Labels per task."""
    runs: int
    seed: int
    troubles: tuple[str, ...] = ()
    """What goes wrong in every run, as `name[:key=value,…]`."""
    load: tuple[str, ...] = ()
    """Files or modules that register users' policies."""

    def world(self, run: int) -> World:
        """The world of that run, the same for every policy."""
        return self._world(self.tasks, self.workers, run_seed(self.seed, run))

    def small_world(self) -> World:
        """A world of the same kind, as small as can be."""
        return self._world(self.contexts, 1, self.seed)

    def _world(self, tasks: int, workers: int, seed: int) -> World:
        return make_world(crowd_from(self.crowd), tasks, workers, self.contexts, self.classes, seed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroundComparison:
    """The same on worlds of a ground: a data set that is replayed, or tasks of a benchmark."""

    ground: Ground
    budget: float
    """Labels per task."""
    runs: int
    seed: int
    troubles: tuple[str, ...] = ()
    load: tuple[str, ...] = ()

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return self.ground.tasks

    def world(self, run: int) -> World:
        """The world of that run, the same for every policy."""
        return self.ground.world(run_seed(self.seed, run))

    def small_world(self) -> World:
        """A world as small as can be, with as many contexts and classes."""
        return make_world("one-coin", self.ground.contexts, 1, self.ground.contexts, self.ground.classes, self.seed)


AnyComparison = Comparison | GroundComparison


@dataclass(frozen=True, slots=True)
class Result:
    """How one policy did, over all runs."""

    name: str
    """The policy as it was asked for."""
    policy: str
    """The policy with all its parameters."""
    parameters: dict[str, int | float | bool | str]
    budget: Floats
    """Labels per task at each point of the curve."""
    accuracy_mean: Floats
    accuracy_se: Floats
    """The standard error of the mean."""
    runs: int
    labels_used: float
    """Labels of a run, on average."""
    notes: tuple[str, ...]
    """What was done otherwise than asked, in sentences."""


def compare(
    comparison: AnyComparison,
    policies: Sequence[str],
    jobs: int | None = None,
    on_run: Callable[[], None] = lambda: None,
) -> list[Result]:
    """Run every policy on every world in so many processes (None: as many as pay off), and sum up in the order given."""
    check(comparison, policies, jobs)
    jobs = jobs or paying_jobs(comparison, policies)
    if jobs > 1:
        warm_up(comparison, policies)
    curves: dict[int, list[Curve]] = {}
    for run, of_run in _curves(comparison, policies, min(jobs, comparison.runs)):
        curves[run] = of_run
        on_run()
    in_order = [curves[run] for run in range(comparison.runs)]
    return [_result(text, comparison, [of_run[at] for of_run in in_order]) for at, text in enumerate(policies)]


def check(comparison: AnyComparison, policies: Sequence[str], jobs: int | None = None) -> None:
    """Refuse what cannot be run, before any work is done."""
    if not policies:
        raise BadInput("no policy to run: give at least one")
    load_all(comparison.load)
    for text in policies:
        policy_to_simulate(text)
    if comparison.runs < 1:
        raise BadInput(f"{comparison.runs} runs: give 1 or more")
    if jobs is not None and jobs < 1:
        raise BadInput(f"{jobs} jobs: give 1 or more")
    if np.isfinite(comparison.budget) and comparison.tasks * comparison.budget > _MOST_LABELS:
        raise BadInput(
            f"{comparison.tasks} tasks with a budget of {comparison.budget:g} labels per task are more than "
            f"{_MOST_LABELS:,} labels a run: give fewer tasks or a smaller budget"
        )
    as_seed(comparison.seed)
    troubles_from(comparison.troubles, comparison.world(run=0))
    budget_marks(comparison.tasks, comparison.budget)


def warm_up(comparison: AnyComparison, policies: Iterable[str]) -> None:
    """Compile the kernels the policies need, once and here, so that not every process compiles them again."""
    world = comparison.small_world()
    for text in policies:
        simulate(policy_to_simulate(text), world, 1)


def paying_jobs(comparison: AnyComparison, policies: Sequence[str]) -> int:
    """All cores; but one process for work so short that starting more would take longer."""
    steps = comparison.tasks * comparison.budget * comparison.runs * len(policies)
    return 1 if steps < _STEPS_WORTH_A_PROCESS else int(joblib.cpu_count())


def _curves(comparison: AnyComparison, policies: Sequence[str], jobs: int) -> Iterable[tuple[int, list[Curve]]]:
    """The curves of every run, in the order in which the runs end."""
    runs = range(comparison.runs)
    if jobs == 1:
        return (_curves_of(comparison, policies, run) for run in runs)
    ended: Iterable[tuple[int, list[Curve]]] = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(
        joblib.delayed(_curves_of)(comparison, policies, run) for run in runs
    )
    return ended


def _curves_of(comparison: AnyComparison, policies: Sequence[str], run: int) -> tuple[int, list[Curve]]:
    load_all(comparison.load)
    world = comparison.world(run)
    troubles = troubles_from(comparison.troubles, world)
    return run, [simulate(policy_to_simulate(text), world, comparison.budget, troubles) for text in policies]


def _result(text: str, comparison: AnyComparison, curves: Sequence[Curve]) -> Result:
    policy = policy_to_simulate(text)
    accuracy = np.array([curve.accuracy for curve in curves])
    spread = accuracy.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros(accuracy.shape[1])
    return Result(
        name=text,
        policy=spell(policy),
        parameters=parameters(policy),
        budget=curves[0].marks / comparison.tasks,
        accuracy_mean=accuracy.mean(axis=0),
        accuracy_se=spread / np.sqrt(len(curves)),
        runs=len(curves),
        labels_used=float(np.mean([curve.labels for curve in curves])),
        notes=_notes(curves),
    )


def _notes(curves: Sequence[Curve]) -> tuple[str, ...]:
    """What the runs have to say, each sentence once, and whether labels ran out before the budget."""
    notes = dict.fromkeys(note for curve in curves for note in curve.notes)
    paid_for, used = int(curves[0].marks[-1]), max(curve.labels for curve in curves)
    if used < paid_for:
        notes[f"nothing was left to ask after {used:,} labels: the budget of {paid_for:,} was not spent"] = None
    return tuple(notes)

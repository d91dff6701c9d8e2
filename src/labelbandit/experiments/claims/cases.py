"""The cases that claims are made of: one method above another, a method at some accuracy, a crowd worse than another."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np

from labelbandit.experiments.claims.verdicts import Case, Verdict, above, within
from labelbandit.experiments.contrasts import Sample, area, at, together
from labelbandit.experiments.intervals import UNKNOWN, Interval, of_mean
from labelbandit.experiments.methods import method
from labelbandit.experiments.results import Curves, Results
from labelbandit.simulation.benchmarks import BENCHMARKS

CROWDS = ("spammer-hammer", "one-coin", "malicious")
HOSTILE = ("spammer-hammer", "malicious")
OTHERS = ("random", "iethresh", "crowdsense", "optkg", "optkg-multi")
"""The methods that BBTA is compared with."""

Reading = Callable[[Curves], Sample | None]
"""What is read off each run's curve."""
POINTS = 100.0
"""Accuracies are shares; claims are judged in percentage points."""


def benchmark_panels(crowds: Iterable[str] = CROWDS) -> list[str]:
    """The paper's panels of those crowds, data set by data set."""
    return [f"{data}/{crowd}" for crowd, data in product(crowds, BENCHMARKS)]


def at_budget(budget: float, reading: str = "accuracy") -> Reading:
    """Read a curve at that many labels per task, or at its end if that comes first."""
    return lambda curves: at(curves, budget, reading)


END = at_budget(15.0)


def differences(results: Results, panels: Iterable[str], better: Sequence[str], worse: Sequence[str]) -> list[Case]:
    """Each of the better methods above each of the worse by area; accuracy at 5N and 15N stands beside."""
    pairs = product(panels, better, worse)
    return [contrast(results, panel, one, other, area, above) for panel, one, other in pairs if one != other]


def contrast(results: Results, panel: str, one: str, other: str, reading: Reading, rule: Callable[[Interval], Verdict]) -> Case:
    """One method less another on the same worlds, run by run; the reading decides by the rule."""
    compared = f"{method(one).title} less {method(other).title}"
    curves = together(results, panel, one, other)
    decisive = None if curves is None else _less(curves, reading)
    if curves is None or decisive is None:
        return Case(panel, compared, "no numbers", UNKNOWN, Verdict.UNTESTED)
    estimate = of_mean(decisive.values)
    beside = [] if reading is not area else [_less(curves, at_budget(5.0)), _less(curves, END)]
    others = tuple((sample.where, of_mean(sample.values)) for sample in beside if sample is not None)
    return Case(panel, compared, decisive.where, estimate, rule(estimate), decisive.values, others)


def levels(results: Results, panels: Iterable[str], methods: Iterable[str], budget: float, least: float) -> list[Case]:
    """Each method at least at that accuracy (in %) at that budget."""
    cases = []
    for panel, name in product(panels, methods):
        curves = results.curves(panel, name)
        read = None if curves is None else at(reached(curves), budget)
        if read is None:
            cases.append(Case(panel, method(name).title, "no numbers", UNKNOWN, Verdict.UNTESTED))
            continue
        values = POINTS * read.values
        estimate = of_mean(values)
        where = f"accuracy in % at {read.where}, limit {least:g}"
        cases.append(Case(panel, method(name).title, where, estimate, above(estimate, least), values))
    return cases


def risen(results: Results, panels: Iterable[str], name: str, early: float, late: float) -> list[Case]:
    """The method's accuracy late in the budget above its own early."""
    cases = []
    for panel in panels:
        curves = results.curves(panel, name)
        ends = None if curves is None else (at(curves, late), at(curves, early))
        if ends is None or ends[0] is None or ends[1] is None:
            cases.append(Case(panel, method(name).title, "no numbers", UNKNOWN, Verdict.UNTESTED))
            continue
        values = POINTS * (ends[0].values - ends[1].values)
        estimate = of_mean(values)
        where = f"{ends[0].where} less {ends[1].where}"
        cases.append(Case(panel, method(name).title, where, estimate, above(estimate), values))
    return cases


def against_best(results: Results, panel: str, name: str, rivals: Sequence[str], reading: Reading) -> Case:
    """The method against whichever rival has the best mean there."""
    met = [rival for rival in rivals if together(results, panel, name, rival) is not None]
    if not met:
        return Case(panel, f"{method(name).title} less the best other", "no numbers", UNKNOWN, Verdict.UNTESTED)
    cases = [contrast(results, panel, name, rival, reading, above) for rival in met]
    return min(cases, key=lambda case: float("inf") if np.isnan(case.estimate.value) else case.estimate.value)


def level_within(reach: float) -> Callable[[Interval], Verdict]:
    """The rule that two methods are level: their difference is within so many points."""
    return lambda estimate: within(estimate, reach)


def reached(curves: Curves) -> Curves:
    """The curves without the marks that a swept method cannot get to."""
    keep = ~np.isnan(curves.accuracy).any(axis=0)
    return Curves(curves.budget[keep], curves.runs, {name: values[:, keep] for name, values in curves.readings.items()})


def _less(curves: tuple[Curves, Curves], reading: Reading) -> Sample | None:
    one, other = reading(curves[0]), reading(curves[1])
    return None if one is None or other is None else Sample(POINTS * (one.values - other.values), one.where)

"""The claims of sections 2 to 4: how methods spend, whom they ask, and what they regret."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from labelbandit.experiments.claims.cases import HOSTILE, OTHERS, at_budget, benchmark_panels, contrast
from labelbandit.experiments.claims.verdicts import Case, Claim, Quota, Verdict, above
from labelbandit.experiments.intervals import UNKNOWN, Interval, by_bootstrap, of_mean
from labelbandit.experiments.methods import method
from labelbandit.experiments.results import SWEPT, Results
from labelbandit.model.arrays import Floats

_SPREAD = 5.0
_WANTED_COST = 5.0
_FIXED = ("bbta", "bbta:explore=0", "optkg", "optkg-multi", "random")


def spread_of_cost(cost: Floats) -> Floats:
    """The width of the middle 95 % of costs, in % of their mean, of each row."""
    low, high = np.quantile(cost, (0.025, 0.975), axis=1)
    return np.asarray(100.0 * (high - low) / cost.mean(axis=1))


def _cost_unknown(results: Results) -> list[Case]:
    cases = []
    for panel, name in product(benchmark_panels(), SWEPT):
        ends = results.sweep(panel, name)
        if not ends:
            cases.append(Case(panel, method(name).title, "not run", UNKNOWN, Verdict.UNTESTED))
            continue
        nearest = min(ends, key=lambda each: abs(float(each.cost.mean()) - _WANTED_COST))
        estimate = by_bootstrap(nearest.cost, spread_of_cost)
        where = f"width of cost in % of its mean {nearest.cost.mean():.1f}N ({nearest.policy}), limit {_SPREAD:g}"
        cases.append(Case(panel, method(name).title, where, estimate, above(estimate, _SPREAD)))
    return cases


def _budget_kept(results: Results) -> list[Case]:
    cases = []
    for panel, name in product(benchmark_panels(), _FIXED):
        spent, facts = results.most_labels(panel, name), results.panel(panel)
        if spent is None or facts is None:
            cases.append(Case(panel, method(name).title, "not run", UNKNOWN, Verdict.UNTESTED))
            continue
        over = float(spent - int(facts.budget * facts.tasks))
        kept = Verdict.FAILS if over > 0 else Verdict.HOLDS
        cases.append(Case(panel, method(name).title, "labels beyond the budget", Interval(over, over, over), kept))
    return cases


def _entropy_falls(results: Results) -> list[Case]:
    cases = []
    for panel, name in product(benchmark_panels(), ("bbta:explore=0", "bbta")):
        curves = results.curves(panel, name)
        if curves is None or curves.budget.size < 3 or np.isnan(curves.readings["entropy"]).any():
            cases.append(Case(panel, method(name).title, "not run", UNKNOWN, Verdict.UNTESTED))
            continue
        third = curves.budget.size // 3
        entropy = curves.readings["entropy"]
        values = entropy[:, :third].mean(axis=1) - entropy[:, -third:].mean(axis=1)
        estimate = of_mean(values)
        where = "entropy in nats, first third of the budget less last third"
        cases.append(Case(panel, method(name).title, where, estimate, above(estimate), values))
    return cases


def _matched(results: Results) -> list[Case]:
    pairs = product(benchmark_panels(HOSTILE), OTHERS)
    reading = at_budget(15.0, "in_good")
    return [contrast(results, panel, "bbta", other, reading, above) for panel, other in pairs]


def _regrets(results: Results) -> list[tuple[str, str, Mapping[str, Any], Floats, Floats]]:
    """For each crowd and kind of regret: its name, the crowd's numbers, the regret at each mark and its standard error."""
    kinds = (("regret", "se"), ("strict_regret", "strict_se"))
    return [
        (crowd, regret.replace("_", " "), numbers, np.array(numbers["bbta"][regret]), np.array(numbers["bbta"][error]))
        for crowd, numbers in results.regret.items()
        for regret, error in kinds
    ]


def _sub_linear(results: Results) -> list[Case]:
    cases = []
    for crowd, kind, numbers, regret, error in _regrets(results):
        marks = np.array(numbers["marks"], np.float64)
        per_label, its_error = regret / marks, error / marks
        value = 1000.0 * float(per_label[0] - per_label[-1])
        # Both ends come from the same runs; to take them for independent makes the interval wider, if anything.
        reach = 1000.0 * 1.96 * float(np.hypot(its_error[0], its_error[-1]))
        estimate = Interval(value, value - reach, value + reach)
        where = f"{kind} per 1,000 labels, first {marks[0]:,.0f} less all {marks[-1]:,.0f}"
        cases.append(Case(crowd, method("bbta").title, where, estimate, above(estimate)))
    return cases


def _under_the_bound(results: Results) -> list[Case]:
    cases = []
    for crowd, kind, numbers, regret, error in _regrets(results):
        bound = np.array(numbers["bound"])
        least = int(np.argmin(bound - regret - 1.96 * error))
        room = float(bound[least] - regret[least])
        reach = 1.96 * float(error[least])
        estimate = Interval(room, room - reach, room + reach)
        where = f"bound less {kind}, in labels, where they are closest ({numbers['marks'][least]:,} labels)"
        cases.append(Case(crowd, method("bbta").title, where, estimate, above(estimate)))
    return cases


BEHAVIOUR_CLAIMS = (
    Claim(
        "cost-unknown",
        "With IEThresh and CrowdSense the cost is not known until the process ends.",
        "sections 1 and 4.4",
        "At the threshold that costs about 5N on average: the middle 95 % of runs' costs are wider than "
        f"{_SPREAD:g} % of the mean (bootstrap over runs).",
        Quota.EVERY,
        _cost_unknown,
        unit="%",
    ),
    Claim(
        "budget-kept",
        "BBTA, OptKG and the naive baseline run within a budget fixed beforehand.",
        "section 4.4",
        "Labels spent beyond the budget, the worst run.",
        Quota.EVERY,
        _budget_kept,
        unit="labels",
    ),
    Claim(
        "matches-workers",
        "BBTA matches workers to the tasks they do best; methods blind to contexts ask the wrong workers.",
        "sections 4.4 and 6",
        "Share of labels given by workers in their good context at 15N, BBTA (N' = 1) less the other method, paired over runs.",
        Quota.EVERY,
        _matched,
    ),
    Claim(
        "explores-then-exploits",
        "BBTA explores more workers at earlier steps and exploits more at later steps.",
        "section 2.3",
        "Entropy of the distribution of workers over labels: first third of the budget less the last, paired over runs.",
        Quota.EVERY,
        _entropy_falls,
        digits=2,
        unit="nats",
    ),
    Claim(
        "regret-sub-linear",
        "BBTA's regret grows more slowly than the budget.",
        "section 3, remark 1",
        "Regret per label over the first mark less that over the whole budget; against the best mapping and each run's best.",
        Quota.EVERY,
        _sub_linear,
        "regret was not measured",
        unit="per 1,000 labels",
    ),
    Claim(
        "regret-bounded",
        "BBTA's regret stays below the bound of Theorem 1.",
        "section 3, theorem 1",
        "The bound less the regret at the mark where they are closest, with 1.96 standard errors.",
        Quota.EVERY,
        _under_the_bound,
        "regret was not measured",
        unit="labels",
    ),
)

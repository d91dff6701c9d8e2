"""The claims of sections 2 to 4: how methods spend, whom they ask, and what they regret."""

from itertools import product
from typing import NamedTuple

import numpy as np

from labelbandit.experiments.claims.cases import HOSTILE, OTHERS, at_budget, benchmark_panels, contrast
from labelbandit.experiments.claims.verdicts import Case, Claim, Quota, Verdict, above
from labelbandit.experiments.intervals import UNKNOWN, Interval, around, by_bootstrap, of_mean
from labelbandit.experiments.methods import method
from labelbandit.experiments.results import Results
from labelbandit.experiments.sweep import SWEPT
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
            cases.append(Case(panel, method(name).title, "no numbers", UNKNOWN, Verdict.UNTESTED))
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
            cases.append(Case(panel, method(name).title, "no numbers", UNKNOWN, Verdict.UNTESTED))
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
            cases.append(Case(panel, method(name).title, "no numbers", UNKNOWN, Verdict.UNTESTED))
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


class _Regret(NamedTuple):
    """BBTA's regret in one crowd, of one kind, at each mark."""

    crowd: str
    kind: str
    marks: Floats
    bound: Floats
    value: Floats
    error: Floats
    freedom: int
    """Runs less one."""


def _regrets(results: Results) -> list[_Regret]:
    found = []
    for crowd, numbers in results.regret.items():
        freedom = int(numbers.get("runs", results.meta.get("runs", 1))) - 1
        marks, bound = np.array(numbers["marks"], np.float64), np.array(numbers["bound"])
        for regret, error in (("regret", "se"), ("strict_regret", "strict_se")):
            value, se = np.array(numbers["bbta"][regret]), np.array(numbers["bbta"][error])
            found.append(_Regret(crowd, regret.replace("_", " "), marks, bound, value, se, freedom))
    return found


def _sub_linear(results: Results) -> list[Case]:
    cases = []
    for regret in _regrets(results):
        half = int(np.argmin(np.abs(regret.marks - regret.marks[-1] / 2)))
        # Per label, since the mark nearest the middle need not be the middle. Both marks come from the same runs and go up
        # and down together; to take them for independent makes the interval wider.
        shares = 1.0 / regret.marks[half], 1.0 / (regret.marks[-1] - regret.marks[half])
        value = regret.value[half] * (shares[0] + shares[1]) - regret.value[-1] * shares[1]
        error = float(np.hypot(regret.error[half] * (shares[0] + shares[1]), regret.error[-1] * shares[1]))
        estimate = around(1000.0 * float(value), 1000.0 * error, regret.freedom)
        where = (
            f"{regret.kind} per 1,000 labels, up to {regret.marks[half]:,.0f} labels less from there to {regret.marks[-1]:,.0f}"
        )
        cases.append(Case(regret.crowd, "BBTA", where, estimate, above(estimate)))
    return cases


def _under_the_bound(results: Results) -> list[Case]:
    cases = []
    for regret in _regrets(results):
        rooms = [around(*room, regret.freedom) for room in zip(regret.bound - regret.value, regret.error, strict=True)]
        closest = min(range(len(rooms)), key=lambda mark: rooms[mark].low)
        where = f"bound less {regret.kind}, in labels, where they are closest ({regret.marks[closest]:,.0f} labels)"
        cases.append(Case(regret.crowd, "BBTA", where, rooms[closest], above(rooms[closest])))
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
        "BBTA matches workers to the tasks they do best, more than the other methods do.",
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
        "Regret per label in the first half of the budget less that in the second half; against the best mapping and against "
        "each run's best. In a rehearsal of three runs the first mark stood for the first half; it says nothing, since the "
        "first label of a task is never charged.",
        Quota.EVERY,
        _sub_linear,
        "regret was not measured",
        unit="per 1,000 labels",
    ),
    Claim(
        "regret-bounded",
        "BBTA's regret stays below the bound of Theorem 1.",
        "section 3, theorem 1",
        "The bound less the regret, at the mark where the interval comes closest to the bound.",
        Quota.EVERY,
        _under_the_bound,
        "regret was not measured",
        unit="labels",
    ),
)

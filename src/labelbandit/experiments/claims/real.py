"""The claims of section 5.2: real data (figures 4 and 5).

Gender Hobby was never published. Its claims are tested on it if its folder is there; beside them, and marked as stand-ins,
on other people's answers in four domains and on synthetic crowds of Gender Hobby's shape.
"""

import numpy as np

from labelbandit.experiments.claims.cases import CROWDS, OTHERS, differences, levels
from labelbandit.experiments.claims.verdicts import Case, Claim, Quota, Verdict, above
from labelbandit.experiments.intervals import UNKNOWN, by_bootstrap, of_difference
from labelbandit.experiments.results import Results

_RTE = ("rte/completed", "rte/replay")
_NEEDS_RTE = "the RTE data were not given"
_NEEDS_HOBBY = "the Gender Hobby data are not public"
_NEEDS_DOMAINS = "the four-domains data were not given"
_RELIABLE = 0.8
_SIGNIFICANT_PART = 100.0 / 3.0
_GOOD = 90.0
_SHAPES = tuple(f"gender-hobby-shape/{crowd}" for crowd in CROWDS)
_BY_AREA = "Paired differences of accuracy over runs; the area between 2N and the end (at most 15N) decides."
_ON_RTE = tuple(name for name in OTHERS if name != "optkg-multi")
"""With one context OptKG (Multi.) is OptKG."""
_BBTA = ("bbta:explore=0", "bbta")


def _reliable_workers(results: Results) -> list[Case]:
    cases = []
    for name in _RTE:
        panel = results.panel(name)
        workers = np.zeros(0) if panel is None else panel.overall_accuracy
        reliable = np.where(workers >= _RELIABLE, 100.0, 0.0)
        estimate = by_bootstrap(reliable, lambda samples: np.asarray(samples.mean(axis=1)))
        where = f"workers at {100 * _RELIABLE:g} % or better, in %, limit {_SIGNIFICANT_PART:.0f}"
        cases.append(Case(name, f"{workers.size} workers", where, estimate, above(estimate, _SIGNIFICANT_PART)))
    return cases


def _worse_workers(results: Results, other: str) -> list[Case]:
    rte = "rte/completed" if other.endswith("/completed") else "rte/replay"
    both = [results.panel(name) for name in (rte, other)]
    if both[0] is None or both[1] is None:
        return [Case(other, f"{rte} less {other}", "no numbers", UNKNOWN, Verdict.UNTESTED)]
    estimate = of_difference(*(100.0 * panel.overall_accuracy for panel in both if panel is not None))
    return [Case(other, f"{rte} less {other}", "mean accuracy of workers in % (Welch)", estimate, above(estimate))]


REAL_CLAIMS = (
    Claim(
        "rte-workers-reliable",
        "A significant proportion of the RTE workers is reliable.",
        "section 5.2, figure 4",
        f"Share of workers who are right on {100 * _RELIABLE:g} % or more: the whole interval (bootstrap over workers) "
        "lies above one third.",
        Quota.EVERY,
        _reliable_workers,
        _NEEDS_RTE,
        unit="%",
    ),
    Claim(
        "rte-is-easy",
        "All methods work very well on RTE.",
        "section 5.2, figure 5",
        f"The whole interval of a method's accuracy at the end of the budget lies above {_GOOD:g} %.",
        Quota.EVERY,
        lambda results: levels(results, _RTE, (*_BBTA, *_ON_RTE), 15.0, _GOOD),
        _NEEDS_RTE,
        unit="%",
    ),
    Claim(
        "rte-bbta-fastest",
        "BBTA with N' = 1 converges to the highest accuracy on RTE slightly faster than the others.",
        "section 5.2, figure 5",
        _BY_AREA,
        Quota.EVERY,
        lambda results: differences(results, _RTE, ["bbta"], ("bbta:explore=0", *_ON_RTE)),
        _NEEDS_RTE,
    ),
    Claim(
        "hobby-workers-worse",
        "The labels of Gender Hobby's workers are more malicious than those of RTE's.",
        "section 5.2, figure 4",
        "Mean accuracy of RTE's workers less that of Gender Hobby's.",
        Quota.EVERY,
        lambda results: _worse_workers(results, "gender_hobby/replay"),
        _NEEDS_HOBBY,
    ),
    Claim(
        "domains-workers-worse",
        "Stand-in: the labels of the four-domains workers are more malicious than those of RTE's.",
        "section 5.2, figure 4",
        "Mean accuracy of RTE's workers less that of the four-domains workers, who stand in for Gender Hobby's.",
        Quota.EVERY,
        lambda results: _worse_workers(results, "four_domains/replay"),
        _NEEDS_DOMAINS,
    ),
    Claim(
        "hobby-bbta-leads",
        "BBTA with N' = 0 and N' = 1 outperforms the others on Gender Hobby.",
        "section 5.2, figure 5",
        _BY_AREA,
        Quota.EVERY,
        lambda results: differences(results, ["gender_hobby/replay"], _BBTA, OTHERS),
        _NEEDS_HOBBY,
    ),
    Claim(
        "domains-bbta-leads",
        "Stand-in: BBTA with N' = 0 and N' = 1 outperforms the others on heterogeneous real data (four domains).",
        "section 5.2, figure 5",
        f"{_BY_AREA} Other data than the paper's.",
        Quota.EVERY,
        lambda results: differences(results, ["four_domains/replay"], _BBTA, OTHERS),
        _NEEDS_DOMAINS,
    ),
    Claim(
        "shape-bbta-leads",
        "Stand-in, synthetic: BBTA with N' = 0 and N' = 1 outperforms the others in crowds of Gender Hobby's shape.",
        "section 5.2, figure 5",
        f"{_BY_AREA} Simulated crowds of 42 workers, 204 tasks, 2 contexts.",
        Quota.EVERY,
        lambda results: differences(results, _SHAPES, _BBTA, OTHERS),
    ),
)

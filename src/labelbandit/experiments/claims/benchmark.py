"""The claims of section 5.1: benchmark data, simulated workers (figures 1 to 3)."""

from itertools import product

from labelbandit.experiments.claims.cases import (
    CROWDS,
    END,
    HOSTILE,
    OTHERS,
    POINTS,
    against_best,
    at_budget,
    benchmark_panels,
    contrast,
    differences,
    level_within,
    levels,
    risen,
)
from labelbandit.experiments.claims.verdicts import Case, Claim, Quota, Verdict, above
from labelbandit.experiments.contrasts import area, at
from labelbandit.experiments.intervals import UNKNOWN, of_mean
from labelbandit.experiments.results import Results
from labelbandit.simulation.benchmarks import BENCHMARKS

_EXPLORING = ("bbta", "bbta:explore=5", "bbta:explore=10")
_BY_AREA = "Paired differences of accuracy over runs. The area between 2N and 15N decides; 5N and 15N stand beside."
_LONG = "ionosphere/spammer-hammer/30N"
_GOOD = 90.0
_BEST = 99.0
_LEVEL = 1.0


def _more_hostile(results: Results) -> list[Case]:
    """Under random assignment the share of right labels is the mean accuracy of the workers."""
    cases = []
    for data, crowd in product(BENCHMARKS, HOSTILE):
        compared = f"one-coin less {crowd}"
        both = [results.curves(f"{data}/{name}", "random") for name in ("one-coin", crowd)]
        ends = [None if curves is None else at(curves, 15.0, "right") for curves in both]
        if ends[0] is None or ends[1] is None or ends[0].values.size != ends[1].values.size:
            cases.append(Case(data, compared, "no numbers", UNKNOWN, Verdict.UNTESTED))
            continue
        values = POINTS * (ends[0].values - ends[1].values)
        estimate = of_mean(values)
        cases.append(Case(data, compared, "right labels in %, of workers drawn at random", estimate, above(estimate), values))
    return cases


def _overtakes(results: Results) -> list[Case]:
    rivals = ("bbta:explore=0", "bbta", "bbta:explore=5")
    return [against_best(results, panel, "bbta:explore=10", rivals, END) for panel in benchmark_panels(HOSTILE)]


def _is_overtaken(results: Results) -> list[Case]:
    shorter = ("bbta:explore=0", "bbta", "bbta:explore=5")
    return [
        max(
            (contrast(results, panel, rival, "bbta:explore=10", area, above) for rival in shorter),
            key=lambda case: (case.verdict != Verdict.UNTESTED, case.estimate.value),
        )
        for panel in benchmark_panels()
    ]


def _starts_lower(results: Results) -> list[Case]:
    pairs = product(benchmark_panels(), ("bbta:explore=0", "bbta", "bbta:explore=5"))
    return [contrast(results, panel, other, "bbta:explore=10", at_budget(2.0), above) for panel, other in pairs]


def _level_in_the_end(results: Results) -> list[Case]:
    rule = level_within(_LEVEL)
    return [
        contrast(results, panel, "bbta:explore=10", "bbta:explore=5", END, rule) for panel in benchmark_panels(["one-coin"])
    ]


BENCHMARK_CLAIMS = (
    Claim(
        "hostile-crowds",
        "The spammer-hammer and the malicious crowd are more adversarial than the one-coin crowd.",
        "section 5.1, figure 1",
        "Share of right labels when workers are drawn at random, one-coin less the other crowd, paired over runs.",
        Quota.EVERY,
        _more_hostile,
    ),
    Claim(
        "exploring-helps",
        "BBTA with N' = 1 works better than with N' = 0.",
        "section 5.1, figure 2",
        _BY_AREA,
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(), ["bbta"], ["bbta:explore=0"]),
    ),
    Claim(
        "bbta-leads",
        "BBTA with N' = 1 outperforms every other method in all six spammer-hammer and malicious cases.",
        "section 5.1, figure 2",
        f"{_BY_AREA} A case is one other method on one panel.",
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(HOSTILE), ["bbta"], OTHERS),
    ),
    Claim(
        "one-coin-is-easy",
        "Almost all methods perform well under the one-coin crowd.",
        "section 5.1, figure 2",
        f"A method does well if the whole interval of its accuracy at 15N lies above {_GOOD:g} %.",
        Quota.NEARLY_ALL,
        lambda results: levels(results, benchmark_panels(["one-coin"]), ("bbta", "bbta:explore=0", *OTHERS), 15.0, _GOOD),
        unit="%",
    ),
    Claim(
        "iethresh-below-naive",
        "IEThresh performs poorly in all cases, worse even than the naive baseline.",
        "section 5.1, figure 2",
        f"{_BY_AREA} IEThresh at equal mean cost.",
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(), ["random"], ["iethresh"]),
    ),
    Claim(
        "crowdsense-above-iethresh",
        "CrowdSense, which draws a worker at random each time, does better than IEThresh.",
        "section 5.1, figure 2",
        f"{_BY_AREA} Both at equal mean cost.",
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(), ["crowdsense"], ["iethresh"]),
    ),
    Claim(
        "contexts-help-optkg",
        "OptKG (Multi.), which knows the contexts, outperforms OptKG.",
        "section 5.1, figure 2",
        _BY_AREA,
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(), ["optkg-multi"], ["optkg"]),
    ),
    Claim(
        "optkg-gets-there",
        "Both OptKG methods come to the best accuracy if the budget is large enough.",
        "section 5.1, figure 2",
        f"Ionosphere, spammer-hammer, continued to 30N: the whole interval of accuracy at 30N lies above {_BEST:g} %.",
        Quota.EVERY,
        lambda results: levels(results, [_LONG], ("optkg", "optkg-multi"), 30.0, _BEST),
        unit="%",
    ),
    Claim(
        "optkg-is-slower-than-bbta",
        "Both OptKG methods converge more slowly than BBTA.",
        "section 5.1, figure 2",
        f"{_BY_AREA} Who gets there sooner has more area.",
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(), ["bbta"], ["optkg", "optkg-multi"]),
    ),
    Claim(
        "optkg-is-slower-than-crowdsense",
        "Both OptKG methods converge more slowly than CrowdSense.",
        "section 5.1, figure 2",
        f"{_BY_AREA} CrowdSense at equal mean cost.",
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(), ["crowdsense"], ["optkg", "optkg-multi"]),
    ),
    Claim(
        "not-exploring-is-worst",
        "With any N' > 0 the performance is better than with N' = 0, which is the worst in all nine cases.",
        "section 5.1, figure 3",
        f"{_BY_AREA} A case is one N' on one panel.",
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(), _EXPLORING, ["bbta:explore=0"]),
    ),
    Claim(
        "long-exploration-starts-low",
        "With N' = 10 the performance usually starts from a lower level than with a shorter exploration.",
        "section 5.1, figure 3",
        "Paired differences of accuracy over runs: the shorter exploration less N' = 10. Accuracy at 2N decides.",
        Quota.MOST,
        _starts_lower,
    ),
    Claim(
        "long-exploration-overtakes",
        "With more budget N' = 10 outperforms all other N' in most spammer-hammer and malicious cases.",
        "section 5.1, figure 3",
        "Paired differences of accuracy at 15N over runs: N' = 10 less the best of N' = 0, 1, 5.",
        Quota.MOST,
        _overtakes,
    ),
    Claim(
        "longest-is-not-always-best",
        "N' = 10 does not always reach its highest accuracy fastest: a longer exploration is not always better.",
        "section 5.1, figure 3",
        "Paired differences of area between 2N and 15N: the best shorter exploration less N' = 10. "
        "That the best is picked afterwards makes it a little too easy to hold.",
        Quota.SOME,
        _is_overtaken,
    ),
    Claim(
        "one-coin-level",
        "Under the one-coin crowd N' = 10 only comes to the same level as N' = 5.",
        "section 5.1, figure 3",
        f"The whole interval of the paired difference of accuracy at 15N lies within ± {_LEVEL:g} point.",
        Quota.EVERY,
        _level_in_the_end,
    ),
    Claim(
        "one-coin-slower",
        "Under the one-coin crowd N' = 10 gets there more slowly than N' = 5.",
        "section 5.1, figure 3",
        _BY_AREA,
        Quota.EVERY,
        lambda results: differences(results, benchmark_panels(["one-coin"]), ["bbta:explore=5"], ["bbta:explore=10"]),
    ),
    Claim(
        "equal-workers-consistent",
        "OptKG that holds workers for equal is consistent: it comes ever closer to 100 %.",
        "section 4.4",
        "Accuracy at 15N less that at 10N, paired over runs. A limit cannot be tested with a finite budget; a rise can.",
        Quota.EVERY,
        lambda results: risen(results, benchmark_panels(CROWDS), "optkg:workers=equal", 10.0, 15.0),
    ),
)

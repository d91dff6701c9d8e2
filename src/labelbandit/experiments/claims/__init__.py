"""The paper's claims, each tested on our results, with a verdict that follows from a rule."""

import csv
from math import isnan
from pathlib import Path

from labelbandit.experiments.claims.behaviour import BEHAVIOUR_CLAIMS
from labelbandit.experiments.claims.benchmark import BENCHMARK_CLAIMS
from labelbandit.experiments.claims.real import REAL_CLAIMS
from labelbandit.experiments.claims.verdicts import Case, Finding, Verdict, judge
from labelbandit.experiments.intervals import Interval
from labelbandit.experiments.results import Results

CLAIMS = (*BENCHMARK_CLAIMS, *REAL_CLAIMS, *BEHAVIOUR_CLAIMS)
"""In the order of the paper's experiments; what it says of budget, exploration and regret comes last."""


def judge_all(results: Results) -> list[Finding]:
    """Every claim with its verdict."""
    return [judge(claim, results) for claim in CLAIMS]


def comparisons(findings: list[Finding]) -> int:
    """How many cases were tested in all: the more there are, the more of them are significant by chance alone."""
    return sum(case.verdict != Verdict.UNTESTED for finding in findings for case in finding.cases)


def spell_number(number: float, digits: int = 1) -> str:
    """A number with a true minus sign, and none before nothing."""
    return f"{round(number, digits) + 0.0:.{digits}f}".replace("-", "−")


def spell_interval(interval: Interval, digits: int = 1) -> str:
    """A number with its interval: `1.2 [0.8, 1.6]`."""
    value, low, high = (spell_number(number, digits) for number in interval)
    return f"{value} [{low}, {high}]"


def result_of(finding: Finding) -> str:
    """What came out, in a sentence or two: how many cases hold, the mean, and the extremes."""
    claim = finding.claim
    tested = [case for case in finding.cases if case.verdict != Verdict.UNTESTED]
    if not tested:
        return f"Not tested: {claim.untested_because}."
    missing = len(finding.cases) - len(tested)
    counted = f"Cases for it: {finding.count(Verdict.HOLDS)} of {len(tested)}; against: {finding.count(Verdict.FAILS)}; "
    counted += f"not significant: {finding.count(Verdict.OPEN)}" + (f"; without numbers: {missing}" if missing else "") + "."
    if len(tested) == 1:
        return f"{spell_interval(tested[0].estimate, claim.digits)} {claim.unit}."
    mean = finding.overall
    spelt = "" if isnan(mean.value) else f" Mean {spell_interval(mean, claim.digits)} {claim.unit}."
    return f"{counted}{spelt}{_range(tested, claim.digits)}"


def _range(tested: list[Case], digits: int) -> str:
    """The least and the greatest of the cases' numbers."""
    least = min(tested, key=lambda case: case.estimate.value)
    most = max(tested, key=lambda case: case.estimate.value)
    low, high = (spell_number(case.estimate.value, digits) for case in (least, most))
    if low == high:
        return f" All at {low}."
    return f" From {low} ({least.panel}: {least.compared}) to {high} ({most.panel}: {most.compared})."


def write_claims(findings: list[Finding], path: Path) -> None:
    """All cases as CSV, a row each, with the verdict on the whole claim beside."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        header = [
            "claim",
            "sentence",
            "where",
            "test",
            "needed",
            "verdict",
            "panel",
            "compared",
            "measure",
            "value",
            "low",
            "high",
        ]
        writer.writerow([*header, "case_verdict"])
        for finding in findings:
            claim = finding.claim
            about = [claim.key, claim.sentence, claim.where, claim.test, claim.quota.value, finding.verdict.value]
            for case in finding.cases:
                numbers = ["" if isnan(number) else f"{number:.6g}" for number in case.estimate]
                writer.writerow([*about, case.panel, case.compared, case.measure, *numbers, case.verdict.value])
            if not finding.cases:
                writer.writerow([*about, "", "", "", "", "", "", finding.verdict.value])

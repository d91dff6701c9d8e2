"""How a claim of the paper is judged: the rules, which were fixed before the full run.

A claim is tested in cases. Each case has a number that the claim says is above a limit (or within one), with a 95 % interval
over runs. The interval alone decides the case; how many cases have to hold is part of the claim.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from math import ceil

import numpy as np

from labelbandit.experiments.intervals import UNKNOWN, Interval, of_mean
from labelbandit.experiments.results import Results
from labelbandit.model.arrays import Floats


class Verdict(StrEnum):
    """What the results say of a claim, or of one case."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not significant"
    UNTESTED = "cannot be tested"


class Quota(Enum):
    """How many of the cases have to hold for the claim to hold."""

    EVERY = "every case"
    NEARLY_ALL = "at least four cases in five"
    MOST = "more than half of the cases"
    SOME = "at least one case"

    def of(self, cases: int) -> int:
        """Cases needed among so many."""
        needed = {Quota.EVERY: cases, Quota.NEARLY_ALL: ceil(0.8 * cases), Quota.MOST: cases // 2 + 1, Quota.SOME: 1}
        return needed[self]


@dataclass(frozen=True, slots=True)
class Case:
    """One number that a claim is about."""

    panel: str
    compared: str
    """Of what: "BBTA (N' = 1) less OptKG"."""
    measure: str
    """The number that decides, and its unit."""
    estimate: Interval
    verdict: Verdict
    sample: Floats | None = None
    """The number of each run, where it is a mean over runs."""
    beside: tuple[tuple[str, Interval], ...] = ()
    """Further numbers, which decide nothing."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the paper that can be wrong."""

    key: str
    sentence: str
    where: str
    """Section and figure."""
    test: str
    """What is compared with what, and which number decides."""
    quota: Quota
    cases: Callable[[Results], list[Case]]
    untested_because: str = "the panels it needs were not run"
    digits: int = 1
    unit: str = "points"


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with what became of it."""

    claim: Claim
    cases: tuple[Case, ...]
    verdict: Verdict

    @property
    def overall(self) -> Interval:
        """The mean over cases, with its interval over runs, where every case has one number per run."""
        samples = [case.sample for case in self.cases if case.verdict != Verdict.UNTESTED]
        known = [sample for sample in samples if sample is not None]
        if not known or len(known) < len(samples) or len({sample.size for sample in known}) > 1:
            return UNKNOWN
        return of_mean(np.mean(known, axis=0))

    def count(self, verdict: Verdict) -> int:
        """How many cases came out like that."""
        return sum(case.verdict == verdict for case in self.cases)


def above(estimate: Interval, limit: float = 0.0) -> Verdict:
    """Holds if the whole interval lies above the limit, does not hold if all of it lies below."""
    if np.isnan(estimate.low):
        return Verdict.UNTESTED
    if estimate.low > limit:
        return Verdict.HOLDS
    return Verdict.FAILS if estimate.high < limit else Verdict.OPEN


def within(estimate: Interval, reach: float) -> Verdict:
    """Holds if the whole interval lies within ± reach, does not hold if all of it lies outside."""
    if np.isnan(estimate.low):
        return Verdict.UNTESTED
    if -reach <= estimate.low and estimate.high <= reach:
        return Verdict.HOLDS
    return Verdict.FAILS if estimate.low > reach or estimate.high < -reach else Verdict.OPEN


def judge(claim: Claim, results: Results) -> Finding:
    """Test the claim: on the cases that could be tested, as many must hold as its quota says."""
    cases = tuple(claim.cases(results))
    return Finding(claim, cases, _overall_verdict([case.verdict for case in cases], claim.quota))


def _overall_verdict(verdicts: Sequence[Verdict], quota: Quota) -> Verdict:
    tested = [verdict for verdict in verdicts if verdict != Verdict.UNTESTED]
    if not tested:
        return Verdict.UNTESTED
    needed = quota.of(len(tested))
    if tested.count(Verdict.HOLDS) >= needed:
        return Verdict.HOLDS
    could_hold = len(tested) - tested.count(Verdict.FAILS)
    return Verdict.FAILS if could_hold < needed else Verdict.OPEN

"""Claims of the paper: fabricated results lead to the verdicts they should."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelbandit.experiments.claims import CLAIMS, comparisons, judge_all, result_of, spell_interval, write_claims
from labelbandit.experiments.claims.cases import BENCHMARKS, benchmark_panels, contrast
from labelbandit.experiments.claims.verdicts import Case, Claim, Quota, Verdict, above, judge, within
from labelbandit.experiments.contrasts import area, at, labels_to_reach
from labelbandit.experiments.intervals import Interval, by_bootstrap, of_difference, of_mean
from labelbandit.experiments.results import Curves, at_equal_cost
from tests.fabricated import CROWDS, MARKS, NINE, everything, facts, fixed_rows, noise, regret, results_of, rising, swept_rows

BY_KEY = {claim.key: claim for claim in CLAIMS}


def verdict_on(key, rows, panels=(), regrets=None):
    return judge(BY_KEY[key], results_of(rows, panels, regrets)).verdict


def two_methods(better, worse, ahead, panels=NINE):
    """One method ahead of another by so much on each panel, give or take what chance does."""
    rows = []
    for place, panel in enumerate(panels):
        base = rising(0.8, seed=place)
        rows += fixed_rows(panel, worse, base)
        rows += fixed_rows(panel, better, base + ahead + noise(8, seed=90 + place, size=0.005)[:, None])
    return rows


def claim_with(verdicts, quota):
    cases = [Case("panel", "compared", "measure", Interval(0.0, 0.0, 0.0), verdict) for verdict in verdicts]
    return Claim("key", "sentence", "where", "test", quota, lambda results: cases)


def test_a_method_clearly_ahead_everywhere_makes_the_claim_hold():
    assert verdict_on("exploring-helps", two_methods("bbta", "bbta:explore=0", ahead=0.05)) == Verdict.HOLDS


def test_a_method_clearly_behind_makes_the_claim_not_hold():
    assert verdict_on("exploring-helps", two_methods("bbta", "bbta:explore=0", ahead=-0.05)) == Verdict.FAILS


def test_no_difference_is_not_significant():
    rows = []
    for panel in NINE:
        for policy in ("bbta", "bbta:explore=0"):
            rows += fixed_rows(
                panel, policy, rising(0.8, seed=3) + np.where(np.arange(8) % 2, 0.01, -0.01)[:, None] * (policy == "bbta")
            )
    assert verdict_on("exploring-helps", rows) == Verdict.OPEN


def test_a_single_case_against_it_refutes_a_claim_about_every_case():
    rows = two_methods("bbta", "bbta:explore=0", ahead=0.05, panels=NINE[1:])
    rows += two_methods("bbta", "bbta:explore=0", ahead=-0.05, panels=NINE[:1])
    finding = judge(BY_KEY["exploring-helps"], results_of(rows))
    assert (finding.verdict, finding.count(Verdict.HOLDS), finding.count(Verdict.FAILS)) == (Verdict.FAILS, 8, 1)


def test_differences_are_paired_by_run():
    wild = rising(0.8) + noise(8, seed=5, size=0.2)[:, None]
    rows = fixed_rows(NINE[0], "random", wild) + fixed_rows(NINE[0], "bbta", wild + 0.01 + noise(8, seed=6, size=1e-4)[:, None])
    case = contrast(results_of(rows), NINE[0], "bbta", "random", area, above)
    assert case.estimate.value == pytest.approx(1.0, abs=0.02)
    assert case.verdict == Verdict.HOLDS


def test_one_run_tests_nothing():
    rows = fixed_rows(NINE[0], "bbta", rising(0.9, 1)) + fixed_rows(NINE[0], "bbta:explore=0", rising(0.5, 1))
    assert verdict_on("exploring-helps", rows) == Verdict.UNTESTED


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_without_results_nothing_can_be_tested_and_the_reason_is_said(claim):
    finding = judge(claim, results_of([]))
    assert finding.verdict == Verdict.UNTESTED
    assert claim.untested_because in result_of(finding)


@pytest.mark.parametrize(
    ("quota", "held", "failed", "verdict"),
    [
        (Quota.EVERY, 5, 0, Verdict.HOLDS),
        (Quota.EVERY, 4, 0, Verdict.OPEN),
        (Quota.EVERY, 4, 1, Verdict.FAILS),
        (Quota.NEARLY_ALL, 4, 1, Verdict.HOLDS),
        (Quota.NEARLY_ALL, 3, 2, Verdict.FAILS),
        (Quota.MOST, 3, 2, Verdict.HOLDS),
        (Quota.MOST, 2, 2, Verdict.OPEN),
        (Quota.MOST, 2, 3, Verdict.FAILS),
        (Quota.SOME, 1, 4, Verdict.HOLDS),
        (Quota.SOME, 0, 4, Verdict.OPEN),
        (Quota.SOME, 0, 5, Verdict.FAILS),
    ],
)
def test_a_claim_needs_as_many_cases_as_it_says(quota, held, failed, verdict):
    verdicts = [Verdict.HOLDS] * held + [Verdict.FAILS] * failed + [Verdict.OPEN] * (5 - held - failed)
    assert judge(claim_with(verdicts, quota), results_of([])).verdict == verdict


def test_cases_that_were_not_run_do_not_count_but_are_told():
    finding = judge(claim_with([Verdict.HOLDS, Verdict.HOLDS, Verdict.UNTESTED], Quota.EVERY), results_of([]))
    assert finding.verdict == Verdict.HOLDS
    assert "without numbers: 1" in result_of(finding)


@given(st.floats(-5, 5), st.floats(0, 5))
def test_what_holds_one_way_fails_the_other_way(value, reach):
    interval, mirrored = Interval(value, value - reach, value + reach), Interval(-value, -value - reach, -value + reach)
    opposite = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS, Verdict.OPEN: Verdict.OPEN}
    assert above(mirrored) == opposite[above(interval)]
    assert within(mirrored, 1.0) == within(interval, 1.0)


def test_methods_are_level_only_if_the_whole_interval_is_within_reach():
    assert within(Interval(0.0, -0.5, 0.5), 1.0) == Verdict.HOLDS
    assert within(Interval(0.0, -2.0, 2.0), 1.0) == Verdict.OPEN
    assert within(Interval(3.0, 2.0, 4.0), 1.0) == Verdict.FAILS


def test_the_interval_of_two_runs_is_students():
    value, low, high = of_mean(np.array([0.0, 2.0]))
    assert (value, high - value, value - low) == pytest.approx((1.0, 12.7062, 12.7062), abs=1e-3)


def test_intervals_cover_the_truth_nineteen_times_in_twenty():
    draws = np.random.default_rng(1).normal(3.0, 2.0, (2000, 6))
    covered = np.mean([interval.low <= 3.0 <= interval.high for interval in map(of_mean, draws)])
    assert 0.935 <= covered <= 0.965
    apart = [of_difference(draw, draw[::-1] + 1.0) for draw in draws[:50]]
    assert all(interval.value == pytest.approx(-1.0) for interval in apart)


def test_a_bootstrap_gives_the_same_interval_again():
    sample = np.arange(10.0)
    first, second = (by_bootstrap(sample, lambda samples: np.median(samples, axis=1)) for _ in range(2))
    assert first == second
    assert first.low < first.value == 4.5 < first.high


def test_a_swept_method_is_read_where_its_sweep_crosses_a_mean_cost():
    rows = swept_rows("p/q", "iethresh:threshold=0.9", [2.0, 4.0], [0.6, 0.7])
    rows += swept_rows("p/q", "iethresh:threshold=0.8", [6.0, 8.0], [0.8, 0.7])
    curves = at_equal_cost(results_of(rows).sweep("p/q", "iethresh"), np.array([2.0, 3.0, 5.0, 7.0, 8.0]))
    assert curves.accuracy[:, 1:4].tolist() == [pytest.approx([0.6, 0.7, 0.8]), pytest.approx([0.7, 0.7, 0.7])]
    assert np.isnan(curves.accuracy[:, [0, 4]]).all()


def test_budgets_that_no_threshold_leads_to_are_left_out_of_the_area():
    rows = fixed_rows(NINE[0], "random", rising(0.9))
    for threshold, cost in ((0.9, 4.0), (0.8, 9.0)):
        rows += swept_rows(NINE[0], f"iethresh:threshold={threshold}", cost + np.zeros(8), 0.5 + noise(8))
    case = contrast(results_of(rows, [facts(NINE[0])]), NINE[0], "random", "iethresh", area, above)
    assert (case.measure, case.verdict) == ("area 4N–9N", Verdict.HOLDS)


def test_area_and_labels_to_reach_are_straight_between_marks():
    line = np.tile(0.5 + 0.03 * MARKS, (2, 1))
    curves = Curves(MARKS, np.arange(2), dict.fromkeys(("accuracy", "right", "in_good", "entropy"), line))
    assert area(curves).values.tolist() == pytest.approx([0.5 + 0.03 * 8.5] * 2)
    assert at(curves, 5.0).values.tolist() == pytest.approx([0.65] * 2)
    assert labels_to_reach(curves, 0.905) == pytest.approx(13.5)
    assert labels_to_reach(curves, 0.96) is None


def test_the_same_cost_in_every_run_refutes_that_cost_is_unknown():
    for size, verdict in ((0.0, Verdict.FAILS), (2.0, Verdict.HOLDS)):
        rows = []
        for place, (panel, method) in enumerate(product(NINE, ("iethresh", "crowdsense"))):
            rows += swept_rows(panel, f"{method}:threshold=0.9", 10 + noise(30, seed=place, size=size), np.full(30, 0.8))
        assert verdict_on("cost-unknown", rows) == verdict


def test_a_label_too_many_is_a_budget_not_kept():
    rows = fixed_rows(NINE[0], "bbta", rising(0.9))
    assert verdict_on("budget-kept", rows, [facts(NINE[0])]) == Verdict.HOLDS
    over = [*rows[:-1], (*rows[-1][:4], rows[-1][4] + 1, *rows[-1][5:])]
    assert verdict_on("budget-kept", over, [facts(NINE[0])]) == Verdict.FAILS


def test_entropy_has_to_fall():
    for slope, verdict in ((-0.1, Verdict.HOLDS), (0.1, Verdict.FAILS)):
        entropy = 2 + slope * MARKS[None, :] + noise(8)[:, None]
        rows = fixed_rows(NINE[0], "bbta", rising(0.9), entropy=entropy)
        assert verdict_on("explores-then-exploits", rows) == verdict


def test_regret_in_a_straight_line_is_not_sub_linear():
    assert verdict_on("regret-sub-linear", [], regrets={"one-coin": regret()}) == Verdict.HOLDS
    assert verdict_on("regret-sub-linear", [], regrets={"one-coin": regret(slope_of_bbta=0.5)}) == Verdict.OPEN
    swelling = regret() | {"bbta": {**regret()["bbta"], "regret": [1.0, 5.0, 90.0], "strict_regret": [1.0, 5.0, 90.0]}}
    assert verdict_on("regret-sub-linear", [], regrets={"one-coin": swelling}) == Verdict.FAILS
    assert verdict_on("regret-bounded", [], regrets={"one-coin": regret()}) == Verdict.HOLDS
    assert verdict_on("regret-bounded", [], regrets={"one-coin": regret(slope_of_bbta=0.9)}) == Verdict.FAILS


def test_crowds_are_compared_by_the_labels_of_workers_drawn_at_random():
    rows = []
    for data, (crowd, share) in product(BENCHMARKS, zip(CROWDS, (0.62, 0.7, 0.58), strict=True)):
        right = np.full((8, MARKS.size), share) + noise(8, seed=len(rows))[:, None]
        rows += fixed_rows(f"{data}/{crowd}", "random", rising(0.8), right=right)
    assert verdict_on("hostile-crowds", rows) == Verdict.HOLDS


def test_the_claims_on_gender_hobby_are_tested_if_it_is_there():
    names = ("bbta", "bbta:explore=0", "random")
    rows = [row for at, name in enumerate(names) for row in fixed_rows("gender_hobby/replay", name, rising(0.9 - 0.1 * at))]
    assert verdict_on("hobby-bbta-leads", rows, [facts("gender_hobby/replay", kind="replay")]) == Verdict.HOLDS


def test_every_claim_that_can_be_tested_gets_a_verdict(tmp_path):
    rows, panels, regrets = everything()
    findings = judge_all(results_of(rows, panels, regrets))
    untested = {finding.claim.key for finding in findings if finding.verdict == Verdict.UNTESTED}
    assert untested == {"hobby-workers-worse", "hobby-bbta-leads", "shape-bbta-leads"}
    write_claims(findings, tmp_path / "claims.csv")
    lines = (tmp_path / "claims.csv").read_text("utf-8").splitlines()
    assert len(lines) == 1 + sum(len(finding.cases) for finding in findings)
    assert comparisons(findings) > 200


def test_claims_have_names_of_their_own_and_whole_sentences():
    assert len(BY_KEY) == len(CLAIMS)
    assert all(claim.sentence.endswith(".") and claim.test.endswith(".") for claim in CLAIMS)
    assert len(benchmark_panels()) == 9


def test_numbers_are_spelt_with_a_true_minus():
    assert spell_interval(Interval(-0.04, -1.25, 1.0)) == "0.0 [−1.2, 1.0]"
